"""An HTTP server on loopback: a function that responds, and faults that replace responses."""

from __future__ import annotations

import json
import socket
import struct
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit


@dataclass(frozen=True)
class Request:
    """A request. `query` has the last value of a name; names of `headers` are lower-case."""

    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: bytes

    def json(self) -> object:
        """The body as JSON; None without a body."""
        return json.loads(self.body) if self.body else None

    def entry(self) -> dict[str, Any]:
        """The body as a JSON object."""
        body = self.json()
        assert isinstance(body, dict)
        return body


@dataclass(frozen=True)
class CannedResponse:
    """A response. `data` is sent as JSON unless it is bytes; None is no body.

    `cut` closes the connection after that many bytes of a body whose length is sent in full.
    `raw` is sent in place of all this, and the connection is closed. With `reset` the connection
    ends with a TCP reset. `drip` is called before each of DRIPS parts of the response is sent.
    """

    status: int = 200
    data: object = None
    headers: Mapping[str, str] = field(default_factory=dict)
    cut: int | None = None
    raw: bytes | None = None
    reset: bool = False
    drip: Callable[[], object] | None = None

    @property
    def content(self) -> bytes:
        """The body."""
        if isinstance(self.data, bytes):
            return self.data
        return b"" if self.data is None else json.dumps(self.data).encode()


DRIPS = 10
"""The number of parts in which a slow response is sent."""

Fault = Callable[[Request], "CannedResponse | None"]
"""Called before the function that responds: a response replaces its response, None does not."""


@dataclass
class Server:
    """A running server: its address, its requests in order, and its faults."""

    url: str
    requests: list[Request] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)

    def fail(
        self, *responses: CannedResponse, when: Callable[[Request], bool] = lambda _: True
    ) -> None:
        """Send these responses, one each, to the next requests for which `when` is true."""
        remaining = list(responses)
        lock = threading.Lock()

        def fault(request: Request) -> CannedResponse | None:
            with lock:
                return remaining.pop(0) if remaining and when(request) else None

        self.faults.append(fault)

    def paths(self, method: str = "GET") -> list[str]:
        """The paths of the requests with that method."""
        return [request.path for request in self.requests if request.method == method]


@contextmanager
def serving(answer: Callable[[Request], CannedResponse]) -> Iterator[Server]:
    """Serve `answer` on a free port of 127.0.0.1.

    After an exception in it, such as an assertion about a request, the response is 599, and the
    exception is raised at the end of the block.
    """
    server = Server("")
    errors: list[BaseException] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        # A body must not wait for the acknowledgement of its headers.
        disable_nagle_algorithm = True
        # Headers and body in one packet: a second one would wait for the first to be acknowledged.
        wbufsize = -1

        def _serve(self) -> None:
            parts = urlsplit(self.path)
            length = int(self.headers.get("Content-Length") or 0)
            request = Request(
                self.command,
                parts.path,
                dict(parse_qsl(parts.query, keep_blank_values=True)),
                {name.lower(): value for name, value in self.headers.items()},
                self.rfile.read(length),
            )
            server.requests.append(request)
            try:
                replacements = (fault(request) for fault in server.faults)
                response = next((canned for canned in replacements if canned), None) or answer(
                    request
                )
            except BaseException as error:
                errors.append(error)
                response = CannedResponse(599, {"message": str(error)})
            self._answer(response)

        do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _serve  # noqa: N815

        def _answer(self, response: CannedResponse) -> None:
            content = response.content
            headers = {
                "Date": self.date_time_string(),
                "Content-Type": "application/json",
                **response.headers,
            }
            if response.status in {204, 304}:
                content = b""
            else:
                headers = {"Content-Length": str(len(content)), **headers}
            lines = [f"HTTP/1.1 {response.status} {_reason(response.status)}"]
            lines += [f"{name}: {value}" for name, value in headers.items()]
            head = "\r\n".join([*lines, "", ""]).encode("latin-1")
            sent = head + (content if response.cut is None else content[: response.cut])
            if response.raw is not None:
                sent = response.raw
            if response.raw is not None or response.cut is not None or response.reset:
                self.close_connection = True
            if response.drip is None:
                self.wfile.write(sent)
            else:
                self._drip(sent, response.drip)
            if response.reset:
                self.wfile.flush()
                # Closing a socket that lingers for no time sends a reset.
                linger = struct.pack("ii", 1, 0)
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)

        def _drip(self, data: bytes, drip: Callable[[], object]) -> None:
            size = max(len(data) // DRIPS, 1)
            for start in range(0, len(data), size):
                drip()
                self.wfile.write(data[start : start + size])
                self.wfile.flush()

        def log_message(self, format: str, *args: object) -> None:
            """Log nothing."""

    class Listener(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, request: object, client_address: object) -> None:
            """Ignore a client that disconnected."""

    with Listener(("127.0.0.1", 0), Handler) as listener:
        server.url = f"http://127.0.0.1:{listener.server_port}"
        thread = threading.Thread(target=listener.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            listener.shutdown()
            thread.join()
    if errors:
        raise errors[0]


def _reason(status: int) -> str:
    """The phrase after a status; "" for one without."""
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return ""
