"""One request and its response, within bounds of size and time, on connections that are reused."""

# Governing: ADR-0019 (a token belongs to one host), SPEC-0009 REQ "Talking to a tracker"

from __future__ import annotations

import logging
import ssl
import threading
import zlib
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from http.cookiejar import CookieJar, DefaultCookiePolicy
from types import MappingProxyType

from sdd_hooks import tracing
from sdd_hooks.errors import RemoteError
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.remote.deadline import Alarm, ConnectionWatch, timer_alarm
from sdd_hooks.remote.failures import CHECK_PROXIES, Failure, describe_failure
from sdd_hooks.remote.http_library import httpx
from sdd_hooks.remote.response import Response

MAX_CONCURRENT = 8
"""Requests that run at the same time."""
MAX_BODY_BYTES = 50_000_000
"""Bytes of a response body, decompressed."""
READ_TIMEOUT = 30.0
"""Seconds without a byte after which a request fails."""
MAX_HEAD_TIMEOUTS = 2
"""Duration of the wait for the headers of a response, in multiples of the read timeout: answers of
1xx, and headers byte by byte, do not prolong it. A silent host meets the read timeout before."""
MAX_READ_TIMEOUTS = 4
"""Duration of a request with its retries, in multiples of the read timeout; waits are extra."""
CONNECT_TIMEOUT = 10.0
"""Seconds to establish a connection; the read timeout if that is shorter."""


@lru_cache(maxsize=1)
def _certificates() -> ssl.SSLContext:
    """The trusted authorities. Reading them takes longer than a request, so it is done once.

    httpx finds them, and proxies, by variables of the process.
    """
    return httpx.create_ssl_context()


def _no_certificates() -> ssl.SSLContext:
    """No trusted authorities: every certificate is refused."""
    return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


class WireRequest(NamedTuple):
    """What is sent: `json` is its body, None for none. `headers` are added to the client's."""

    method: str
    url: str
    params: Mapping[str, str | int] | None = None
    json: object = None
    headers: Mapping[str, str] = MappingProxyType({})


class _Connection(NamedTuple):
    http: httpx.Client
    watch: ConnectionWatch


class Transport:
    """Reused connections, for any number of threads.

    `headers` are sent with every request. httpx takes a proxy and certificates from the environment
    of the process; RemoteError is raised if they cannot be used. `label` names the host in
    messages, `scheme` is that of all its addresses, `read_timeout` is in seconds. `alarm` ends
    requests that exceed their time.
    """

    def __init__(
        self,
        label: str,
        scheme: str,
        headers: Mapping[str, str],
        read_timeout: float = READ_TIMEOUT,
        alarm: Alarm = timer_alarm,
    ) -> None:
        # The debug logs of these libraries contain headers of requests and of responses.
        for name in ("hpack", "httpcore"):
            logging.getLogger(name).setLevel(logging.INFO)
        self._headers = headers
        self._read_timeout = read_timeout
        self._alarm = alarm
        self._slots = threading.BoundedSemaphore(MAX_CONCURRENT)
        self._lock = threading.Lock()
        self._closed = False
        self._idle: deque[_Connection] = deque()
        try:
            self._certificates = _certificates() if scheme == "https" else _no_certificates()
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

    def request(self, request: WireRequest, seconds: float) -> Response | Failure:
        """The response with any status, or why there is none within `seconds`.

        Redirects are not followed.
        """
        with (
            tracing.span("http", request.method, request.url) as span,
            self._connection() as connection,
        ):
            with connection.watch.limit(seconds) as is_over:
                result = self._exchange(connection, request)
            if is_over():
                result = Failure("no whole answer in time", is_transient=False)
            span.outcome = str(result.status) if isinstance(result, Response) else result.why
        return result

    def close(self) -> None:
        """Close the connections; each one in use is closed when its request ends."""
        with self._lock:
            self._closed = True
            while self._idle:
                self._idle.pop().http.close()

    def _exchange(self, connection: _Connection, request: WireRequest) -> Response | Failure:
        try:
            with connection.http.stream(
                request.method,
                request.url,
                params=request.params or None,
                json=request.json,
                headers=dict(request.headers),
                extensions={"trace": connection.watch.on_event},
            ) as response:
                body = self._read_body(response)
                if isinstance(body, Failure):
                    return body
                received = {name.lower(): value for name, value in response.headers.items()}
                return Response(response.status_code, received, body, str(response.url))
        except httpx.HTTPError as error:
            return describe_failure(error)
        except httpx.InvalidURL:
            return Failure("no such address", "check its URL", is_transient=False, was_sent=False)
        except (LookupError, RuntimeError, ValueError):
            # httpx does not translate these errors of its libraries: HTTP/2 with `:status: ok`.
            return Failure("its answer makes no sense")

    def _open(self) -> _Connection:
        watch = ConnectionWatch(self._alarm, MAX_HEAD_TIMEOUTS * self._read_timeout)
        http = httpx.Client(
            http2=True,
            verify=self._certificates,
            headers={
                "User-Agent": "sdd-hooks",
                "Accept": "application/json",
                **self._headers,
                # The encoding that `_read_body` can decompress within bounds.
                "Accept-Encoding": "gzip",
            },
            # No cookie is stored.
            cookies=CookieJar(DefaultCookiePolicy(allowed_domains=[])),
            timeout=httpx.Timeout(
                self._read_timeout, connect=min(CONNECT_TIMEOUT, self._read_timeout)
            ),
        )
        return _Connection(http, watch)

    @contextmanager
    def _connection(self) -> Iterator[_Connection]:
        """A client for this thread alone, the one that was used last, since it is connected.

        httpx confuses the requests of several threads on one HTTP/2 connection.
        """
        with self._slots:
            try:
                connection = self._idle.pop()
            except IndexError:
                connection = self._open()
            try:
                yield connection
            finally:
                with self._lock:
                    if self._closed:
                        connection.http.close()
                    else:
                        self._idle.append(connection)

    def _read_body(self, response: httpx.Response) -> bytes | Failure:
        """The decompressed body. At most MAX_BODY_BYTES are received, and decompressed."""
        encoding = response.headers.get("content-encoding", "").strip().lower()
        if encoding not in {"", "identity", "gzip", "x-gzip"}:
            why = "its answer is packed in a way that was not requested"
            return Failure(why, CHECK_PROXIES, is_transient=False)
        unpacker = zlib.decompressobj(zlib.MAX_WBITS | 16) if encoding.endswith("gzip") else None
        body = bytearray()
        for part in response.iter_raw():
            try:
                room = MAX_BODY_BYTES + 1 - len(body)
                body += unpacker.decompress(part, room) if unpacker else part
            except zlib.error:
                return Failure("its answer cannot be unpacked")
            if max(len(body), response.num_bytes_downloaded) > MAX_BODY_BYTES:
                why = f"its answer is over {MAX_BODY_BYTES:,} bytes"
                return Failure(why, CHECK_PROXIES, is_transient=False)
        if unpacker and response.num_bytes_downloaded and not unpacker.eof:
            return Failure("its answer is not whole")
        return bytes(body)
