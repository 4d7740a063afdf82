"""One line on a terminal that says how far a long command is. A pipe sees nothing of it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO

from sdd_hooks.cli.output import printable_line
from sdd_hooks.engines.protocol import Progress

PATIENCE = 1.0
INTERVAL = 0.1
WIDEST = 79
"""Columns of the line: what is wrapped cannot be written over."""

_CLEAR = "\r\x1b[K"


class Line:
    """A line on the terminal `stream` that is written over until it is cleared."""

    def __init__(self, stream: TextIO, clock: Callable[[], float]) -> None:
        self._stream = stream
        self._clock = clock
        self._started = clock()
        self._shown = 0.0

    def report(self, what: str, done: int, total: int) -> None:
        """How far it is. `total` 0 is not known. Nothing is shown in the first second."""
        now = self._clock()
        recent = self._shown and now - self._shown < INTERVAL and done != total
        if now - self._started >= PATIENCE and not recent:
            self._write(f"{what} {done:,}/{total:,}" if total else f"{what} {done:,}", now)

    def tell(self, text: str) -> None:
        """What it waits for, shown at once."""
        self._write(printable_line(text)[:WIDEST], self._clock())

    def clear(self) -> None:
        """Leave the line to whatever comes next."""
        if self._shown:
            self._shown = 0.0
            self._stream.write(_CLEAR)
            self._stream.flush()

    def _write(self, text: str, now: float) -> None:
        self._shown = now
        self._stream.write(f"{_CLEAR}{text}")
        self._stream.flush()


@contextmanager
def live_line(stream: TextIO, clock: Callable[[], float] = time.monotonic) -> Iterator[Line | None]:
    """A line that is gone when the block ends, or None where `stream` is no terminal."""
    if not stream.isatty():
        yield None
        return
    line = Line(stream, clock)
    try:
        yield line
    finally:
        line.clear()


@contextmanager
def progress_line(
    stream: TextIO, clock: Callable[[], float] = time.monotonic
) -> Iterator[Progress | None]:
    """A progress callback for the block, or None where `stream` is no terminal."""
    with live_line(stream, clock) as line:
        yield None if line is None else _reporter(line)


def _reporter(line: Line) -> Progress:
    def report(step: str, done: int, total: int) -> bool:
        line.report(step, done, total)
        return True

    return report


@contextmanager
def waiting_line(stream: TextIO, what: str, patience: float = PATIENCE) -> Iterator[None]:
    """Say what the block does, where `stream` is a terminal and it takes more than `patience`
    seconds."""
    import threading

    with live_line(stream) as line:
        timer = threading.Timer(patience, line.tell, (f"{what} …",)) if line else None
        if timer:
            timer.daemon = True
            timer.start()
        try:
            yield
        finally:
            if timer:
                timer.cancel()
                # It must not write over what comes next.
                timer.join()
