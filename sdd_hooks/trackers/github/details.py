"""What the issue listing of GitHub lacks: dependencies, and the details of pull requests.

Dependencies are requested for the issues for which the listing counts some. Pull requests come from
the GraphQL API, many in one request; that API refuses requests without a token.
"""

# Governing: ADR-0018 (tracker issues as files), SPEC-0009 REQ "One file for each tracker"

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import quote

from sdd_hooks.errors import AccessRefused, Missing, RemoteError
from sdd_hooks.hosts.github import API_HEADERS, LABEL, PAGE_SIZE
from sdd_hooks.remote.json_fields import Json, number, text
from sdd_hooks.remote.json_fields import field as field_of
from sdd_hooks.trackers.github.payloads import linked_ids, listed_pull_of, pull_of, repository_of
from sdd_hooks.trackers.issue import LinkedPull
from sdd_hooks.trackers.protocol import TrackerLocation

if TYPE_CHECKING:
    from sdd_hooks.remote.client import Client

MAX_PULLS_PER_REQUEST = 25
"""Pull requests in one GraphQL request: GitHub may time out on more of them with their files."""

_DIRECTIONS = ("blocking", "blocked_by")

_PULL_FRAGMENT = """
fragment pull on PullRequest {
  number
  headRefName
  state
  isDraft
  updatedAt
  files(first: 100) { nodes { path } }
  closingIssuesReferences(first: 100) { nodes { number repository { nameWithOwner } } }
}
"""


def repository_path(location: TrackerLocation, below: str) -> str:
    """The path of `below` in the REST API of a repository."""
    owner, project = quote(location.owner, safe=""), quote(location.project, safe="")
    return f"repos/{owner}/{project}/{below}".rstrip("/")


@dataclass
class GitHubDetails:
    """The requests for details in one fetch of a repository; `graphql` is the URL of that API.

    A feature that the host refuses or lacks is not requested again, and causes one warning.
    """

    client: Client
    graphql: str
    location: TrackerLocation
    _refused: set[str] = field(default_factory=set)
    _warnings: list[str] = field(default_factory=list)

    def warn_once(self, feature: str, warning: str) -> None:
        """Record that `feature` is missing, with a warning the first time."""
        if feature not in self._refused:
            self._refused.add(feature)
            self._warnings.append(warning)

    def take_warnings(self) -> tuple[str, ...]:
        """Return the warnings since the last call."""
        warnings = tuple(self._warnings)
        self._warnings.clear()
        return warnings

    def count_issues(self, since: str) -> int | None:
        """The number of issues updated at `since` or later ("" for all); None if unknown."""
        changed = f'(filterBy: {{since: "{since}"}})' if since else ""
        try:
            repository = self._query(f"issues{changed} {{ totalCount }}")
        except RemoteError:
            return None
        return number(repository, "issues", "totalCount")

    def dependencies(
        self, entries: list[Json]
    ) -> dict[int, tuple[tuple[str, ...] | None, tuple[str, ...] | None]]:
        """The issues that each entry blocks and is blocked by, for the entries that have any.

        None for those that GitHub does not show.
        """
        counted = [
            (entry, direction)
            for entry in entries
            if _may_have_dependencies(entry)
            for direction in _DIRECTIONS
            if _dependency_count(entry, direction)
        ]
        ids_by_issue: dict[int, dict[str, tuple[str, ...] | None]] = {}
        is_refused = "dependencies" in self._refused
        results: Iterator[tuple[str, ...] | None] = (
            iter([None] * len(counted))
            if is_refused
            else self.client.map_concurrently(self._dependency_ids, counted)
        )
        for (entry, direction), ids in zip(counted, results, strict=True):
            ids_by_issue.setdefault(number(entry, "number") or 0, {})[direction] = ids
        pairs = {
            issue: (ids.get("blocking", ()), ids.get("blocked_by", ()))
            for issue, ids in ids_by_issue.items()
        }
        if pairs and all(None in pair for pair in pairs.values()):
            text = f"{LABEL} does not show dependencies: those that are known stay"
            self.warn_once("dependencies", text)
        return pairs

    def pull_requests(self, entries: list[Json]) -> tuple[LinkedPull, ...]:
        """The pull requests of these entries; with the data of the listing alone where GraphQL
        refuses access."""
        details: dict[int, LinkedPull] = {}
        if entries and "graphql" not in self._refused:
            numbers = [id for id in (number(entry, "number") for entry in entries) if id]
            starts = range(0, len(numbers), MAX_PULLS_PER_REQUEST)
            batches = [numbers[start : start + MAX_PULLS_PER_REQUEST] for start in starts]
            try:
                for batch in self.client.map_concurrently(self._pulls_by_number, batches):
                    details |= batch
            except AccessRefused as error:
                self.warn_once(
                    "graphql", f"pull requests come without their branches and files: {error}"
                )
        pulls = (
            details.get(number(entry, "number") or 0) or listed_pull_of(entry) for entry in entries
        )
        return tuple(filter(None, pulls))

    def _dependency_ids(self, request: tuple[Json, str]) -> tuple[str, ...] | None:
        """The issues at the other end of an issue's dependencies; None if GitHub shows none."""
        entry, direction = request
        issue = text(entry, "number")
        path = repository_path(self.location, f"issues/{issue}/dependencies/{direction}")
        response = self.client.get(
            path, {"per_page": PAGE_SIZE}, headers=API_HEADERS, allow=(404, 410)
        )
        listed = response.json()
        if response.status != 200 or not isinstance(listed, list):
            return None
        return linked_ids(listed, repository_of(entry))

    def _pulls_by_number(self, numbers: list[int]) -> dict[int, LinkedPull]:
        """The pull requests with these numbers that exist. Raises RemoteError."""
        fields = "\n".join(f"p{id}: pullRequest(number: {id}) {{ ...pull }}" for id in numbers)
        try:
            repository = self._query(fields, _PULL_FRAGMENT)
        except Missing:
            # One missing pull request fails the whole request.
            half = len(numbers) // 2
            if not half:
                return {}
            return self._pulls_by_number(numbers[:half]) | self._pulls_by_number(numbers[half:])
        home = text(repository, "nameWithOwner")
        pulls = ((id, pull_of(field_of(repository, f"p{id}"), home)) for id in numbers)
        return {id: pull for id, pull in pulls if pull is not None}

    def _query(self, fields: str, fragments: str = "") -> Json:
        """The repository as GraphQL returns it: these fields and `nameWithOwner`."""
        from sdd_hooks.remote.graphql import execute

        query = (
            "query($owner: String!, $name: String!) {\n"
            "repository(owner: $owner, name: $name) {\n"
            f"nameWithOwner\n{fields}\n"
            f"}}\n}}\n{fragments}"
        )
        variables = {"owner": self.location.owner, "name": self.location.project}
        return field_of(execute(self.client, self.graphql, query, variables), "repository")


def _may_have_dependencies(entry: Json) -> bool:
    summary = field_of(entry, "issue_dependencies_summary")
    return isinstance(summary, dict) and any(summary.values())


def _dependency_count(entry: Json, direction: str) -> int:
    """The number of dependencies that the listing counts, closed issues included."""
    summary = field_of(entry, "issue_dependencies_summary")
    return max(number(summary, f"total_{direction}") or 0, number(summary, direction) or 0)
