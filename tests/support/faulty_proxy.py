"""A proxy between a client and a fake server that replaces and changes responses.

Each fault is one that proxies, networks or servers show: connections that break, statuses, bodies
that are cut or belong to another request, wrong headers, and slow responses.
"""

from __future__ import annotations

import gzip
import json
import random
import threading
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from typing import NamedTuple
from urllib.parse import urlencode

from tests.support.loopback import CannedResponse, Request

ELSEWHERE = "http://localhost.invalid/steal"
"""An address on another host, unless the proxy has one."""
DRIP_SECONDS = 29.0
"""Seconds before each part of a slow response: less than the timeout of a read."""
HTML = b"<!DOCTYPE html>\n<html><body><h1>Log in</h1></body></html>\n"


class Exchange(NamedTuple):
    """A request, its true response, and the response to an earlier request, None for the first.

    `pass_time` advances the clock of the test by that many seconds. `elsewhere` is an address on
    another host.
    """

    request: Request
    response: CannedResponse
    earlier: CannedResponse | None
    chance: random.Random
    pass_time: Callable[[float], object]
    elsewhere: str


ProxyFault = Callable[[Exchange], CannedResponse]


def _status(status: int, data: object = None, **headers: str) -> ProxyFault:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    body = {"message": f"status {status}"} if data is None else data
    return lambda _: CannedResponse(status, body, named)


def _headers(**headers: str) -> ProxyFault:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda exchange: replace(
        exchange.response, headers={**exchange.response.headers, **named}
    )


def _without(*names: str) -> ProxyFault:
    def fault(exchange: Exchange) -> CannedResponse:
        headers = exchange.response.headers.items()
        kept = {name: value for name, value in headers if name.lower() not in names}
        return replace(exchange.response, headers=kept)

    return fault


def _cut(share: float, *, reset: bool = False) -> ProxyFault:
    """The connection ends after this share of the body."""

    def fault(exchange: Exchange) -> CannedResponse:
        length = len(exchange.response.content)
        return replace(exchange.response, cut=max(int(length * share), 0), reset=reset)

    return fault


def _shortened(share: float) -> ProxyFault:
    """The beginning of the body alone, with the right length of that."""

    def fault(exchange: Exchange) -> CannedResponse:
        content = exchange.response.content
        return replace(exchange.response, data=content[: int(len(content) * share)])

    return fault


def _body(data: object) -> ProxyFault:
    return lambda exchange: replace(exchange.response, data=data)


def _raw(data: bytes, *, reset: bool = False) -> ProxyFault:
    return lambda _: CannedResponse(raw=data, reset=reset)


def _rows(change: Callable[[list[object], random.Random], list[object]]) -> ProxyFault:
    """A change of the entries of a list; other bodies stay."""

    def fault(exchange: Exchange) -> CannedResponse:
        try:
            document = json.loads(exchange.response.content or b"null")
        except ValueError:
            return exchange.response
        if not isinstance(document, list):
            return exchange.response
        return replace(exchange.response, data=change(document, exchange.chance))

    return fault


def _total(total: str) -> ProxyFault:
    return _headers(X_Total_Count=total, X_Total=total)


def _empty(exchange: Exchange) -> CannedResponse:
    headers = {**exchange.response.headers, "X-Total-Count": "0", "X-Total": "0"}
    headers.pop("Link", None)
    return CannedResponse(200, [], headers)


def _earlier(exchange: Exchange) -> CannedResponse:
    return exchange.earlier or exchange.response


def _drip(exchange: Exchange) -> CannedResponse:
    return replace(exchange.response, drip=lambda: exchange.pass_time(DRIP_SECONDS))


def _gzip(share: float) -> ProxyFault:
    def fault(exchange: Exchange) -> CannedResponse:
        packed = gzip.compress(exchange.response.content)
        headers = {**exchange.response.headers, "Content-Encoding": "gzip"}
        return replace(exchange.response, data=packed[: int(len(packed) * share)], headers=headers)

    return fault


FAULTS: dict[str, ProxyFault] = {
    "closed": _raw(b""),
    "reset": _raw(b"", reset=True),
    "status line cut": _raw(b"HTTP/1.1 20"),
    "headers cut": _raw(b"HTTP/1.1 200 OK\r\nContent-Le"),
    "no HTTP": _raw(b"SSH-2.0-OpenSSH_9.2\r\n"),
    "status that is no number": _raw(b"HTTP/1.1 ok OK\r\n\r\n"),
    "informational answers alone": _raw(b"HTTP/1.1 102 Processing\r\n\r\n" * 1000),
    "body cut at its start": _cut(0),
    "body cut": _cut(0.5),
    "body cut at its end": _cut(0.99),
    "reset in the body": _cut(0.5, reset=True),
    "body shortened": _shortened(0.5),
    "body without its end": _shortened(0.99),
    "body empty": _body(b""),
    "body one byte": _body(b"["),
    "gzip": _gzip(1),
    "gzip cut": _gzip(0.5),
    "gzip in name only": _headers(Content_Encoding="gzip"),
    "packed in an unknown way": _headers(Content_Encoding="br"),
    "slow": _drip,
    "400": _status(400),
    "401": _status(401),
    "403": _status(403),
    "404": _status(404),
    "408": _status(408),
    "410": _status(410),
    "418": _status(418),
    "429": _status(429),
    "429 with seconds": _status(429, Retry_After="2"),
    "429 with a date": _status(429, Retry_After="Wed, 21 Oct 2015 07:28:00 GMT"),
    "429 for a day": _status(429, Retry_After="86400"),
    "500": _status(500),
    "502": _status(502, b"<html>Bad Gateway</html>", Content_Type="text/html"),
    "503": _status(503),
    "503 with seconds": _status(503, Retry_After="3"),
    "504": _status(504, b""),
    "520": _status(520, b"error code: 520"),
    "304 that nothing matched": _status(304, b""),
    "204": _status(204, b""),
    "redirect elsewhere": lambda exchange: CannedResponse(
        302, None, {"Location": exchange.elsewhere}
    ),
    "permanent redirect elsewhere": lambda exchange: CannedResponse(
        308, None, {"Location": exchange.elsewhere}
    ),
    "redirect without an address": _status(302),
    "redirect to itself": lambda exchange: CannedResponse(
        302, None, {"Location": f"{exchange.request.path}?{urlencode(exchange.request.query)}"}
    ),
    "next page elsewhere": lambda exchange: replace(
        exchange.response,
        headers={**exchange.response.headers, "Link": f'<{exchange.elsewhere}>; rel="next"'},
    ),
    "page of a log-in": lambda _: CannedResponse(200, HTML, {"Content-Type": "text/html"}),
    "right body of a wrong type": _headers(Content_Type="text/html"),
    "empty object": _body({}),
    "error in an object": _body({"message": "an error occurred"}),
    "null": _body(b"null"),
    "text": _body(b'"ok"'),
    "not UTF-8": _body(b'["\xff\xfe"]'),
    "deep": _body(b"[" * 100_000),
    "list of nothing": _body([None, 1, "x", []]),
    "empty list": _empty,
    "empty list with its headers": _body([]),
    "total of nothing": _total("0"),
    "total too small": _total("1"),
    "total too large": _total("100000"),
    "total that is no number": _total("many"),
    "no total": _without("x-total-count", "x-total"),
    "no next page": _without("link"),
    "earlier response": _earlier,
    "rows missing": _rows(lambda rows, chance: [row for row in rows if chance.random() < 0.5]),
    "rows repeated": _rows(lambda rows, _: [*rows, *rows]),
    "rows in another order": _rows(lambda rows, chance: chance.sample(rows, len(rows))),
    "no date": _headers(Date="yesterday"),
    "date in the past": _headers(Date="Thu, 01 Jan 1970 00:00:01 GMT"),
    "date in the future": _headers(Date="Fri, 01 Jan 2100 00:00:00 GMT"),
    "cookie": _headers(Set_Cookie="session=1; Path=/"),
}
"""The faults, by name."""

REFUSALS = frozenset({name for name in FAULTS if name.startswith("429")} | {"503 with seconds"})
"""With these the server says when to send a request again: it has not executed it."""


@dataclass
class FaultyProxy:
    """Answers like `answer`, except for the share `rate` of the requests, which meet a fault.

    `seed` decides which request meets which of the faults `names`: the same request for the same
    number of times meets the same one, whatever order threads send them in. `injected` are the
    faults so far, each with the request. `pass_time` advances the clock of the test, `elsewhere` is
    an address on another host. `spares` is whether a request does not meet that fault.
    """

    answer: Callable[[Request], CannedResponse]
    seed: int
    rate: float
    names: Collection[str] = tuple(FAULTS)
    pass_time: Callable[[float], object] = lambda _seconds: None
    spares: Callable[[Request, str], bool] = lambda _request, _fault: False
    elsewhere: str = ELSEWHERE
    injected: list[tuple[str, str]] = field(default_factory=list)
    _counts: Counter[str] = field(default_factory=Counter)
    _earlier: dict[str, CannedResponse] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __call__(self, request: Request) -> CannedResponse:
        """The response of the server, or what becomes of it."""
        with self._lock:
            return self._respond(request)

    def _respond(self, request: Request) -> CannedResponse:
        name = f"{request.method} {request.path} {sorted(request.query.items())} {request.body!r}"
        self._counts[name] += 1
        chance = random.Random(f"{self.seed} {name} {self._counts[name]}")
        fault = chance.choice(sorted(self.names)) if chance.random() < self.rate else ""
        if fault and self.spares(request, fault):
            fault = ""
        is_refused = fault in REFUSALS and request.method != "GET"
        response = CannedResponse(200, {}) if is_refused else self.answer(request)
        earlier = self._earlier.get(request.path)
        self._earlier[request.path] = response
        if not fault:
            return response
        self.injected.append((fault, f"{request.method} {request.path} {dict(request.query)}"))
        exchange = Exchange(request, response, earlier, chance, self.pass_time, self.elsewhere)
        return FAULTS[fault](exchange)


def without(*names: str) -> tuple[str, ...]:
    """The names of all other faults."""
    unknown = set(names) - set(FAULTS)
    assert not unknown, f"no such fault: {unknown}"
    return tuple(name for name in FAULTS if name not in names)
