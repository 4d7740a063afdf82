"""The API of one Jira site, Cloud or Server: searches page by page, writes, and refusals.

Cloud and Server differ in the path of the API, the format of texts, and in paging: Cloud uses
`nextPageToken`, Server uses `startAt`.
"""

# Governing: ADR-0018 (tracker issues as files), SPEC-0009 REQ "Talking to a tracker"

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from sdd_hooks.errors import RemoteError
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.remote.json_fields import Json, field, flag, number, rows, text
from sdd_hooks.trackers.issue import Issue
from sdd_hooks.trackers.jira.payloads import (
    ARCHIVED,
    FIELDS,
    LABEL,
    issue_of,
    key_of,
    second_of,
)

if TYPE_CHECKING:
    from sdd_hooks.remote.client import Client
    from sdd_hooks.remote.response import Response

CLOUD = "cloud"
SERVER = "server"
CLOUD_DOMAIN = ".atlassian.net"
"""Every host below this domain is Cloud."""
MAX_READS = 5
"""How often the issues of one second are read while edits change their order."""

_REFUSED = ("AUTHENTICATED_FAILED", "AUTHENTICATION_DENIED")


class JiraSearch(NamedTuple):
    """A search: the JQL, the requested fields (comma-separated), and the size of a page."""

    jql: str
    fields: str
    size: int


class _Position(NamedTuple):
    """The start of a page: a token of Cloud, or the row number of a server.

    `last_key` is the key of the row before the page, "" if it need not be checked.
    """

    token: str = ""
    start: int = 0
    last_key: str = ""


_FIRST = _Position()


class JiraSearchPage(NamedTuple):
    """A page of a search, and the position of the next page.

    `at` is the time of the response by Jira's clock (epoch seconds), `total` the number of matching
    issues, None if unknown. With `shifted` the rows before this page changed since they were read.
    """

    entries: list[Json]
    at: float
    next: _Position | None
    total: int | None = None
    shifted: bool = False


class JiraSite:
    """The Jira site at `url` (without a slash at its end)."""

    def __init__(self, url: str, client: Client) -> None:
        self.url = url
        self._client = client
        self._deployment = CLOUD if url.split("/")[2].endswith(CLOUD_DOMAIN) else ""

    @property
    def deployment(self) -> str:
        """CLOUD or SERVER; requested once unless the address shows it."""
        if not self._deployment:
            deployment_type = text(self.get("rest/api/2/serverInfo"), "deploymentType")
            self._deployment = CLOUD if deployment_type == "Cloud" else SERVER
        return self._deployment

    @property
    def is_cloud(self) -> bool:
        """Whether texts are ADF documents, and epics are parents of their issues."""
        return self.deployment == CLOUD

    def use_cached_deployment(self, deployment: str) -> None:
        """Use the deployment that a former fetch found, if it is a valid value."""
        if not self._deployment and deployment in {CLOUD, SERVER}:
            self._deployment = deployment

    def get(self, path: str, params: Mapping[str, str | int] | None = None) -> Json:
        """The JSON at `path` below the address of the site."""
        return self._authenticated(self._client.get(path, params)).json()

    def rest(self, path: str, params: Mapping[str, str | int] | None = None) -> Json:
        """The JSON at `path` below the REST API."""
        return self.get(self._path(path), params)

    def send(self, method: str, path: str, body: object, *, idempotent: bool = False) -> Json:
        """Send to `path` below the REST API. Raises RemoteError with Jira's validation errors."""
        response = self._client.send(
            method, self._path(path), body, allow=(400,), idempotent=idempotent
        )
        self._authenticated(response)
        if response.status == 400:
            errors = self._client.redact("; ".join(_errors(response.json()))) or "no reason given"
            raise RemoteError(f"{LABEL} does not accept it (400, {path}): {errors}")
        return response.json()

    def issue(self, key: str) -> Issue | None:
        """The issue with that key, which may have another key by now; None without a valid key."""
        return issue_of(self.rest(f"issue/{key}", {"fields": f"{FIELDS},{ARCHIVED}"}), self.url)

    def pages_by_time(
        self, query: JiraSearch, time_field: str, since: int | None
    ) -> Iterator[JiraSearchPage]:
        """The pages of a search for a time at `since` (epoch seconds) or later, oldest first.

        Each page starts at the second of the last row before it. An issue that is edited meanwhile
        moves to the end, so no issue is skipped. Row positions are used only within a second that
        has more issues than a page.
        """
        position, seen, reads = _FIRST, set[str](), 0
        while True:
            # A quoted time has a resolution of minutes, in the time zone of the user.
            bound = "" if since is None else f" AND {time_field} >= {since * 1000}"
            jql = f"{query.jql}{bound} ORDER BY {time_field} ASC, key ASC"
            page = self.search(query._replace(jql=jql), position)
            if page.shifted:
                reads += 1
                if reads == MAX_READS:
                    raise RemoteError(f"{LABEL} lists something else each time: try again later")
                position, seen = _FIRST, set()
                continue
            yield page
            if page.next is None:
                return
            last = second_of(page.entries[-1], time_field)
            if last is not None and (since is None or last > since):
                position, seen, since, reads = _FIRST, set(), last, 0
                continue
            keys = {key_of(entry) for entry in page.entries}
            if keys <= seen:
                raise RemoteError(f"{LABEL} lists the same page again and again: try again later")
            seen |= keys
            position = page.next

    def search(self, query: JiraSearch, position: _Position = _FIRST) -> JiraSearchPage:
        """One page of a search."""
        params: dict[str, str | int] = {
            "jql": query.jql, "fields": query.fields, "maxResults": query.size,
        }  # fmt: skip
        if not self.is_cloud:
            # The row before the page shows whether the order changed.
            params["startAt"] = position.start - bool(position.last_key)
            response = self._client.get("rest/api/2/search", params, allow=(410,))
            self._authenticated(response)
            if response.status != 410:
                return self._server_page(response, position, query.size)
            # The site moved to Cloud, which has removed this search.
            self._deployment = CLOUD
            del params["startAt"]
        if position.token:
            params["nextPageToken"] = position.token
        response = self._client.get("rest/api/3/search/jql", params)
        return self._cloud_page(self._authenticated(response))

    def count(self, jql: str) -> int | None:
        """The approximate number of matching issues; None where Jira does not count them."""
        if not self.is_cloud:
            return None
        response = self._client.send(
            "POST",
            self._path("search/approximate-count"),
            {"jql": jql},
            idempotent=True,
            allow=(404,),
        )
        return number(response.json(), "count")

    def disconnect(self) -> None:
        """Close the connections."""
        self._client.close()

    def _cloud_page(self, response: Response) -> JiraSearchPage:
        data = response.json()
        entries, token = _entries(data), text(data, "nextPageToken")
        following = _Position(token=token) if token and not flag(data, "isLast") else None
        if following is None and field(data, "isLast") is False:
            raise RemoteError(f"{LABEL} does not say where its list goes on: try again later")
        if following is not None and not entries:
            raise RemoteError(f"{LABEL} lists the same page again and again: try again later")
        return JiraSearchPage(entries, self._client.server_time(response), following)

    def _server_page(self, response: Response, position: _Position, size: int) -> JiraSearchPage:
        data, at = response.json(), self._client.server_time(response)
        entries, total = _entries(data), number(data, "total")
        if position.last_key:
            if not entries or key_of(entries[0]) != position.last_key:
                return JiraSearchPage([], at, None, shifted=True)
            entries = entries[1:]
        end = position.start + len(entries)
        size = min(size, number(data, "maxResults") or size) - bool(position.last_key)
        has_next = end < total if total is not None else len(entries) >= size
        if has_next and not entries:
            raise RemoteError(f"{LABEL} lists fewer issues than it has: try again later")
        following = _Position(start=end, last_key=key_of(entries[-1])) if has_next else None
        return JiraSearchPage(entries, at, following, total)

    def _path(self, below: str) -> str:
        return f"rest/api/{3 if self.is_cloud else 2}/{below}"

    def _authenticated(self, response: Response) -> Response:
        """Return the response. Raises AccessRefused if Jira rejected the token.

        Cloud treats an expired token as no token: the request succeeds with the public issues.
        """
        reason = response.headers.get("x-seraph-loginreason", "")
        if any(refusal in reason for refusal in _REFUSED):
            raise self._client.access_refused(reason.partition(",")[0])
        return response


def _entries(data: Json) -> list[Json]:
    if not isinstance(field(data, "issues"), list):
        raise RemoteError(f"{LABEL} answers without a list of issues: check the URL")
    return rows(data, "issues")


def _errors(data: Json) -> Iterator[str]:
    """The error messages of a response: general ones, then one for each invalid field."""
    for message in rows(data, "errorMessages"):
        if text(message):
            yield text(message)
    errors = field(data, "errors")
    for name in errors if isinstance(errors, dict) else ():
        yield f"{name}: {text(errors, name)}"
