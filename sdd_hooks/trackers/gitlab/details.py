"""What GitLab's listings leave out: edges of issues, what merge requests close, and their files.

The listing counts the merge requests that close an issue, so who they are is only asked where their
descriptions do not tell. It counts what an issue blocks, where blocking is paid for; what blocks it
is counted by GraphQL alone, for a page of issues at once.
"""

# Governing: SPEC-0009 REQ "One file for each tracker"

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from sdd_hooks.errors import RateLimited, RemoteError
from sdd_hooks.remote.json_fields import Json, number, rows, text
from sdd_hooks.trackers.gitlab.listing import PER_PAGE
from sdd_hooks.trackers.gitlab.payloads import (
    COUNTS,
    closing,
    counts_of,
    edges_of,
    files_of,
    ids_of,
    is_of,
    pull_of,
)
from sdd_hooks.trackers.issue import PullRequest

if TYPE_CHECKING:
    from sdd_hooks.remote.client import Client

MOST_DIFFS = 1000
"""Merge requests whose files one fetch asks for, each with a request of its own."""

Edges = tuple[tuple[str, ...], tuple[str, ...]]
"""What an issue blocks, and what blocks it."""

# Where something is switched off, hidden, or not there yet; and what is too much for the server.
_HIDDEN = (403, 404, 410)
_TOO_MUCH = (500, 502, 503, 504)


@dataclass
class Details:
    """What one fetch asks for besides. `path` is that of the project in the REST API, `home` its
    full name, `graphql` the address of the other API. `warnings` are those not yet told."""

    client: Client
    path: str
    home: str
    graphql: str
    warnings: list[str] = field(default_factory=list)
    _linked: dict[str, PullRequest] = field(default_factory=dict)
    """Merge requests that close something, by number: their files are asked for at the end."""
    _expected: dict[str, int] = field(default_factory=dict)
    """How many merge requests close an issue, by its number."""
    _counted: bool = True
    _diffs: bool = True

    def told(self) -> tuple[str, ...]:
        """The warnings, which are told then."""
        warnings = tuple(self.warnings)
        self.warnings.clear()
        return warnings

    def edges(self, entries: list[Json]) -> dict[str, Edges]:
        """The edges of those of these issues that have any, by number."""
        counts = {text(one, "iid"): number(one, "blocking_issues_count") for one in entries}
        if all(count is None for count in counts.values()):
            # Without a licence for it, nothing blocks anything.
            return {}
        asked = {iid for iid, count in counts.items() if count}
        asked |= {iid for iid, count in self._count(list(counts)).items() if count}
        linked = [one for one in entries if number(one, "iid") and text(one, "iid") in asked]
        found = self.client.each(self._links, linked)
        return {text(one, "iid"): edges for one, edges in zip(linked, found, strict=True)}

    def expect(self, entries: Iterable[Json]) -> None:
        """Note how many merge requests these issues have."""
        for entry in entries:
            count = number(entry, "merge_requests_count") or 0
            if count > 0:
                self._expected[text(entry, "iid")] = count

    def take(self, entries: list[Json], *, everything: bool) -> tuple[PullRequest, ...]:
        """Those of these merge requests that close nothing; the others wait for `rest`.

        With `everything` all merge requests come. Of a few, each is asked what it closes: a message
        of a commit may say it as well.
        """
        known = ((one, pull_of(one, self.home)) for one in entries)
        pulls = [(one, pull) for one, pull in known if pull is not None]
        closes: Iterator[tuple[str, ...]] = (
            iter([()] * len(pulls))
            if everything
            else self.client.each(self._closes, [one for one, _ in pulls])
        )
        unlinked = []
        for (_, listed), ids in zip(pulls, closes, strict=True):
            pull = closing(listed, ids)
            # What comes twice counts as it came last.
            self._linked.pop(pull.number, None)
            if pull.closes:
                self._linked[pull.number] = pull
            else:
                unlinked.append(pull)
        return tuple(unlinked)

    def complete(self) -> None:
        """Ask for the merge requests of those issues of which not all came."""
        known: dict[str, int] = {}
        for pull in self._linked.values():
            for id in pull.closes:
                known[id] = known.get(id, 0) + 1
        lacking = [id for id, count in self._expected.items() if known.get(id, 0) < count]
        for id, pulls in zip(lacking, self.client.each(self._closed_by, lacking), strict=True):
            for pull in pulls:
                self._linked[pull.number] = closing(self._linked.get(pull.number, pull), (id,))

    def rest(self) -> Iterator[tuple[PullRequest, ...]]:
        """The merge requests that close something, with their files, as far as these are told."""
        pulls = sorted(self._linked.values(), key=lambda pull: pull.updated, reverse=True)
        if len(pulls) > MOST_DIFFS:
            self.warnings.append(
                f"the files of merge requests are known of the last {MOST_DIFFS:,} only"
            )
        for begin in range(0, len(pulls), PER_PAGE):
            part = pulls[begin : begin + PER_PAGE]
            if begin < MOST_DIFFS:
                files = self.client.each(self._files, part)
                part = [replace(pull, files=paths) for pull, paths in zip(part, files, strict=True)]
            yield tuple(part)

    def _count(self, iids: list[str]) -> dict[str, int]:
        """How many edges these issues have; nothing where GraphQL does not say."""
        from sdd_hooks.remote.graphql import ask

        if not self._counted:
            return {}
        asked = {"path": self.home, "iids": [iid for iid in iids if iid]}
        reason = "not shown"
        try:
            found = counts_of(ask(self.client, self.graphql, COUNTS, asked))
        except RateLimited:
            raise
        except RemoteError as error:
            found, reason = {}, str(error)
        if not found:
            self._counted = False
            self.warnings.append(f"of some issues it is not known what blocks them: {reason}")
        return found

    def _links(self, entry: Json) -> Edges:
        path = f"{self.path}/issues/{text(entry, 'iid')}/links"
        answer = self.client.get(path, allow=_HIDDEN)
        return edges_of(answer.json(), number(entry, "project_id"))

    def _closes(self, entry: Json) -> tuple[str, ...]:
        """The issues of this project that a merge request closes, as GitLab sees it."""
        path = f"{self.path}/merge_requests/{text(entry, 'iid')}/closes_issues"
        answer = self.client.get(path, {"per_page": PER_PAGE}, allow=_HIDDEN)
        return ids_of(answer.json(), number(entry, "project_id"))

    def _closed_by(self, id: str) -> list[PullRequest]:
        """The merge requests of this project that close an issue."""
        answer = self.client.get(
            f"{self.path}/issues/{id}/closed_by", {"per_page": PER_PAGE}, allow=_HIDDEN
        )
        # Those of another project have numbers of their own.
        own = (one for one in rows(answer.json()) if is_of(one, self.home))
        return [pull for pull in (pull_of(one, self.home) for one in own) if pull is not None]

    def _files(self, pull: PullRequest) -> tuple[str, ...]:
        """The paths that a merge request changes, of a hundred changes; none where not told."""
        path = f"{self.path}/merge_requests/{pull.number}"
        allow = (*_HIDDEN, *_TOO_MUCH)
        if self._diffs:
            answer = self.client.get(f"{path}/diffs", {"per_page": PER_PAGE}, allow=allow)
            if answer.status != 404:
                return files_of(answer.json())
            self._diffs = False
        # Before GitLab 15.7.
        return files_of(self.client.get(f"{path}/changes", allow=allow).json())
