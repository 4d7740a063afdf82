"""The issues of a repository on Gitea or Forgejo.

The issue listing ignores the requested order: it is newest first, with at most 50 entries a page.
It lacks dependencies, which take two requests for each fetched issue unless the repository has
them disabled. The API does not name the issues that a pull request closes: they are parsed from
title and body, as the server parses them.
"""

# Governing: ADR-0018 (tracker issues as files), SPEC-0009 REQ "One file for each tracker",
# SPEC-0009 REQ "Writing to a tracker"

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, MutableMapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from urllib.parse import quote

from sdd_hooks.errors import Missing, RemoteError
from sdd_hooks.hosts.gitea import LABEL, window_of
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.remote.json_fields import Json, format_utc, number, parse_epoch, text
from sdd_hooks.remote.json_fields import field as field_of
from sdd_hooks.remote.paging import Window, read_windows
from sdd_hooks.trackers.gitea.payloads import (
    NAME,
    closing_words,
    is_pull,
    issue_of,
    number_of,
    pull_of,
    references,
)
from sdd_hooks.trackers.hosted import HostedProject
from sdd_hooks.trackers.issue import Issue, IssueDraft, LinkedPull, colour_of, joined
from sdd_hooks.trackers.protocol import IssueFilter, IssuePage, Since

MAX_FILES = 300
"""Files of a pull request that are read."""
SETTLED_SECONDS = 10.0
"""Seconds after an update until a fetch has certainly seen it: times have whole seconds."""

_STATES = {"open": "open", "draft": "open", "closed": "closed", "merged": "closed"}
_ISSUES: dict[str, str | int] = {"type": "issues", "state": "all"}
_UNSUPPORTED = frozenset({404, 405})
"""The statuses of servers that are too old for a request."""


class _OptionalEndpoint(NamedTuple):
    """An endpoint that old servers lack, and the end of the warning about that."""

    path: str
    warning: str


_DEPENDENCIES = _OptionalEndpoint(
    "dependencies", "which issues block each other is only read in their texts"
)
_FILES = _OptionalEndpoint("files", "pull requests come without their files")


@dataclass(frozen=True)
class GiteaTracker(HostedProject):
    """The issues of one repository."""

    _supported: dict[_OptionalEndpoint, bool] = field(default_factory=dict, init=False, repr=False)

    name = NAME
    label = LABEL

    def fetch(self, since: Since, notes: MutableMapping[str, str]) -> Iterator[IssuePage]:
        """Changed issues, newest first, then pull requests, last updated first.

        Without changes it takes three requests: what was updated well before the last complete
        fetch is not requested again.
        """
        now = self._now
        settled = parse_epoch(notes.get("at", ""))
        if settled is not None:
            settled -= SETTLED_SECONDS
            settled = None if settled > now else settled
        yield from self._issues(_later(since.issues, settled))
        yield from self._pulls(_later(since.pulls, settled))
        notes["at"] = format_utc(now)

    def inventory(self) -> Iterator[Issue]:
        """All issues, without dependencies."""
        for window in self._list(self._path("issues"), _ISSUES, number_of):
            yield from self._parse(window.rows, [])

    def issue(self, id: str) -> Issue:
        """One issue, without dependencies. Raises Missing, also for a pull request."""
        entry = self.client.get(self._issue_path(id)).json()
        issue = issue_of(entry, self.web_url)
        if issue is None or is_pull(entry):
            raise Missing(f"{LABEL}: {self.full_name}#{id} is not an issue")
        return issue

    def query(self, filter: IssueFilter) -> Iterator[Issue]:
        """The issues that match, newest first, without dependencies."""
        params = {**_ISSUES, "state": _STATES.get(filter.status or "", "all")}
        # The API separates labels by commas and cannot escape one.
        labels = ",".join(label for label in filter.labels if "," not in label)
        if labels:
            params["labels"] = labels
        wanted = {label.lower() for label in filter.labels}
        for window in self._list(self._path("issues"), params, number_of):
            for issue in self._parse(window.rows, []):
                # The server ignores unknown labels, and those of an organisation.
                if wanted <= {label.lower() for label in issue.labels}:
                    yield issue

    def create(self, draft: IssueDraft) -> Issue:
        """Create an issue, and the labels that do not exist."""
        body: dict[str, object] = {"title": draft.title, "body": draft.body}
        if draft.labels:
            body["labels"] = self._label_ids(draft.labels)
        entry = self.client.send("POST", self._path("issues"), body).json()
        return self.written(issue_of(entry, self.web_url))

    def close(self, id: str) -> None:
        """Close an issue. Raises RemoteError while open issues block it."""
        change = {"state": "closed"}
        if self.client.send("PATCH", self._issue_path(id), change, allow=(412,)).status == 412:
            raise RemoteError(
                f"{LABEL} does not close {self.full_name}#{id} while open issues block it: "
                "close those first"
            )

    def append(self, id: str, text: str) -> Issue:
        """Append to the body of an issue."""
        change = {"body": joined(self.issue(id).body, text)}
        entry = self.client.send("PATCH", self._issue_path(id), change).json()
        return self.written(issue_of(entry, self.web_url))

    def group_of(self, id: str) -> str:
        """The title of the milestone of an issue."""
        return text(self.client.get(self._issue_path(id)).json(), "milestone", "title")

    def has_group(self, group: str) -> bool:
        """Whether there is a milestone of that title."""
        return group in self._ids(self._path("milestones"), "title")

    def group(self, id: str, group: str) -> None:
        """Assign an issue to the milestone of that title, created if missing."""
        self.client.send("PATCH", self._issue_path(id), {"milestone": self._milestone(group)})

    def _issues(self, since: float | None) -> Iterator[IssuePage]:
        params = dict(_ISSUES) if since is None else {**_ISSUES, "since": format_utc(since)}
        for window in self._list(self._path("issues"), params, number_of):
            warnings: list[str] = []
            issues = self._parse(window.rows, warnings)
            if issues and self._has("internal_tracker", "enable_issue_dependencies"):
                paths = [self._issue_path(issue.id) for issue in issues]
                if self._supports(_DEPENDENCIES, paths, warnings):
                    issues = self._with_dependencies(issues)
                else:
                    issues = [replace(issue, edges_known=False) for issue in issues]
            yield IssuePage(tuple(issues), window.at, total=window.total, warnings=tuple(warnings))

    def _pulls(self, since: float | None) -> Iterator[IssuePage]:
        if not self._has("has_pull_requests"):
            return
        params: dict[str, str | int] = {"state": "all", "sort": "recentupdate"}
        closing = closing_words(self.location.url)
        has_page = False
        try:
            for window in self._list(self._path("pulls"), params, number_of):
                has_page = True
                entries = [entry for entry in window.rows if not _is_before(entry, since)]
                warnings: list[str] = []
                parsed = (pull_of(entry, closing, self._homes) for entry in entries)
                pulls = self._with_files([pull for pull in parsed if pull], warnings)
                yield IssuePage((), window.at, tuple(pulls), warnings=tuple(warnings))
                if len(entries) < len(window.rows):
                    return
        except Missing as error:
            # A token may give access to issues alone.
            if has_page:
                raise
            yield IssuePage((), self.client.clock(), warnings=(f"without pull requests: {error}",))

    def _parse(self, entries: list[Json], warnings: list[str]) -> list[Issue]:
        """The issues among the entries of the listing, with a warning for each without a number."""
        issues = []
        for entry in entries:
            if is_pull(entry):
                continue
            issue = issue_of(entry, self.web_url)
            if issue is not None:
                issues.append(issue)
            else:
                warnings.append(f"{LABEL} lists an issue without a number: left out")
        return issues

    def _with_dependencies(self, issues: list[Issue]) -> list[Issue]:
        """Request the dependencies of the issues, in both directions."""
        kinds = ("dependencies", "blocks")
        paths = [f"{self._issue_path(issue.id)}/{kind}" for issue in issues for kind in kinds]
        ids = self.client.map_concurrently(self._linked_ids, paths)
        return [_with_edges(issue, next(ids), next(ids)) for issue in issues]

    def _linked_ids(self, path: str) -> tuple[str, ...] | None:
        """The ids in a listing of dependencies; None if the server does not show it."""
        # Issues of several repositories may have the same number.
        windows = self._list(path, {}, lambda entry: number(entry, "id"))
        try:
            return references([entry for window in windows for entry in window.rows], self._homes)
        except Missing:
            return None

    def _with_files(self, pulls: list[LinkedPull], warnings: list[str]) -> list[LinkedPull]:
        """Request the files of the pull requests that close an issue."""
        paths = {pull.number: self._path(f"pulls/{pull.number}") for pull in pulls if pull.closes}
        if not paths or not self._supports(_FILES, list(paths.values()), warnings):
            return pulls
        files = dict(
            zip(paths, self.client.map_concurrently(self._files, paths.values()), strict=True)
        )
        return [replace(pull, files=files.get(pull.number, ())) for pull in pulls]

    def _files(self, path: str) -> tuple[str, ...]:
        """The paths that a pull request changes; empty if its branches were deleted."""
        # The server responds with 500 when git no longer has the branches.
        windows = self._list(
            f"{path}/files", {}, lambda entry: text(entry, "filename"), _UNSUPPORTED | {500}
        )
        names = (text(entry, "filename") for window in windows for entry in window.rows)
        return tuple(islice(filter(None, names), MAX_FILES))

    def _supports(
        self, endpoint: _OptionalEndpoint, parents: list[str], warnings: list[str]
    ) -> bool:
        """Whether the server has an endpoint, tested below the first of `parents` that exists."""
        for path in parents:
            if endpoint in self._supported:
                break
            target = f"{path}/{endpoint.path}"
            response = self.client.get(target, {"limit": 1}, allow=_UNSUPPORTED | {500})
            if response.status not in _UNSUPPORTED:
                self._supported[endpoint] = True
            elif self.client.get(path, allow=_UNSUPPORTED).status not in _UNSUPPORTED:
                self._supported[endpoint] = False
                warnings.append(f"this {LABEL} is too old, or shows too little: {endpoint.warning}")
        return self._supported.get(endpoint, False)

    def _has(self, *setting: str) -> bool:
        """Whether the repository may have a feature: only an explicit false denies it."""
        return field_of(self._description, *setting) is not False

    def _label_ids(self, labels: tuple[str, ...]) -> list[int]:
        """The ids of labels of the repository or its organisation; missing ones are created."""
        known = self._ids(self._path("labels"), "name")
        if not known.keys() >= set(labels):
            owner = quote(self.location.owner, safe="")
            known = {**self._ids(f"orgs/{owner}/labels", "name", _UNSUPPORTED), **known}
        for label in dict.fromkeys(labels):
            if label not in known:
                known[label] = self._create(
                    "labels", {"name": label, "color": f"#{colour_of(label)}"}
                )
        return [known[label] for label in dict.fromkeys(labels)]

    def _milestone(self, title: str) -> int:
        """The id of the milestone of that name, created if missing."""
        known = self._ids(self._path("milestones"), "title")
        return known.get(title) or self._create("milestones", {"title": title})

    def _ids(
        self, path: str, name_field: str, allow: frozenset[int] = frozenset()
    ) -> dict[str, int]:
        """The ids of the entries of a listing by their names; the first of a name wins."""
        ids: dict[str, int] = {}
        # Only milestones have a state.
        params = {"state": "all"} if name_field == "title" else {}
        for window in self._list(path, params, lambda entry: number(entry, "id"), allow):
            for entry in window.rows:
                id = number(entry, "id")
                if id is not None:
                    ids.setdefault(text(entry, name_field), id)
        return ids

    def _create(self, kind: str, body: dict[str, str]) -> int:
        """Create a label or a milestone, and return its id."""
        id = number(self.client.send("POST", self._path(kind), body).json(), "id")
        if id is None:
            raise RemoteError(f"{LABEL} does not say what it made among the {kind}: try again")
        return id

    def _list(
        self,
        path: str,
        params: Mapping[str, str | int],
        key: Callable[[Json], Hashable | None],
        allow: frozenset[int] = frozenset(),
    ) -> Iterator[Window]:
        """The windows of a listing; empty where the status of the response is in `allow`."""

        def request(page: int, limit: int) -> Window:
            started = self.client.clock()
            query = {**params, "page": page, "limit": limit}
            response = self.client.get(path, query, allow=allow)
            # The server's date is the end of the request.
            at = self.client.server_time(response) - max(self.client.clock() - started, 0.0)
            if response.status in allow:
                return Window([], None, False, at)
            entries = response.json()
            if not isinstance(entries, list):
                raise RemoteError(f"{LABEL} answers without a list: check the URL")
            return window_of(response, entries, limit, at)

        return read_windows(request, key, LABEL)

    @cached_property
    def _repository(self) -> tuple[Json, float]:
        """The description of the repository, and the server's time when it was requested."""
        started = self.client.clock()
        response = self.client.get(self._path(""))
        at = self.client.server_time(response) - max(self.client.clock() - started, 0.0)
        return response.json(), at

    @property
    def _description(self) -> Json:
        return self._repository[0]

    @property
    def _now(self) -> float:
        return self._repository[1]

    @cached_property
    def _homes(self) -> frozenset[str]:
        """The names of the repository, in lower case: as configured, and after a rename."""
        return frozenset({self.full_name.lower(), text(self._description, "full_name").lower()})

    def _path(self, below: str) -> str:
        owner, project = quote(self.location.owner, safe=""), quote(self.location.project, safe="")
        return f"repos/{owner}/{project}/{below}".rstrip("/")

    def _issue_path(self, id: str) -> str:
        """The path of an issue. Raises Missing."""
        return self._path(f"issues/{self.number(id)}")


def _with_edges(
    issue: Issue, blocked_by: tuple[str, ...] | None, blocks: tuple[str, ...] | None
) -> Issue:
    """The issue with its dependencies; None for those that the server did not show."""
    return replace(
        issue,
        blocked_by=blocked_by or (),
        blocks=blocks or (),
        edges_known=blocked_by is not None and blocks is not None,
    )


def _later(first: float | None, second: float | None) -> float | None:
    """The later of two times; None if the first is."""
    return first if first is None or second is None else max(first, second)


def _is_before(entry: Json, since: float | None) -> bool:
    """Whether a pull request was last updated before that time."""
    updated = parse_epoch(text(entry, "updated_at"))
    return since is not None and updated is not None and updated < since
