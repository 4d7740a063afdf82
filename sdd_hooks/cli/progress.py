"""One line on a terminal that says how far a long command is. A pipe sees nothing of it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO

from sdd_hooks.engines.protocol import Progress

PATIENCE = 1.0
INTERVAL = 0.1


@contextmanager
def progress_line(
    stream: TextIO, clock: Callable[[], float] = time.monotonic
) -> Iterator[Progress | None]:
    """A progress function for the block, or None where `stream` is no terminal.

    Nothing is shown in the first second; the line is gone when the block ends.
    """
    if not stream.isatty():
        yield None
        return
    started = clock()
    shown = 0.0

    def report(what: str, done: int, total: int) -> None:
        nonlocal shown
        now = clock()
        if now - started < PATIENCE or (shown and now - shown < INTERVAL and done < total):
            return
        shown = now
        stream.write(f"\r\x1b[K{what} {done:,}/{total:,}")
        stream.flush()

    try:
        yield report
    finally:
        if shown:
            stream.write("\r\x1b[K")
            stream.flush()
