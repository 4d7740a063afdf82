"""How much of a change is read: memory and time are bounded, whatever somebody pushes."""

# Governing: ADR-0012 (untrusted input never leaves the repository), SPEC-0010 REQ "Any change"

from __future__ import annotations

from collections.abc import Iterable, Iterator

LARGEST = 50_000_000
"""Bytes of a diff that are read; the files after that have no lines."""
MOST_LINES = 1_000_000
"""Lines of it, likewise: one of a few letters takes as much memory as one of a hundred."""


class Budget:
    """What may still be read of a diff."""

    def __init__(self, size: int = LARGEST, lines: int = MOST_LINES) -> None:
        self._size = size
        self._lines = lines

    @property
    def spent(self) -> bool:
        """Whether there was more than may be read."""
        return self._size < 0 or self._lines < 0

    def take(self, size: int, lines: int) -> bool:
        """Whether so many bytes and lines may be read. After the first that may not, none may."""
        self._size -= size
        self._lines -= lines
        return not self.spent

    def lines(self, stream: Iterable[bytes]) -> Iterator[bytes]:
        """The lines of the stream, as long as they may be read."""
        for line in stream:
            if not self.take(len(line), 1):
                return
            yield line
