"""What only GitHub's GraphQL API tells of a repository; it answers nobody without a token."""

# Governing: ADR-0018 (tracker issues as files), SPEC-0009 REQ "One file for each tracker"

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdd_hooks.errors import Missing, RemoteError
from sdd_hooks.remote.json_fields import Json, field, number, text
from sdd_hooks.trackers.github.payloads import pull_of
from sdd_hooks.trackers.issue import PullRequest

if TYPE_CHECKING:
    from sdd_hooks.remote.client import Client

PULLS_AT_ONCE = 25
"""Pull requests in one request: with their files, more of them may take too long."""

_PULL = """
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


@dataclass(frozen=True)
class Questions:
    """Asked of the repository `owner/name` at the address `api`."""

    client: Client
    api: str
    owner: str
    name: str

    def pulls(self, numbers: list[int]) -> dict[int, PullRequest]:
        """These pull requests, those that there are, by number. Raises RemoteError."""
        fields = "\n".join(f"p{id}: pullRequest(number: {id}) {{ ...pull }}" for id in numbers)
        try:
            found = self._ask(fields, _PULL)
        except Missing:
            # One of them is gone, and the others are not answered for its sake.
            half = len(numbers) // 2
            return self.pulls(numbers[:half]) | self.pulls(numbers[half:]) if half else {}
        home = text(found, "nameWithOwner")
        pulls = ((id, pull_of(field(found, f"p{id}"), home)) for id in numbers)
        return {id: pull for id, pull in pulls if pull is not None}

    def total(self, since: str) -> int | None:
        """How many issues changed at `since` ("" is ever) or later; None where it does not say."""
        changed = f'(filterBy: {{since: "{since}"}})' if since else ""
        try:
            return number(self._ask(f"issues{changed} {{ totalCount }}"), "issues", "totalCount")
        except RemoteError:
            return None

    def _ask(self, fields: str, fragments: str = "") -> Json:
        """The repository, with these fields and its `nameWithOwner`."""
        from sdd_hooks.remote.graphql import ask

        query = (
            "query($owner: String!, $name: String!) {\n"
            "repository(owner: $owner, name: $name) {\n"
            f"nameWithOwner\n{fields}\n"
            f"}}\n}}\n{fragments}"
        )
        variables = {"owner": self.owner, "name": self.name}
        return field(ask(self.client, self.api, query, variables), "repository")
