"""Run a program to its end in a process group of its own, within a deadline.

Launchers start the real program and pass no signal on to it: whatever ends one has to end the whole
group.
"""

# Governing: ADR-0012 (untrusted input), SPEC-0006 REQ "Deadlines"

from __future__ import annotations

import os
import selectors
import signal
import stat
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from sdd_hooks import tracing
from sdd_hooks.errors import SddError

LARGEST = 50_000_000
"""Bytes taken of what a program says: the paths of 100,000 documents are a tenth of that."""

GRACE = 2.0
"""Seconds a group has to end by itself once it was told to."""

_BLOCK = 1 << 16
_POLL = 0.2


class Ended(SystemExit):
    """A signal told this process to end. Its exit status is what a shell makes of the signal."""


@dataclass(frozen=True)
class Done:
    """How a program ended: its exit status (negative: the signal), and what it said."""

    code: int
    out: str
    err: str


def executable(name: str, environ: Mapping[str, str], outside: Path | None = None) -> str | None:
    """The first program of this name on `PATH`, relative entries left out; None: there is none.

    One that really is below `outside` is passed over: a repository brings no programs.
    """
    top = None if outside is None else os.path.realpath(outside).rstrip("/") + "/"
    for directory in environ.get("PATH", "").split(os.pathsep):
        path = f"{directory}/{name}"
        if directory.startswith("/") and _runs(path):
            # The directory too: a link in the repository that leads out of it is the repository's.
            real = os.path.realpath(path), os.path.realpath(directory) + "/"
            if top is None or not any(each.startswith(top) for each in real):
                return path
    return None


def finish(
    name: str,
    command: Sequence[str],
    cwd: Path,
    environ: Mapping[str, str],
    deadline: float,
    on_line: Callable[[str], None] | None = None,
    given: bytes = b"",
    *,
    failed: Callable[[str], SddError] = SddError,
    advice: str = "run it again",
) -> Done:
    """Run `command` in `cwd` with exactly `environ`, for at most `deadline` seconds.

    `name` is what it is called in a message: the words of a query have no place there. `on_line` is
    called with every line as it comes, of either stream, and may end it all by raising. `given` is
    what the program finds on its standard input, which stays open: a few kilobytes. However this
    ends, nothing of the group is left. Raises the error that `failed` makes of a message when the
    program cannot be started, does not end in time (`advice` says what to do then), or says more
    than LARGEST bytes.
    """
    stdin = subprocess.PIPE if given else subprocess.DEVNULL
    with tracing.span("run", name) as span:
        process = start(name, command, cwd, environ, stdin, failed=failed)
        streams = [stream for stream in (process.stdout, process.stderr) if stream is not None]
        parts = [bytearray() for _ in streams]
        try:
            with ended_by_signals(), selectors.DefaultSelector() as selector:
                _give(process, given)
                for stream, part in zip(streams, parts, strict=True):
                    os.set_blocking(stream.fileno(), False)
                    selector.register(stream, selectors.EVENT_READ, part)
                problem = _read(process, selector, deadline, on_line, advice)
                if problem:
                    raise failed(f"`{name}` {problem}")
        finally:
            end(process)
        span.outcome = f"exit {process.returncode}"
    out, err = (part.decode("utf-8", "replace") for part in parts)
    return Done(process.returncode, out, err)


def start(
    name: str,
    command: Sequence[str],
    cwd: Path,
    environ: Mapping[str, str],
    stdin: int = subprocess.DEVNULL,
    *,
    failed: Callable[[str], SddError] = SddError,
) -> subprocess.Popen[bytes]:
    """Start `command` as the leader of a group. Raises what `failed` makes of a message."""
    try:
        return subprocess.Popen(
            list(command),
            cwd=cwd,
            env=dict(environ),
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise failed(f"`{name}` cannot be started: {reason}") from None


def end(process: subprocess.Popen[bytes]) -> None:
    """End the group of `process`, politely first, take its exit status and close its pipes."""
    if process.poll() is None:
        _signal(process, signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            process.wait(GRACE)
    # What the leader left behind, or did not take leave itself.
    _signal(process, signal.SIGKILL)
    process.wait()
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream is not None:
            stream.close()


@contextmanager
def ended_by_signals() -> Iterator[None]:
    """For the block, SIGTERM and SIGHUP unwind this process as Ctrl-C does.

    A group of its own hears nothing of what ends us. Handlers that somebody set are theirs to keep.
    """
    before = {}
    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) == signal.SIG_DFL:
                before[number] = signal.signal(number, _leave)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _leave(number: int, _frame: FrameType | None) -> None:
    raise Ended(128 + number)


def _signal(process: subprocess.Popen[bytes], number: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)


def _give(process: subprocess.Popen[bytes], given: bytes) -> None:
    if process.stdin is not None:
        # A program that ended at once says why on stderr.
        with suppress(BrokenPipeError):
            process.stdin.write(given)


def _read(
    process: subprocess.Popen[bytes],
    selector: selectors.BaseSelector,
    deadline: float,
    on_line: Callable[[str], None] | None,
    advice: str,
) -> str:
    """Collect what is said until the program has ended, whoever still holds its pipes.

    Returns what is wrong with how it went, "" if nothing is.
    """
    late = f"did not end within {deadline:g} s and was stopped: {advice}"
    until = time.monotonic() + deadline
    gone = False
    while selector.get_map():
        left = until - time.monotonic()
        if left <= 0:
            return late
        # Looked at before reading: what it said last is read before it counts as gone.
        gone = process.poll() is not None
        ready = selector.select(0 if gone else min(left, _POLL))
        for key, _ in ready:
            said: bytearray = key.data
            block = os.read(key.fd, _BLOCK)
            if not block:
                selector.unregister(key.fileobj)
            before = len(said)
            said += block
            if len(said) > LARGEST:
                return f"said more than {LARGEST} bytes and was stopped"
            if on_line is not None:
                _lines(said, before, on_line, last=not block)
        if gone and not ready:
            return ""
    try:
        process.wait(max(0.0, until - time.monotonic()))
    except subprocess.TimeoutExpired:
        return late
    return ""


def _lines(said: bytearray, before: int, on_line: Callable[[str], None], *, last: bool) -> None:
    """Pass on the lines that end in what came after `before`, and at the end what is left."""
    first = said.rfind(b"\n", 0, before) + 1
    end_of_last = len(said) if last else said.rfind(b"\n", before) + 1
    for line in bytes(said[first:end_of_last]).splitlines():
        on_line(line.decode("utf-8", "replace"))


def _runs(command: str) -> bool:
    try:
        regular = stat.S_ISREG(os.stat(command).st_mode)  # noqa: PTH116 (a path as text)
    except (OSError, ValueError):
        return False
    return regular and os.access(command, os.X_OK)
