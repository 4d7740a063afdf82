"""The client of a host: requests, retries, rate limits, redirects, and tokens in messages."""

from __future__ import annotations

import gzip
import logging
import re
import socket
import threading
import tracemalloc
import zlib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager, suppress
from email.utils import formatdate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.errors import AccessRefused, Missing, RateLimited, RemoteError
from sdd_hooks.remote.client import (
    DEFAULT_WAITING,
    Access,
    Client,
    Waiting,
)
from sdd_hooks.remote.credentials import Secret
from sdd_hooks.remote.failures import CHECK_PROXIES
from sdd_hooks.remote.response import RateLimit, RateLimitRule, Response, out_of_quota
from sdd_hooks.remote.transport import MAX_BODY_BYTES, MAX_CONCURRENT, READ_TIMEOUT
from tests.support.fake_clock import FakeClock
from tests.support.loopback import CannedResponse, Request, Server, serving
from tests.support.waiting import TIMEOUT

TOKEN = "t0p-s3cret"
SECRET = Secret(TOKEN, "FORGE_TOKEN")


def echo(request: Request) -> CannedResponse:
    return CannedResponse(data={"path": request.path, "query": dict(request.query)})


@pytest.fixture
def server() -> Iterator[Server]:
    with serving(echo) as result:
        yield result


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def waits() -> list[str]:
    return []


@pytest.fixture
def client(server: Server, clock: FakeClock, waits: list[str]) -> Iterator[Client]:
    api = f"{server.url}/api/v1"
    with closing(open_client(api, clock, Waiting(on_wait=waits.append))) as client:
        yield client


ACCESS = Access({"Authorization": f"token {TOKEN}"}, SECRET, "set FORGE_TOKEN")


def open_client(
    api: str,
    clock: FakeClock | None = None,
    waiting: Waiting = DEFAULT_WAITING,
    access: Access = ACCESS,
    rate_limit: RateLimitRule | None = None,
) -> Client:
    clock = clock or FakeClock()
    waiting = waiting._replace(clock=clock.clock, sleep=clock.sleep)
    if waiting.read_timeout == READ_TIMEOUT:
        waiting = waiting._replace(alarm=clock.alarm)
    return Client(api, label="Forge", access=access, rate_limit=rate_limit, waiting=waiting)


def every_word(error: BaseException) -> str:
    """All texts that a traceback of the exception and its causes could contain."""
    texts: list[str] = []
    errors: list[BaseException | None] = [error]
    while errors:
        cause = errors.pop()
        if cause is None:
            continue
        texts += [repr(cause), str(cause), repr(cause.args), repr(vars(cause))]
        request = getattr(cause, "_request", None)
        texts.append(repr(getattr(request, "headers", "")))
        errors += [cause.__cause__, cause.__context__]
    return "\n".join(texts)


# Requests.


def test_a_path_is_below_the_address_of_the_api(server: Server, client: Client) -> None:
    for path in ("issues", "/issues"):
        assert client.get(path).json()["path"] == "/api/v1/issues"
    assert client.get("").json()["path"] == "/api/v1"
    assert client.get("issues", {"a": "x y&z", "n": 1}).json()["query"] == {"a": "x y&z", "n": "1"}
    assert client.get("issues?a=http://x").json()["query"] == {"a": "http://x"}
    absolute = client.get(f"{server.url}/elsewhere?page=2")
    assert absolute.json() == {"path": "/elsewhere", "query": {"page": "2"}}


def test_the_headers_of_every_request(server: Server, client: Client) -> None:
    client.get("issues", headers={"If-None-Match": '"x"'})
    headers = server.requests[0].headers
    assert headers["authorization"] == f"token {TOKEN}"
    assert headers["accept"] == "application/json"
    assert headers["user-agent"] == "sdd-hooks"
    assert headers["if-none-match"] == '"x"'
    assert headers["accept-encoding"] == "gzip"


def test_a_response(server: Server, client: Client) -> None:
    server.fail(
        CannedResponse(200, [1], {"X-Total-Count": "7", "Date": formatdate(1e9, usegmt=True)})
    )
    response = client.get("issues")
    assert (response.status, response.json()) == (200, [1])
    assert response.headers["x-total-count"] == "7"
    assert response.url == f"{server.url}/api/v1/issues"
    assert client.server_time(response) == 1e9


def test_a_request_with_a_body(server: Server, client: Client) -> None:
    response = client.send("PATCH", "issues/1", {"title": "grün"})
    assert response.status == 200
    assert (server.requests[0].method, server.requests[0].json()) == ("PATCH", {"title": "grün"})


def test_connections_are_reused() -> None:
    connections = set()
    lock = threading.Lock()

    def response(request: Request) -> CannedResponse:
        with lock:
            connections.add(threading.get_ident())  # A thread of the server is a connection.
        return CannedResponse(data=[])

    with serving(response) as server, closing(open_client(server.url)) as client:
        for _ in range(20):
            client.get("issues")
        assert len(connections) == 1
        with ThreadPoolExecutor(20) as pool:
            list(pool.map(client.get, ["issues"] * 100))
        assert len(connections) <= MAX_CONCURRENT


def test_cookies_are_not_stored(server: Server, client: Client) -> None:
    server.fail(CannedResponse(200, [], {"Set-Cookie": "session=1; Path=/"}))
    client.get("a")
    client.get("b")
    assert "cookie" not in server.requests[1].headers


@pytest.mark.parametrize(
    "path",
    ["../x", "a/../../x", "a/..", "a/./b", "%2e%2e/x", "a/%2E./b", "..?x", "a/..#x", "a%2f..%2Fb"],
)
def test_a_path_stays_below_the_api(server: Server, client: Client, path: str) -> None:
    with pytest.raises(RemoteError, match="is not an address of its API"):
        client.get(path)
    assert not server.requests


def test_dots_in_names_and_queries_are_fine(server: Server, client: Client) -> None:
    assert client.get("compare/a...b?x=/../y").json()["path"] == "/api/v1/compare/a...b"


@pytest.mark.parametrize(
    "api", ["", "forge.example", "https://me:pw@x", "ftp://x", "https://x/?y", "https://x#y"]
)
def test_an_invalid_address_of_the_api(api: str) -> None:
    with pytest.raises(RemoteError) as error:
        open_client(api)
    assert str(error.value) == "Forge: the address of its API is not valid: check its URL"


# Responses.


def test_a_success_without_json_is_an_error(server: Server, client: Client) -> None:
    for body in (b"<html>log in", b"text", b"\xff\xfe"):
        server.fail(CannedResponse(200, body))
        response = client.get("issues")
        with pytest.raises(RemoteError, match=r"not JSON \(/api/v1/issues\): check the URL"):
            response.json()
    for body in (b"", b'[{"id":', b"[" * 100_000):
        server.fail(*[CannedResponse(200, body)] * 4)
        with pytest.raises(RemoteError, match="its answer is not whole"):
            client.get("issues")


def test_no_content_and_failures_may_have_no_json(server: Server, client: Client) -> None:
    server.fail(CannedResponse(204), CannedResponse(404, b"<html>"), CannedResponse(304))
    assert client.send("DELETE", "x", None).json() is None
    assert client.get("x", allow=[404]).json() is None
    assert client.get("x", allow=[304]).json() is None


def test_a_compressed_response(server: Server, client: Client) -> None:
    server.fail(CannedResponse(200, gzip.compress(b"[1, 2]"), {"Content-Encoding": "gzip"}))
    assert client.get("issues").json() == [1, 2]


@pytest.mark.parametrize("encoding", ["br", "zstd", "deflate", "gzip, gzip"])
def test_an_encoding_that_was_not_requested(server: Server, client: Client, encoding: str) -> None:
    server.fail(CannedResponse(200, b"x", {"Content-Encoding": encoding}))
    with pytest.raises(RemoteError, match="packed in a way that was not requested"):
        client.get("issues")
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (b"no gzip at all", "cannot be unpacked"),
        (gzip.compress(b"[1, 2, 3]", mtime=0)[:-9], "is not whole"),
    ],
    ids=["no gzip", "cut"],
)
def test_damaged_compression(
    server: Server, client: Client, clock: FakeClock, body: bytes, why: str
) -> None:
    server.fail(*[CannedResponse(200, body, {"Content-Encoding": "gzip"})] * 4)
    with pytest.raises(RemoteError, match=f"its answer {why}"):
        client.get("issues")
    assert clock.slept == [1, 2, 4]


def test_a_body_that_is_too_large(server: Server, client: Client, clock: FakeClock) -> None:
    server.fail(CannedResponse(200, b" " * 60_000_000))
    with pytest.raises(RemoteError) as error:
        client.get("issues")
    assert str(error.value).endswith(
        f": its answer is over {MAX_BODY_BYTES:,} bytes: {CHECK_PROXIES}"
    )
    assert not clock.slept


def test_a_compressed_body_that_is_too_large(server: Server, client: Client) -> None:
    packer = zlib.compressobj(1, wbits=zlib.MAX_WBITS | 16)
    block = bytes(10_000_000)
    bomb = b"".join(packer.compress(block) for _ in range(30)) + packer.flush()
    server.fail(CannedResponse(200, bomb, {"Content-Encoding": "gzip"}))
    tracemalloc.start()
    try:
        with pytest.raises(RemoteError, match="its answer is over"):
            client.get("issues")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 3 * MAX_BODY_BYTES


def test_a_body_of_the_largest_size(server: Server, client: Client) -> None:
    server.fail(CannedResponse(200, b'"' + b"x" * (MAX_BODY_BYTES - 2) + b'"'))
    assert len(client.get("issues").json()) == MAX_BODY_BYTES - 2


# Retries.


@pytest.mark.parametrize("status", [500, 502, 503, 504])
def test_a_temporary_failure_is_retried(
    server: Server, client: Client, clock: FakeClock, waits: list[str], status: int
) -> None:
    server.fail(*[CannedResponse(status)] * 3)
    assert client.get("issues").status == 200
    assert clock.slept == [1, 2, 4]
    assert waits == [f"Forge answers {status}: waiting {n} s" for n in (1, 2, 4)]


def test_a_lasting_failure_is_an_error(server: Server, client: Client, clock: FakeClock) -> None:
    server.fail(*[CannedResponse(502, {"message": "bad\ngateway"})] * 4)
    with pytest.raises(RemoteError) as error:
        client.get("issues")
    assert str(error.value) == ("Forge answers 502 (/api/v1/issues): bad gateway: try again later")
    assert len(server.requests) == 4
    assert clock.slept == [1, 2, 4]


@pytest.mark.parametrize("cut", [0, 3])
def test_a_connection_cut_in_a_body(
    server: Server, client: Client, clock: FakeClock, waits: list[str], cut: int
) -> None:
    server.fail(*[CannedResponse(200, [1, 2, 3], cut=cut)] * 3)
    assert client.get("issues").json()["path"] == "/api/v1/issues"
    assert clock.slept == [1, 2, 4]
    assert waits[0] == "Forge does not answer: waiting 1 s"


def test_a_connection_that_is_always_cut(server: Server, client: Client) -> None:
    server.fail(*[CannedResponse(200, [1, 2, 3], cut=3)] * 4)
    with pytest.raises(RemoteError) as error:
        client.get("issues")
    assert str(error.value) == (
        f"Forge at {server.url.removeprefix('http://')}: its answer is not whole: try again later"
    )


def test_a_refused_connection(clock: FakeClock) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        with closing(open_client(f"http://127.0.0.1:{port}", clock)) as client:
            with pytest.raises(RemoteError) as error:
                client.get("issues")
            assert str(error.value) == (
                f"Forge cannot be reached at 127.0.0.1:{port}: connection refused: try again later"
            )
            assert clock.slept == [1, 2, 4]
            # Without a connection the host executed nothing.
            with pytest.raises(RemoteError, match="try again later"):
                client.send("POST", "issues", {})


@pytest.mark.parametrize("host", ["forge.invalid", "999.999.999.999", "a_b.invalid"])
def test_an_unknown_host_name(clock: FakeClock, host: str) -> None:
    client = open_client(f"http://{host}", clock)
    with closing(client), pytest.raises(RemoteError, match="check "):
        client.get("issues")
    assert clock.slept == []


def test_a_write_is_not_repeated(server: Server, client: Client, clock: FakeClock) -> None:
    server.fail(CannedResponse(502), CannedResponse(200, {"id": 1}, cut=2))
    with pytest.raises(RemoteError) as error:
        client.send("POST", "issues", {})
    assert str(error.value) == "Forge answers 502 (/api/v1/issues): try again later"
    with pytest.raises(RemoteError) as error:
        client.send("POST", "issues", {})
    assert str(error.value).endswith(
        "the request may have been executed: check before you try again"
    )
    assert len(server.requests) == 2
    assert clock.slept == []


def test_a_write_waits_for_a_rate_limit(server: Server, client: Client, clock: FakeClock) -> None:
    server.fail(CannedResponse(429, None, {"Retry-After": "5"}))
    assert client.send("POST", "issues", {}).status == 200
    assert clock.slept == [5]


def test_an_idempotent_request_is_repeated(server: Server, client: Client) -> None:
    server.fail(CannedResponse(502), CannedResponse(200, {}, cut=1))
    assert client.send("POST", "graphql", {}, idempotent=True).status == 200
    assert len(server.requests) == 3


def test_a_host_that_sends_no_response(clock: FakeClock) -> None:
    with socket.create_server(("127.0.0.1", 0)) as deaf:
        url = f"http://127.0.0.1:{deaf.getsockname()[1]}"
        client = open_client(url, clock, Waiting(read_timeout=0.05))
        with closing(client), pytest.raises(RemoteError, match=": no answer in time: try again"):
            client.get("issues")
    assert clock.slept == [1, 2, 4]


def test_a_host_that_drops_packets(clock: FakeClock) -> None:
    """A user behind a firewall that drops packets waits once, not four times."""
    with socket.create_server(("127.0.0.1", 0), backlog=0) as full, ExitStack() as taken:
        address = full.getsockname()
        # Its queue is full, so the kernel drops further connections.
        for _ in range(4):
            peer = taken.enter_context(socket.socket())
            peer.setblocking(False)
            with suppress(BlockingIOError):
                peer.connect(address)
        client = open_client(f"http://127.0.0.1:{address[1]}", clock, Waiting(read_timeout=0.3))
        with closing(client), pytest.raises(RemoteError, match="no connection in time: check"):
            client.get("issues")
    assert clock.slept == []


def test_a_response_without_end() -> None:
    with raw(dribble) as url:
        client = open_client(url, waiting=Waiting(read_timeout=0.1))
        with closing(client), pytest.raises(RemoteError, match="check before you try again"):
            client.send("POST", "issues", {})


def dribble(peer: socket.socket, gone: threading.Event) -> None:
    peer.recv(65536)
    peer.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
    while not gone.wait(0.02):
        peer.sendall(b"x")


@pytest.mark.parametrize(
    "response",
    [
        b"",
        b"nonsense\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx",
        b"HTTP/1.1 200 OK\r\nBad Header\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nX: a\0b\r\nContent-Length: 0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"HTTP/1.1 999999 OK\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n" + b"X-Long: " + b"x" * 300_000,
    ],
)
def test_a_response_that_is_not_http(response: bytes, clock: FakeClock) -> None:
    def once(peer: socket.socket, gone: threading.Event) -> None:
        peer.recv(65536)
        peer.sendall(response)

    with raw(once) as url:
        client = open_client(url, clock)
        with (
            closing(client),
            pytest.raises(
                RemoteError, match=r"Forge at .*: (its answer is not whole|the connection ended)"
            ),
        ):
            client.get("issues")
    assert clock.slept == [1, 2, 4]


@contextmanager
def raw(
    serve: Callable[[socket.socket, threading.Event], None],
) -> Iterator[str]:
    """A server of bytes. `serve` gets each connection, and an event that is set at the end."""
    gone = threading.Event()
    threads: list[threading.Thread] = []

    def one(peer: socket.socket) -> None:
        with peer, suppress(OSError):  # The client went away, as it should.
            serve(peer, gone)

    def accept(listener: socket.socket) -> None:
        while True:
            try:
                peer, _ = listener.accept()
            except OSError:
                return
            threads.append(threading.Thread(target=one, args=(peer,)))
            threads[-1].start()

    with socket.create_server(("127.0.0.1", 0)) as listener:
        accepting = threading.Thread(target=accept, args=(listener,))
        accepting.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            gone.set()
            listener.shutdown(socket.SHUT_RDWR)
    for thread in (accepting, *threads):
        thread.join()


# Rate limits.


@pytest.mark.parametrize("status", [429, 403, 503])
def test_retry_after_in_seconds(
    server: Server, client: Client, clock: FakeClock, status: int
) -> None:
    server.fail(CannedResponse(status, None, {"Retry-After": "17"}))
    assert client.get("issues").status == 200
    assert clock.slept == [17]


def test_a_wait_calls_on_wait(server: Server, client: Client, waits: list[str]) -> None:
    server.fail(CannedResponse(429, None, {"Retry-After": "17"}))
    client.get("issues")
    assert waits == ["Forge asks to wait for its rate limit: waiting 17 s"]


def test_a_date_in_retry_after_is_by_the_clock_of_the_host(
    server: Server, client: Client, clock: FakeClock
) -> None:
    when = 1_000_000_000
    headers = {
        "Date": formatdate(when, usegmt=True),
        "Retry-After": formatdate(when + 30, usegmt=True),
    }
    server.fail(CannedResponse(429, None, headers))
    client.get("issues")
    assert clock.slept == [30]


@pytest.mark.parametrize(
    "value", ["", "soon", "-5", "1.5", "٣", "0x10", "Mon, 99 Foo", "\x7f", "; ,"]
)
def test_an_invalid_retry_after(
    server: Server, client: Client, clock: FakeClock, value: str
) -> None:
    server.fail(*[CannedResponse(429, None, {"Retry-After": encoded(value)})] * 2)
    client.get("issues")
    assert clock.slept == [1, 2]


def encoded(value: str) -> str:
    """The value as the server can write it."""
    return value.encode().decode("latin-1")


@pytest.mark.parametrize("value", ["0", "Thu, 01 Jan 1970 00:00:00 GMT"])
def test_a_retry_after_in_the_past_waits_a_second(
    server: Server, client: Client, clock: FakeClock, value: str
) -> None:
    server.fail(CannedResponse(429, None, {"Retry-After": value}))
    client.get("issues")
    assert clock.slept == [1]


@pytest.mark.parametrize("value", ["1000000000", "9" * 40, "Fri, 31 Dec 9999 23:59:59 GMT"])
def test_a_retry_after_of_years_is_a_day(
    server: Server, client: Client, clock: FakeClock, value: str
) -> None:
    clock.now = 1_800_000_000
    server.fail(CannedResponse(429, None, {"Retry-After": value}))
    with pytest.raises(RateLimited) as error:
        client.get("issues")
    assert re.fullmatch(
        r"Forge: rate limit reached, try again after 2027-01-16 08:00:00 UTC \(it asks for"
        r" [0-9,]{6,} days: check its URL, and proxies on the way\)",
        str(error.value),
    )
    assert clock.slept == []


def test_a_rate_limit_without_a_token_names_the_token(server: Server, clock: FakeClock) -> None:
    server.fail(CannedResponse(429, None, {"Retry-After": "3600"}))
    access = Access(advice="set FORGE_TOKEN")
    waiting = Waiting(clock=clock.clock, sleep=clock.sleep)
    client = Client(server.url, label="Forge", access=access, waiting=waiting)
    advised = pytest.raises(RateLimited, match=r" UTC, or with a token: set FORGE_TOKEN$")
    with closing(client), advised:
        client.get("issues")


def test_the_error_of_a_rate_limit_has_its_end(
    server: Server, client: Client, clock: FakeClock
) -> None:
    clock.now = 1_800_000_000
    server.fail(CannedResponse(429, None, {"Retry-After": "3600"}))
    with pytest.raises(RateLimited) as error:
        client.get("issues")
    assert str(error.value) == (
        "Forge: rate limit reached, try again after 2027-01-15 09:00:00 UTC"
    )
    assert error.value.until == pytest.approx(1_800_003_600, abs=1)


def test_a_rate_limit_that_does_not_end(server: Server, client: Client, clock: FakeClock) -> None:
    server.faults.append(lambda _: CannedResponse(429))
    with pytest.raises(RateLimited):
        client.get("issues")
    assert clock.slept == [1, 2, 4]
    assert len(server.requests) == 4


def test_all_waits_together_are_bounded(server: Server, client: Client, clock: FakeClock) -> None:
    server.faults.append(lambda request: refuse_odd(server))
    with pytest.raises(RateLimited):
        for _ in range(100):
            client.get("issues")
    assert clock.slept == [25, 25]


def refuse_odd(server: Server) -> CannedResponse | None:
    return CannedResponse(429, None, {"Retry-After": "25"}) if len(server.requests) % 2 else None


def test_failures_and_rate_limits_share_the_maximum_wait(
    server: Server, client: Client, clock: FakeClock
) -> None:
    server.faults.append(lambda request: CannedResponse(502))
    for _ in range(20):
        with pytest.raises(RemoteError, match="answers 502"):
            client.get("issues")
    assert sum(clock.slept) <= 60


def test_threads_wait_together(server: Server, clock: FakeClock) -> None:
    together = threading.Barrier(MAX_CONCURRENT)
    thread = threading.local()

    def now() -> float:
        seconds = clock.now
        thread.calls = getattr(thread, "calls", 0) + 1
        # The clock is read before and after each request, and then for the wait.
        if thread.calls == 3:
            together.wait(TIMEOUT)
        return seconds

    server.fail(*[CannedResponse(429, None, {"Retry-After": "40"})] * MAX_CONCURRENT)
    waiting = Waiting(clock=now, sleep=clock.sleep)
    with closing(Client(server.url, label="Forge", waiting=waiting)) as client:
        responses = list(client.map_concurrently(client.get, ["x"] * MAX_CONCURRENT))
    assert [response.status for response in responses] == [200] * MAX_CONCURRENT
    assert clock.slept == [40]


def test_without_waiting_there_is_one_attempt(server: Server, clock: FakeClock) -> None:
    server.fail(CannedResponse(502))
    client = open_client(server.url, clock, Waiting(max_wait=0.0))
    with closing(client), pytest.raises(RemoteError, match="answers 502"):
        client.get("version")
    assert len(server.requests) == 1


def test_a_failure_with_retry_after(server: Server, client: Client, clock: FakeClock) -> None:
    server.fail(CannedResponse(502, None, {"Retry-After": "9"}))
    client.get("issues")
    assert clock.slept == [9]


def quota(seconds: str, status: int = 403, remaining: str = "0", **more: str) -> CannedResponse:
    headers = {"X-RateLimit-Remaining": remaining, "X-RateLimit-Reset": seconds, **more}
    return CannedResponse(status, {"message": "API rate limit exceeded"}, headers)


def with_quota(server: Server, clock: FakeClock) -> Client:
    return open_client(server.url, clock, rate_limit=lambda response, _: out_of_quota(response))


def test_403_with_no_remaining_quota(server: Server, clock: FakeClock) -> None:
    reset = int(clock.now) + 20
    server.fail(quota(str(reset), Date=formatdate(clock.now, usegmt=True)))
    with closing(with_quota(server, clock)) as client:
        assert client.get("issues").status == 200
    assert clock.slept == [20]


def test_403_with_quota_left_is_a_refusal(server: Server, clock: FakeClock) -> None:
    server.fail(quota("1", remaining="12"))
    with closing(with_quota(server, clock)) as client, pytest.raises(AccessRefused):
        client.get("issues")
    assert clock.slept == []


def test_the_last_response_within_the_quota_is_a_success(server: Server, clock: FakeClock) -> None:
    server.fail(quota("1", status=200))
    with closing(with_quota(server, clock)) as client:
        assert client.get("issues").json() == {"message": "API rate limit exceeded"}


def test_retry_after_has_precedence_over_a_reset(server: Server, clock: FakeClock) -> None:
    server.fail(quota(str(int(clock.now) + 50), **{"Retry-After": "3"}))
    with closing(with_quota(server, clock)) as client:
        client.get("issues")
    assert clock.slept == [3]


def test_a_rate_limit_of_the_vendor_in_a_success(server: Server, clock: FakeClock) -> None:
    def rate_limit(response: Response, now: float) -> RateLimit | None:
        return RateLimit(now + 7) if b"RATE_LIMITED" in response.body else None

    server.fail(CannedResponse(200, {"errors": [{"type": "RATE_LIMITED"}]}))
    with closing(open_client(server.url, clock, rate_limit=rate_limit)) as client:
        assert client.get("graphql").json() == {"path": "/graphql", "query": {}}
    assert clock.slept == [7]


# Refusals.


@pytest.mark.parametrize("status", [401, 403])
def test_a_refusal_is_not_retried(
    server: Server, client: Client, clock: FakeClock, status: int
) -> None:
    server.fail(CannedResponse(status, {"message": "Bad credentials"}))
    with pytest.raises(AccessRefused) as error:
        client.get("issues")
    assert str(error.value) == (
        f"Forge refuses FORGE_TOKEN ({status}, /api/v1/issues: Bad credentials): set FORGE_TOKEN"
    )
    assert len(server.requests) == 1
    assert clock.slept == []


@pytest.mark.parametrize("status", [401, 403])
def test_a_refusal_without_a_token(server: Server, clock: FakeClock, status: int) -> None:
    server.fail(CannedResponse(status))
    client = open_client(server.url, clock, access=Access(advice="set FORGE_TOKEN"))
    with closing(client), pytest.raises(AccessRefused) as error:
        client.get("issues")
    assert str(error.value) == f"Forge wants a token ({status}, /issues): set FORGE_TOKEN"


@pytest.mark.parametrize("status", [404, 410])
def test_a_missing_resource(server: Server, client: Client, status: int) -> None:
    server.fail(CannedResponse(status))
    with pytest.raises(Missing) as error:
        client.get("issues/7")
    assert str(error.value) == (
        "Forge has no /api/v1/issues/7, or does not show it to FORGE_TOKEN: "
        "check the name; set FORGE_TOKEN"
    )


def test_an_allowed_status_is_returned(server: Server, client: Client) -> None:
    server.fail(
        CannedResponse(301, None, {"Location": "/x"}), CannedResponse(410), CannedResponse(500)
    )
    for status in (301, 410, 500):
        assert client.get("issues/7", allow=[status]).status == status


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"message": "Validation Failed"}, ": Validation Failed"),
        ({"errorMessages": ["", "Bad JQL"], "errors": {}}, ""),
        ({"errorMessages": [], "errors": {"summary": "is required"}}, ": summary: is required"),
        ({"errorMessages": ["Bad JQL"], "errors": {}}, ": Bad JQL"),
        ({"error": {"message": "no"}}, ": no"),
        ({"errors": [{"message": "first"}, {"message": "second"}]}, ": first"),
        ({"message": {"title": ["is too long"]}}, ": title: is too long"),
        ({"message": {"title": [7], "labels": {}}}, ""),
        ({"message": f"you sent {TOKEN}"}, ": you sent ***"),
        ({"message": "a\x1b[31m\r\nb"}, ": a\\x1b[31m b"),
        ({"message": "x" * 1000}, ": " + "x" * 300),
        ({"message": 7}, ""),
        (b"[" * 900 + b"]" * 900, ""),
        ([], ""),
        ("why", ": why"),
        (b"<html>", ""),
    ],
)
def test_the_message_of_a_host(server: Server, client: Client, body: object, said: str) -> None:
    server.fail(CannedResponse(422, body))
    with pytest.raises(RemoteError) as error:
        client.get("issues")
    assert str(error.value) == (
        f"Forge answers 422 (/api/v1/issues){said}: check the names and the address in the"
        " configuration"
    )


@pytest.mark.parametrize(
    ("status", "advice"),
    [
        (400, "check the title, text, labels, people and branches that were sent"),
        (422, "check the title, text, labels, people and branches that were sent"),
        (409, "it was changed meanwhile: run the command again"),
        (405, "check its URL, and proxies on the way"),
        (500, "try again later"),
    ],
)
def test_a_refused_change_says_what_to_do(
    server: Server, client: Client, status: int, advice: str
) -> None:
    server.fail(CannedResponse(status, {"message": "no"}))
    with pytest.raises(RemoteError) as error:
        client.send("POST", "issues", {})
    assert str(error.value) == f"Forge answers {status} (/api/v1/issues): no: {advice}"


# Other hosts.


@pytest.fixture
def elsewhere() -> Iterator[Server]:
    """A server that must not get a request."""
    with serving(echo) as result:
        yield result
    assert not result.requests


def places(server: Server, elsewhere: Server) -> list[str]:
    here = server.url.removeprefix("http://")
    there = elsewhere.url.removeprefix("http://")
    return [
        elsewhere.url,
        f"//{there}/x",
        f"https://{here}/x",
        f"http://{here}@{there}/x",
        f"http://me:pw@{here}/x",
        f"http://{here}\\@{there}/x",
        f"http://localhost:{here.rpartition(':')[2]}/x",
        "ftp://x/y",
        "http://[::1/x",
        "javascript:alert(1)",
    ]


@pytest.mark.parametrize(
    ("at", "status"), [*enumerate([301, 302, 303, 307, 308, 302, 302, 302, 302])]
)
def test_a_redirect_to_another_host(
    server: Server, elsewhere: Server, client: Client, at: int, status: int
) -> None:
    """Scenario "A redirect elsewhere" of SPEC-0011."""
    server.faults.append(lambda _: CannedResponse(status, None, {"Location": target}))
    target = places(server, elsewhere)[at]
    # The HTTP library itself refuses some of them.
    said = r"^Forge at http://127.* points to .*: not followed$|: its answer is not whole: try"
    with pytest.raises(RemoteError, match=said):
        client.get("issues")
    assert {request.path for request in server.requests} == {"/api/v1/issues"}


@pytest.mark.parametrize("at", range(9))
def test_a_link_to_another_host(server: Server, elsewhere: Server, client: Client, at: int) -> None:
    target = places(server, elsewhere)[at]
    server.fail(CannedResponse(200, [], {"Link": f'<{target}>; rel="next"'}))
    response = client.get("issues")
    with pytest.raises(RemoteError, match=r"points to .*: not followed$"):
        client.next_page_url(response)


@pytest.mark.parametrize("at", range(8))
def test_an_address_on_another_host(
    server: Server, elsewhere: Server, client: Client, at: int
) -> None:
    target = places(server, elsewhere)[at]
    if "://" not in target:
        assert client.get(target).json()["path"].startswith("/api/v1/")
        return
    with pytest.raises(RemoteError, match=r"points to .*: not followed$"):
        client.get(target)
    assert not server.requests


def test_the_error_names_the_other_host_without_its_secrets(server: Server, client: Client) -> None:
    server.fail(
        CannedResponse(302, None, {"Location": "https://evil.example:8443/x?token=1"}),
        CannedResponse(302, None, {"Location": f"https://x:{TOKEN}@evil.example/"}),
    )
    with pytest.raises(RemoteError) as error:
        client.get("issues")
    assert str(error.value) == (
        f"Forge at {server.url} points to https://evil.example:8443: not followed"
    )
    with pytest.raises(RemoteError, match="points to an address that is not valid: not followed"):
        client.get("issues")


def test_a_redirect_on_the_same_host_is_followed(server: Server, client: Client) -> None:
    server.fail(CannedResponse(301, None, {"Location": "../v2/issues?page=2"}))
    response = client.get("issues", {"since": "x"}, headers={"X-Own": "1"})
    assert response.json() == {"path": "/api/v2/issues", "query": {"page": "2"}}
    assert server.requests[1].headers["x-own"] == "1"
    assert server.requests[1].headers["authorization"] == f"token {TOKEN}"


def test_a_circle_of_redirects(server: Server, client: Client) -> None:
    server.faults.append(lambda request: CannedResponse(302, None, {"Location": request.path}))
    with pytest.raises(RemoteError) as error:
        client.get("issues")
    assert str(error.value) == "Forge redirects in a circle: /api/v1/issues"
    assert len(server.requests) == 6


def test_a_redirect_without_a_location(server: Server, client: Client) -> None:
    server.faults.append(lambda _: CannedResponse(302))
    with pytest.raises(RemoteError, match="redirects in a circle"):
        client.get("issues")


def test_a_write_follows_only_redirects_that_keep_its_method(
    server: Server, client: Client
) -> None:
    server.fail(CannedResponse(307, None, {"Location": "/moved"}))
    assert client.send("PATCH", "issues/1", {"a": 1}).json()["path"] == "/moved"
    assert (server.requests[1].method, server.requests[1].json()) == ("PATCH", {"a": 1})
    server.fail(CannedResponse(302, None, {"Location": "/"}))
    with pytest.raises(RemoteError, match=r"Forge answers 302 \(/api/v1/issues/1\)"):
        client.send("PATCH", "issues/1", {"a": 1})


# The next page.


@pytest.mark.parametrize(
    ("link", "path"),
    [
        ('<{url}/x?page=2>; rel="next"', "/x?page=2"),
        ('<{url}/x?page=1>; rel="prev", <{url}/x?page=3>; rel="next"', "/x?page=3"),
        ("<{url}/x?page=2>; rel=next; title=a", "/x?page=2"),
        ('</x?page=2>; rel="next"', "/x?page=2"),
        ('<?page=2>; rel="next"', "/api/v1/issues?page=2"),
    ],
)
def test_the_next_page(server: Server, client: Client, link: str, path: str) -> None:
    server.fail(CannedResponse(200, [], {"Link": link.format(url=server.url)}))
    assert client.next_page_url(client.get("issues")) == server.url + path


@pytest.mark.parametrize(
    "link", ["", "nonsense", '<>; rel="last"', "<http://x>", '; rel="next"', "<"]
)
def test_the_last_page(server: Server, client: Client, link: str) -> None:
    response = Response(200, {"link": link}, b"", f"{server.url}/api/v1/issues")
    assert client.next_page_url(response) in {None, response.url}


HEADERS = st.text(
    st.sampled_from('<>;=", relnxthp:/.\t\x00grü\ud800') | st.characters(), max_size=60
)


@given(HEADERS, HEADERS, HEADERS)
def test_any_value_of_a_header_is_handled(link: str, date: str, retry: str) -> None:
    response = Response(200, {"link": link, "date": date, "retry-after": retry}, b"", "http://h/x")
    client = hypothetical()
    assert client.server_time(response) is not None
    try:
        result = client.next_page_url(response)
    except RemoteError as error:
        assert "not followed" in str(error)
    else:
        assert result is None or result.startswith("http://h")


def hypothetical(result: list[Client] = []) -> Client:  # noqa: B006
    """One client for all examples: creating one takes a while."""
    if not result:
        result.append(open_client("http://h"))
    return result[0]


# Concurrent requests.


def test_requests_run_concurrently() -> None:
    lock = threading.Lock()
    all_here = threading.Barrier(MAX_CONCURRENT)
    going = most = 0

    def response(request: Request) -> CannedResponse:
        nonlocal going, most
        with lock:
            going += 1
            most = max(most, going)
        all_here.wait(TIMEOUT)
        with lock:
            going -= 1
        return CannedResponse(data=int(request.path.strip("/")))

    with serving(response) as server, closing(open_client(server.url)) as client:
        count = 5 * MAX_CONCURRENT
        result = list(client.map_concurrently(lambda n: client.get(str(n)).json(), range(count)))
    assert result == list(range(count))
    assert most == MAX_CONCURRENT


def test_an_error_drops_the_remaining_requests(server: Server, client: Client) -> None:
    server.faults.append(lambda r: CannedResponse(410) if r.path.endswith("/20") else None)
    result = []
    with pytest.raises(Missing):
        for response in client.map_concurrently(lambda n: client.get(f"x/{n}"), range(1000)):
            result.append(response.json()["path"])
    assert result == [f"/api/v1/x/{n}" for n in range(20)]
    assert len(server.requests) <= 20 + MAX_CONCURRENT


def test_closing_the_iterator_drops_the_remaining_requests(server: Server, client: Client) -> None:
    with closing(client.map_concurrently(lambda n: client.get(f"x/{n}"), range(1000))) as responses:
        next(responses)
    client.close()
    assert len(server.requests) <= 1 + MAX_CONCURRENT


def test_no_items(client: Client) -> None:
    assert list(client.map_concurrently(client.get, [])) == []


# Interrupts and closing.


def test_an_interrupt_passes_through(server: Server) -> None:
    def interrupted(_: float) -> None:
        raise KeyboardInterrupt

    server.faults.append(lambda _: CannedResponse(502))
    client = Client(server.url, label="Forge", waiting=Waiting(sleep=interrupted))
    with closing(client), pytest.raises(KeyboardInterrupt):
        client.get("issues")
    client = Client(server.url, label="Forge", waiting=Waiting(sleep=interrupted))
    with closing(client), pytest.raises(KeyboardInterrupt):
        list(client.map_concurrently(client.get, ["a", "b"]))


def test_closing_ends_a_wait_in_another_thread(server: Server) -> None:
    is_waiting = threading.Event()
    server.faults.append(lambda _: CannedResponse(429, None, {"Retry-After": "50"}))
    waiting = Waiting(on_wait=lambda _: is_waiting.set())
    client = Client(server.url, label="Forge", waiting=waiting)
    with ThreadPoolExecutor(1) as pool:
        request = pool.submit(client.get, "issues")
        assert is_waiting.wait(TIMEOUT)
        client.close()
        with pytest.raises(RemoteError, match=r"^Forge: stopped$"):
            request.result(30)


# Tokens.


def test_no_token_in_any_error_or_log(
    server: Server, client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    faults = [
        *[CannedResponse(500, {"message": TOKEN})] * 4,
        CannedResponse(401, {"message": f"token {TOKEN}"}),
        CannedResponse(403, f"{TOKEN}"),
        CannedResponse(404, {"error": TOKEN}),
        CannedResponse(422, {"errors": [TOKEN]}),
        CannedResponse(429, {"message": TOKEN}, {"Retry-After": "5000"}),
        CannedResponse(302, None, {"Location": f"https://{TOKEN}@evil.example/"}),
        *[CannedResponse(200, [1, 2], cut=1)] * 4,
        CannedResponse(200, TOKEN.encode()),
    ]
    server.fail(*faults)
    seen = 0
    while server.requests == [] or len(server.requests) < len(faults):
        with pytest.raises(RemoteError) as error:
            client.get("issues").json()
        assert TOKEN not in every_word(error.value)
        # No exception of the HTTP library is attached: its locals contain the headers.
        assert error.value.__cause__ is None
        assert error.value.__context__ is None
        seen += 1
    assert seen == 9
    assert TOKEN not in repr(client)
    logged = [f"{record.getMessage()} {record.args!r}" for record in caplog.records]
    assert any("HTTP Request" in line for line in logged)
    assert not any(TOKEN in line for line in logged)
