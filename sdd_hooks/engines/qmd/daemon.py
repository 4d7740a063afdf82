"""qmd's server: find the daemon of an index, send requests to it, run one, and read its status.

A file beside the index records where a daemon runs. A clone may bring such a file, so it counts
only if the user's cache has the same record and the daemon responds.

qmd offers the status of an index as data only over the Model Context Protocol, which is JSON-RPC
2.0: https://modelcontextprotocol.io/specification. Over stdio each message is a line; over HTTP a
`tools/call` is one POST.
"""

# Governing: ADR-0012 (untrusted input), ADR-0014 (the qmd engine), SPEC-0006 REQ "Daemon",
# REQ "Index status"

from __future__ import annotations

import json
import os
import re
import selectors
import subprocess
import time
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from types import MappingProxyType

from sdd_hooks import tracing
from sdd_hooks.engines.qmd.index_folder import IndexFolder
from sdd_hooks.engines.qmd.installation import Installation, qmd_program, run_program
from sdd_hooks.engines.qmd.output import QmdResult, first_error_line, parse_results
from sdd_hooks.errors import EngineUnavailable, SddError, StorageError
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.system.files import read_inside, read_state, write_atomically
from sdd_hooks.system.processes import SignalExit, end_program, exit_on_signals, start_program
from sdd_hooks.system.user_cache import read_cached, write_cached

HOST = "127.0.0.1"

# The entry of the user cache with the records of daemons.
CACHE_ENTRY = "qmd-daemons"

MAX_RESPONSE_BYTES = 20_000_000
"""Bytes read of a response: one with hundreds of results has a hundredth of that."""

START_TIMEOUT = 60.0
"""Seconds until a new daemon has to respond: it opens the index, which takes less than one."""

_HEALTH_TIMEOUT = 0.5
_POLL_SECONDS = 0.1
_MAX_RECORDS = 50
_MAX_RECORD_BYTES = 4096
_MAX_CONFIG_BYTES = 1_000_000
_BLOCK_BYTES = 1 << 16
# sdd writes the configuration as JSON strings, and qmd rewrites it as YAML.
_EMBED_MODEL = re.compile(
    r"""\bembed["']?\s*:\s*("(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[^\s"',}][^\n,}]*)"""
)

_CALL_ID = 2

MESSAGES: tuple[Mapping[str, object], ...] = (
    {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "sdd", "version": "1"},
        },
    },
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
    {
        "jsonrpc": "2.0",
        "id": _CALL_ID,
        "method": "tools/call",
        "params": {"name": "status", "arguments": {}},
    },
)


@dataclass(frozen=True)
class Daemon:
    """A daemon of qmd on this machine: its port, and the process that leads its group."""

    port: int
    pid: int


@dataclass(frozen=True)
class HttpResponse:
    """The status of a response, and its body as text."""

    status: int
    text: str


class NoResponse(Exception):
    """A server did not respond, in time or in HTTP. `str(error)` is the reason, as a clause."""


def find_daemon(folder: IndexFolder, environ: Mapping[str, str]) -> Daemon | None:
    """Find the daemon that serves an index. Takes a few milliseconds, or one without a record.

    None if the record came with a clone, or its daemon does not respond, or serves another index or
    another embedding model than those of the folder.
    """
    stored = _read_record(folder)
    if stored is None:
        return None
    daemon, record = stored
    is_own = read_cached(CACHE_ENTRY, environ).get(str(folder.path)) == record
    if not is_own or record.get("index") != _index_identity(folder):
        return None
    try:
        os.kill(daemon.pid, 0)
        is_healthy = http_get(daemon.port, "/health", _HEALTH_TIMEOUT).status == 200
    except (OSError, OverflowError, NoResponse):
        return None
    return daemon if is_healthy else None


def post_query(daemon: Daemon, body: Mapping[str, object], timeout: float) -> list[QmdResult]:
    """Send the query `body`. Returns the results, best first; an unknown collection has none.

    Raises EngineUnavailable when the daemon fails or does not respond in `timeout` seconds.
    """
    try:
        response = http_post(daemon.port, "/query", body, timeout)
    except NoResponse as error:
        raise _unusable(daemon, str(error)) from None
    if response.status != 200:
        error_line = first_error_line("", response.text)
        raise _unusable(daemon, f"it answered {response.status}: {error_line}")
    return parse_results(response.text, encoded=True)


def serve(
    qmd: Installation,
    folder: IndexFolder,
    environ: Mapping[str, str],
    port: int,
    announce: Callable[[str, int], None],
) -> None:
    """Run a daemon for an index until a signal ends this process.

    `port` 0 chooses a free one. `announce` receives the URL and the process id as soon as the
    daemon responds. Raises EngineUnavailable when another daemon serves the index, and when the new
    one does not start or ends by itself.
    """
    other = find_daemon(folder, environ)
    if other is not None:
        raise EngineUnavailable(
            f"a daemon serves this index already, on http://{HOST}:{other.port}"
            f" ({other.pid}): end that process first"
        )
    port = _reserve_port(port)
    arguments = ("mcp", "--http", "--host", HOST, "--port", str(port))
    tracing.log("run", "qmd mcp", outcome="started")
    process = start_program(qmd_program(qmd, folder, *arguments, environ=environ))
    daemon = Daemon(port, process.pid)
    try:
        # A signal is the expected end.
        with suppress(KeyboardInterrupt, SignalExit), exit_on_signals():
            output = _Output(process)
            _wait_until_healthy(daemon, output)
            _write_record(daemon, folder, environ)
            announce(f"http://{HOST}:{daemon.port}", daemon.pid)
            while process.poll() is None:
                output.read(_POLL_SECONDS * 10)
            raise EngineUnavailable(f"qmd's daemon ended by itself: {output.first_line()}")
    finally:
        end_program(process)
        _remove_record(daemon, folder, environ)


def http_get(port: int, path: str, timeout: float) -> HttpResponse:
    """Send `GET path` to `port` of this machine. Raises NoResponse after `timeout` seconds."""
    return _send(_Request("GET", path), port, timeout)


def http_post(port: int, path: str, body: object, timeout: float, **headers: str) -> HttpResponse:
    """Send `POST path` with `body` as JSON to `port` of this machine. Raises NoResponse."""
    headers = {"Content-Type": "application/json", **headers}
    return _send(_Request("POST", path, json.dumps(body).encode(), headers), port, timeout)


class _Request(NamedTuple):
    method: str
    path: str
    body: bytes | None = None
    headers: Mapping[str, str] = MappingProxyType({})


def _send(request: _Request, port: int, timeout: float) -> HttpResponse:
    # httpx takes 100 ms to import, and a running daemon responds within 30. This client uses no
    # proxy.
    from http.client import HTTPConnection, HTTPException

    deadline = time.monotonic() + timeout
    timed_out = f"it did not answer within {timeout:g} s"
    connection = HTTPConnection(HOST, port, timeout=timeout)
    try:
        connection.request(request.method, request.path, request.body, dict(request.headers))
        response = connection.getresponse()
        data = bytearray()
        while block := response.read1(_BLOCK_BYTES):
            data += block
            if len(data) > MAX_RESPONSE_BYTES:
                raise NoResponse(f"it answered with more than {MAX_RESPONSE_BYTES} bytes")
            if time.monotonic() > deadline:
                raise NoResponse(timed_out)
    except TimeoutError:
        raise NoResponse(timed_out) from None
    except (OSError, HTTPException, ValueError) as error:
        reason = str(error) or type(error).__name__
        raise NoResponse(f"it cannot be reached ({reason})") from None
    finally:
        connection.close()
    return HttpResponse(response.status, data.decode("utf-8", "replace"))


class _Output:
    """The output of a daemon, read so that its pipes never fill, and dropped except for the end."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self._blocks: deque[bytes] = deque(maxlen=4)
        self._selector = selectors.DefaultSelector()
        for stream in (process.stdout, process.stderr):
            if stream is not None:
                self._selector.register(stream, selectors.EVENT_READ)

    def has_ended(self) -> bool:
        return self._process.poll() is not None

    def read(self, seconds: float) -> None:
        """Read what arrives within `seconds`."""
        if not self._selector.get_map():
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(seconds)
        for key, _ in self._selector.select(seconds):
            block = os.read(key.fd, 4096)
            if block:
                self._blocks.append(block)
            else:
                self._selector.unregister(key.fileobj)

    def first_line(self) -> str:
        """Return the first line of the kept output."""
        return first_error_line("", b"".join(self._blocks).decode("utf-8", "replace"))


def _wait_until_healthy(daemon: Daemon, output: _Output) -> None:
    deadline = time.monotonic() + START_TIMEOUT
    while True:
        output.read(_POLL_SECONDS)
        if output.has_ended():
            output.read(_POLL_SECONDS)
            raise EngineUnavailable(f"qmd's daemon does not start: {output.first_line()}")
        with suppress(NoResponse):
            if http_get(daemon.port, "/health", _HEALTH_TIMEOUT).status == 200:
                return
        if time.monotonic() > deadline:
            raise EngineUnavailable(f"qmd's daemon does not answer within {START_TIMEOUT:g} s")


def _write_record(daemon: Daemon, folder: IndexFolder, environ: Mapping[str, str]) -> None:
    record = {
        "port": daemon.port,
        "pid": daemon.pid,
        "index": _index_identity(folder),
        # A file of a clone cannot contain it.
        "secret": os.urandom(16).hex(),
    }
    records = {**read_cached(CACHE_ENTRY, environ), str(folder.path): record}
    write_cached(CACHE_ENTRY, dict(list(records.items())[-_MAX_RECORDS:]), environ)
    write_atomically(folder.daemon, json.dumps(record).encode())


def _remove_record(daemon: Daemon, folder: IndexFolder, environ: Mapping[str, str]) -> None:
    stored = _read_record(folder)
    if stored is not None and stored[0] == daemon:
        with suppress(OSError):
            folder.daemon.unlink()
    records = read_cached(CACHE_ENTRY, environ)
    records.pop(str(folder.path), None)
    write_cached(CACHE_ENTRY, records, environ)


def _read_record(folder: IndexFolder) -> tuple[Daemon, dict[str, object]] | None:
    """Read the record beside the index; None if it is missing or invalid."""
    try:
        relative = folder.daemon.relative_to(folder.root).as_posix()
        record = json.loads(read_inside(folder.root, relative, _MAX_RECORD_BYTES))
    except (OSError, SddError, ValueError, RecursionError):
        return None
    if not isinstance(record, dict):
        return None
    port, pid = record.get("port"), record.get("pid")
    if type(port) is not int or type(pid) is not int or not (0 < port < 65536 and pid > 1):
        return None
    return Daemon(port, pid), record


def _index_identity(folder: IndexFolder) -> str:
    """Return a text that changes with the file of the index and with its embedding model.

    A daemon keeps the file open, and reads the model when it starts.
    """
    try:
        inode = folder.database.stat().st_ino
        config = read_state(folder.config, _MAX_CONFIG_BYTES).decode("utf-8", "replace")
    except (OSError, StorageError):
        return ""
    return f"{inode} {_embed_model(config)}"


def _embed_model(config: str) -> str:
    """Return the embedding model of a configuration; "" is qmd's default."""
    match = _EMBED_MODEL.search(config.rpartition("models")[2])
    value = match[1].strip() if match else ""
    with suppress(ValueError):
        return str(json.loads(value))
    return value.strip("'")


def _reserve_port(port: int) -> int:
    """Return `port`, or a free one for 0. Raises EngineUnavailable when it cannot be bound."""
    from socket import AF_INET, SO_REUSEADDR, SOCK_STREAM, SOL_SOCKET, socket

    with socket(AF_INET, SOCK_STREAM) as probe:
        probe.setsockopt(SOL_SOCKET, SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError as error:
            raise EngineUnavailable(f"no daemon on port {port}: {error.strerror}") from None
        return int(probe.getsockname()[1])


def _unusable(daemon: Daemon, reason: str) -> EngineUnavailable:
    return EngineUnavailable(
        f"qmd's daemon on http://{HOST}:{daemon.port} cannot be used: {reason};"
        f" end process {daemon.pid}, and start another with `sdd index serve`"
    )


@dataclass(frozen=True)
class QmdStatus:
    """The index in documents, all and by collection; `pending` have no vector of qmd's model."""

    documents: int
    pending: int
    collections: Mapping[str, int]


class _StatusReceived(Exception):
    """The server has sent the status: `run_program` ends it."""

    def __init__(self, status: QmdStatus) -> None:
        super().__init__()
        self.status = status


def read_status(
    qmd: Installation, folder: IndexFolder, environ: Mapping[str, str], timeout: float
) -> QmdStatus:
    """Read the status of the index from its daemon, or from a server that is started for this.

    Raises EngineUnavailable when there is no valid response within `timeout` seconds.
    """
    daemon = find_daemon(folder, environ)
    if daemon is not None:
        return _read_from_daemon(daemon, timeout)
    return _read_over_stdio(qmd, folder, environ, timeout)


def parse_status(line: str) -> QmdStatus | None:
    """Parse the status in a JSON-RPC message. Returns None for any other text."""
    try:
        message = json.loads(line)
        content = message["result"]["structuredContent"]
        collections = {
            str(entry["name"]): int(entry["documents"]) for entry in content["collections"]
        }
        documents, pending = int(content["totalDocuments"]), int(content["needsEmbedding"])
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
        return None
    if message.get("id") != _CALL_ID or min(documents, pending, *collections.values()) < 0:
        return None
    return QmdStatus(documents, pending, collections)


def _read_from_daemon(daemon: Daemon, timeout: float) -> QmdStatus:
    accept = "application/json, text/event-stream"
    try:
        response = http_post(daemon.port, "/mcp", MESSAGES[-1], timeout, Accept=accept)
    except NoResponse as error:
        raise EngineUnavailable(f"qmd's daemon does not report its status: {error}") from None
    # One JSON document, or the same as the data of a server-sent event.
    for line in response.text.splitlines():
        status = parse_status(line.removeprefix("data:"))
        if status is not None:
            return status
    error_line = first_error_line("", response.text)
    raise EngineUnavailable(
        f"qmd's daemon does not report its status: {response.status}, {error_line}"
    )


def _read_over_stdio(
    qmd: Installation, folder: IndexFolder, environ: Mapping[str, str], timeout: float
) -> QmdStatus:
    def on_line(line: str) -> None:
        status = parse_status(line)
        if status is not None:
            raise _StatusReceived(status)

    program = qmd_program(qmd, folder, "mcp", environ=environ)
    messages = "".join(f"{json.dumps(message)}\n" for message in MESSAGES).encode()
    try:
        done = run_program(program, timeout, on_line, messages)
    except _StatusReceived as received:
        return received.status
    error_line = first_error_line(done.out, done.err)
    raise EngineUnavailable(f"qmd does not report its status: {error_line}")
