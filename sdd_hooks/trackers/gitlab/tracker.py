"""The issues of a project on GitLab."""

# Governing: ADR-0018 (tracker issues as files), SPEC-0009 REQ "One file for each tracker"

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING
from urllib.parse import quote

from sdd_hooks.errors import AccessRefused, Missing, RemoteError
from sdd_hooks.hosts.gitlab import LABEL, PAGE_SIZE
from sdd_hooks.remote.json_fields import Json, number, text
from sdd_hooks.remote.paging import read_listing
from sdd_hooks.trackers.gitlab.details import GitLabDetails, IssueLinks
from sdd_hooks.trackers.gitlab.listing import (
    GitLabPage,
    entries_of,
    list_all,
    list_updated,
)
from sdd_hooks.trackers.gitlab.payloads import NAME, is_moved, issue_of
from sdd_hooks.trackers.hosted import HostedProject
from sdd_hooks.trackers.issue import Issue, IssueDraft, colour_of, joined
from sdd_hooks.trackers.protocol import IssueFilter, IssuePage, Since

if TYPE_CHECKING:
    pass

_STATES = {"open": "opened", "draft": "opened", "closed": "closed", "merged": "closed"}


@dataclass(frozen=True)
class GitLabTracker(HostedProject):
    """The issues of one project."""

    _known_labels: set[str] = field(default_factory=set, init=False, repr=False)

    name = NAME
    label = LABEL

    def fetch(self, since: Since, notes: MutableMapping[str, str]) -> Iterator[IssuePage]:
        """Pages of changed issues, then of merge requests. Without changes it takes two requests.

        Confidential issues are included if the token may read them.
        """
        graphql = f"{self.location.url}/api/graphql"
        details = GitLabDetails(self.client, self._path(""), self.full_name, graphql)
        new_notes: dict[str, str] = {}
        at: float | None = None
        path = self._path("issues")
        for listed in list_updated(self.client, path, since.issues, notes, new_notes):
            at = listed.at if at is None else at
            yield _page(listed, details)
        everything = since.pulls is None
        path = self._path("merge_requests")
        try:
            for listed in list_updated(self.client, path, since.pulls, notes, new_notes):
                pulls = details.add_pulls(listed.entries, everything=everything)
                yield IssuePage((), listed.at, pulls=pulls)
        except (AccessRefused, Missing) as error:
            # A project may have merge requests disabled.
            details.warnings.append(f"merge requests are left out: {error}")
        if everything:
            details.complete()
        for pulls in details.closing_pulls():
            yield IssuePage((), at or 0.0, pulls=pulls)
        if details.warnings:
            yield IssuePage((), at or 0.0, warnings=details.take_warnings())
        notes.update(new_notes)

    def inventory(self) -> Iterator[Issue]:
        """All issues, without their links."""
        for page in list_all(self.client, self._path("issues")):
            for entry in page.entries:
                issue = None if is_moved(entry) else issue_of(entry)
                if issue is not None:
                    yield issue

    def issue(self, id: str) -> Issue:
        """One issue, without its links. Raises Missing, also for an issue that was moved."""
        entry = self.client.get(self._issue_path(id)).json()
        issue = issue_of(entry)
        if issue is None:
            raise Missing(f"{LABEL}: {self.full_name}#{id} is not an issue")
        if is_moved(entry):
            raise Missing(f"{LABEL}: {self.full_name}#{id} was moved to another project")
        return issue

    def query(self, filter: IssueFilter) -> Iterator[Issue]:
        """The issues that match, last updated first, without their links."""
        params: dict[str, str | int] = {
            "scope": "all", "order_by": "updated_at", "sort": "desc", "per_page": PAGE_SIZE,
        }  # fmt: skip
        if filter.status in _STATES:
            params["state"] = _STATES[filter.status]
        if filter.labels:
            params["labels"] = ",".join(filter.labels)
        for entry in read_listing(self.client, self._path("issues"), params, key="iid"):
            issue = None if is_moved(entry) else issue_of(entry)
            if issue is not None:
                yield issue

    def create(self, draft: IssueDraft) -> Issue:
        """Create an issue, and the labels that do not exist."""
        body: dict[str, object] = {
            "title": draft.title,
            "description": draft.body,
        }
        if draft.labels:
            for label in draft.labels:
                self._ensure_label(label)
            body["labels"] = ",".join(draft.labels)
        entry = self.client.send("POST", self._path("issues"), body).json()
        return self.written(issue_of(entry), "-/issues")

    def close(self, id: str) -> None:
        """Close an issue."""
        self.client.send("PUT", self._issue_path(id), {"state_event": "close"}, idempotent=True)

    def append(self, id: str, text: str) -> Issue:
        """Append to the body of an issue."""
        change = {"description": joined(self.issue(id).body, text)}
        response = self.client.send("PUT", self._issue_path(id), change, idempotent=True)
        return self.written(issue_of(response.json()), "-/issues")

    def group_of(self, id: str) -> str:
        """The title of the milestone of an issue."""
        return text(self.client.get(self._issue_path(id)).json(), "milestone", "title")

    def has_group(self, group: str) -> bool:
        """Whether there is a milestone of that title."""
        return self._find_milestone(group) is not None

    def group(self, id: str, group: str) -> None:
        """Assign an issue to the milestone of that title in the project or a parent group.

        It is created in the project if missing.
        """
        changes = {"milestone_id": self._milestone(group)}
        self.client.send("PUT", self._issue_path(id), changes, idempotent=True)

    def _ensure_label(self, name: str) -> None:
        """Create a label in its colour if the project and its groups have none of that name.

        GitLab would create it in another colour, and does so where the token may not create one.
        """
        path = self._path("labels")
        if name in self._known_labels:
            return
        self._known_labels.add(name)
        if self.client.get(f"{path}/{quote(name, safe='')}", allow=(404,)).status == 404:
            label = {"name": name, "color": f"#{colour_of(name)}"}
            self.client.send("POST", path, label, allow=(400, 403, 404, 409))

    def _find_milestone(self, name: str) -> int | None:
        """The global id of the milestone of that name."""
        params: dict[str, str | int] = {"title": name, "include_ancestors": "true"}
        for milestone in entries_of(self.client.get(self._path("milestones"), params)):
            existing = number(milestone, "id")
            if text(milestone, "title") == name and existing is not None:
                return existing
        return None

    def _milestone(self, name: str) -> int:
        """The global id of the milestone of that name, created if missing."""
        existing = self._find_milestone(name)
        if existing is not None:
            return existing
        response = self.client.send("POST", self._path("milestones"), {"title": name})
        created = number(response.json(), "id")
        if created is None:
            raise RemoteError(f"{LABEL} does not say which milestone it made: try again")
        return created

    def _path(self, below: str) -> str:
        return f"projects/{quote(self.full_name, safe='')}/{below}".rstrip("/")

    def _issue_path(self, id: str) -> str:
        """The path of an issue. Raises Missing."""
        return self._path(f"issues/{self.number(id)}")


def _issue(entry: Json, links: IssueLinks) -> Issue | None:
    issue = issue_of(entry, links.blocks, links.blocked_by)
    return issue if issue is None else replace(issue, edges_known=links.known)


def _page(listed: GitLabPage, details: GitLabDetails) -> IssuePage:
    """A page of issues with their links."""
    kept = [entry for entry in listed.entries if not is_moved(entry)]
    links = details.links(kept)
    issues = [_issue(entry, links.get(text(entry, "iid"), IssueLinks())) for entry in kept]
    if None in issues:
        details.warnings.append(f"{LABEL} lists an issue without a number: left out")
    details.record_closing_counts(kept)
    gone = (text(entry, "iid") for entry in listed.entries if is_moved(entry))
    return IssuePage(
        tuple(issue for issue in issues if issue is not None),
        listed.at,
        deleted=tuple(filter(None, gone)),
        total=listed.total,
        warnings=details.take_warnings(),
    )
