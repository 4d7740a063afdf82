"""HTTP with one host: its token goes nowhere else, failures are tried again, waits are bounded."""

# Governing: ADR-0019 (a token belongs to one host), SPEC-0009 REQ "Talking to a tracker"

from __future__ import annotations

import json as jsonlib
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any, TypeVar
from urllib.parse import urljoin, urlsplit

import httpx

from sdd_hooks.errors import AccessRefused, Missing, RateLimited, RemoteError
from sdd_hooks.project.lines import one_line

RETRIES = 3
MOST_REDIRECTS = 5
REDIRECTS = frozenset({301, 302, 303, 307, 308})
LARGEST = 50_000_000
"""Bytes of one answer."""
AT_ONCE = 8
"""Requests for details that go on at the same time."""

_T = TypeVar("_T")
_R = TypeVar("_R")


@dataclass(frozen=True)
class Answer:
    """What a host answered. The names of `headers` are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    url: str

    def json(self) -> Any:
        """The body as JSON; None where it is none, or there is no body."""
        try:
            return jsonlib.loads(self.body)
        except (ValueError, RecursionError):
            return None


@dataclass(frozen=True)
class Wait:
    """That an answer is a rate limit. `until` is when to come back (epoch seconds), None if it does
    not say."""

    until: float | None = None


Limits = Callable[[Answer, float], "Wait | None"]
"""What a vendor's rate limit looks like, given an answer and the time, beside what all have in
common: 429, and 403 or 5xx with `Retry-After`."""


class Client:
    """One host's API. Connections are kept; methods may be called from several threads.

    `headers` go with every request, the token among them. `source` says where that was found, ""
    without one, and `advice` what a person can do about it. `patience` is how many seconds this
    client waits altogether, for limits and for hosts that fail; `tell` is given each wait as a
    line. All methods raise RemoteError and its kinds.
    """

    def __init__(
        self,
        api: str,
        *,
        label: str,
        headers: Mapping[str, str],
        source: str,
        advice: str,
        limits: Limits | None = None,
        patience: float = 60.0,
        clock: Callable[[], float] = time.time,
        sleep: Callable[[float], None] = time.sleep,
        tell: Callable[[str], None] | None = None,
    ) -> None:
        self.api = api.rstrip("/")
        self.label = label
        self.clock = clock
        self._source = source
        self._advice = advice
        self._limits = limits
        self._patience = patience
        self._sleep = sleep
        self._tell = tell
        self._origin = _origin(self.api)
        self._http = httpx.Client(
            http2=True,
            headers={"User-Agent": "sdd-hooks", "Accept": "application/json", **headers},
            timeout=httpx.Timeout(30.0, connect=10.0),
            limits=httpx.Limits(max_connections=AT_ONCE, max_keepalive_connections=AT_ONCE),
            follow_redirects=False,
            trust_env=True,
        )

    def get(
        self,
        path: str,
        params: Mapping[str, str | int] | None = None,
        *,
        headers: Mapping[str, str] | None = None,
        allow: Iterable[int] = (),
    ) -> Answer:
        """Ask for `path`, below the API's address, or an absolute address of the same host.

        Redirects on the same host are followed unless their status is in `allow`. Other statuses
        than 2xx raise unless they are in `allow`.
        """
        return self._ask("GET", path, params, None, headers or {}, frozenset(allow), again=True)

    def send(
        self,
        method: str,
        path: str,
        json: object,
        *,
        headers: Mapping[str, str] | None = None,
        allow: Iterable[int] = (),
        again: bool = False,
    ) -> Answer:
        """Send `json`. With `again` (it changes nothing, or nothing twice) failures are retried.

        Without, only an answer that says that nothing was done, a rate limit, is.
        """
        return self._ask(method, path, None, json, headers or {}, frozenset(allow), again=again)

    def following(self, answer: Answer) -> str | None:
        """The address of the next page by the `Link` header; None on the last.

        Raises RemoteError when that is on another host.
        """
        links = httpx.Response(200, headers=[("link", answer.headers.get("link", ""))]).links
        target = links.get("next", {}).get("url")
        return None if target is None else self._address(urljoin(answer.url, target))

    def each(self, ask: Callable[[_T], _R], items: Iterable[_T]) -> Iterator[_R]:
        """`ask(item)` for every item, AT_ONCE of them together, results in order."""
        with ThreadPoolExecutor(AT_ONCE) as pool:
            yield from pool.map(ask, items)

    def at(self, answer: Answer) -> float:
        """The host's own clock at an answer (epoch seconds); ours where it does not say."""
        try:
            return parsedate_to_datetime(answer.headers.get("date", "")).timestamp()
        except (ValueError, TypeError, OverflowError):
            return self.clock()

    def close(self) -> None:
        """Let the connections go."""
        self._http.close()

    def _ask(
        self,
        method: str,
        path: str,
        params: Mapping[str, str | int] | None,
        json: object,
        headers: Mapping[str, str],
        allow: frozenset[int],
        *,
        again: bool,
    ) -> Answer:
        url = self._address(path)
        attempt = redirects = 0
        while True:
            try:
                answer = self._once(method, url, params, json, headers)
            except httpx.HTTPError as error:
                if not again or attempt == RETRIES:
                    raise RemoteError(self._unreachable(error)) from None
                self._wait(2.0**attempt, "does not answer")
                attempt += 1
                continue
            limit = self._limit(answer)
            if limit is not None:
                self._hold_off(limit, attempt)
            elif answer.status in REDIRECTS and answer.status not in allow and method == "GET":
                redirects += 1
                if redirects > MOST_REDIRECTS:
                    raise RemoteError(f"{self.label} redirects in a circle: {self._shown(url)}")
                url = self._address(urljoin(answer.url, answer.headers.get("location", "")))
                params = None
                continue
            elif answer.status >= 500 and answer.status not in allow and again:
                if attempt == RETRIES:
                    return self._checked(answer, allow)
                self._wait(2.0**attempt, f"answers {answer.status}")
            else:
                return self._checked(answer, allow)
            attempt += 1

    def _once(
        self,
        method: str,
        url: str,
        params: Mapping[str, str | int] | None,
        json: object,
        headers: Mapping[str, str],
    ) -> Answer:
        with self._http.stream(
            method, url, params=params or None, json=json, headers=dict(headers)
        ) as response:
            body = bytearray()
            for part in response.iter_bytes():
                body += part
                if len(body) > LARGEST:
                    raise RemoteError(f"{self.label} answers with over {LARGEST:,} bytes")
            found = {name.lower(): value for name, value in response.headers.items()}
            return Answer(response.status_code, found, bytes(body), str(response.url))

    def _address(self, path: str) -> str:
        """The absolute address of `path`. Raises RemoteError for one on another host."""
        url = path if "://" in path else f"{self.api}/{path.lstrip('/')}" if path else self.api
        if _origin(url) != self._origin:
            raise RemoteError(
                f"{self.label} points to another host, {urlsplit(url).hostname}: not followed"
            )
        return url

    def _limit(self, answer: Answer) -> Wait | None:
        """The rate limit that the answer is, if it is one."""
        now = self.clock()
        own = self._limits(answer, now) if self._limits else None
        if own is not None:
            return own
        asked = _retry_after(answer, now)
        if answer.status == 429 or (answer.status in {403, 503} and asked is not None):
            return Wait(asked)
        return None

    def _hold_off(self, limit: Wait, attempt: int) -> None:
        """Wait as the limit says. Raises RateLimited when that is longer than there is patience."""
        now = self.clock()
        until = now + 2.0**attempt if limit.until is None else max(limit.until, now)
        if attempt == RETRIES or until - now > self._patience:
            when = time.strftime("%H:%M:%S UTC", time.gmtime(until))
            raise RateLimited(f"{self.label}: rate limit reached, try again after {when}", until)
        self._wait(until - now, "asks to wait for its rate limit")

    def _wait(self, seconds: float, why: str) -> None:
        seconds = min(seconds, self._patience)
        self._patience -= seconds
        if self._tell:
            self._tell(f"{self.label} {why}: waiting {seconds:.0f} s")
        self._sleep(seconds)

    def _checked(self, answer: Answer, allow: frozenset[int]) -> Answer:
        """The answer, unless its status says that the request failed."""
        status = answer.status
        if 200 <= status < 300 or status in allow:
            return answer
        what = self._shown(answer.url)
        if status == 401 or (status == 403 and not self._source):
            asked = f"refuses {self._source}" if self._source else "wants a token"
            raise AccessRefused(f"{self.label} {asked} ({status}, {what}): {self._advice}")
        if status == 403:
            raise AccessRefused(
                f"{self.label}: {self._source} may not do this (403, {what}): {self._advice}"
            )
        if status in {404, 410}:
            raise Missing(
                f"{self.label} has no {what}, or does not show it: check the name, {self._advice}"
            )
        raise RemoteError(f"{self.label} answers {status} to {what}")

    def _unreachable(self, error: httpx.HTTPError) -> str:
        host = urlsplit(self.api).netloc
        return f"{self.label} cannot be reached at {host} ({type(error).__name__}): try again later"

    @staticmethod
    def _shown(url: str) -> str:
        """An address without what may be secret in it: the path."""
        return one_line(urlsplit(url).path) or "/"


def _origin(url: str) -> tuple[str, str, int | None]:
    try:
        parts = urlsplit(url)
        port = parts.port or {"https": 443, "http": 80}.get(parts.scheme)
        return parts.scheme, (parts.hostname or "").rstrip("."), port
    except ValueError:
        return "", "", None


def _retry_after(answer: Answer, now: float) -> float | None:
    """When `Retry-After` says to come back, in seconds or as a date."""
    value = answer.headers.get("retry-after", "").strip()
    if value.isdecimal():
        return now + min(float(value), 1e9)
    try:
        return parsedate_to_datetime(value).timestamp()
    except (ValueError, TypeError, OverflowError):
        return None
