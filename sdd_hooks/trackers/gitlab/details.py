"""What the listings of GitLab lack: issue links, and the files and issues of merge requests.

The listing counts the merge requests that close an issue, so they are requested only where their
descriptions name fewer. On a paid tier the listing counts the issues that an issue blocks. Only
GraphQL counts the issues that block it, for a page of issues in one request.
"""

# Governing: SPEC-0009 REQ "One file for each tracker"

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from sdd_hooks.errors import RateLimited, RemoteError
from sdd_hooks.hosts.gitlab import PAGE_SIZE
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.remote.json_fields import Json, number, rows, text
from sdd_hooks.trackers.gitlab.payloads import (
    LINK_COUNTS,
    closing,
    files_of,
    ids_of,
    is_pull_of,
    link_counts_of,
    links_of,
    pull_of,
)
from sdd_hooks.trackers.issue import LinkedPull

if TYPE_CHECKING:
    from sdd_hooks.remote.client import Client

MAX_DIFF_REQUESTS = 1000
"""Merge requests whose files one fetch requests, one request each."""


class IssueLinks(NamedTuple):
    """The issues that an issue blocks, and the issues that block it, as far as GitLab shows them.

    Without `known` there may be others.
    """

    blocks: tuple[str, ...] = ()
    blocked_by: tuple[str, ...] = ()
    known: bool = True


# The statuses of features that are disabled, hidden or not yet in this version.
_UNAVAILABLE = (403, 404, 410)
# The statuses of requests that are too expensive for the server.
_OVERLOADED = (500, 502, 503, 504)


@dataclass
class GitLabDetails:
    """The requests for details in one fetch of a project.

    `path` is its path in the REST API, `home` its full name, `graphql` the URL of the GraphQL API.
    `warnings` are the warnings since the last `take_warnings`.
    """

    client: Client
    path: str
    home: str
    graphql: str
    warnings: list[str] = field(default_factory=list)
    _closing_pulls: dict[str, LinkedPull] = field(default_factory=dict)
    """The merge requests that close an issue, by number: their files are requested at the end."""
    _closing_counts: dict[str, int] = field(default_factory=dict)
    """The number of merge requests that close an issue, by the issue's number."""
    _has_link_counts: bool = True
    _has_diffs: bool = True

    def take_warnings(self) -> tuple[str, ...]:
        """Return the warnings since the last call."""
        warnings = tuple(self.warnings)
        self.warnings.clear()
        return warnings

    def links(self, entries: list[Json]) -> dict[str, IssueLinks]:
        """The links of the issues that have any, or may have some, by number."""
        counts = {text(entry, "iid"): number(entry, "blocking_issues_count") for entry in entries}
        if all(count is None for count in counts.values()):
            # A free tier has no blocking issues.
            return {}
        iids = {iid for iid, count in counts.items() if count}
        link_counts = self._link_counts(list(counts))
        iids |= {iid for iid, count in link_counts.items() if count}
        linked = [entry for entry in entries if number(entry, "iid") and text(entry, "iid") in iids]
        links = self.client.map_concurrently(self._links_of, linked)
        found = {text(entry, "iid"): pair for entry, pair in zip(linked, links, strict=True)}
        uncounted = IssueLinks(known=False)
        return {iid: uncounted for iid in counts if iid not in link_counts} | found

    def record_closing_counts(self, entries: Iterable[Json]) -> None:
        """Record how many merge requests close these issues, for `complete`."""
        for entry in entries:
            count = number(entry, "merge_requests_count") or 0
            if count > 0:
                self._closing_counts[text(entry, "iid")] = count

    def add_pulls(self, entries: list[Json], *, everything: bool) -> tuple[LinkedPull, ...]:
        """Return the merge requests that close no issue; keep the others for `closing_pulls`.

        With `everything`, this fetch lists all merge requests. Otherwise the issues that each one
        closes are requested, because a commit message may close an issue, too.
        """
        parsed = ((entry, pull_of(entry, self.home)) for entry in entries)
        pulls = [(entry, pull) for entry, pull in parsed if pull is not None]
        closes: Iterator[tuple[str, ...]] = (
            iter([()] * len(pulls))
            if everything
            else self.client.map_concurrently(self._closes, [entry for entry, _ in pulls])
        )
        unlinked = []
        for (_, listed), ids in zip(pulls, closes, strict=True):
            pull = closing(listed, ids)
            # The last occurrence of a merge request counts.
            self._closing_pulls.pop(pull.number, None)
            if pull.closes:
                self._closing_pulls[pull.number] = pull
            else:
                unlinked.append(pull)
        return tuple(unlinked)

    def complete(self) -> None:
        """Request the merge requests of the issues for which fewer are known than counted."""
        known: dict[str, int] = {}
        for pull in self._closing_pulls.values():
            for id in pull.closes:
                known[id] = known.get(id, 0) + 1
        lacking = [id for id, count in self._closing_counts.items() if known.get(id, 0) < count]
        for id, pulls in zip(
            lacking, self.client.map_concurrently(self._closed_by, lacking), strict=True
        ):
            for pull in pulls:
                listed = self._closing_pulls.get(pull.number, pull)
                self._closing_pulls[pull.number] = closing(listed, (id,))

    def closing_pulls(self) -> Iterator[tuple[LinkedPull, ...]]:
        """Batches of the merge requests that close an issue, last updated first, with files."""
        pulls = sorted(self._closing_pulls.values(), key=lambda pull: pull.updated, reverse=True)
        if len(pulls) > MAX_DIFF_REQUESTS:
            self.warnings.append(
                f"the files of merge requests are known of the last {MAX_DIFF_REQUESTS:,} only"
            )
        for begin in range(0, len(pulls), PAGE_SIZE):
            part = pulls[begin : begin + PAGE_SIZE]
            if begin < MAX_DIFF_REQUESTS:
                files = self.client.map_concurrently(self._files, part)
                part = [replace(pull, files=paths) for pull, paths in zip(part, files, strict=True)]
            yield tuple(part)

    def _link_counts(self, iids: list[str]) -> dict[str, int]:
        """The number of links of these issues; empty where GraphQL does not return it."""
        from sdd_hooks.remote.graphql import execute

        if not self._has_link_counts:
            return {}
        variables = {"path": self.home, "iids": [iid for iid in iids if iid]}
        reason = "not shown"
        try:
            counts = link_counts_of(execute(self.client, self.graphql, LINK_COUNTS, variables))
        except RateLimited:
            raise
        except RemoteError as error:
            counts, reason = {}, str(error)
        if not counts:
            self._has_link_counts = False
            self.warnings.append(f"of some issues it is not known what blocks them: {reason}")
        return counts

    def _links_of(self, entry: Json) -> IssueLinks:
        path = f"{self.path}/issues/{text(entry, 'iid')}/links"
        response = self.client.get(path, allow=_UNAVAILABLE)
        links = response.json()
        if response.status in _UNAVAILABLE or not isinstance(links, list):
            return IssueLinks(known=False)
        return IssueLinks(*links_of(links, number(entry, "project_id")))

    def _closes(self, entry: Json) -> tuple[str, ...]:
        """The issues of this project that a merge request closes, as GitLab computes them."""
        path = f"{self.path}/merge_requests/{text(entry, 'iid')}/closes_issues"
        response = self.client.get(path, {"per_page": PAGE_SIZE}, allow=_UNAVAILABLE)
        return ids_of(response.json(), number(entry, "project_id"))

    def _closed_by(self, id: str) -> list[LinkedPull]:
        """The merge requests of this project that close an issue."""
        response = self.client.get(
            f"{self.path}/issues/{id}/closed_by", {"per_page": PAGE_SIZE}, allow=_UNAVAILABLE
        )
        # A merge request of another project may have the same number.
        entries = (entry for entry in rows(response.json()) if is_pull_of(entry, self.home))
        return [pull for pull in (pull_of(entry, self.home) for entry in entries) if pull]

    def _files(self, pull: LinkedPull) -> tuple[str, ...]:
        """The paths of the first hundred changes of a merge request; empty if unavailable."""
        path = f"{self.path}/merge_requests/{pull.number}"
        allow = (*_UNAVAILABLE, *_OVERLOADED)
        if self._has_diffs:
            response = self.client.get(f"{path}/diffs", {"per_page": PAGE_SIZE}, allow=allow)
            if response.status != 404:
                return files_of(response.json())
            self._has_diffs = False
        # Before GitLab 15.7.
        return files_of(self.client.get(f"{path}/changes", allow=allow).json())
