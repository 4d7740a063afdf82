"""A repository on GitHub as a tracker: one listing of issues and pull requests together.

The REST API lists both in the order of their last change. What else belongs to a pull request is
asked for by GraphQL, many at once; dependencies of an issue only where the listing counts some.
"""

# Governing: ADR-0018 (tracker issues as files), SPEC-0009 REQ "One file for each tracker"

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote

from sdd_hooks.errors import AccessRefused, Missing, RemoteError
from sdd_hooks.remote.json_fields import Json, number, rows, stamp, text, utc
from sdd_hooks.remote.json_fields import field as field_of
from sdd_hooks.text.display import one_line
from sdd_hooks.trackers.github.graphql import PULLS_AT_ONCE, Questions
from sdd_hooks.trackers.github.payloads import (
    NAME,
    is_pull,
    issue_of,
    linked_ids,
    listed_pull_of,
    repository_of,
)
from sdd_hooks.trackers.hosted import Hosted
from sdd_hooks.trackers.issue import Draft, Edit, Issue, PullRequest
from sdd_hooks.trackers.protocol import Filter, Page, Since

if TYPE_CHECKING:
    from sdd_hooks.remote.response import Answer

LABEL = "GitHub"
PER_PAGE = 100

HEADERS = {"Accept": "application/vnd.github+json", "X-GitHub-Api-Version": "2022-11-28"}
_STATES = {"open": "open", "draft": "open", "closed": "closed", "merged": "closed"}
_EDGES = ("blocking", "blocked_by")


class _Listed(NamedTuple):
    """A page of the listing, and whether another one follows."""

    entries: list[Json]
    answer: Answer
    more: bool


@dataclass
class _Lacking:
    """What this fetch found that it cannot have, by feature, and the warnings not yet told."""

    features: set[str] = field(default_factory=set)
    untold: list[str] = field(default_factory=list)

    def add(self, feature: str, warning: str) -> None:
        """Note it, and warn once."""
        if feature not in self.features:
            self.features.add(feature)
            self.untold.append(warning)

    def told(self) -> tuple[str, ...]:
        """The warnings, which are told then."""
        warnings = tuple(self.untold)
        self.untold.clear()
        return warnings


@dataclass(frozen=True)
class GitHub(Hosted):
    """The issues of one repository. Reads and writes."""

    graphql: str

    name = NAME
    label = LABEL

    def fetch(self, since: Since, notes: MutableMapping[str, str]) -> Iterator[Page]:
        """Pages of what changed, in the order of change. An unchanged listing is one request."""
        start = _start(since, notes)
        known = notes.get("etag", "") if notes.get("since") == start else ""
        lacking = _Lacking()
        etag = ""
        for count, page in enumerate(self._listed(start, known)):
            at = self.client.at(page.answer)
            if page.answer.status == 304:
                yield Page((), at, total=0)
                return
            found = self._page(page, at, lacking)
            if count == 0:
                # The tag of a page says nothing about those after it.
                etag = "" if page.more else page.answer.headers.get("etag", "")
                total = self._questions.total(start) if page.more else len(found.issues)
                found = found._replace(total=total)
            yield found
        usable = etag.isascii() and etag.isprintable()
        notes.update({"since": start, "etag": etag if usable else ""})

    def inventory(self) -> Iterator[str]:
        """The numbers of all issues."""
        for page in self._listed(""):
            for entry in page.entries:
                found = None if is_pull(entry) else issue_of(entry)
                if found is not None:
                    yield found.id

    def issue(self, id: str) -> Issue:
        """One issue, without dependencies. Raises Missing; a pull request is none."""
        answer = self._get(self._issue(id), allow=(301,))
        if answer.status == 301:
            answer = self._moved(id, answer)
        entry = answer.json()
        found = issue_of(entry)
        if found is None or is_pull(entry):
            raise Missing(f"{LABEL}: {self.home}#{id} is no issue")
        return found

    def query(self, filter: Filter) -> Iterator[Issue]:
        """The issues that match, the last updated first, without dependencies."""
        params: dict[str, str | int] = {
            "state": _STATES.get(filter.status or "", "all"),
            "sort": "updated",
            "direction": "desc",
            "per_page": PER_PAGE,
        }
        # A label with a comma in it cannot be asked for.
        asked = ",".join(label for label in filter.labels if "," not in label)
        if asked:
            params["labels"] = asked
        wanted = {label.lower() for label in filter.labels}
        for page in self._following(params):
            for entry in page.entries:
                found = None if is_pull(entry) else issue_of(entry)
                if found and wanted <= {label.lower() for label in found.labels}:
                    yield found

    def create(self, draft: Draft) -> Issue:
        """A new issue. GitHub makes labels that are not there yet."""
        body: dict[str, object] = {"title": draft.title, "body": draft.body}
        if draft.labels:
            body["labels"] = list(draft.labels)
        if draft.group:
            body["milestone"] = self._milestone(draft.group)
        return self._written(self._send("POST", self._path("issues"), body))

    def edit(self, id: str, edit: Edit) -> Issue:
        """Change an issue."""
        changed = {name: value for name, value in edit._asdict().items() if value is not None}
        return self._written(self._send("PATCH", self._issue(id), changed))

    def close(self, id: str) -> None:
        """Close an issue as completed."""
        self._send("PATCH", self._issue(id), {"state": "closed", "state_reason": "completed"})

    def comment(self, id: str, text: str) -> None:
        """Say something below an issue."""
        self._send("POST", f"{self._issue(id)}/comments", {"body": text})

    def group(self, id: str, name: str) -> None:
        """Put an issue into the milestone of that name."""
        self._send("PATCH", self._issue(id), {"milestone": self._milestone(name)})

    @property
    def _questions(self) -> Questions:
        return Questions(self.client, self.graphql, self.where.owner, self.where.project)

    def _listed(self, since: str, etag: str = "") -> Iterator[_Listed]:
        """Everything changed at `since` or later ("" is always), the last change last.

        Each page begins at the second with which the one before ended: what changes meanwhile moves
        to the end, and nothing moves into a gap, as it would with numbered pages.
        """
        params: dict[str, str | int] = {
            "state": "all", "sort": "updated", "direction": "asc", "per_page": PER_PAGE,
        }  # fmt: skip
        while True:
            if since:
                params["since"] = since
            headers = {"If-None-Match": etag} if etag else {}
            page = self._ask(self._path("issues"), params, headers)
            yield page
            if not page.more:
                return
            last = max(utc(entry, "updated_at") for entry in page.entries or [None])
            if last <= since:
                break
            since, etag = last, ""
        # More than a page was changed in this second. Edits leave the order of creation as it is.
        yield from self._following({**params, "sort": "created"})

    def _following(self, params: Mapping[str, str | int]) -> Iterator[_Listed]:
        """The pages of a listing, each where the one before says that it is."""
        page = self._ask(self._path("issues"), params)
        seen = {number(entry, "number") for entry in page.entries}
        yield page
        while (target := self.client.following(page.answer)) is not None:
            page = self._ask(target)
            found = {number(entry, "number") for entry in page.entries}
            if found <= seen:
                raise RemoteError(f"{LABEL} lists the same page again and again: try again later")
            seen |= found
            yield page

    def _ask(
        self,
        path: str,
        params: Mapping[str, str | int] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> _Listed:
        """A page of the listing. With a tag in `headers` the answer may be 304."""
        answer = self._get(path, params, headers, allow=(304, 410) if headers else (410,))
        if answer.status == 304:
            return _Listed([], answer, more=False)
        if answer.status == 410:
            raise Missing(f"{LABEL}: {self.home} has issues disabled")
        entries = answer.json()
        if not isinstance(entries, list):
            raise RemoteError(f"{LABEL} answers without a list of issues: check the URL")
        return _Listed(entries, answer, self.client.following(answer) is not None)

    def _page(self, page: _Listed, at: float, lacking: _Lacking) -> Page:
        """A page of the listing with what its entries lack, asked for now."""
        entries = [entry for entry in page.entries if not is_pull(entry)]
        edges = self._edges(entries, lacking)
        issues = []
        for entry in entries:
            found = issue_of(entry, *edges.get(number(entry, "number") or 0, ()))
            if found is None:
                lacking.add("number", f"{LABEL} lists an issue without a number: left out")
            else:
                issues.append(found)
        pulls = self._pulls([entry for entry in page.entries if is_pull(entry)], lacking)
        return Page(tuple(issues), at, pulls=pulls, warnings=lacking.told())

    def _edges(
        self, entries: list[Json], lacking: _Lacking
    ) -> dict[int, tuple[tuple[str, ...], tuple[str, ...]]]:
        """What each issue blocks, and what blocks it, of those that have any."""
        counted = [entry for entry in entries if any(_count(entry, kind) for kind in _EDGES)]
        asked = [(entry, kind) for entry in counted for kind in _EDGES if _count(entry, kind)]
        if not asked or "dependencies" in lacking.features:
            return {}
        found: dict[int, dict[str, tuple[str, ...]]] = {}
        for (entry, kind), ids in zip(asked, self.client.each(self._linked, asked), strict=True):
            if ids is None:
                lacking.add("dependencies", f"{LABEL} does not show dependencies: left out")
            else:
                found.setdefault(number(entry, "number") or 0, {})[kind] = ids
        return {
            id: (one.get("blocking", ()), one.get("blocked_by", ())) for id, one in found.items()
        }

    def _linked(self, asked: tuple[Json, str]) -> tuple[str, ...] | None:
        """The other end of an issue's dependencies of that kind; None where none are shown."""
        entry, kind = asked
        path = f"{self._issue(text(entry, 'number'))}/dependencies/{kind}"
        answer = self._get(path, {"per_page": PER_PAGE}, allow=(404, 410))
        return linked_ids(answer.json(), repository_of(entry)) if answer.status == 200 else None

    def _pulls(self, entries: list[Json], lacking: _Lacking) -> tuple[PullRequest, ...]:
        """The pull requests of a page, as much of them as can be had."""
        found: dict[int, PullRequest] = {}
        if entries and "graphql" not in lacking.features:
            numbers = [id for id in (number(entry, "number") for entry in entries) if id]
            starts = range(0, len(numbers), PULLS_AT_ONCE)
            parts = [numbers[start : start + PULLS_AT_ONCE] for start in starts]
            try:
                for part in self.client.each(self._questions.pulls, parts):
                    found |= part
            except AccessRefused as error:
                lacking.add(
                    "graphql", f"pull requests come without their branches and files: {error}"
                )
        pulls = (found.get(number(one, "number") or 0) or listed_pull_of(one) for one in entries)
        return tuple(filter(None, pulls))

    def _moved(self, id: str, answer: Answer) -> Answer:
        """The issue where it is now, if only its repository has another name. Raises Missing."""
        there = self._get(answer.headers.get("location", ""))
        # What any issue of the repository says about where it is now.
        some = rows(self._get(self._path("issues"), {"state": "all", "per_page": 1}).json())
        if some and repository_of(some[0]) == repository_of(there.json()):
            return there
        moved = text(there.json(), "html_url")
        raise Missing(f"{LABEL}: {self.home}#{id} was moved to {one_line(moved)}", moved)

    def _milestone(self, name: str) -> int:
        """The number of the milestone of that name, created when there is none."""
        path: str | None = self._path("milestones")
        params: dict[str, str | int] | None = {"state": "all", "per_page": PER_PAGE}
        while path is not None:
            answer = self._get(path, params)
            for one in rows(answer.json()):
                found = number(one, "number")
                if text(one, "title") == name and found is not None:
                    return found
            path, params = self.client.following(answer), None
        made = number(self._send("POST", self._path("milestones"), {"title": name}), "number")
        if made is None:
            raise RemoteError(f"{LABEL} does not say which milestone it made: try again")
        return made

    def _written(self, entry: Json) -> Issue:
        found = issue_of(entry)
        if found is None:
            raise RemoteError(
                f"{LABEL} does not say which issue it wrote: look at {self.web}/issues"
            )
        return found

    def _get(
        self,
        path: str,
        params: Mapping[str, str | int] | None = None,
        headers: Mapping[str, str] | None = None,
        allow: tuple[int, ...] = (),
    ) -> Answer:
        return self.client.get(path, params, headers={**HEADERS, **(headers or {})}, allow=allow)

    def _send(self, method: str, path: str, body: object) -> Json:
        return self.client.send(method, path, body, headers=HEADERS).json()

    def _path(self, below: str) -> str:
        owner, project = quote(self.where.owner, safe=""), quote(self.where.project, safe="")
        return f"repos/{owner}/{project}/{below}".rstrip("/")

    def _issue(self, id: str) -> str:
        """The path of an issue. Raises Missing."""
        return self._path(f"issues/{self.number(id)}")


def _start(since: Since, notes: Mapping[str, str]) -> str:
    """The time from which the listing is read, "" for from the start.

    A listing that was read to its end, and everything in it kept, says the same of issues and of
    pull requests: notes tell that it was.
    """
    if since.issues is None or since.pulls is None:
        return ""
    limits = (since.issues, since.pulls)
    return stamp(max(limits) if notes else min(limits))


def _count(entry: Json, kind: str) -> int:
    """How many dependencies of that kind the listing counts, those that are settled included."""
    summary = field_of(entry, "issue_dependencies_summary")
    return max(number(summary, f"total_{kind}") or 0, number(summary, kind) or 0)
