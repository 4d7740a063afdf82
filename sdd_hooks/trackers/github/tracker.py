"""The issues of a repository on GitHub, from one listing of issues and pull requests together.

The REST API lists both in the order of their last update.
"""

# Governing: ADR-0018 (tracker issues as files), SPEC-0009 REQ "One file for each tracker"

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from sdd_hooks.errors import Missing, RemoteError
from sdd_hooks.hosts.github import API_HEADERS, LABEL, PAGE_SIZE
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.remote.json_fields import Json, format_utc, number, rows, text, utc
from sdd_hooks.remote.paging import read_listing
from sdd_hooks.text.display import one_line
from sdd_hooks.trackers.github.details import (
    GitHubDetails,
    repository_path,
)
from sdd_hooks.trackers.github.payloads import NAME, is_pull, issue_of, repository_of
from sdd_hooks.trackers.hosted import HostedProject
from sdd_hooks.trackers.issue import Issue, IssueDraft, colour_of, joined
from sdd_hooks.trackers.protocol import IssueFilter, IssuePage, Since

if TYPE_CHECKING:
    from sdd_hooks.remote.response import Response

_STATES = {"open": "open", "draft": "open", "closed": "closed", "merged": "closed"}


class _ListingPage(NamedTuple):
    """A page of the listing, and whether another page follows."""

    entries: list[Json]
    response: Response
    has_next: bool


@dataclass(frozen=True)
class GitHubTracker(HostedProject):
    """The issues of one repository. `graphql` is the URL of the GraphQL API."""

    graphql: str

    name = NAME
    label = LABEL

    def fetch(self, since: Since, notes: MutableMapping[str, str]) -> Iterator[IssuePage]:
        """Pages of issues and pull requests in the order of their last update.

        A listing that did not change takes one conditional request.
        """
        start = _start(since, notes)
        known_etag = notes.get("etag", "") if notes.get("since") == start else ""
        details = GitHubDetails(self.client, self.graphql, self.location)
        etag = ""
        for count, listed in enumerate(self._updated_since(start, known_etag)):
            at = self.client.server_time(listed.response)
            if listed.response.status == 304:
                yield IssuePage((), at, total=0)
                return
            page = _page(listed, at, details)
            if count == 0:
                # The tag of a page does not cover the pages after it.
                etag = "" if listed.has_next else listed.response.headers.get("etag", "")
                total = details.count_issues(start) if listed.has_next else len(page.issues)
                page = page._replace(total=total)
            yield page
        usable = etag.isascii() and etag.isprintable()
        notes.update({"since": start, "etag": etag if usable else ""})

    def inventory(self) -> Iterator[Issue]:
        """All issues, without dependencies."""
        for page in self._updated_since(""):
            for entry in page.entries:
                issue = None if is_pull(entry) else issue_of(entry)
                if issue is not None:
                    yield issue

    def issue(self, id: str) -> Issue:
        """One issue, without dependencies. Raises Missing, also for a pull request."""
        response = self._get(self._issue_path(id), allow=(301,))
        if response.status == 301:
            response = self._follow_redirect(id, response)
        entry = response.json()
        issue = issue_of(entry)
        if issue is None or is_pull(entry):
            raise Missing(f"{LABEL}: {self.full_name}#{id} is not an issue")
        return issue

    def query(self, filter: IssueFilter) -> Iterator[Issue]:
        """The issues that match, last updated first, without dependencies."""
        params: dict[str, str | int] = {
            "state": _STATES.get(filter.status or "", "all"),
            "sort": "updated",
            "direction": "desc",
            "per_page": PAGE_SIZE,
        }
        # The API separates labels by commas and cannot escape one.
        labels = ",".join(label for label in filter.labels if "," not in label)
        if labels:
            params["labels"] = labels
        wanted = {label.lower() for label in filter.labels}
        for page in self._linked_pages(params):
            for entry in page.entries:
                issue = None if is_pull(entry) else issue_of(entry)
                if issue and wanted <= {label.lower() for label in issue.labels}:
                    yield issue

    def create(self, draft: IssueDraft) -> Issue:
        """Create an issue, and the labels that do not exist."""
        body: dict[str, object] = {"title": draft.title, "body": draft.body}
        if draft.labels:
            for label in draft.labels:
                self._ensure_label(label)
            body["labels"] = list(draft.labels)
        return self.written(issue_of(self._send("POST", self._path("issues"), body)))

    def close(self, id: str) -> None:
        """Close an issue as completed."""
        self._send("PATCH", self._issue_path(id), {"state": "closed", "state_reason": "completed"})

    def append(self, id: str, text: str) -> Issue:
        """Append to the body of an issue."""
        change = {"body": joined(self.issue(id).body, text)}
        return self.written(issue_of(self._send("PATCH", self._issue_path(id), change)))

    def group_of(self, id: str) -> str:
        """The title of the milestone of an issue."""
        return text(self._get(self._issue_path(id)).json(), "milestone", "title")

    def has_group(self, group: str) -> bool:
        """Whether there is a milestone of that title."""
        return self._find_milestone(group) is not None

    def group(self, id: str, group: str) -> None:
        """Assign an issue to the milestone of that title, created if missing."""
        self._send("PATCH", self._issue_path(id), {"milestone": self._milestone(group)})

    def _updated_since(self, since: str, etag: str = "") -> Iterator[_ListingPage]:
        """Pages of everything updated at `since` or later ("" for all), last updated last.

        Each page starts at the second of the last entry before it. An entry that is updated
        meanwhile moves to the end, so no entry is skipped, as it can be with numbered pages.
        """
        params: dict[str, str | int] = {
            "state": "all", "sort": "updated", "direction": "asc", "per_page": PAGE_SIZE,
        }  # fmt: skip
        while True:
            if since:
                params["since"] = since
            headers = {"If-None-Match": etag} if etag else {}
            page = self._list(self._path("issues"), params, headers)
            yield page
            if not page.has_next:
                return
            last = max(utc(entry, "updated_at") for entry in page.entries or [None])
            if last <= since:
                break
            since, etag = last, ""
        # More than a page was updated in this second. Updates do not change the creation order.
        yield from self._linked_pages({**params, "sort": "created"})

    def _linked_pages(self, params: Mapping[str, str | int]) -> Iterator[_ListingPage]:
        """The pages of a listing, along the `next` links of the responses."""
        page = self._list(self._path("issues"), params)
        seen = {number(entry, "number") for entry in page.entries}
        yield page
        while (target := self.client.next_page_url(page.response)) is not None:
            page = self._list(target)
            numbers = {number(entry, "number") for entry in page.entries}
            if numbers <= seen:
                raise RemoteError(f"{LABEL} lists the same page again and again: try again later")
            seen |= numbers
            yield page

    def _list(
        self,
        path: str,
        params: Mapping[str, str | int] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> _ListingPage:
        """A page of the listing. With an ETag in `headers` the response may be a 304."""
        response = self._get(path, params, headers, allow=(304, 410) if headers else (410,))
        if response.status == 304:
            return _ListingPage([], response, has_next=False)
        if response.status == 410:
            raise Missing(f"{LABEL}: {self.full_name} has issues disabled")
        entries = response.json()
        if not isinstance(entries, list):
            raise RemoteError(f"{LABEL} answers without a list of issues: check the URL")
        return _ListingPage(entries, response, self.client.next_page_url(response) is not None)

    def _follow_redirect(self, id: str, response: Response) -> Response:
        """The issue at the address of a redirect, if only its repository was renamed.

        Raises Missing for an issue that was transferred to another repository.
        """
        target = self._get(response.headers.get("location", ""))
        # Any issue of this repository shows the repository's current address.
        sample = rows(self._get(self._path("issues"), {"state": "all", "per_page": 1}).json())
        if sample and repository_of(sample[0]) == repository_of(target.json()):
            return target
        moved = text(target.json(), "html_url")
        raise Missing(f"{LABEL}: {self.full_name}#{id} was moved to {one_line(moved)}", moved)

    def _ensure_label(self, name: str) -> None:
        """Create a label in its colour if it does not exist.

        GitHub would create it in another colour. A token that may not create one is no error:
        GitHub then leaves the label out.
        """
        if name.lower() in self._label_names:
            return
        self._label_names.add(name.lower())
        label = {"name": name, "color": colour_of(name).lower()}
        path = self._path("labels")
        self.client.send("POST", path, label, headers=API_HEADERS, allow=(403, 404, 422))

    @cached_property
    def _label_names(self) -> set[str]:
        """The names of the labels, in lower case since GitHub ignores case."""
        return {text(label, "name").lower() for label in self._entries("labels", {})}

    def _find_milestone(self, name: str) -> int | None:
        """The number of the milestone of that name."""
        for milestone in self._entries("milestones", {"state": "all"}):
            existing = number(milestone, "number")
            if text(milestone, "title") == name and existing is not None:
                return existing
        return None

    def _milestone(self, name: str) -> int:
        """The number of the milestone of that name, created if missing."""
        existing = self._find_milestone(name)
        if existing is not None:
            return existing
        created = number(self._send("POST", self._path("milestones"), {"title": name}), "number")
        if created is None:
            raise RemoteError(f"{LABEL} does not say which milestone it made: try again")
        return created

    def _entries(self, below: str, params: Mapping[str, str]) -> Iterator[Json]:
        """The entries of every page of a listing of the repository."""
        query: dict[str, str | int] = {**params, "per_page": PAGE_SIZE}
        return read_listing(self.client, self._path(below), query, headers=API_HEADERS)

    def _get(
        self,
        path: str,
        params: Mapping[str, str | int] | None = None,
        headers: Mapping[str, str] | None = None,
        allow: tuple[int, ...] = (),
    ) -> Response:
        return self.client.get(
            path, params, headers={**API_HEADERS, **(headers or {})}, allow=allow
        )

    def _send(self, method: str, path: str, body: object) -> Json:
        return self.client.send(method, path, body, headers=API_HEADERS).json()

    def _path(self, below: str) -> str:
        return repository_path(self.location, below)

    def _issue_path(self, id: str) -> str:
        """The path of an issue. Raises Missing."""
        return self._path(f"issues/{self.number(id)}")


def _page(listed: _ListingPage, at: float, details: GitHubDetails) -> IssuePage:
    """A page of the listing, completed with the details that its entries lack."""
    entries = [entry for entry in listed.entries if not is_pull(entry)]
    dependencies = details.dependencies(entries)
    issues = []
    for entry in entries:
        blocks, blocked_by = dependencies.get(number(entry, "number") or 0, ((), ()))
        issue = issue_of(entry, blocks or (), blocked_by or ())
        if issue is None:
            details.warn_once("number", f"{LABEL} lists an issue without a number: left out")
        else:
            is_known = blocks is not None and blocked_by is not None
            issues.append(issue if is_known else replace(issue, edges_known=False))
    pulls = details.pull_requests([entry for entry in listed.entries if is_pull(entry)])
    return IssuePage(tuple(issues), at, pulls=pulls, warnings=details.take_warnings())


def _start(since: Since, notes: Mapping[str, str]) -> str:
    """The time from which the listing is read, "" for all of it.

    The listing holds issues and pull requests together. After a complete fetch (then `notes` is not
    empty) the later of the two times holds for both.
    """
    if since.issues is None or since.pulls is None:
        return ""
    times = (since.issues, since.pulls)
    return format_utc(max(times) if notes else min(times))
