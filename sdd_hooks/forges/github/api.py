"""Ask GitHub about one repository: pages to their end, and writes that may be denied."""

# Governing: SPEC-0011 REQ "Denied writes", SPEC-0011 REQ "Limits of forges"

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote

from sdd_hooks.forges.writing import writing
from sdd_hooks.hosts.github import API_HEADERS, PAGE_SIZE, graphql_url
from sdd_hooks.remote.json_fields import Json, text
from sdd_hooks.remote.paging import read_listing

if TYPE_CHECKING:
    from sdd_hooks.remote.client import Client
    from sdd_hooks.remote.response import Response


@dataclass(frozen=True)
class Api:
    """The repository `owner/name`. All methods raise RemoteError."""

    client: Client
    repository: str

    def get(self, path: str) -> Json:
        """What is at `path` below the repository."""
        return self.client.get(self._path(path), headers=API_HEADERS).json()

    def every(self, path: str) -> Iterator[Json]:
        """The entries of every page of a listing; see `read_listing`."""
        return read_listing(
            self.client, self._path(path), {"per_page": PAGE_SIZE}, headers=API_HEADERS
        )

    def write(
        self,
        method: str,
        path: str,
        body: Mapping[str, object],
        *,
        idempotent: bool = False,
        allow: tuple[int, ...] = (),
    ) -> Response:
        """Send `body`; with `again` it does nothing twice. Raises WriteDenied, too."""
        target = self._path(path)
        with writing():
            return self.client.send(
                method, target, body, headers=API_HEADERS, idempotent=idempotent, allow=allow
            )

    def execute(self, query: str, variables: Mapping[str, object]) -> dict[str, Json]:
        """What GraphQL answers. The query changes nothing, or nothing twice."""
        from sdd_hooks.remote.graphql import execute

        return execute(self.client, graphql_url(self.client.api), query, variables)

    def us(self) -> str:
        """The name that the token belongs to; "" where GitHub does not say, as to a job's own."""
        answer = self.client.get("user", headers=API_HEADERS, allow=(403, 404))
        return text(answer.json(), "login") if answer.status == 200 else ""

    def _path(self, below: str) -> str:
        return f"repos/{quote(self.repository)}/{below}"
