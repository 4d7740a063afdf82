"""What a long command prints while it runs: a line of progress on a terminal, and notes.

Where stderr is a pipe, no progress is written.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, TextIO

from sdd_hooks.cli.shared.output import printable_line
from sdd_hooks.embedding.rates import remaining_seconds
from sdd_hooks.engines.protocol import Progress
from sdd_hooks.text.durations import format_duration

if TYPE_CHECKING:
    from sdd_hooks.usecases.upkeep.refresh import Step
    from sdd_hooks.usecases.upkeep.sync import SyncCallbacks

DELAY_SECONDS = 1.0
"""How long a command runs before the line is shown."""
INTERVAL_SECONDS = 0.1
"""How often the line is written over."""
MAX_COLUMNS = 79
"""A longer line would wrap, and a wrapped line cannot be written over."""

_CLEAR = "\r\x1b[K"


class ProgressLine:
    """A line on the terminal `stream` that is written over until it is cleared."""

    def __init__(self, stream: TextIO, clock: Callable[[], float]) -> None:
        self._stream = stream
        self._clock = clock
        self._started = clock()
        self._shown = 0.0

    def report(self, step: str, done: int, total: int, *, estimate: bool = False) -> None:
        """Show how many of `total` (0: unknown) are done, unless the command began just now.

        With `estimate`, also how long the rest takes at the same rate.
        """
        now = self._clock()
        recent = self._shown and now - self._shown < INTERVAL_SECONDS and done != total
        if now - self._started >= DELAY_SECONDS and not recent:
            text = f"{step} {done:,}/{total:,}" if total else f"{step} {done:,}"
            left = remaining_seconds(done, total, now - self._started) if estimate else None
            about = f", about {format_duration(left)} left" if left is not None else ""
            self._write(f"{text}{about}", now)

    def show(self, text: str) -> None:
        """Show a text at once."""
        self._write(printable_line(text)[:MAX_COLUMNS], self._clock())

    def clear(self) -> None:
        """Clear the line, so that another text can be printed."""
        if self._shown:
            self._shown = 0.0
            self._stream.write(_CLEAR)
            self._stream.flush()

    def _write(self, text: str, now: float) -> None:
        self._shown = now
        self._stream.write(f"{_CLEAR}{text}")
        self._stream.flush()


@contextmanager
def live_line(
    stream: TextIO, clock: Callable[[], float] = time.monotonic
) -> Iterator[ProgressLine | None]:
    """A line that is gone when the block ends, or None where `stream` is no terminal."""
    if not stream.isatty():
        yield None
        return
    line = ProgressLine(stream, clock)
    try:
        yield line
    finally:
        line.clear()


@contextmanager
def progress_line(
    stream: TextIO, clock: Callable[[], float] = time.monotonic, *, estimate: bool = False
) -> Iterator[Progress | None]:
    """A progress callback for the block, or None where `stream` is no terminal.

    With `estimate`, the line says how long the rest takes.
    """
    with live_line(stream, clock) as line:
        yield None if line is None else _reporter(line, estimate)


def _reporter(line: ProgressLine, estimate: bool) -> Progress:
    def report(step: str, done: int, total: int) -> bool:
        line.report(step, done, total, estimate=estimate)
        return True

    return report


@contextmanager
def waiting_line(stream: TextIO, activity: str, delay: float = DELAY_SECONDS) -> Iterator[None]:
    """Show the activity of the block after `delay` seconds, if `stream` is a terminal."""
    import threading

    with live_line(stream) as line:
        timer = threading.Timer(delay, line.show, (f"{activity} …",)) if line else None
        if timer:
            timer.daemon = True
            timer.start()
        try:
            yield
        finally:
            if timer:
                timer.cancel()
                # The timer must not write over the next output.
                timer.join()


def waiting_for_organisation() -> AbstractContextManager[None]:
    """Say after two seconds that the block reads the index of the organisation."""
    return waiting_line(sys.stderr, "Waiting for the index of the organisation", 2.0)


@contextmanager
def show_step(step: Step) -> Iterator[Progress | None]:
    """Show a step of a use case on stderr: its progress, or for a pull only that it runs."""
    if step == "pull":
        with waiting_line(sys.stderr, "Pulling vectors from origin"):
            yield None
    else:
        with progress_line(sys.stderr, estimate=step == "embed") as progress:
            yield progress


class SyncOutput:
    """Prints notes and progress of syncs to stderr, and collects notes for the end.

    With JSON nothing is printed, and `notes` are for the object.
    """

    def __init__(self, as_json: bool) -> None:
        self.notes: list[str] = []
        self._as_json = as_json

    @contextmanager
    def callbacks(self, *, progress: bool = True) -> Iterator[SyncCallbacks]:
        """The callbacks of the syncs inside the block, with or without `progress`."""
        from sdd_hooks.usecases.upkeep.sync import SyncCallbacks

        with live_line(sys.stderr) as terminal_line:
            line = None if self._as_json else terminal_line

            def print_note(note: str) -> None:
                if self._as_json:
                    self.notes.append(note)
                    return
                if line:
                    line.clear()
                sys.stderr.write(f"note: {printable_line(note)}\n")
                sys.stderr.flush()

            yield SyncCallbacks(
                on_note=print_note,
                on_progress=line.report if line and progress else None,
                on_wait=line.show if line else None,
                on_failure=self.notes.append,
            )
