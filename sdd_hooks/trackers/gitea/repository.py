"""A repository on a Gitea or a Forgejo as a tracker.

Its listing is newest first, whatever it is asked for, with at most 50 entries a page, and says
nothing about dependencies: they cost two requests for each issue that is fetched, and none where
the repository does without them. Which issues a pull request closes is not in the API either: the
server reads it from title and body, and so does this.
"""

# Governing: ADR-0018 (tracker issues as files), SPEC-0009 REQ "One file for each tracker",
# SPEC-0009 REQ "Writing to a tracker"

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, MutableMapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote

from sdd_hooks.errors import Missing, RemoteError
from sdd_hooks.remote.json_fields import Json, epoch, number, stamp, text
from sdd_hooks.remote.json_fields import field as field_of
from sdd_hooks.trackers.gitea.payloads import (
    NAME,
    closing_words,
    is_pull,
    issue_of,
    number_of,
    pull_of,
    references,
)
from sdd_hooks.trackers.hosted import Hosted
from sdd_hooks.trackers.issue import Draft, Edit, Issue, PullRequest
from sdd_hooks.trackers.page_windows import Window, windows
from sdd_hooks.trackers.protocol import Filter, Page, Since

if TYPE_CHECKING:
    pass

LABEL = "Gitea"
TOTAL = "x-total-count"
"""The header with the number of all entries of a listing."""
MOST_FILES = 300
"""Files of a pull request that are read."""
LABEL_COLOUR = "#cccccc"
"""The colour of a label that had to be made."""

_STATES = {"open": "open", "draft": "open", "closed": "closed", "merged": "closed"}
_ISSUES: dict[str, str | int] = {"type": "issues", "state": "all"}
_UNKNOWN = frozenset({404, 405})
"""How servers answer that are too old for what they are asked."""


class _Detail(NamedTuple):
    """Something that not every server tells, and what is said where it does not."""

    path: str
    lacking: str


_DEPENDENCIES = _Detail("dependencies", "which issues block each other is only read in their texts")
_FILES = _Detail("files", "pull requests come without their files")


@dataclass(frozen=True)
class Gitea(Hosted):
    """The issues of one repository. Reads and writes."""

    _offered: dict[_Detail, bool] = field(default_factory=dict, init=False, repr=False)

    name = NAME
    label = LABEL

    def fetch(self, since: Since, notes: MutableMapping[str, str]) -> Iterator[Page]:  # noqa: ARG002
        """Issues that changed, the newest first, then pull requests, the last changed first."""
        yield from self._issues(since.issues)
        yield from self._pulls(since.pulls)

    def inventory(self) -> Iterator[str]:
        """The numbers of all issues."""
        for window in self._listed(self._path("issues"), _ISSUES, number_of):
            for entry in window.rows:
                index = number_of(entry)
                if index is not None and not is_pull(entry):
                    yield str(index)

    def issue(self, id: str) -> Issue:
        """One issue, without dependencies. Raises Missing; a pull request is none."""
        entry = self.client.get(self._issue(id)).json()
        found = issue_of(entry, self.web)
        if found is None or is_pull(entry):
            raise Missing(f"{LABEL}: {self.home}#{id} is no issue")
        return found

    def query(self, filter: Filter) -> Iterator[Issue]:
        """The issues that match, the newest first, without dependencies."""
        params = {**_ISSUES, "state": _STATES.get(filter.status or "", "all")}
        # A label with a comma in it cannot be asked for.
        asked = ",".join(label for label in filter.labels if "," not in label)
        if asked:
            params["labels"] = asked
        wanted = {label.lower() for label in filter.labels}
        for window in self._listed(self._path("issues"), params, number_of):
            for issue in self._read(window.rows, []):
                # Labels that the server does not know, those of an organisation too, it ignores.
                if wanted <= {label.lower() for label in issue.labels}:
                    yield issue

    def create(self, draft: Draft) -> Issue:
        """A new issue. Labels that are not there yet are made."""
        made: dict[str, object] = {"title": draft.title, "body": draft.body}
        if draft.labels:
            made["labels"] = self._label_ids(draft.labels)
        if draft.group:
            made["milestone"] = self._milestone(draft.group)
        return self._written(self.client.send("POST", self._path("issues"), made).json())

    def edit(self, id: str, edit: Edit) -> Issue:
        """Change an issue. Labels that are not there yet are made."""
        if edit.labels is not None:
            labels = {"labels": self._label_ids(edit.labels)}
            self.client.send("PUT", f"{self._issue(id)}/labels", labels)
        changed = {"title": edit.title, "body": edit.body}
        changed = {name: value for name, value in changed.items() if value is not None}
        if not changed:
            return self.issue(id)
        return self._written(self.client.send("PATCH", self._issue(id), changed).json())

    def close(self, id: str) -> None:
        """Close an issue. Raises RemoteError while open ones block it."""
        change = {"state": "closed"}
        if self.client.send("PATCH", self._issue(id), change, allow=(412,)).status == 412:
            raise RemoteError(
                f"{LABEL} does not close {self.home}#{id} while open issues block it: "
                "close those first"
            )

    def comment(self, id: str, text: str) -> None:
        """Say something below an issue."""
        self.client.send("POST", f"{self._issue(id)}/comments", {"body": text})

    def group(self, id: str, name: str) -> None:
        """Put an issue into the milestone of that name."""
        self.client.send("PATCH", self._issue(id), {"milestone": self._milestone(name)})

    def _issues(self, since: float | None) -> Iterator[Page]:
        params = dict(_ISSUES) if since is None else {**_ISSUES, "since": stamp(since)}
        for window in self._listed(self._path("issues"), params, number_of):
            warnings: list[str] = []
            issues = self._read(window.rows, warnings)
            if issues and self._has("internal_tracker", "enable_issue_dependencies"):
                paths = [self._issue(issue.id) for issue in issues]
                if self._offers(_DEPENDENCIES, paths, warnings):
                    issues = self._with_edges(issues)
            yield Page(tuple(issues), window.at, total=window.total, warnings=tuple(warnings))

    def _pulls(self, since: float | None) -> Iterator[Page]:
        if not self._has("has_pull_requests"):
            return
        params: dict[str, str | int] = {"state": "all", "sort": "recentupdate"}
        closing = closing_words(self.where.url)
        shown = False
        try:
            for window in self._listed(self._path("pulls"), params, number_of):
                shown = True
                entries = [one for one in window.rows if not _is_before(one, since)]
                warnings: list[str] = []
                found = (pull_of(one, closing, self._homes) for one in entries)
                pulls = self._with_files([pull for pull in found if pull], warnings)
                yield Page((), window.at, tuple(pulls), warnings=tuple(warnings))
                if len(entries) < len(window.rows):
                    return
        except Missing as error:
            # Somebody may be shown issues alone.
            if shown:
                raise
            yield Page((), self.client.clock(), warnings=(f"without pull requests: {error}",))

    def _read(self, entries: list[Json], warnings: list[str]) -> list[Issue]:
        """The issues among the entries of the listing."""
        issues = []
        for entry in entries:
            found = None if is_pull(entry) else issue_of(entry, self.web)
            if found is not None:
                issues.append(found)
            elif not is_pull(entry):
                warnings.append(f"{LABEL} lists an issue without a number: left out")
        return issues

    def _with_edges(self, issues: list[Issue]) -> list[Issue]:
        """The issues with what blocks them and what they block, asked for now."""
        kinds = ("dependencies", "blocks")
        paths = [f"{self._issue(issue.id)}/{kind}" for issue in issues for kind in kinds]
        found = self.client.each(self._linked, paths)
        return [replace(one, blocked_by=next(found), blocks=next(found)) for one in issues]

    def _linked(self, path: str) -> tuple[str, ...]:
        """The other ends of an issue's dependencies; none where it is gone meanwhile."""
        # Numbers of several repositories may be the same.
        listed = self._listed(path, {}, lambda entry: number(entry, "id"), _UNKNOWN)
        return references([entry for window in listed for entry in window.rows], self._homes)

    def _with_files(self, pulls: list[PullRequest], warnings: list[str]) -> list[PullRequest]:
        """The pull requests, those that close an issue with their files, asked for now."""
        paths = {pull.number: self._path(f"pulls/{pull.number}") for pull in pulls if pull.closes}
        if not paths or not self._offers(_FILES, list(paths.values()), warnings):
            return pulls
        found = dict(zip(paths, self.client.each(self._files, paths.values()), strict=True))
        return [replace(pull, files=found.get(pull.number, ())) for pull in pulls]

    def _files(self, path: str) -> tuple[str, ...]:
        """The paths that a pull request changes; none where its branches are gone."""
        # 500 is how it says that git no longer has them.
        listed = self._listed(
            f"{path}/files", {}, lambda entry: text(entry, "filename"), _UNKNOWN | {500}
        )
        named = (text(entry, "filename") for window in listed for entry in window.rows)
        return tuple(islice(filter(None, named), MOST_FILES))

    def _offers(self, detail: _Detail, owners: list[str], warnings: list[str]) -> bool:
        """Whether the server tells such details at all: asked of the first owner that is there."""
        for path in owners:
            if detail in self._offered:
                break
            asked = self.client.get(f"{path}/{detail.path}", {"limit": 1}, allow=_UNKNOWN | {500})
            if asked.status not in _UNKNOWN:
                self._offered[detail] = True
            elif self.client.get(path, allow=_UNKNOWN).status not in _UNKNOWN:
                self._offered[detail] = False
                warnings.append(f"this {LABEL} is too old, or shows too little: {detail.lacking}")
        return self._offered.get(detail, False)

    def _has(self, *setting: str) -> bool:
        """Whether the repository has something; one that does not say so may."""
        return field_of(self._description, *setting) is not False

    def _label_ids(self, labels: tuple[str, ...]) -> list[int]:
        """The ids of labels by their names: the repository's, its organisation's, or new ones."""
        known = self._ids(self._path("labels"), "name")
        if not known.keys() >= set(labels):
            owner = quote(self.where.owner, safe="")
            known = {**self._ids(f"orgs/{owner}/labels", "name", _UNKNOWN), **known}
        for label in dict.fromkeys(labels):
            if label not in known:
                known[label] = self._made("labels", {"name": label, "color": LABEL_COLOUR})
        return [known[label] for label in dict.fromkeys(labels)]

    def _milestone(self, title: str) -> int:
        """The id of the milestone of that name, made when there is none."""
        known = self._ids(self._path("milestones"), "title")
        return known.get(title) or self._made("milestones", {"title": title})

    def _ids(self, path: str, named: str, allow: frozenset[int] = frozenset()) -> dict[str, int]:
        """The ids of what is listed there, by their names."""
        found: dict[str, int] = {}
        # Labels have no state, and take no notice of one.
        params = {"state": "all"} if named == "title" else {}
        for window in self._listed(path, params, lambda entry: number(entry, "id"), allow):
            for entry in window.rows:
                id = number(entry, "id")
                if id is not None:
                    found.setdefault(text(entry, named), id)
        return found

    def _made(self, kind: str, body: dict[str, str]) -> int:
        """The id of a new label or milestone."""
        id = number(self.client.send("POST", self._path(kind), body).json(), "id")
        if id is None:
            raise RemoteError(f"{LABEL} does not say what it made among the {kind}: try again")
        return id

    def _written(self, entry: Json) -> Issue:
        found = issue_of(entry, self.web)
        if found is None:
            raise RemoteError(
                f"{LABEL} does not say which issue it wrote: look at {self.web}/issues"
            )
        return found

    def _listed(
        self,
        path: str,
        params: Mapping[str, str | int],
        key: Callable[[Json], Hashable | None],
        allow: frozenset[int] = frozenset(),
    ) -> Iterator[Window]:
        """All that is listed at `path`; nothing where the answer's status is in `allow`."""

        def ask(page: int, limit: int) -> Window:
            began = self.client.clock()
            answer = self.client.get(path, {**params, "page": page, "limit": limit}, allow=allow)
            # The server says when it was done.
            at = self.client.at(answer) - max(self.client.clock() - began, 0.0)
            if answer.status in allow:
                return Window([], None, False, at)
            entries = answer.json()
            if not isinstance(entries, list):
                raise RemoteError(f"{LABEL} answers without a list: check the URL")
            # Its addresses are not followed: many a server takes itself for another host.
            more = len(entries) == limit or 'rel="next"' in answer.headers.get("link", "")
            return Window(entries, answer.count(TOTAL), more, at)

        return windows(ask, key, LABEL)

    @cached_property
    def _description(self) -> Json:
        return self.client.get(self._path("")).json()

    @cached_property
    def _homes(self) -> frozenset[str]:
        """What the repository is called: it may have another name by now."""
        return frozenset({self.home.lower(), text(self._description, "full_name").lower()})

    def _path(self, below: str) -> str:
        owner, project = quote(self.where.owner, safe=""), quote(self.where.project, safe="")
        return f"repos/{owner}/{project}/{below}".rstrip("/")

    def _issue(self, id: str) -> str:
        """The path of an issue. Raises Missing."""
        return self._path(f"issues/{self.number(id)}")


def _is_before(entry: Json, since: float | None) -> bool:
    """Whether a pull request was last changed before that time."""
    updated = epoch(text(entry, "updated_at"))
    return since is not None and updated is not None and updated < since
