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

RETRIES = 3
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
