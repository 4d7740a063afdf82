"""qmd's HTTP daemon: find the one that serves an index, ask it, and run one.

Where one runs is written beside the index. A clone may bring such a file, so what it says counts
only when this user's cache agrees, and somebody answers there.
"""

# Governing: ADR-0012 (untrusted input), ADR-0014 (the qmd engine), SPEC-0006 REQ "Daemon"

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

from sdd_hooks.engines.qmd.group import SignalExit, end_program, exit_on_signals, start
from sdd_hooks.engines.qmd.http import HOST, NoAnswer, get, post
from sdd_hooks.engines.qmd.installation import Installation
from sdd_hooks.engines.qmd.output import Result, complaint, parse_results
from sdd_hooks.engines.qmd.process import Place, command, environment
from sdd_hooks.errors import EngineUnavailable, SddError
from sdd_hooks.system.files import read_inside, write_atomically
from sdd_hooks.system.user_cache import read_cached, write_cached

FILE = "daemon.json"

FACTS = "qmd-daemons"

STARTING = 60.0
"""Seconds a daemon has until it answers: it opens the index, which takes less than one."""

_HEALTH = 0.5
_POLL = 0.1
_REMEMBERED = 50
# Written as JSON by us and as YAML by qmd, which writes the file again.
_EMBED_MODEL = re.compile(
    r"""\bembed["']?\s*:\s*("(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[^\s"',}][^\n,}]*)"""
)


@dataclass(frozen=True)
class Daemon:
    """A daemon of qmd on this machine: its port, and the process that leads its group."""

    port: int
    pid: int


def running(place: Place, environ: Mapping[str, str]) -> Daemon | None:
    """The daemon that serves this index, if one does: a few milliseconds, one less without a file.

    None for a file that a clone brought, or that a daemon left behind; for one whose index or
    embedding model is not what is here now; and where nobody answers.
    """
    found = _read(place)
    if found is None:
        return None
    daemon, told = found
    if _known(environ).get(str(place.directory)) != told or told.get("index") != _index(place):
        return None
    try:
        os.kill(daemon.pid, 0)
        healthy = get(daemon.port, "/health", _HEALTH).status == 200
    except (OSError, OverflowError, NoAnswer):
        return None
    return daemon if healthy else None


def ask(daemon: Daemon, body: Mapping[str, object], deadline: float) -> list[Result]:
    """What the daemon answers to the query `body`, best first; an unknown collection has nothing.

    Raises EngineUnavailable when it does not answer in `deadline` seconds, or with a failure.
    """
    try:
        answer = post(daemon.port, "/query", body, deadline)
    except NoAnswer as error:
        raise _unavailable(daemon, str(error)) from None
    if answer.status != 200:
        raise _unavailable(daemon, f"it answered {answer.status}: {complaint('', answer.text)}")
    return parse_results(answer.text, encoded=True)


def serve(
    qmd: Installation,
    place: Place,
    environ: Mapping[str, str],
    port: int,
    announce: Callable[[str, int], None],
) -> None:
    """Run a daemon for this index until a signal tells this process to end.

    `port` 0 takes a free one. `announce` is told the URL and the process once it answers. Raises
    EngineUnavailable when one runs already, when it does not start, and when it ends by itself.
    """
    already = running(place, environ)
    if already is not None:
        raise EngineUnavailable(
            f"a daemon serves this index already, on http://{HOST}:{already.port}"
            f" ({already.pid}): end that process first"
        )
    chosen = _free_port(port)
    process = start(
        "qmd mcp",
        command(qmd, "mcp", "--http", "--host", HOST, "--port", str(chosen)),
        place.root,
        environment(qmd, place, environ),
    )
    daemon = Daemon(chosen, process.pid)
    # Told to end, it has done what it was asked to.
    try:
        with suppress(KeyboardInterrupt, SignalExit), exit_on_signals():
            said = _Output(process)
            _wait_until_healthy(daemon, said)
            _publish(daemon, place, environ)
            announce(f"http://{HOST}:{daemon.port}", daemon.pid)
            while process.poll() is None:
                said.read(_POLL * 10)
            raise EngineUnavailable(f"qmd's daemon ended by itself: {said.last()}")
    finally:
        end_program(process)
        _withdraw(daemon, place, environ)


class _Output:
    """What a daemon says: read, so that it never waits for us, and forgotten but for the end."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self._blocks: deque[bytes] = deque(maxlen=4)
        self._selector = selectors.DefaultSelector()
        for stream in (process.stdout, process.stderr):
            if stream is not None:
                self._selector.register(stream, selectors.EVENT_READ)

    def ended(self) -> bool:
        return self._process.poll() is not None

    def read(self, seconds: float) -> None:
        """Take what comes within `seconds`."""
        if not self._selector.get_map():
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(seconds)
        for key, _ in self._selector.select(seconds):
            block = os.read(key.fd, 4096)
            if block:
                self._blocks.append(block)
            else:
                self._selector.unregister(key.fileobj)

    def last(self) -> str:
        """The first line of what it said last."""
        return complaint("", b"".join(self._blocks).decode("utf-8", "replace"))


def _wait_until_healthy(daemon: Daemon, said: _Output) -> None:
    until = time.monotonic() + STARTING
    while True:
        said.read(_POLL)
        if said.ended():
            said.read(_POLL)
            raise EngineUnavailable(f"qmd's daemon does not start: {said.last()}")
        with suppress(NoAnswer):
            if get(daemon.port, "/health", _HEALTH).status == 200:
                return
        if time.monotonic() > until:
            raise EngineUnavailable(f"qmd's daemon does not answer within {STARTING:g} s")


def _publish(daemon: Daemon, place: Place, environ: Mapping[str, str]) -> None:
    # The secret is what a file that came with a clone cannot know.
    told = {
        "port": daemon.port,
        "pid": daemon.pid,
        "index": _index(place),
        "secret": os.urandom(16).hex(),
    }
    known = {**_known(environ), str(place.directory): told}
    write_cached(FACTS, dict(list(known.items())[-_REMEMBERED:]), environ)
    write_atomically(place.directory / FILE, json.dumps(told).encode())


def _withdraw(daemon: Daemon, place: Place, environ: Mapping[str, str]) -> None:
    found = _read(place)
    if found is not None and found[0] == daemon:
        with suppress(OSError):
            (place.directory / FILE).unlink()
    left = {key: told for key, told in _known(environ).items() if key != str(place.directory)}
    write_cached(FACTS, left, environ)


def _known(environ: Mapping[str, str]) -> dict[str, object]:
    return read_cached(FACTS, environ)


def _read(place: Place) -> tuple[Daemon, dict[str, object]] | None:
    """What the file beside the index says; None when there is none that could be ours."""
    try:
        relative = (place.directory / FILE).relative_to(place.root).as_posix()
        told = json.loads(read_inside(place.root, relative, 4096))
    except (OSError, SddError, ValueError, RecursionError):
        return None
    if not isinstance(told, dict):
        return None
    port, pid = told.get("port"), told.get("pid")
    if type(port) is not int or type(pid) is not int or not (0 < port < 65536 and pid > 1):
        return None
    return Daemon(port, pid), told


def _index(place: Place) -> str:
    """What tells this index, and the model it is searched with, from another in its place.

    A daemon has the file open, and read the model when it started.
    """
    try:
        inode = place.database.stat().st_ino
        declared = place.config.read_text("utf-8", "replace")
    except OSError:
        return ""
    return f"{inode} {_embed_model(declared)}"


def _embed_model(declared: str) -> str:
    """The embedding model in qmd's declaration; "" for none, which is qmd's default."""
    found = _EMBED_MODEL.search(declared.rpartition("models")[2])
    value = found[1].strip() if found else ""
    with suppress(ValueError):
        return str(json.loads(value))
    return value.strip("'")


def _free_port(port: int) -> int:
    """`port`, or any for 0. Raises EngineUnavailable when it is taken, or not for us to take."""
    from socket import AF_INET, SO_REUSEADDR, SOCK_STREAM, SOL_SOCKET, socket

    with socket(AF_INET, SOCK_STREAM) as probe:
        probe.setsockopt(SOL_SOCKET, SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError as error:
            raise EngineUnavailable(f"no daemon on port {port}: {error.strerror}") from None
        return int(probe.getsockname()[1])


def _unavailable(daemon: Daemon, reason: str) -> EngineUnavailable:
    return EngineUnavailable(
        f"qmd's daemon on http://{HOST}:{daemon.port} is of no use: {reason};"
        f" end process {daemon.pid}, and start another with `sdd index serve`"
    )
