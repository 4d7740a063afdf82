"""A project on GitLab as a tracker."""

# Governing: ADR-0018 (tracker issues as files), SPEC-0009 REQ "One file for each tracker"

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote

from sdd_hooks.errors import AccessRefused, Missing, RemoteError
from sdd_hooks.remote.json_fields import number, text
from sdd_hooks.trackers.gitlab.details import Details
from sdd_hooks.trackers.gitlab.listing import (
    LABEL,
    PER_PAGE,
    Listed,
    changed,
    created,
    entries_of,
    repeated,
)
from sdd_hooks.trackers.gitlab.payloads import NAME, is_moved, issue_of
from sdd_hooks.trackers.hosted import Hosted
from sdd_hooks.trackers.issue import Draft, Edit, Issue
from sdd_hooks.trackers.protocol import Filter, Page, Since

if TYPE_CHECKING:
    from sdd_hooks.remote.response import Answer

_STATES = {"open": "opened", "draft": "opened", "closed": "closed", "merged": "closed"}


@dataclass(frozen=True)
class GitLab(Hosted):
    """The issues of one project. Reads and writes."""

    name = NAME
    label = LABEL

    def fetch(self, since: Since, notes: MutableMapping[str, str]) -> Iterator[Page]:
        """Pages of issues that changed, then of merge requests. Unchanged, that is two requests.

        Confidential issues come with the others to a token that may read them.
        """
        graphql = f"{self.where.url}/api/graphql"
        details = Details(self.client, self._path(""), self.home, graphql)
        now: dict[str, str] = {}
        at: float | None = None
        for listed in changed(self.client, self._path("issues"), since.issues, notes, now):
            at = listed.at if at is None else at
            yield _page(listed, details)
        everything = since.pulls is None
        path = self._path("merge_requests")
        try:
            for listed in changed(self.client, path, since.pulls, notes, now):
                pulls = details.take(listed.entries, everything=everything)
                yield Page((), listed.at, pulls=pulls)
        except (AccessRefused, Missing) as error:
            # A project may have issues without them.
            details.warnings.append(f"merge requests are left out: {error}")
        if everything:
            details.complete()
        for pulls in details.rest():
            yield Page((), at or 0.0, pulls=pulls)
        if details.warnings:
            yield Page((), at or 0.0, warnings=details.told())
        notes.update(now)

    def inventory(self) -> Iterator[str]:
        """The numbers of all issues."""
        for listed in created(self.client, self._path("issues")):
            for entry in listed.entries:
                found = None if is_moved(entry) else issue_of(entry)
                if found is not None:
                    yield found.id

    def issue(self, id: str) -> Issue:
        """One issue, without its edges. Raises Missing, for one that was moved as well."""
        entry = self.client.get(self._issue(id)).json()
        found = issue_of(entry)
        if found is None:
            raise Missing(f"{LABEL}: {self.home}#{id} is no issue")
        if is_moved(entry):
            raise Missing(f"{LABEL}: {self.home}#{id} was moved to another project")
        return found

    def query(self, filter: Filter) -> Iterator[Issue]:
        """The issues that match, the last updated first, without their edges."""
        params: dict[str, str | int] = {
            "scope": "all", "order_by": "updated_at", "sort": "desc", "per_page": PER_PAGE,
        }  # fmt: skip
        if filter.status in _STATES:
            params["state"] = _STATES[filter.status]
        if filter.labels:
            params["labels"] = ",".join(filter.labels)
        path: str | None = self._path("issues")
        seen: set[str] = set()
        while path is not None:
            answer = self.client.get(path, params)
            found = {text(entry, "iid"): entry for entry in entries_of(answer)}
            if found and found.keys() <= seen:
                raise repeated()
            for entry in (found[iid] for iid in found if iid not in seen):
                issue = None if is_moved(entry) else issue_of(entry)
                if issue is not None:
                    yield issue
            seen |= found.keys()
            path, params = self.client.following(answer), {}

    def create(self, draft: Draft) -> Issue:
        """A new issue. GitLab makes labels that are not there yet."""
        body: dict[str, object] = {
            "title": draft.title,
            "description": draft.body,
        }
        if draft.labels:
            body["labels"] = ",".join(draft.labels)
        if draft.group:
            body["milestone_id"] = self._milestone(draft.group)
        return self._written(self.client.send("POST", self._path("issues"), body))

    def edit(self, id: str, edit: Edit) -> Issue:
        """Change an issue."""
        wanted: dict[str, object] = {}
        if edit.title is not None:
            wanted["title"] = edit.title
        if edit.body is not None:
            wanted["description"] = edit.body
        if edit.labels is not None:
            wanted["labels"] = ",".join(edit.labels)
        return self._written(self.client.send("PUT", self._issue(id), wanted, again=True))

    def close(self, id: str) -> None:
        """Close an issue."""
        self.client.send("PUT", self._issue(id), {"state_event": "close"}, again=True)

    def comment(self, id: str, text: str) -> None:
        """Say something below an issue."""
        self.client.send("POST", f"{self._issue(id)}/notes", {"body": text})

    def group(self, id: str, name: str) -> None:
        """Put an issue into the milestone of that name, of the project or a group around it."""
        wanted = {"milestone_id": self._milestone(name)}
        self.client.send("PUT", self._issue(id), wanted, again=True)

    def _milestone(self, name: str) -> int:
        """The global id of the milestone of that name, made when there is none."""
        params: dict[str, str | int] = {"title": name, "include_ancestors": "true"}
        for one in entries_of(self.client.get(self._path("milestones"), params)):
            found = number(one, "id")
            if text(one, "title") == name and found is not None:
                return found
        made = self.client.send("POST", self._path("milestones"), {"title": name})
        found = number(made.json(), "id")
        if found is None:
            raise RemoteError(f"{LABEL} does not say which milestone it made: try again")
        return found

    def _written(self, answer: Answer) -> Issue:
        found = issue_of(answer.json())
        if found is None:
            raise RemoteError(
                f"{LABEL} does not say which issue it wrote: look at {self.web}/-/issues"
            )
        return found

    def _path(self, below: str) -> str:
        return f"projects/{quote(self.home, safe='')}/{below}".rstrip("/")

    def _issue(self, id: str) -> str:
        """The path of an issue. Raises Missing."""
        return self._path(f"issues/{self.number(id)}")


def _page(listed: Listed, details: Details) -> Page:
    """A page of issues with their edges."""
    kept = [entry for entry in listed.entries if not is_moved(entry)]
    edges = details.edges(kept)
    issues = [issue_of(one, *edges.get(text(one, "iid"), ())) for one in kept]
    if None in issues:
        details.warnings.append(f"{LABEL} lists an issue without a number: left out")
    details.expect(kept)
    gone = (text(entry, "iid") for entry in listed.entries if is_moved(entry))
    return Page(
        tuple(issue for issue in issues if issue is not None),
        listed.at,
        gone=tuple(filter(None, gone)),
        total=listed.total,
        warnings=details.told(),
    )
