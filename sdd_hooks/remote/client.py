"""HTTP with one host: its token goes nowhere else, failures are tried again, waits are bounded."""

# Governing: ADR-0019 (a token belongs to one host), SPEC-0009 REQ "Talking to a tracker"

from __future__ import annotations

import re
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from types import MappingProxyType
from typing import TypeVar
from urllib.parse import unquote, urljoin, urlsplit

import httpx

from sdd_hooks.errors import AccessRefused, Missing, RateLimited, RemoteError
from sdd_hooks.remote.credentials import Secret
from sdd_hooks.remote.failures import Failure
from sdd_hooks.remote.response import (
    RateLimit,
    RateLimitRule,
    Response,
    parse_http_date,
    parse_retry_after,
)
from sdd_hooks.remote.transport import MAX_CONCURRENT, SILENCE, Transport
from sdd_hooks.remote.urls import parse_endpoint
from sdd_hooks.text.display import one_line

RETRIES = 3
MOST_REDIRECTS = 5
REDIRECTS = frozenset({301, 302, 303, 307, 308})
SAME_METHOD = frozenset({307, 308})
PATIENCE = 60.0
"""Seconds that are waited altogether for a tracker that is busy."""
_YEAR = 31_536_000.0
_ABSOLUTE = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_T = TypeVar("_T")
_R = TypeVar("_R")


class Client:
    """One host's API. Connections are kept; methods may be called from several threads.

    `headers` go with every request, those that carry `secret` among them; `advice` is what a person
    can do about access. `patience` is how many seconds this client waits altogether, for limits and
    for hosts that fail; `tell` is given each wait as a line. A request ends after `silence` seconds
    without a byte, and ten times that altogether. All methods raise RemoteError and its kinds.
    """

    def __init__(
        self,
        api: str,
        *,
        label: str,
        headers: Mapping[str, str] = MappingProxyType({}),
        secret: Secret | None = None,
        advice: str = "",
        limits: RateLimitRule | None = None,
        patience: float = PATIENCE,
        silence: float = SILENCE,
        clock: Callable[[], float] = time.time,
        sleep: Callable[[float], object] | None = None,
        tell: Callable[[str], None] | None = None,
    ) -> None:
        end = parse_endpoint(api)
        if end is None or "?" in api or "#" in api:
            raise RemoteError(f"{label}: the address of its API is none: check its URL")
        self.api = api.rstrip("/")
        self.label = label
        self.clock = clock
        self._end = end
        self._source = secret.source if secret else ""
        self._hidden = _hidden(headers, secret) if secret else ()
        self._advice = advice
        self._limits = limits
        self._patience = patience
        self._silence = silence
        self._closed = threading.Event()
        self._sleep = sleep or self._closed.wait
        self._tell = tell
        self._one_waits = threading.Lock()
        self._transport = Transport(label, headers, silence)

    def get(
        self,
        path: str,
        params: Mapping[str, str | int] | None = None,
        *,
        headers: Mapping[str, str] | None = None,
        allow: Iterable[int] = (),
    ) -> Response:
        """Ask for `path`, below the API's address, or an absolute address of the same host.

        Redirects on the same host are followed unless their status is in `allow`. Other statuses
        than 2xx raise unless they are in `allow`.
        """
        return self._ask(
            "GET", path, params, None, headers or {}, frozenset(allow), idempotent=True
        )

    def send(
        self,
        method: str,
        path: str,
        json: object,
        *,
        headers: Mapping[str, str] | None = None,
        allow: Iterable[int] = (),
        idempotent: bool = False,
    ) -> Response:
        """Send `json`. A request that is `idempotent` is retried after every failure.

        Any other only after one that changed nothing: a rate limit, a connection that failed.
        """
        return self._ask(
            method, path, None, json, headers or {}, frozenset(allow), idempotent=idempotent
        )

    def next_page_url(self, answer: Response) -> str | None:
        """The address of the next page by the `Link` header; None on the last.

        Raises RemoteError when that is on another host.
        """
        link = answer.headers.get("link", "").encode("utf-8", "replace")
        target = httpx.Response(200, headers=[(b"link", link)]).links.get("next", {}).get("url")
        return None if target is None else self._joined(answer.url, target)

    def map_concurrently(self, ask: Callable[[_T], _R], items: Iterable[_T]) -> Iterator[_R]:
        """`ask(item)` for every item, MAX_CONCURRENT of them together, results in order.

        An error in one ends it: what has not begun by then is not asked.
        """
        pool = ThreadPoolExecutor(MAX_CONCURRENT)
        going: deque[Future[_R]] = deque()
        try:
            for item in items:
                if len(going) == MAX_CONCURRENT:
                    yield going.popleft().result()
                going.append(pool.submit(ask, item))
            while going:
                yield going.popleft().result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)

    def server_time(self, answer: Response) -> float:
        """The host's own clock at an answer (epoch seconds); ours where it does not say."""
        told = parse_http_date(answer.headers.get("date", ""))
        return self.clock() if told is None else told

    def redact(self, text: str) -> str:
        """What a host said, as one line for people, without the secret if that is in it."""
        for secret in self._hidden:
            text = text.replace(secret, "***")
        return one_line(text)[:300]

    def access_refused(self, reason: str) -> AccessRefused:
        """The error for a host that does not let this client do something, for that `reason`."""
        if not self._source:
            return AccessRefused(self._line(f"{self.label} wants a token ({reason})"))
        return AccessRefused(self._line(f"{self.label} refuses {self._source} ({reason})"))

    def close(self) -> None:
        """Let the connections go, and whoever waits in another thread."""
        self._closed.set()
        self._transport.close()

    def _ask(
        self,
        method: str,
        path: str,
        params: Mapping[str, str | int] | None,
        json: object,
        headers: Mapping[str, str],
        allow: frozenset[int],
        *,
        idempotent: bool,
    ) -> Response:
        url = self._address(path)
        attempt = redirects = 0
        while True:
            if self._closed.is_set():
                raise RemoteError(f"{self.label}: stopped")
            got = self._transport.request(method, url, params, json, headers)
            if isinstance(got, Failure):
                worthwhile = got.passing and (idempotent or not got.sent)
                if not worthwhile or not self._pause(attempt, None, "does not answer"):
                    raise self._unreachable(got, idempotent=idempotent)
            elif (limit := self._limit(got)) is not None:
                seconds = None if limit.until is None else limit.until - self.server_time(got)
                if not self._pause(attempt, seconds, "asks to wait for its rate limit"):
                    raise self._limited(attempt, seconds)
            elif self._redirects(got, method, allow):
                redirects += 1
                if redirects > MOST_REDIRECTS:
                    raise RemoteError(f"{self.label} redirects in a circle: {_shown(url)}")
                url = self._joined(got.url, got.headers.get("location", ""))
                params = None
                continue
            elif got.status >= 500 and got.status not in allow and idempotent:
                until = parse_retry_after(got, self.server_time(got))
                seconds = None if until is None else until - self.server_time(got)
                if not self._pause(attempt, seconds, f"answers {got.status}"):
                    return self._checked(got, allow)
            else:
                return self._checked(got, allow)
            attempt += 1

    def _address(self, path: str) -> str:
        """The absolute address of `path`. Raises RemoteError for one on another host, and for one
        that climbs out of the API."""
        if _ABSOLUTE.match(path):
            return self._joined(path, "")
        steps = unquote(re.split(r"[?#]", path, maxsplit=1)[0]).split("/")
        if any(step in {".", ".."} for step in steps):
            raise RemoteError(f"{self.label}: {one_line(path)[:200]} is no address of its API")
        return f"{self.api}/{path.lstrip('/')}" if path else self.api

    def _joined(self, base: str, target: str) -> str:
        """The absolute address that `target` means at `base`. Raises RemoteError where that is
        another host than the API's, another port or another scheme."""
        try:
            url = urljoin(base, target)
        except ValueError:
            url = ""
        end = parse_endpoint(url)
        if end != self._end:
            where = end or "an address that is none"
            raise RemoteError(f"{self.label} at {self._end} points to {where}: not followed")
        return url

    def _redirects(self, answer: Response, method: str, allow: frozenset[int]) -> bool:
        """Whether to go on elsewhere: nothing is done yet, and what is asked stays the same."""
        followed = REDIRECTS if method == "GET" else SAME_METHOD
        return answer.status in followed and answer.status not in allow

    def _limit(self, answer: Response) -> RateLimit | None:
        """The rate limit that the answer is, if it is one. `Retry-After` stands before others."""
        now = self.server_time(answer)
        asked = parse_retry_after(answer, now)
        own = self._limits(answer, now) if self._limits else None
        if answer.status == 429 or (answer.status in {403, 503} and asked is not None):
            own = own or RateLimit()
        return RateLimit(asked) if own and asked is not None else own

    def _pause(self, attempt: int, hint: float | None, why: str) -> bool:
        """Wait before another attempt, as long as the host asks for; exponentially where it does
        not say. False where there is none left, or no patience for it."""
        if attempt == RETRIES:
            return False
        # Hosts tell their time in whole seconds.
        seconds = 2.0**attempt if hint is None else max(hint, 1.0)
        until = self.clock() + seconds
        with self._one_waits:
            # While another thread waited, so did this one.
            left = min(until - self.clock(), seconds)
            if left <= 0:
                return True
            if left > self._patience or self._closed.is_set():
                return False
            self._patience -= left
            if self._tell:
                self._tell(f"{self.label} {why}: waiting {left:.0f} s")
            self._sleep(left)
        return True

    def _limited(self, attempt: int, hint: float | None) -> RateLimited:
        seconds = 2.0**attempt if hint is None else max(hint, 1.0)
        until = self.clock() + min(seconds, _YEAR)
        when = time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(until))
        return RateLimited(f"{self.label}: rate limit reached, try again after {when}", until)

    def _checked(self, answer: Response, allow: frozenset[int]) -> Response:
        """The answer, unless its status says that the request failed."""
        status = answer.status
        if 200 <= status < 300 or status in allow:
            return answer
        what = _shown(answer.url)
        said = self.redact(_message(answer.json()))
        reason = f": {said}" if said else ""
        if status in {401, 403}:
            raise self.access_refused(f"{status}, {what}{reason}")
        if status in {404, 410}:
            to = f" to {self._source}" if self._source else ""
            advice = f"check the name; {self._advice}" if self._advice else "check the name"
            raise Missing(f"{self.label} has no {what}, or does not show it{to}: {advice}")
        raise RemoteError(f"{self.label} answers {status} ({what}){reason}")

    def _line(self, what: str) -> str:
        return f"{what}: {self._advice}" if self._advice else what

    def _unreachable(self, failure: Failure, *, idempotent: bool) -> RemoteError:
        advice = failure.advice
        if failure.sent and not idempotent:
            advice = "it may have done what was asked all the same: look before you try again"
        reached = "at" if failure.sent else "cannot be reached at"
        where = f"{self.label} {reached} {self._end.netloc}"
        return RemoteError(f"{where}: {failure.why}: {advice}")


def _shown(url: str) -> str:
    """An address without what may be secret in it: the path."""
    return one_line(urlsplit(url).path)[:200] or "/"


def _hidden(headers: Mapping[str, str], secret: Secret) -> tuple[str, ...]:
    """What must not be shown of what a host sends back: the token, also as a header carries it."""
    words = (value.split()[-1] for value in headers.values() if value.split())
    return tuple(dict.fromkeys((secret.value, *words)))


def _message(data: object, depth: int = 4) -> str:
    """The first text in an answer's JSON under a key that speaks of a message or an error."""
    if isinstance(data, str):
        return data
    if isinstance(data, list) and data and depth:
        return _message(data[0], depth - 1)
    if isinstance(data, dict) and depth:
        for key, value in data.items():
            if "message" in key.lower() or "error" in key.lower():
                found = _message(value, depth - 1)
                if found:
                    return found
    return ""
