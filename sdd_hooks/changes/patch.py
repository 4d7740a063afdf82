"""Read the patches that git writes: added and removed lines, whatever stands in them.

A hunk's header says how many lines it has, so that a line which looks like a header is none.
"""

# Governing: ADR-0012 (untrusted input never leaves the repository), SPEC-0010 REQ "Any change"

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from sdd_hooks.text.decoding import decode
from sdd_hooks.text.lines import NumberedLine

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

    added: tuple[NumberedLine, ...] = ()
    removed: tuple[NumberedLine, ...] = ()
    binary: bool = False
    whitespace: bool = False
    cut: bool = False


def read_patches(lines: Iterable[bytes]) -> Iterator[Patch]:
    """The patches in what `git diff` writes, in their order, with any number of context lines.

    The lines have their line ends. A type that changes is two patches, an unmerged file an empty
    one. Never raises.
    """
    reader: _Reader | None = None
    rest = iter(lines)
    for line in rest:
        if line.startswith(_BEGIN):
            if reader:
                yield reader.patch()
            reader = _Reader()
        elif reader and (hunk := _HUNK.match(line)):
            reader.read(hunk, rest)
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
    try:
        text = data.decode()
    except UnicodeDecodeError:
        # Only the beginning of a file has a byte-order mark.
        text = decode(b" " + data)[1:]
    if number == 1:
        text = text.removeprefix(_MARK)
    text = text.removesuffix("\n")
    if len(text) > LONGEST_LINE:
        return text[:LONGEST_LINE], True
    return text.removesuffix("\r"), False


class _Reader:
    """A patch as far as it has been read."""

    def __init__(self) -> None:
        self.binary = False
        self._added: list[NumberedLine] = []
        self._removed: list[NumberedLine] = []
        self._cut = False
        self._hunks = 0
        self._whitespace = True

    def read(self, hunk: re.Match[bytes], lines: Iterator[bytes]) -> None:
        """A hunk: as many lines as its header says."""
        self._hunks += 1
        old, new = int(hunk[1]), int(hunk[3])
        end_old, end_new = old + int(hunk[2] or 1), new + int(hunk[4] or 1)
        # What both sides are without whitespace, as long as nothing else differs.
        before, after = bytearray(), bytearray()
        add, remove = self._added.append, self._removed.append
        while old < end_old or new < end_new:
            line = next(lines, b"")
            sign = line[:1]
            if sign == b"+":
                text, cut = line_text(line[1:], new)
                add(NumberedLine(new, text))
                if cut:
                    self._cut = True
                if self._whitespace:
                    after += b"".join(line[1:].split())
                    # With nothing left to come on the other side, both differ.
                    self._whitespace = old < end_old or len(after) <= len(before)
                new += 1
            elif sign == b"-":
                remove(NumberedLine(old, line_text(line[1:], old)[0]))
                if self._whitespace:
                    before += b"".join(line[1:].split())
                old += 1
            elif not sign:
                self._whitespace = False
                return
            elif sign != b"\\":
                # A line that moved is the same on both sides of what stayed.
                self._whitespace = self._whitespace and before == after
                before.clear()
                after.clear()
                old += 1
                new += 1
        self._whitespace = self._whitespace and before == after

    def patch(self) -> Patch:
        """What was read."""
        whitespace = self._whitespace and self._hunks > 0
        return Patch(tuple(self._added), tuple(self._removed), self.binary, whitespace, self._cut)
