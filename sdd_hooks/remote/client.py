"""A client of one host's API: its token goes to no other host, failed requests are retried within
bounds, and rate limits are waited for."""

# Governing: ADR-0019 (a token belongs to one host), SPEC-0009 REQ "Talking to a tracker"

from __future__ import annotations

import re
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain, islice
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import unquote, urljoin, urlsplit

from sdd_hooks.errors import AccessRefused, Missing, RateLimited, RemoteError
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.remote.credentials import Secret
from sdd_hooks.remote.deadline import Alarm, timer_alarm
from sdd_hooks.remote.failures import CHECK_PROXIES, LATER, Failure
from sdd_hooks.remote.http_library import httpx
from sdd_hooks.remote.json_fields import Json
from sdd_hooks.remote.response import (
    RateLimit,
    RateLimitRule,
    Response,
    parse_http_date,
    parse_retry_after,
)
from sdd_hooks.remote.transport import (
    MAX_CONCURRENT,
    MAX_READ_TIMEOUTS,
    READ_TIMEOUT,
    Transport,
    WireRequest,
)
from sdd_hooks.remote.urls import parse_endpoint
from sdd_hooks.text.display import one_line
from sdd_hooks.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from concurrent.futures import Future

MAX_RETRIES = 3
MAX_REDIRECTS = 5
REDIRECTS = frozenset({301, 302, 303, 307, 308})
SAME_METHOD_REDIRECTS = frozenset({307, 308})
MAX_WAIT_SECONDS = 60.0
"""Seconds that a client waits altogether, by default."""
_MAX_LIMIT_SECONDS = 86_400.0
"""The longest time that a rate limit is believed to take. The hosts' own take an hour at most."""
_ABSOLUTE = lazy_regex(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_NOT_WHOLE = Failure("its answer is not whole")
_NOT_READ = "check the names and the address in the configuration"
_NOT_WRITTEN = "check the title, text, labels, people and branches that were sent"
_CHANGED = "it was changed meanwhile: run the command again"
_T = TypeVar("_T")
_R = TypeVar("_R")


class Access(NamedTuple):
    """What a client identifies itself with.

    `headers` are sent with every request; some of them carry the `secret`. `advice` is what a user
    can do about refused access.
    """

    headers: Mapping[str, str] = MappingProxyType({})
    secret: Secret | None = None
    advice: str = ""


class Waiting(NamedTuple):
    """How long a client waits, and the effects that it needs for it.

    `max_wait` is the number of seconds that it waits altogether, for rate limits and for hosts that
    fail. A request fails after `read_timeout` seconds without a byte, after MAX_HEAD_TIMEOUTS times
    as many without the headers of its response, and after MAX_READ_TIMEOUTS times as many in all,
    with its retries and without these waits. `clock` returns epoch seconds,
    `sleep` takes seconds; by default the client sleeps until it is closed. `on_wait` is called with
    a line before each wait. `alarm` ends a request that exceeds its time.
    """

    max_wait: float = MAX_WAIT_SECONDS
    read_timeout: float = READ_TIMEOUT
    clock: Callable[[], float] = time.time
    sleep: Callable[[float], object] | None = None
    on_wait: Callable[[str], None] | None = None
    alarm: Alarm = timer_alarm


ANONYMOUS = Access()
DEFAULT_WAITING = Waiting()


class _Request(NamedTuple):
    """A request. See `Client.get` and `Client.send` for `allow` and `idempotent`."""

    method: str
    path: str
    params: Mapping[str, str | int] | None
    json: object
    headers: Mapping[str, str]
    allow: frozenset[int]
    idempotent: bool


class Client:
    """The client of the API at the address `api`. `label` names the host in messages.

    Connections are reused, and methods may be called from several threads. `rate_limit` recognises
    the vendor's rate limits. All methods raise RemoteError and its subclasses.
    """

    def __init__(
        self,
        api: str,
        *,
        label: str,
        access: Access = ANONYMOUS,
        rate_limit: RateLimitRule | None = None,
        waiting: Waiting = DEFAULT_WAITING,
    ) -> None:
        endpoint = parse_endpoint(api)
        if endpoint is None or "?" in api or "#" in api:
            raise RemoteError(f"{label}: the address of its API is not valid: check its URL")
        self.api = api.rstrip("/")
        self.label = label
        self.clock = waiting.clock
        self._endpoint = endpoint
        self._source = access.secret.source if access.secret else ""
        self._secrets = _secret_words(access)
        self._advice = access.advice
        self._rate_limit = rate_limit
        self._seconds_left = waiting.max_wait
        self._closed = threading.Event()
        self._sleep = waiting.sleep or self._closed.wait
        self._on_wait = waiting.on_wait
        self._wait_lock = threading.Lock()
        self._seconds_in_all = MAX_READ_TIMEOUTS * waiting.read_timeout
        self._transport = Transport(
            label, endpoint.scheme, access.headers, waiting.read_timeout, waiting.alarm
        )

    def get(
        self,
        path: str,
        params: Mapping[str, str | int] | None = None,
        *,
        headers: Mapping[str, str] | None = None,
        allow: Iterable[int] = (),
    ) -> Response:
        """Request `path`, below the API's address, or an absolute address of the same host.

        Redirects on the same host are followed unless their status is in `allow`. Any other status
        than 2xx raises unless it is in `allow`.
        """
        allowed = frozenset(allow)
        return self._respond(_Request("GET", path, params, None, headers or {}, allowed, True))

    def send(  # noqa: PLR0913 (the parts of a request)
        self,
        method: str,
        path: str,
        json: object,
        *,
        headers: Mapping[str, str] | None = None,
        allow: Iterable[int] = (),
        idempotent: bool = False,
    ) -> Response:
        """Send `json`; see `get` for the other arguments.

        A failed request is retried if it is `idempotent`. Any other is retried only if the host did
        not execute it: after a rate limit, or a connection that was not established.
        """
        allowed = frozenset(allow)
        return self._respond(_Request(method, path, None, json, headers or {}, allowed, idempotent))

    def next_page_url(self, response: Response) -> str | None:
        """The address of the next page in the `Link` header; None for the last page.

        Raises RemoteError for an address on another host.
        """
        link = response.headers.get("link", "").encode("utf-8", "replace")
        target = httpx.Response(200, headers=[(b"link", link)]).links.get("next", {}).get("url")
        return None if target is None else self._join(response.url, target)

    def map_concurrently(self, request: Callable[[_T], _R], items: Iterable[_T]) -> Iterator[_R]:
        """Yield `request(item)` for every item, in order, MAX_CONCURRENT of them at a time.

        An exception ends the iteration; requests that have not started are dropped.
        """
        waiting = iter(items)
        first = list(islice(waiting, 1))
        if not first:
            # Most pages of issues have no details to request.
            return
        from concurrent.futures import ThreadPoolExecutor

        pool = ThreadPoolExecutor(MAX_CONCURRENT)
        running: deque[Future[_R]] = deque()
        try:
            for item in chain(first, waiting):
                if len(running) == MAX_CONCURRENT:
                    yield running.popleft().result()
                running.append(pool.submit(request, item))
            while running:
                yield running.popleft().result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)

    def server_time(self, response: Response) -> float:
        """The host's time of a response (epoch seconds); this machine's if the host sends none."""
        date = parse_http_date(response.headers.get("date", ""))
        return self.clock() if date is None else date

    def redact(self, text: str) -> str:
        """A text of the host as one line for messages, without the token."""
        for secret in self._secrets:
            text = text.replace(secret, "***")
        return one_line(text)[:300]

    def access_refused(self, reason: str) -> AccessRefused:
        """The error for refused access."""
        if not self._source:
            return AccessRefused(self._with_advice(f"{self.label} wants a token ({reason})"))
        return AccessRefused(self._with_advice(f"{self.label} refuses {self._source} ({reason})"))

    def close(self) -> None:
        """Close the connections, and end the waits of other threads."""
        self._closed.set()
        self._transport.close()

    def _respond(self, request: _Request) -> Response:
        """Send the request, follow redirects, and retry within bounds."""
        method, allow = request.method, request.allow
        url, params = self._address(request.path), request.params
        attempt = redirects = 0
        left = self._seconds_in_all
        while True:
            if self._closed.is_set():
                raise RemoteError(f"{self.label}: stopped")
            started = self.clock()
            sent = WireRequest(method, url, params, request.json, request.headers)
            result = self._transport.request(sent, left)
            left -= max(self.clock() - started, 0.0)
            if isinstance(result, Response) and request.idempotent and not result.is_whole:
                result = _NOT_WHOLE
            if isinstance(result, Failure):
                can_retry = result.is_transient and (request.idempotent or not result.was_sent)
                if left <= 0 or not can_retry or not self._wait(attempt, None, "does not answer"):
                    raise self._unreachable(result, idempotent=request.idempotent)
            elif (limit := self._limit(result)) is not None:
                delay = None if limit.until is None else limit.until - self.server_time(result)
                if not self._wait(attempt, delay, "asks to wait for its rate limit"):
                    raise self._limited(attempt, delay)
            elif _is_followed(result, method, allow):
                redirects += 1
                if redirects > MAX_REDIRECTS:
                    raise RemoteError(f"{self.label} redirects in a circle: {_shown(url)}")
                url, params = self._join(result.url, result.headers.get("location", "")), None
                continue
            elif result.status >= 500 and result.status not in allow and request.idempotent:
                now = self.server_time(result)
                until = parse_retry_after(result, now)
                delay = None if until is None else until - now
                if left <= 0 or not self._wait(attempt, delay, f"answers {result.status}"):
                    return self._checked(result, request)
            else:
                return self._checked(result, request)
            attempt += 1

    def _address(self, path: str) -> str:
        """The absolute address of `path`.

        Raises RemoteError for an address on another host, and for one outside the API.
        """
        if _ABSOLUTE.match(path):
            return self._join(path, "")
        steps = unquote(re.split(r"[?#]", path, maxsplit=1)[0]).split("/")
        if any(step in {".", ".."} for step in steps):
            raise RemoteError(f"{self.label}: {one_line(path)[:200]} is not an address of its API")
        return f"{self.api}/{path.lstrip('/')}" if path else self.api

    def _join(self, base: str, target: str) -> str:
        """The absolute address of `target` relative to `base`.

        Raises RemoteError for another host, port or scheme than the API's.
        """
        try:
            url = urljoin(base, target)
        except ValueError:
            url = ""
        endpoint = parse_endpoint(url)
        if endpoint != self._endpoint:
            where = endpoint or "an address that is not valid"
            raise RemoteError(f"{self.label} at {self._endpoint} points to {where}: not followed")
        return url

    def _limit(self, response: Response) -> RateLimit | None:
        """The rate limit that the response announces. `Retry-After` has precedence."""
        now = self.server_time(response)
        until = parse_retry_after(response, now)
        limit = self._rate_limit(response, now) if self._rate_limit else None
        if response.status == 429 or (response.status in {403, 503} and until is not None):
            limit = limit or RateLimit()
        return RateLimit(until) if limit and until is not None else limit

    def _wait(self, attempt: int, delay: float | None, why: str) -> bool:
        """Wait before another attempt: `delay` seconds, or exponentially longer if it is None.

        Returns False if no attempt is left, or less time than that.
        """
        if attempt == MAX_RETRIES:
            return False
        seconds = _delay(attempt, delay)
        until = self.clock() + seconds
        with self._wait_lock:
            # A wait of another thread counts for this one as well.
            left = min(until - self.clock(), seconds)
            if left <= 0:
                return True
            if left > self._seconds_left or self._closed.is_set():
                return False
            self._seconds_left -= left
            if self._on_wait:
                self._on_wait(f"{self.label} {why}: waiting {left:.0f} s")
            self._sleep(left)
        return True

    def _limited(self, attempt: int, delay: float | None) -> RateLimited:
        seconds = _delay(attempt, delay)
        until = self.clock() + min(seconds, _MAX_LIMIT_SECONDS)
        when = time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(until))
        if seconds > _MAX_LIMIT_SECONDS:
            when += f" (it asks for {seconds / _MAX_LIMIT_SECONDS:,.0f} days: {CHECK_PROXIES})"
        elif self._advice and not self._source:
            when += f", or with a token: {self._advice}"
        return RateLimited(f"{self.label}: rate limit reached, try again after {when}", until)

    def _checked(self, response: Response, request: _Request) -> Response:
        """The response, unless its status is an error that the request does not allow."""
        status = response.status
        if 200 <= status < 300 or status in request.allow:
            return response
        path = _shown(response.url)
        message = self.redact(_message(response.json()))
        reason = f": {message}" if message else ""
        if status in {401, 403}:
            raise self.access_refused(f"{status}, {path}{reason}")
        if status in {404, 410}:
            to = f" to {self._source}" if self._source else ""
            advice = f"check the name; {self._advice}" if self._advice else "check the name"
            raise Missing(f"{self.label} has no {path}, or does not show it{to}: {advice}")
        advice = _advice_for(status, request.method)
        raise RemoteError(f"{self.label} answers {status} ({path}){reason}: {advice}")

    def _with_advice(self, message: str) -> str:
        return f"{message}: {self._advice}" if self._advice else message

    def _unreachable(self, failure: Failure, *, idempotent: bool) -> RemoteError:
        advice = failure.advice
        if failure.was_sent and not idempotent:
            advice = "the request may have been executed: check before you try again"
        reached = "at" if failure.was_sent else "cannot be reached at"
        where = f"{self.label} {reached} {self._endpoint.netloc}"
        return RemoteError(f"{where}: {failure.why}: {advice}")


def _is_followed(response: Response, method: str, allow: frozenset[int]) -> bool:
    """Whether to follow a redirect: with the same method, and nothing was executed yet."""
    followed = REDIRECTS if method == "GET" else SAME_METHOD_REDIRECTS
    return response.status in followed and response.status not in allow


def _advice_for(status: int, method: str) -> str:
    """What a user can do about a request that failed for another reason than missing access."""
    if status >= 500:
        return LATER
    if status in {409, 412}:
        return _CHANGED
    if status in {400, 422}:
        return _NOT_READ if method == "GET" else _NOT_WRITTEN
    return CHECK_PROXIES


def _delay(attempt: int, delay: float | None) -> float:
    # Hosts send their time in whole seconds.
    return 2.0**attempt if delay is None else max(delay, 1.0)


def _shown(url: str) -> str:
    """The path of an address; its other parts may contain a secret."""
    return one_line(urlsplit(url).path)[:200] or "/"


def _secret_words(access: Access) -> tuple[str, ...]:
    """The token, and the forms of it in the headers, for redaction."""
    if access.secret is None:
        return ()
    words = (value.split()[-1] for value in access.headers.values() if value.split())
    return tuple(dict.fromkeys((access.secret.value, *words)))


def _message(data: Json, depth: int = 4) -> str:
    """The first text in a response under a key that contains "message" or "error".

    Under such a key may be the names of fields, each with what is wrong with it.
    """
    if isinstance(data, str):
        return data
    if isinstance(data, list) and data and depth:
        return _message(data[0], depth - 1)
    if isinstance(data, dict) and depth:
        for key, value in data.items():
            if "message" in key.lower() or "error" in key.lower():
                message = _message(value, depth - 1) or _field_message(value)
                if message:
                    return message
    return ""


def _field_message(data: Json) -> str:
    """The first field in `{"title": ["is too long"]}` with what is wrong with it, else ""."""
    for field, problem in data.items() if isinstance(data, dict) else ():
        text = problem[0] if isinstance(problem, list) and problem else problem
        if isinstance(text, str) and text:
            return f"{field}: {text}"
    return ""
