"""How much of a change is read: memory and time are bounded, whatever somebody pushes."""

# Governing: ADR-0012 (untrusted input never leaves the repository), SPEC-0010 REQ "Any change"

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from threading import Timer

LARGEST = 50_000_000
"""Bytes of a diff that are read; the files after that have no lines."""
MOST_LINES = 1_000_000
"""Lines of it, likewise: one of a few letters takes as much memory as one of a hundred."""
LONGEST = 60.0
"""Seconds that one process of git may take: with some texts, comparing takes minutes."""


class Budget:
    """What may still be read of a diff: bytes, lines, and seconds of a process."""

    def __init__(
        self, size: int = LARGEST, lines: int = MOST_LINES, seconds: float = LONGEST
    ) -> None:
        self._size = size
        self._lines = lines
        self._seconds = seconds
        self._late = False

    @property
    def spent(self) -> bool:
        """Whether there was more than may be read."""
        return self._late or self._size < 0 or self._lines < 0

    def take(self, size: int, lines: int) -> bool:
        """Whether so many bytes and lines may be read. After the first that may not, none may."""
        self._size -= size
        self._lines -= lines
        return not self.spent

    def lines(self, stream: Iterable[bytes]) -> Iterator[bytes]:
        """The lines of the stream, as long as they may be read."""
        # Without a call for each line, of which there may be a million.
        for line in stream:
            self._size -= len(line)
            self._lines -= 1
            if self._size < 0 or self._lines < 0:
                return
            yield line

    @contextmanager
    def timed(self, process: subprocess.Popen[bytes]) -> Iterator[None]:
        """End the process when its time is over."""
        timer = Timer(self._seconds, self._stop, (process,))
        timer.start()
        try:
            yield
        finally:
            timer.cancel()
            timer.join()

    def _stop(self, process: subprocess.Popen[bytes]) -> None:
        self._late = True
        process.kill()
