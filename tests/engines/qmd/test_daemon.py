"""The daemon: found only if sdd started it and it responds; requests to it; running it."""

from __future__ import annotations

import io
import json
import os
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from sdd_hooks.engines.qmd.daemon import (
    HOST,
    MAX_RESPONSE_BYTES,
    Daemon,
    NoResponse,
    find_daemon,
    http_get,
    http_post,
    post_query,
    read_status,
    serve,
)
from sdd_hooks.engines.qmd.index_folder import IndexFolder
from sdd_hooks.errors import EngineUnavailable
from tests.engines.qmd.conftest import Indexed
from tests.engines.qmd.serving import Served
from tests.support.cpu_time import assert_cpu_seconds
from tests.support.waiting import TIMEOUT, until
from tests.system.test_processes import gone

BODY: dict[str, Any] = {
    "searches": [{"type": "lex", "query": "token"}, {"type": "vec", "query": "token"}],
    "collections": ["shop-adrs"],
    "limit": 5,
    "rerank": False,
}

Serve = Callable[[Indexed], Served]


def daemon_of(indexed: Indexed) -> Daemon | None:
    return find_daemon(indexed.folder, indexed.qmd.environ)


def test_the_daemon_responds_from_its_start_to_its_end(unembedded: Indexed, serve: Serve) -> None:
    assert daemon_of(unembedded) is None
    served = serve(unembedded)
    daemon = daemon_of(unembedded)
    assert daemon == Daemon(int(served.url.rpartition(":")[2]), served.pid)
    assert served.url == f"http://{HOST}:{daemon.port}"
    (first,) = post_query(daemon, {**BODY, "searches": BODY["searches"][:1]}, TIMEOUT)
    assert (first.collection, first.path) == ("shop-adrs", "a.md")
    assert served.end() == 0
    assert daemon_of(unembedded) is None
    assert not unembedded.folder.daemon.exists()
    until(lambda: gone(served.pid))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP])
def test_every_signal_ends_the_daemon(unembedded: Indexed, serve: Serve, number: int) -> None:
    served = serve(unembedded)
    assert served.end(number) == 0
    until(lambda: gone(served.pid))
    assert not unembedded.folder.daemon.exists()


def test_the_daemon_searches_by_words_and_by_meaning(daemon: Daemon, embedded: Indexed) -> None:
    first, *_ = post_query(daemon, BODY, TIMEOUT)
    assert first.path == "a.md"
    assert post_query(daemon, {**BODY, "collections": ["shop-nothing"]}, TIMEOUT) == []


def test_finding_the_daemon_takes_a_few_milliseconds_and_no_process(
    daemon: Daemon, embedded: Indexed, debug_log: io.StringIO
) -> None:
    assert assert_cpu_seconds(lambda: daemon_of(embedded), 0.02) == daemon
    assert " run " not in debug_log.getvalue()


def test_a_request_that_hangs_times_out(daemon: Daemon) -> None:
    with pytest.raises(EngineUnavailable, match=r"^qmd's daemon on http://\S+ cannot be used"):
        post_query(daemon, {**BODY, "rerank": True}, 1)


def test_an_invalid_request_is_an_error(daemon: Daemon) -> None:
    with pytest.raises(EngineUnavailable, match=r"it answered 400: .*Missing required field"):
        post_query(daemon, {}, TIMEOUT)


def test_a_second_daemon_for_an_index_is_refused(daemon: Daemon, embedded: Indexed) -> None:
    with pytest.raises(EngineUnavailable, match=f"already, on .*:{daemon.port} "):
        serve(embedded.qmd.installation, embedded.folder, embedded.qmd.environ, 0, print)


def test_a_port_in_use_is_refused(unembedded: Indexed, daemon: Daemon) -> None:
    qmd, folder = unembedded.qmd, unembedded.folder
    with pytest.raises(EngineUnavailable, match=f"^no daemon on port {daemon.port}: Address alr"):
        serve(qmd.installation, folder, qmd.environ, daemon.port, print)


def test_a_daemon_that_does_not_start_is_an_error_with_the_reason(unembedded: Indexed) -> None:
    qmd, folder = unembedded.qmd, unembedded.folder
    for path in folder.path.glob("index.sqlite*"):
        path.unlink()
    folder.database.mkdir()
    with pytest.raises(EngineUnavailable, match=r"^qmd's daemon does not start: \S"):
        serve(qmd.installation, folder, qmd.environ, 0, print)
    assert not folder.daemon.exists()


def test_the_record_of_a_killed_daemon_is_ignored(unembedded: Indexed, serve: Serve) -> None:
    served = serve(unembedded)
    record = unembedded.folder.daemon.read_bytes()
    os.killpg(served.pid, signal.SIGKILL)
    # `serve` has removed the record: put it back, as if `serve` had been killed, too.
    assert served.process.wait(TIMEOUT) == 1
    unembedded.folder.daemon.write_bytes(record)
    assert daemon_of(unembedded) is None


def test_a_record_that_came_with_a_clone_is_ignored(
    daemon: Daemon, embedded: Indexed, unembedded: Indexed
) -> None:
    """It names a running daemon, of another repository of the same user."""
    other = json.loads(embedded.folder.daemon.read_bytes())
    file = unembedded.folder.daemon
    for forged in (other, {**other, "secret": ""}, {"port": daemon.port, "pid": daemon.pid}):
        file.write_text(json.dumps(forged))
        assert daemon_of(unembedded) is None


@pytest.mark.parametrize(
    "content",
    [
        b"", b"{", b"[]", b"null", b"\xff\xfe", b"[" * 4000, b"x" * 10_000,
        b'{"port": true, "pid": 2}', b'{"port": 0, "pid": 2}', b'{"port": 99999, "pid": 2}',
        b'{"port": 80, "pid": -1}', b'{"port": 80, "pid": 1}', b'{"port": "80", "pid": "2"}',
        b'{"port": 80, "pid": 1e99}', b'{"port": 80, "pid": ' + b"9" * 300 + b"}",
    ],
)  # fmt: skip
def test_a_record_with_any_content_is_ignored(tmp_path: Path, content: bytes) -> None:
    folder = IndexFolder(tmp_path, tmp_path / ".sdd/search/qmd")
    folder.path.mkdir(parents=True)
    folder.daemon.write_bytes(content)
    assert find_daemon(folder, {"HOME": str(tmp_path / "home")}) is None


def test_a_link_out_of_the_repository_is_not_followed(
    daemon: Daemon, embedded: Indexed, unembedded: Indexed
) -> None:
    unembedded.folder.daemon.symlink_to(embedded.folder.daemon)
    assert daemon_of(unembedded) is None


def test_the_daemon_of_a_replaced_index_is_ignored(unembedded: Indexed, serve: Serve) -> None:
    serve(unembedded)
    assert daemon_of(unembedded) is not None
    copy = unembedded.folder.path / "copy"
    copy.write_bytes(unembedded.folder.database.read_bytes())
    copy.replace(unembedded.folder.database)
    assert daemon_of(unembedded) is None


def test_the_daemon_of_another_model_is_ignored(unembedded: Indexed, serve: Serve) -> None:
    serve(unembedded)
    declare = unembedded.qmd.declare
    declare(unembedded.folder, shop_adrs="docs/adrs")
    assert daemon_of(unembedded) is not None
    # qmd rewrites the same configuration as YAML.
    assert unembedded.run("status").code == 0
    assert daemon_of(unembedded) is not None
    declare(unembedded.folder, "/nowhere/other.gguf", shop_adrs="docs/adrs")
    assert daemon_of(unembedded) is None


def test_the_status_is_the_same_over_both_transports(
    embedded: Indexed, unembedded: Indexed, serve: Serve
) -> None:
    alone = read_status(
        unembedded.qmd.installation, unembedded.folder, unembedded.qmd.environ, TIMEOUT
    )
    serve(unembedded)
    assert daemon_of(unembedded) is not None
    served = read_status(
        unembedded.qmd.installation, unembedded.folder, unembedded.qmd.environ, TIMEOUT
    )
    assert alone == served
    assert (alone.documents, alone.pending) == (3, 3)
    assert alone.collections == {"shop-adrs": 2, "shop-specs": 1}


@pytest.fixture
def responding() -> Iterator[Callable[..., int]]:
    """Start a server that responds to one request with these bytes, or never. Returns its port."""
    servers: list[socket.socket] = []
    threads: list[threading.Thread] = []

    def start(*parts: bytes) -> int:
        server = socket.create_server((HOST, 0))
        servers.append(server)

        def respond() -> None:
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

        threads.append(threading.Thread(target=respond))
        threads[-1].start()
        return int(server.getsockname()[1])

    yield start
    for server in servers:
        server.shutdown(socket.SHUT_RDWR)
        server.close()
    for thread in threads:
        thread.join()


def test_a_response_has_a_status_and_a_text(responding: Callable[..., int]) -> None:
    port = responding(b"HTTP/1.1 418 Teapot\r\nContent-Length: 2\r\n\r\n\xffx")
    response = http_get(port, "/", TIMEOUT)
    assert (response.status, response.text) == (418, "\ufffdx")


def test_a_closed_port_is_no_response() -> None:
    with socket.create_server((HOST, 0)) as server:
        port = server.getsockname()[1]
    with pytest.raises(NoResponse, match="cannot be reached"):
        http_get(port, "/", TIMEOUT)


def test_a_server_that_is_silent_times_out(responding: Callable[..., int]) -> None:
    with pytest.raises(NoResponse, match=r"did not answer within 0\.2 s"):
        http_post(responding(), "/query", {}, 0.2)


@pytest.mark.parametrize(
    "data",
    [
        b"SSH-2.0-OpenSSH_9.2\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"HTTP/1.1 200 " + b"x" * 100_000,
        b"\x16\x03\x01",
    ],
)
def test_data_that_is_not_http_is_no_response(responding: Callable[..., int], data: bytes) -> None:
    try:
        # The caller rejects a truncated body: it is not JSON.
        assert http_get(responding(data), "/", TIMEOUT).text == "short"
    except NoResponse as error:
        assert "cannot be reached" in str(error)


def test_a_response_that_is_too_long_is_not_read(responding: Callable[..., int]) -> None:
    endless = [
        b"HTTP/1.1 200 OK\r\n\r\n",
        *[b"x" * 1_000_000] * (MAX_RESPONSE_BYTES // 1_000_000 + 1),
    ]
    with pytest.raises(NoResponse, match=f"more than {MAX_RESPONSE_BYTES} bytes"):
        http_get(responding(*endless), "/", TIMEOUT)


def test_no_redirection_is_followed(responding: Callable[..., int]) -> None:
    port = responding(b"HTTP/1.1 302 Found\r\nLocation: http://example.org/\r\n\r\n")
    assert http_get(port, "/", TIMEOUT).status == 302
