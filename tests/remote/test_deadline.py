"""A request ends within its time, however slowly its response arrives; a cut one is repeated."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import closing
from queue import SimpleQueue

import pytest

from sdd_hooks.errors import RemoteError
from sdd_hooks.remote.client import Client, Waiting
from sdd_hooks.remote.deadline import AlarmClock, ConnectionWatch, timer_alarm
from sdd_hooks.remote.transport import MAX_HEAD_TIMEOUTS, MAX_READ_TIMEOUTS, READ_TIMEOUT
from tests.support.fake_clock import FakeClock
from tests.support.loopback import DRIPS, CannedResponse, Request, Server, serving
from tests.support.waiting import until

IN_ALL = MAX_READ_TIMEOUTS * READ_TIMEOUT
HEAD = MAX_HEAD_TIMEOUTS * READ_TIMEOUT
ISSUES = [{"number": number, "title": "a" * 100} for number in range(20)]


def answer(_: Request) -> CannedResponse:
    return CannedResponse(data=ISSUES)


@pytest.fixture
def server() -> Iterator[Server]:
    with serving(answer) as result:
        yield result


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def client(server: Server, clock: FakeClock) -> Iterator[Client]:
    waiting = Waiting(clock=clock.clock, sleep=clock.sleep, alarm=clock.alarm)
    with closing(Client(server.url, label="Forge", waiting=waiting)) as client:
        yield client


def slow(clock: FakeClock, seconds: float, **fields: object) -> CannedResponse:
    """A response of which each part arrives within the timeout of a read."""
    drip = lambda: clock.advance(seconds)  # noqa: E731
    return CannedResponse(data=ISSUES, drip=drip, **fields)  # type: ignore[arg-type]


def test_a_response_that_arrives_byte_by_byte_ends(
    server: Server, client: Client, clock: FakeClock
) -> None:
    started = clock.now
    sent = []

    def drip() -> None:
        # The headers are in the first part.
        until(lambda: not sent or HEAD not in clock.pending())
        sent.append(clock.advance(READ_TIMEOUT - 1))

    server.fail(CannedResponse(data=ISSUES, drip=drip))
    with pytest.raises(RemoteError, match="no whole answer in time"):
        client.get("issues")
    assert len(server.requests) == 1
    # What is sent after the end of the request does not count for the client.
    assert clock.now - started >= IN_ALL
    assert clock.slept == []


@pytest.mark.parametrize(
    "head",
    [
        b"HTTP/1.1 200 OK\r\n" + b"X-Filler: x\r\n" * 40,
        b"HTTP/1.1 102 Processing\r\n\r\n" * 40,
        b"HTTP/1.1 100 Continue\r\n\r\n" * 40,
    ],
)
def test_headers_that_do_not_end_have_a_time_of_their_own(
    server: Server, client: Client, clock: FakeClock, head: bytes
) -> None:
    def drip() -> None:
        until(lambda: clock.alarms == [IN_ALL, HEAD])
        clock.advance(IN_ALL / DRIPS / 1.5)

    server.fail(CannedResponse(raw=head, drip=drip))
    with pytest.raises(RemoteError, match="no whole answer in time: try again later"):
        client.get("issues")
    assert len(server.requests) == 1
    assert clock.slept == []


def test_an_informational_answer_is_not_the_answer(server: Server, client: Client) -> None:
    body = b"[1]"
    answer = b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n" + body
    server.fail(CannedResponse(raw=b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" + answer))
    assert client.get("issues").json() == [1]


def test_a_slow_response_within_the_time_is_used(
    server: Server, client: Client, clock: FakeClock
) -> None:
    server.fail(slow(clock, IN_ALL / DRIPS / 3))
    assert client.get("issues").json() == ISSUES


def test_retries_share_the_time_of_the_request(
    server: Server, client: Client, clock: FakeClock
) -> None:
    broken = [slow(clock, IN_ALL / DRIPS / 3, cut=100)] * 4
    server.fail(*broken)
    with pytest.raises(RemoteError):
        client.get("issues")
    assert 1 < len(server.requests) < 4


def test_a_connection_is_usable_after_a_request_that_was_ended(
    server: Server, client: Client, clock: FakeClock
) -> None:
    server.fail(slow(clock, READ_TIMEOUT - 1))
    with pytest.raises(RemoteError):
        client.get("issues")
    assert client.get("issues").json() == ISSUES


@pytest.mark.parametrize("share", [0, 1, 50, -1])
def test_a_success_that_is_cut_is_requested_again(
    server: Server, client: Client, clock: FakeClock, share: int
) -> None:
    content = CannedResponse(data=ISSUES).content
    server.fail(CannedResponse(data=content[:share]))
    assert client.get("issues").json() == ISSUES
    assert clock.slept == [1]


def test_a_success_that_is_always_cut_is_an_error(server: Server, client: Client) -> None:
    server.fail(*[CannedResponse(data=b'[{"number"')] * 9)
    with pytest.raises(RemoteError, match="its answer is not whole: try again later"):
        client.get("issues")
    assert len(server.requests) == 4


def test_a_write_with_a_cut_response_is_not_repeated(server: Server, client: Client) -> None:
    server.fail(CannedResponse(data=b"{"))
    client.send("POST", "issues", {})
    assert len(server.requests) == 1


def test_a_page_of_a_proxy_is_not_requested_again(server: Server, client: Client) -> None:
    server.fail(CannedResponse(data=b"<html>"))
    with pytest.raises(RemoteError, match="not JSON"):
        client.get("issues").json()
    assert len(server.requests) == 1


class Stream:
    """A stream of the HTTP library: it only tells its socket."""

    def __init__(self, end: socket.socket) -> None:
        self._end = end

    def get_extra_info(self, _name: str) -> socket.socket:
        return self._end


def test_an_alarm_that_is_late_ends_no_later_request() -> None:
    late = []

    def alarm(_seconds: float, action: object) -> object:
        late.append(action)
        return lambda: None

    ends = socket.socketpair()
    with ends[0], ends[1]:
        watch = ConnectionWatch(alarm, READ_TIMEOUT)  # type: ignore[arg-type]
        watch.on_event("connection.connect_tcp.complete", {"return_value": Stream(ends[0])})
        with watch.limit(1):
            pass
        with watch.limit(1) as is_over:
            late[0]()  # type: ignore[operator]
            assert not is_over()
            ends[0].sendall(b"x")
            late[1]()  # type: ignore[operator]
            assert is_over()
            with pytest.raises(OSError, match="ipe"):
                ends[0].sendall(b"x")


def test_a_connection_that_is_late_is_shut_at_once() -> None:
    ends = socket.socketpair()
    with ends[0], ends[1]:
        clock = FakeClock()
        watch = ConnectionWatch(clock.alarm, READ_TIMEOUT)
        with watch.limit(1):
            clock.advance(1)
            watch.on_event("connection.connect_tcp.complete", {"return_value": Stream(ends[0])})
        with pytest.raises(OSError, match="ipe"):
            ends[0].sendall(b"x")


def test_the_alarm_of_a_thread() -> None:
    rung = threading.Event()
    timer_alarm(0.0, rung.set)
    assert rung.wait(60)
    cancelled = threading.Event()
    timer_alarm(3600.0, cancelled.set)()
    assert not cancelled.is_set()


def test_one_thread_waits_for_all_alarms_and_ends_with_the_last_one() -> None:
    clock = AlarmClock()
    threads: set[threading.Thread] = set()
    rung: SimpleQueue[str] = SimpleQueue()

    def ring(name: str) -> None:
        threads.add(threading.current_thread())
        rung.put(name)

    late = clock.alarm(3600.0, lambda: ring("late"))
    clock.alarm(0.02, lambda: ring("second"))
    clock.alarm(0.0, lambda: ring("first"))
    assert {rung.get(timeout=60), rung.get(timeout=60)} == {"first", "second"}
    # The thread waits for the late alarm, and an earlier one wakes it up.
    clock.alarm(0.0, lambda: (late(), ring("third")))  # type: ignore[arg-type, func-returns-value]
    assert rung.get(timeout=60) == "third"
    (thread,) = threads
    thread.join(60)
    assert not thread.is_alive()
    late()
    clock.alarm(0.0, lambda: ring("another thread"))
    assert rung.get(timeout=60) == "another thread"
    assert rung.empty()
