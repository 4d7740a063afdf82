"""Requests to GitHub about one repository: listings, GraphQL, and writes that may be denied."""

# Governing: SPEC-0011 REQ "Denied writes", SPEC-0011 REQ "Limits of forges"

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING
from urllib.parse import quote

from sdd_hooks.errors import RemoteError
from sdd_hooks.forges.comments import write_access
from sdd_hooks.hosts.github import API_HEADERS, LABEL, PAGE_SIZE, graphql_url
from sdd_hooks.remote.json_fields import Json, rows, text
from sdd_hooks.remote.paging import MAX_PAGES, read_listing

if TYPE_CHECKING:
    from sdd_hooks.remote.client import Client
    from sdd_hooks.remote.response import Response

_NO_PARAMS: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True)
class RepositoryApi:
    """The API of the repository `owner/name`. All methods raise RemoteError."""

    client: Client
    repository: str

    def get(self, path: str) -> Json:
        """The response to a request for `path` below the repository."""
        return self.client.get(self._path(path), headers=API_HEADERS).json()

    def list(
        self, path: str, params: Mapping[str, str] = _NO_PARAMS, *, key: str = "id"
    ) -> Iterator[Json]:
        """The entries of every page of a listing; see `read_listing`."""
        query: dict[str, str | int] = {**params, "per_page": PAGE_SIZE}
        return read_listing(self.client, self._path(path), query, key=key, headers=API_HEADERS)

    def list_below(self, path: str, name: str, params: Mapping[str, str]) -> Iterator[Json]:
        """The entries of every page of a listing whose pages are objects with a list `name`."""
        url: str | None = self._path(path)
        query: Mapping[str, str | int] = {**params, "per_page": PAGE_SIZE}
        for _ in range(MAX_PAGES):
            if url is None:
                return
            response = self.client.get(url, query, headers=API_HEADERS)
            yield from rows(response.json(), name)
            url, query = self.client.next_page_url(response), {}
        raise RemoteError(f"{LABEL} lists more than {MAX_PAGES} pages: try again later")

    def write(
        self,
        method: str,
        path: str,
        body: Mapping[str, object] | None,
        *,
        idempotent: bool = False,
        allow: tuple[int, ...] = (),
    ) -> Response:
        """Send `body`; see `Client.send`. Raises WriteDenied, too."""
        with write_access():
            return self.client.send(
                method,
                self._path(path),
                body,
                headers=API_HEADERS,
                idempotent=idempotent,
                allow=allow,
            )

    def execute(self, query: str, variables: Mapping[str, object]) -> dict[str, Json]:
        """The data of the response to a GraphQL query or an idempotent mutation."""
        from sdd_hooks.remote.graphql import execute

        return execute(self.client, graphql_url(self.client.api), query, variables)

    def account(self) -> str:
        """The login name of the token's account; "" if GitHub does not tell it, as for a job."""
        response = self.client.get("user", headers=API_HEADERS, allow=(403, 404))
        return text(response.json(), "login") if response.status == 200 else ""

    def _path(self, below: str) -> str:
        return f"repos/{quote(self.repository)}/{below}"
