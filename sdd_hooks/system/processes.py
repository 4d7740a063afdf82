"""Run a program to its end in a new process group, within a timeout.

A launcher such as npm's starts the real program and forwards no signals to it, so every way to end
a program ends its whole process group.
"""

# Governing: ADR-0012 (untrusted input), SPEC-0006 REQ "Deadlines", ADR-0063 (commands run on
# Windows, hooks do not)

from __future__ import annotations

import os
import selectors
import signal
import stat
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import IO, Final, Protocol

from sdd_hooks import tracing
from sdd_hooks.errors import SddError
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.system.descriptors import IS_POSIX

MAX_OUTPUT_BYTES = 50_000_000
"""A program that writes more to one stream is stopped. 100,000 paths are a tenth of that."""

TERMINATION_TIMEOUT = 2.0
"""Seconds between SIGTERM and SIGKILL."""

_POLL_SECONDS = 0.2

_MAX_PAUSE = 0.05
"""Seconds between two looks at a program that is to end. The first ones are shorter."""

_SUFFIX = "" if IS_POSIX else ".exe"


KILL: Final[signal.Signals] = getattr(signal, "SIGKILL", signal.SIGTERM)
"""The signal that no process can catch. On Windows, that of every end."""

_ENDING_SIGNALS = tuple(
    getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)
)

_BLOCK_BYTES = 1 << 16
_HANDOVER_SECONDS = 1.0

Block = tuple[int, bytes]
"""The number of a pipe, and bytes of it: b"" once, when its last writer has closed it."""


class SignalExit(SystemExit):
    """A signal ends this process, with the exit status that a shell reports for the signal."""


class Program(NamedTuple):
    """A command line with its directory and its whole environment.

    `name` identifies it in messages and in the debug log: it must not contain the words of a query
    or a secret. `error` makes the exception to raise of a message.
    """

    name: str
    command: Sequence[str]
    cwd: Path
    environ: Mapping[str, str]
    error: Callable[[str], SddError] = SddError


class ProgramResult(NamedTuple):
    """The exit status of a program (negative: the signal that ended it), and its output."""

    code: int
    out: str
    err: str


def find_executable(
    name: str, environ: Mapping[str, str], outside: Path | None = None
) -> str | None:
    """Return the first program of this name in the absolute entries of `PATH`, None without one.

    Without the variable, the standard directories of the system are searched.

    A program whose real path is below `outside` is skipped: a repository must not supply programs.
    """
    top = None if outside is None else os.path.realpath(outside).rstrip(os.sep) + os.sep
    for directory in environ.get("PATH", os.defpath).split(os.pathsep):
        path = f"{directory}{os.sep}{name}{_SUFFIX}"
        if os.path.isabs(directory) and _is_executable(path):  # noqa: PTH117 (text)
            # The directory counts too: a link in the repository that leads out of it is untrusted.
            real_paths = os.path.realpath(path), os.path.realpath(directory) + os.sep
            if top is None or not any(real_path.startswith(top) for real_path in real_paths):
                return path
    return None


def absolute_path(path: str) -> str:
    """The absolute entries of a value of `PATH`; without any, the system's standard directories.

    A relative entry, also an empty one, is in the working directory.
    """
    for entries in (path, os.defpath):
        absolute = [entry for entry in entries.split(os.pathsep) if os.path.isabs(entry)]  # noqa: PTH117
        if absolute:
            break
    return os.pathsep.join(absolute)


def run_program(
    program: Program,
    timeout: float,
    on_line: Callable[[str], None] | None = None,
    stdin: bytes = b"",
    advice: str = "run it again",
) -> ProgramResult:
    """Run a program for at most `timeout` seconds. No process of its group is left afterwards.

    `on_line` receives each line of either stream as it arrives, and ends the program by raising.
    `stdin` is a few kilobytes for the standard input, which stays open. Raises `program.error` when
    the program cannot be started, does not end in time (`advice` completes the message), or writes
    more than MAX_OUTPUT_BYTES.
    """
    with tracing.span("run", program.name) as span:
        process = start_program(program, subprocess.PIPE if stdin else subprocess.DEVNULL)
        streams = [stream for stream in (process.stdout, process.stderr) if stream is not None]
        outputs = [bytearray() for _ in streams]
        try:
            with exit_on_signals(), closing(open_pipes(streams)) as pipes:
                _write_stdin(process, stdin)
                problem = _read_output(process, (pipes, outputs), timeout, on_line)
                if problem == _TIMED_OUT:
                    problem = f"did not end within {timeout:g} s and was stopped: {advice}"
                if problem:
                    raise program.error(f"`{program.name}` {problem}")
        finally:
            end_program(process)
        span.outcome = f"exit {process.returncode}"
    out, err = (output.decode("utf-8", "replace") for output in outputs)
    return ProgramResult(process.returncode, out, err)


def start_program(program: Program, stdin: int = subprocess.DEVNULL) -> subprocess.Popen[bytes]:
    """Start a program as the leader of a new process group. Raises `program.error`."""
    try:
        return subprocess.Popen(
            list(program.command),
            cwd=program.cwd,
            env=dict(program.environ),
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise program.error(f"`{program.name}` cannot be started: {reason}") from None


def end_program(process: subprocess.Popen[bytes]) -> None:
    """End the process group, first with SIGTERM, then wait for the leader and close its pipes.

    Also after a signal handler raised inside `process.poll()` or `process.wait(timeout)`, which can
    leave the internal lock of `process` taken for ever.
    """
    if not _collect(process, 0):
        _signal_group(process, signal.SIGTERM)
        _collect(process, TERMINATION_TIMEOUT)
    # Also for processes that outlive the leader.
    _signal_group(process, KILL)
    _collect(process, None)
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream is not None:
            stream.close()


@contextmanager
def exit_on_signals() -> Iterator[None]:
    """Inside the block, SIGTERM and SIGHUP raise SignalExit, as Ctrl-C raises KeyboardInterrupt.

    A program in another process group does not receive the signal, so this process must unwind to
    end it. Handlers that are already installed stay.
    """
    replaced = {}
    if threading.current_thread() is threading.main_thread():
        for number in _ENDING_SIGNALS:
            if signal.getsignal(number) == signal.SIG_DFL:
                replaced[number] = signal.signal(number, _raise_exit)
    try:
        yield
    finally:
        for number, handler in replaced.items():
            signal.signal(number, handler)


def _raise_exit(number: int, _frame: FrameType | None) -> None:
    raise SignalExit(128 + number)


def _collect(process: subprocess.Popen[bytes], timeout: float | None) -> bool:
    """Wait for the exit status of a process, without a timeout for ever. False if it still runs.

    Takes no lock of `process`, unlike its own methods.
    """
    if not IS_POSIX:
        # Windows has no such lock.
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout)
        return process.returncode is not None
    deadline = time.monotonic() + (timeout or 0)
    pause = 0.001
    while process.returncode is None:
        try:
            pid, status = os.waitpid(process.pid, 0 if timeout is None else os.WNOHANG)
        except ChildProcessError:
            # An interrupted call collected the status and lost it: Popen, too, reports 0 then.
            process.returncode = 0
            break
        if pid:
            process.returncode = os.waitstatus_to_exitcode(status)
            break
        remaining = deadline - time.monotonic()
        if remaining <= 0:
            return False
        pause = min(2 * pause, remaining, _MAX_PAUSE)
        time.sleep(pause)
    return True


def _signal_group(process: subprocess.Popen[bytes], number: int) -> None:
    if not IS_POSIX:
        # Windows has no groups: processes that the program started are left to it.
        process.kill()
        return
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)


def _write_stdin(process: subprocess.Popen[bytes], data: bytes) -> None:
    if process.stdin is not None:
        # A program that has already ended explains it on stderr.
        with suppress(BrokenPipeError):
            process.stdin.write(data)


_TIMED_OUT = "timed out"


def _read_output(
    process: subprocess.Popen[bytes],
    streams: tuple[Pipes, Sequence[bytearray]],
    timeout: float,
    on_line: Callable[[str], None] | None,
) -> str:
    """Collect the output until the program ends, even if another process keeps its pipes open.

    Returns the problem, "" when there is none.
    """
    pipes, outputs = streams
    deadline = time.monotonic() + timeout
    has_ended = False
    unread = len(outputs)
    while unread:
        remaining = deadline - time.monotonic()
        if remaining <= 0:
            return _TIMED_OUT
        # Polled before the read, so that the last output is read before the loop ends.
        has_ended = process.poll() is not None
        ready = pipes.read(0 if has_ended else min(remaining, _POLL_SECONDS))
        for number, block in ready:
            unread -= not block
            output = outputs[number]
            size = len(output)
            output += block
            if len(output) > MAX_OUTPUT_BYTES:
                return f"wrote more than {MAX_OUTPUT_BYTES} bytes and was stopped"
            if on_line is not None:
                _pass_lines(output, size, on_line, last=not block)
        if has_ended and not ready:
            return ""
    try:
        process.wait(max(0.0, deadline - time.monotonic()))
    except subprocess.TimeoutExpired:
        return _TIMED_OUT
    return ""


def _pass_lines(
    output: bytearray, start: int, on_line: Callable[[str], None], *, last: bool
) -> None:
    """Pass on the lines that end after the offset `start`, and with `last` the unfinished one."""
    first = output.rfind(b"\n", 0, start) + 1
    end = len(output) if last else output.rfind(b"\n", start) + 1
    for line in bytes(output[first:end]).splitlines():
        on_line(line.decode("utf-8", "replace"))


def _is_executable(path: str) -> bool:
    try:
        is_file = stat.S_ISREG(os.stat(path).st_mode)  # noqa: PTH116 (a path as text)
    except (OSError, ValueError):
        return False
    return is_file and os.access(path, os.X_OK)


class Pipes(Protocol):
    """Open pipes, numbered as they were given to `open_pipes`."""

    def read(self, timeout: float) -> Sequence[Block]:
        """What can be read within `timeout` seconds; nothing if there is none by then."""

    def close(self) -> None:
        """Read no more. The streams stay open."""


def open_pipes(streams: Sequence[IO[bytes]]) -> Pipes:
    """Read these streams. No other reader may use them."""
    return _SelectedPipes(streams) if IS_POSIX else _ThreadedPipes(streams)


class _SelectedPipes:
    def __init__(self, streams: Sequence[IO[bytes]]) -> None:
        self._selector = selectors.DefaultSelector()
        for number, stream in enumerate(streams):
            os.set_blocking(stream.fileno(), False)
            self._selector.register(stream, selectors.EVENT_READ, number)

    def close(self) -> None:
        self._selector.close()

    def read(self, timeout: float) -> Sequence[Block]:
        blocks = []
        for key, _ in self._selector.select(timeout):
            block = os.read(key.fd, _BLOCK_BYTES)
            if not block:
                self._selector.unregister(key.fileobj)
            blocks.append((key.data, block))
        return blocks


class _ThreadedPipes:
    """For Windows, which selects sockets only. A thread ends with its pipe, or with the process."""

    def __init__(self, streams: Sequence[IO[bytes]]) -> None:
        import queue

        self._none = queue.Empty
        self._blocks: queue.SimpleQueue[Block] = queue.SimpleQueue()
        for number, stream in enumerate(streams):
            threading.Thread(target=self._pass_on, args=(number, stream), daemon=True).start()

    def read(self, timeout: float) -> Sequence[Block]:
        try:
            # A thread needs a moment to pass on what has been written.
            return [self._blocks.get(timeout=max(timeout, _HANDOVER_SECONDS))]
        except self._none:
            return []

    def close(self) -> None:
        """The threads end with their pipes."""

    def _pass_on(self, number: int, stream: IO[bytes]) -> None:
        block = b"-"
        while block:
            try:
                block = os.read(stream.fileno(), _BLOCK_BYTES)
            except (OSError, ValueError):
                # Closed by the other thread, whose program has ended.
                block = b""
            self._blocks.put((number, block))
