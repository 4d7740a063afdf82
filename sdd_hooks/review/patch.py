"""Read the patches that git writes: added and removed lines, whatever stands in them.

A hunk's header says how many lines it has, so that a line which looks like a header is none.
"""

# Governing: ADR-0012 (untrusted input never leaves the repository), SPEC-0010 REQ "Any change"

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from sdd_hooks.artifacts.text import decode
from sdd_hooks.review.change import Line

LONGEST_LINE = 2_000
"""Characters of a line that are kept."""

_HUNK = re.compile(rb"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_BEGIN = (b"diff --git ", b"* Unmerged path ")
_BINARY = b"Binary files "
_MARK = "\ufeff"


class Patch(NamedTuple):
    """What git says of one file.

    `binary` is whether git shows no lines of it, `whitespace` whether nothing but whitespace
    differs, `cut` whether an added line is longer than is kept.
    """

    added: tuple[Line, ...] = ()
    removed: tuple[Line, ...] = ()
    binary: bool = False
    whitespace: bool = False
    cut: bool = False


def read_patches(lines: Iterable[bytes]) -> Iterator[Patch]:
    """The patches in what `git diff` writes, in their order, with any number of context lines.

    The lines have their line ends. A type that changes is two patches, an unmerged file an empty
    one. Never raises.
    """
    reader: _Reader | None = None
    for line in lines:
        if reader and reader.expects:
            reader.take(line)
        elif line.startswith(_BEGIN):
            if reader:
                yield reader.patch()
            reader = _Reader()
        elif reader and (hunk := _HUNK.match(line)):
            reader.begin(hunk)
        elif reader and line.startswith(_BINARY):
            reader.binary = True
    if reader:
        yield reader.patch()


def line_text(data: bytes, number: int) -> tuple[str, bool]:
    """The text of a line without its end, decoded as its file is, and whether it was cut."""
    # No character takes more than four bytes, and one more must be there to be cut.
    most = (LONGEST_LINE + 1) * 4
    if len(data) > most:
        end = most
        while end > most - 3 and data[end] & 0xC0 == 0x80:
            end -= 1
        data = data[:end]
    else:
        data = data.removesuffix(b"\n")
    try:
        text = data.decode()
    except UnicodeDecodeError:
        # Only the beginning of a file has a byte-order mark.
        text = decode(b" " + data)[1:]
    if number == 1:
        text = text.removeprefix(_MARK)
    if len(text) > LONGEST_LINE:
        return text[:LONGEST_LINE], True
    return text.removesuffix("\r"), False


class _Reader:
    """A patch as far as it has been read."""

    def __init__(self) -> None:
        self.binary = False
        self._added: list[Line] = []
        self._removed: list[Line] = []
        self._cut = False
        self._old = self._new = 0
        self._old_left = self._new_left = 0
        self._hunks = 0
        self._whitespace = True
        # The hunk without whitespace, as long as there may be nothing else in the patch.
        self._before = bytearray()
        self._after = bytearray()

    @property
    def expects(self) -> bool:
        """Whether lines of a hunk are still to come."""
        return self._old_left > 0 or self._new_left > 0

    def begin(self, hunk: re.Match[bytes]) -> None:
        """A hunk's header."""
        self._compare()
        self._hunks += 1
        self._old, self._new = int(hunk[1]), int(hunk[3])
        self._old_left, self._new_left = (int(hunk[n] or 1) for n in (2, 4))

    def take(self, line: bytes) -> None:
        """A line of a hunk."""
        sign = line[:1]
        if sign == b"+":
            text, cut = line_text(line[1:], self._new)
            self._added.append(Line(self._new, text))
            self._cut = self._cut or cut
            if self._whitespace:
                self._after += b"".join(line[1:].split())
            self._new += 1
            self._new_left -= 1
        elif sign == b"-":
            self._removed.append(Line(self._old, line_text(line[1:], self._old)[0]))
            if self._whitespace:
                self._before += b"".join(line[1:].split())
            self._old += 1
            self._old_left -= 1
        elif sign != b"\\":
            self._old += 1
            self._new += 1
            self._old_left -= 1
            self._new_left -= 1

    def patch(self) -> Patch:
        """What was read."""
        self._compare()
        whitespace = self._whitespace and self._hunks > 0 and not self.expects
        return Patch(tuple(self._added), tuple(self._removed), self.binary, whitespace, self._cut)

    def _compare(self) -> None:
        self._whitespace = self._whitespace and self._before == self._after
        self._before.clear()
        self._after.clear()
