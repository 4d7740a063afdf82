"""A server on this machine that need not be what it says it is."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator

import pytest

from sdd_hooks.engines.qmd.http import HOST, LARGEST, NoAnswer, get, post


@pytest.fixture
def answering() -> Iterator[Callable[..., int]]:
    """Starts a server that answers one request with these bytes, or says nothing, at a port."""
    servers: list[socket.socket] = []
    seen: list[threading.Thread] = []

    def start(*parts: bytes) -> int:
        server = socket.create_server((HOST, 0))
        servers.append(server)

        def answer() -> None:
            try:
                connection, _ = server.accept()
            except OSError:
                return
            with connection:
                connection.recv(65536)
                try:
                    for part in parts:
                        connection.sendall(part)
                    while not parts and connection.recv(65536):
                        pass
                except OSError:
                    return

        seen.append(threading.Thread(target=answer))
        seen[-1].start()
        return int(server.getsockname()[1])

    yield start
    for server in servers:
        server.shutdown(socket.SHUT_RDWR)
        server.close()
    for thread in seen:
        thread.join()


def test_an_answer(answering: Callable[..., int]) -> None:
    port = answering(b"HTTP/1.1 418 Teapot\r\nContent-Length: 2\r\n\r\n\xffx")
    answer = get(port, "/", 10)
    assert (answer.status, answer.text) == (418, "\ufffdx")


def test_nobody_there() -> None:
    with socket.create_server((HOST, 0)) as server:
        port = server.getsockname()[1]
    with pytest.raises(NoAnswer, match="cannot be reached"):
        get(port, "/", 10)


def test_silence_is_not_waited_for(answering: Callable[..., int]) -> None:
    with pytest.raises(NoAnswer, match=r"did not answer within 0\.2 s"):
        post(answering(), "/query", {}, 0.2)


@pytest.mark.parametrize(
    "said",
    [
        b"SSH-2.0-OpenSSH_9.2\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"HTTP/1.1 200 " + b"x" * 100_000,
        b"\x16\x03\x01",
    ],
)
def test_no_http(answering: Callable[..., int], said: bytes) -> None:
    try:
        # A body cut short is for whoever reads it: it is no JSON.
        assert get(answering(said), "/", 10).text == "short"
    except NoAnswer as error:
        assert "cannot be reached" in str(error)


def test_too_much_is_not_read(answering: Callable[..., int]) -> None:
    endless = [b"HTTP/1.1 200 OK\r\n\r\n", *[b"x" * 1_000_000] * (LARGEST // 1_000_000 + 1)]
    with pytest.raises(NoAnswer, match=f"more than {LARGEST} bytes"):
        get(answering(*endless), "/", 30)


def test_no_redirection_is_followed(answering: Callable[..., int]) -> None:
    port = answering(b"HTTP/1.1 302 Found\r\nLocation: http://example.org/\r\n\r\n")
    assert get(port, "/", 10).status == 302
