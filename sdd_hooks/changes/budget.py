"""Limits on how much of a change is read, so that memory and time are bounded for any change."""

# Governing: ADR-0012 (untrusted input never leaves the repository), SPEC-0010 REQ "Any change"

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from threading import Timer

MAX_BYTES = 50_000_000
"""Bytes of a diff that are read. The files after that have no lines."""
MAX_LINES = 1_000_000
"""Lines of a diff that are read. A short line takes as much memory as a long one."""
DIFF_TIMEOUT = 60.0
"""Seconds for one process of git. Comparing some texts takes minutes."""


class Budget:
    """The rest of what may be read of a diff: bytes, lines, and seconds of a process."""

    def __init__(
        self, size: int = MAX_BYTES, lines: int = MAX_LINES, seconds: float = DIFF_TIMEOUT
    ) -> None:
        self._size = size
        self._lines = lines
        self._seconds = seconds
        self._late = False

    @property
    def is_spent(self) -> bool:
        """Whether a limit was exceeded."""
        return self._late or self._size < 0 or self._lines < 0

    def take(self, size: int, lines: int) -> bool:
        """Whether so many bytes and lines may be read. False after a limit was exceeded once."""
        self._size -= size
        self._lines -= lines
        return not self.is_spent

    def limit_lines(self, stream: Iterable[bytes]) -> Iterator[bytes]:
        """The lines of the stream, up to the limits."""
        # Counted in variables of the function, since a stream may have a million lines.
        size, lines = self._size, self._lines
        try:
            for line in stream:
                size -= len(line)
                lines -= 1
                if size < 0 or lines < 0:
                    return
                yield line
        finally:
            self._size, self._lines = size, lines

    @contextmanager
    def kill_when_late(self, process: subprocess.Popen[bytes]) -> Iterator[None]:
        """Kill the process after the timeout, unless the block ends before."""
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
