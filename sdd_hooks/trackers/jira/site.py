"""One Jira: whether it is Cloud or a server, its searches page by page, and what it refuses.

Cloud and Server differ in where their API is, how it pages, and in the form of texts. Cloud says
`nextPageToken`, a server counts (`startAt`).
"""

# Governing: ADR-0018 (tracker issues as files), SPEC-0009 REQ "Talking to a tracker"

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from sdd_hooks.errors import RemoteError
from sdd_hooks.remote.json_fields import Json, field, flag, number, rows, text
from sdd_hooks.trackers.issue import Issue
from sdd_hooks.trackers.jira.payloads import FIELDS, LABEL, issue_of, key_of, second_of

if TYPE_CHECKING:
    from sdd_hooks.remote.client import Client
    from sdd_hooks.remote.response import Answer

CLOUD = "cloud"
SERVER = "server"
HOME = ".atlassian.net"
"""Below this, every host is Cloud."""
TURNS = 5
"""How often a second is read again that changes while it is read."""

_REFUSED = ("AUTHENTICATED_FAILED", "AUTHENTICATION_DENIED")


class _Position(NamedTuple):
    """Where a page begins: a token of Cloud's, or a number of rows of a server's and the key of
    the last of them, "" where nobody needs to know."""

    token: str = ""
    start: int = 0
    last: str = ""


_FIRST = _Position()


class Batch(NamedTuple):
    """A page of a search. `total` is how many issues match, None where nobody says; `at` is Jira's
    clock. With `moved` the rows before this page are no longer those that were read."""

    entries: list[Json]
    at: float
    following: _Position | None
    total: int | None = None
    moved: bool = False


class Site:
    """The Jira at `url` (no slash at its end), with whoever `client` asks for."""

    def __init__(self, url: str, client: Client) -> None:
        self.url = url
        self._client = client
        self._deployment = CLOUD if url.split("/")[2].endswith(HOME) else ""

    @property
    def deployment(self) -> str:
        """CLOUD or SERVER; asked once where the address does not tell."""
        if not self._deployment:
            told = text(self.get("rest/api/2/serverInfo"), "deploymentType")
            self._deployment = CLOUD if told == "Cloud" else SERVER
        return self._deployment

    @property
    def is_cloud(self) -> bool:
        """Whether texts are documents, and parents are parents."""
        return self.deployment == CLOUD

    def believe(self, deployment: str) -> None:
        """Take the word of somebody who asked before, if it is one."""
        if not self._deployment and deployment in {CLOUD, SERVER}:
            self._deployment = deployment

    def get(self, path: str, params: Mapping[str, str | int] | None = None) -> Json:
        """What is at `path`, below the address of this Jira."""
        return self._known(self._client.get(path, params)).json()

    def rest(self, path: str, params: Mapping[str, str | int] | None = None) -> Json:
        """What is at `path` below the REST API."""
        return self.get(self._path(path), params)

    def send(self, method: str, path: str, body: object, *, again: bool = False) -> Json:
        """Send to `path` below the REST API. Raises RemoteError with what Jira does not accept."""
        answer = self._client.send(method, self._path(path), body, allow=(400,), again=again)
        self._known(answer)
        if answer.status == 400:
            said = self._client.said("; ".join(_complaints(answer.json()))) or "no reason given"
            raise RemoteError(f"{LABEL} does not accept it (400, {path}): {said}")
        return answer.json()

    def issue(self, key: str) -> Issue | None:
        """The issue with that key, asked for now, by the key that it has now."""
        return issue_of(self.rest(f"issue/{key}", {"fields": FIELDS}), self.url)

    def listed(
        self, jql: str, by: str, since: int | None, fields: str, size: int
    ) -> Iterator[Batch]:
        """What matches `jql`, at `since` (epoch seconds) or later, in the order of its time `by`.

        Each page begins with the second with which the one before ended: what is edited meanwhile
        moves to the end, and nothing moves into a gap. Only a second that is larger than a page is
        counted through.
        """
        position, seen, turns = _FIRST, set[str](), 0
        while True:
            # Quoted times are in minutes, and in the zone of whoever asks.
            bound = "" if since is None else f" AND {by} >= {since * 1000}"
            batch = self.search(f"{jql}{bound} ORDER BY {by} ASC, key ASC", fields, size, position)
            if batch.moved:
                turns += 1
                if turns == TURNS:
                    raise RemoteError(f"{LABEL} lists something else each time: try again later")
                position, seen = _FIRST, set()
                continue
            yield batch
            if batch.following is None:
                return
            last = second_of(batch.entries[-1], by)
            if last is not None and (since is None or last > since):
                position, seen, since, turns = _FIRST, set(), last, 0
                continue
            found = {key_of(entry) for entry in batch.entries}
            if found <= seen:
                raise RemoteError(f"{LABEL} lists the same page again and again: try again later")
            seen |= found
            position = batch.following

    def search(self, jql: str, fields: str, size: int, position: _Position = _FIRST) -> Batch:
        """One page of what matches."""
        params: dict[str, str | int] = {"jql": jql, "fields": fields, "maxResults": size}
        if not self.is_cloud:
            # The row before shows whether the rows are still where they were.
            params["startAt"] = position.start - bool(position.last)
            answer = self._known(self._client.get("rest/api/2/search", params, allow=(410,)))
            if answer.status != 410:
                return self._counted(answer, position, size)
            # It moved to Cloud, where this search is no longer.
            self._deployment = CLOUD
            del params["startAt"]
        if position.token:
            params["nextPageToken"] = position.token
        return self._continued(self._known(self._client.get("rest/api/3/search/jql", params)))

    def count(self, jql: str) -> int | None:
        """About how many issues match, where Jira tells."""
        if not self.is_cloud:
            return None
        asked = self._client.send(
            "POST", self._path("search/approximate-count"), {"jql": jql}, again=True, allow=(404,)
        )
        return number(asked.json(), "count")

    def disconnect(self) -> None:
        """Let connections go."""
        self._client.close()

    def _continued(self, answer: Answer) -> Batch:
        data = answer.json()
        entries, token = _entries(data), text(data, "nextPageToken")
        following = _Position(token=token) if token and not flag(data, "isLast") else None
        if following is None and field(data, "isLast") is False:
            raise RemoteError(f"{LABEL} does not say where its list goes on: try again later")
        if following is not None and not entries:
            raise RemoteError(f"{LABEL} lists the same page again and again: try again later")
        return Batch(entries, self._client.at(answer), following)

    def _counted(self, answer: Answer, position: _Position, size: int) -> Batch:
        data, at = answer.json(), self._client.at(answer)
        entries, total = _entries(data), number(data, "total")
        if position.last:
            if not entries or key_of(entries[0]) != position.last:
                return Batch([], at, None, moved=True)
            entries = entries[1:]
        end = position.start + len(entries)
        size = min(size, number(data, "maxResults") or size) - bool(position.last)
        more = end < total if total is not None else len(entries) >= size
        if more and not entries:
            raise RemoteError(f"{LABEL} lists fewer issues than it has: try again later")
        following = _Position(start=end, last=key_of(entries[-1])) if more else None
        return Batch(entries, at, following, total)

    def _path(self, below: str) -> str:
        return f"rest/api/{3 if self.is_cloud else 2}/{below}"

    def _known(self, answer: Answer) -> Answer:
        """The answer. Raises AccessRefused where it is that for somebody unknown: to a token that
        has run out Cloud shows what everybody may see, and that as a success."""
        reason = answer.headers.get("x-seraph-loginreason", "")
        if any(one in reason for one in _REFUSED):
            raise self._client.refused(reason.partition(",")[0])
        return answer


def _entries(data: Json) -> list[Json]:
    if not isinstance(field(data, "issues"), list):
        raise RemoteError(f"{LABEL} answers without a list of issues: check the URL")
    return rows(data, "issues")


def _complaints(data: Json) -> Iterator[str]:
    """What Jira says about a request: in general, and about single fields."""
    for message in rows(data, "errorMessages"):
        if text(message):
            yield text(message)
    errors = field(data, "errors")
    for name in errors if isinstance(errors, dict) else ():
        yield f"{name}: {text(errors, name)}"
