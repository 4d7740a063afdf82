"""One request and its answer, within bounds of size and time, on connections that are kept."""

# Governing: ADR-0019 (a token belongs to one host), SPEC-0009 REQ "Talking to a tracker"

from __future__ import annotations

import logging
import ssl
import threading
import time
import zlib
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from http.cookiejar import CookieJar, DefaultCookiePolicy

import httpx

from sdd_hooks import tracing
from sdd_hooks.errors import RemoteError
from sdd_hooks.remote.failures import BETWEEN, Failure, failure_of
from sdd_hooks.remote.response import Response

MAX_CONCURRENT = 8
"""Requests that go on at the same time."""
LARGEST = 50_000_000
"""Bytes of one answer, unpacked."""
SILENCE = 30.0
"""Seconds without a byte after which a host counts as gone."""
LONGEST = 10
"""How many times that an answer may take from its first byte to its last."""


@lru_cache(maxsize=1)
def _certificates() -> ssl.SSLContext:
    """The trusted authorities. Reading them takes longer than a request, so it is done once.

    httpx finds them, and proxies, by variables of the process.
    """
    return httpx.create_ssl_context()


class Transport:
    """Connections to wherever a request goes, for any number of threads.

    `headers` go with every request. A proxy and certificates of the environment are used as httpx
    does. Raises RemoteError where these cannot be used; `label` is what people call the host.
    """

    def __init__(self, label: str, headers: Mapping[str, str], silence: float = SILENCE) -> None:
        # Their debug logs have headers in them: those that are sent, and what a host sends back.
        for name in ("hpack", "httpcore"):
            logging.getLogger(name).setLevel(logging.INFO)
        self._headers = headers
        self._silence = silence
        self._room = threading.BoundedSemaphore(MAX_CONCURRENT)
        self._changes = threading.Lock()
        self._closed = False
        self._idle: deque[httpx.Client] = deque()
        try:
            self._certificates = _certificates()
            self._idle.append(self._open())
        except (ImportError, OSError, ValueError, httpx.InvalidURL):
            # The reason may quote a proxy with its password.
            pass
        else:
            return
        raise RemoteError(
            f"{label}: the proxy or the certificates that the environment names cannot be used: "
            "check HTTP_PROXY, HTTPS_PROXY, ALL_PROXY, SSL_CERT_FILE and SSL_CERT_DIR"
        )

    def request(
        self,
        method: str,
        url: str,
        params: Mapping[str, str | int] | None = None,
        json: object = None,
        headers: Mapping[str, str] | None = None,
    ) -> Response | Failure:
        """What is answered, whatever its status, or why nothing is. Follows no redirect."""
        with tracing.span("http", method, url) as span:
            result = self._exchange(method, url, params, json, headers)
            span.outcome = str(result.status) if isinstance(result, Response) else result.why
        return result

    def _exchange(
        self,
        method: str,
        url: str,
        params: Mapping[str, str | int] | None,
        json: object,
        headers: Mapping[str, str] | None,
    ) -> Response | Failure:
        try:
            with (
                self._connection() as http,
                http.stream(
                    method, url, params=params or None, json=json, headers=dict(headers or {})
                ) as response,
            ):
                body = self._body(response)
                if isinstance(body, Failure):
                    return body
                found = {name.lower(): value for name, value in response.headers.items()}
                return Response(response.status_code, found, body, str(response.url))
        except httpx.HTTPError as error:
            return failure_of(error)
        except httpx.InvalidURL:
            return Failure("no such address", "check its URL", passing=False, sent=False)
        except (LookupError, RuntimeError, ValueError):
            # httpx lets such errors of the libraries below it through: HTTP/2 with `:status: ok`.
            return Failure("its answer makes no sense")

    def close(self) -> None:
        """Let the connections go; those in use, when they are no longer."""
        with self._changes:
            self._closed = True
            while self._idle:
                self._idle.pop().close()

    def _open(self) -> httpx.Client:
        return httpx.Client(
            http2=True,
            verify=self._certificates,
            headers={
                "User-Agent": "sdd-hooks",
                "Accept": "application/json",
                **self._headers,
                # What `_body` can unpack within bounds.
                "Accept-Encoding": "gzip",
            },
            # A host is told nothing that it said before.
            cookies=CookieJar(DefaultCookiePolicy(allowed_domains=[])),
            timeout=httpx.Timeout(self._silence, connect=min(10.0, self._silence)),
        )

    @contextmanager
    def _connection(self) -> Iterator[httpx.Client]:
        """A client for this thread alone: httpx mixes up the requests that several threads make on
        one HTTP/2 connection. The one that was used last is taken first, as it is connected."""
        with self._room:
            try:
                http = self._idle.pop()
            except IndexError:
                http = self._open()
            try:
                yield http
            finally:
                with self._changes:
                    if self._closed:
                        http.close()
                    else:
                        self._idle.append(http)

    def _body(self, response: httpx.Response) -> bytes | Failure:
        """The body, unpacked: no more of it is held than LARGEST, packed or unpacked."""
        encoding = response.headers.get("content-encoding", "").strip().lower()
        if encoding not in {"", "identity", "gzip", "x-gzip"}:
            return Failure("its answer is packed in a way nobody asked for", BETWEEN, passing=False)
        unpacker = zlib.decompressobj(zlib.MAX_WBITS | 16) if encoding.endswith("gzip") else None
        body = bytearray()
        until = time.monotonic() + LONGEST * self._silence
        for part in response.iter_raw():
            try:
                room = LARGEST + 1 - len(body)
                body += unpacker.decompress(part, room) if unpacker else part
            except zlib.error:
                return Failure("its answer cannot be unpacked")
            if max(len(body), response.num_bytes_downloaded) > LARGEST:
                return Failure(f"its answer is over {LARGEST:,} bytes", BETWEEN, passing=False)
            if time.monotonic() > until:
                return Failure("no answer in time")
        if unpacker and response.num_bytes_downloaded and not unpacker.eof:
            return Failure("its answer is not whole")
        return bytes(body)
