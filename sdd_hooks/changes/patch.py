"""Parse the patches that git writes: added and removed lines of any content.

The header of a hunk has the number of its lines, so that no line can pass for a header.
"""

# Governing: ADR-0012 (untrusted input never leaves the repository), SPEC-0010 REQ "Any change"

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.text.decoding import decode
from sdd_hooks.text.lazy_regex import lazy_regex
from sdd_hooks.text.lines import NumberedLine

MAX_LINE = 2_000
"""Characters that are kept of a line."""

_HUNK = lazy_regex(rb"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_BEGIN = (b"diff --git ", b"* Unmerged path ")
_BINARY = b"Binary files "
_MARK = "\ufeff"


class Patch(NamedTuple):
    """The patch of one file.

    `binary` is whether git shows no lines of it, `whitespace` whether the lines differ in nothing
    but whitespace, `cut` whether an added line was longer than `MAX_LINE`.
    """

    added: tuple[NumberedLine, ...] = ()
    removed: tuple[NumberedLine, ...] = ()
    binary: bool = False
    whitespace: bool = False
    cut: bool = False


def parse_patches(lines: Iterable[bytes]) -> Iterator[Patch]:
    """The patches in the output of `git diff`, in order, with any number of context lines.

    The lines have their line ends. A file whose type changes has two patches, an unmerged file an
    empty one. Never raises.
    """
    reader: _PatchReader | None = None
    rest = iter(lines)
    for line in rest:
        if line.startswith(_BEGIN):
            if reader:
                yield reader.patch()
            reader = _PatchReader()
        elif reader and (hunk := _HUNK.match(line)):
            reader.read(hunk, rest)
        elif reader and line.startswith(_BINARY):
            reader.binary = True
    if reader:
        yield reader.patch()


def decode_line(data: bytes, number: int) -> tuple[str, bool]:
    """The text of line `number`, 1-based, without its end, and whether it was cut."""
    if len(data) < MAX_LINE and data.isascii():
        return data.decode().removesuffix("\n").removesuffix("\r"), False
    # A character takes at most four bytes. One more than is kept shows that the line is cut.
    max_bytes = (MAX_LINE + 1) * 4
    if len(data) > max_bytes:
        end = max_bytes
        while end > max_bytes - 3 and data[end] & 0xC0 == 0x80:
            end -= 1
        data = data[:end]
    try:
        text = data.decode()
    except UnicodeDecodeError:
        # The blank keeps a byte-order mark inside a file from being decoded as one.
        text = decode(b" " + data)[1:]
    if number == 1:
        text = text.removeprefix(_MARK)
    text = text.removesuffix("\n")
    if len(text) > MAX_LINE:
        return text[:MAX_LINE], True
    return text.removesuffix("\r"), False


class _PatchReader:
    """The lines of one patch, read hunk by hunk."""

    def __init__(self) -> None:
        self.binary = False
        self._added: list[NumberedLine] = []
        self._removed: list[NumberedLine] = []
        self._cut = False
        self._hunks = 0
        self._whitespace = True

    def read(self, hunk: re.Match[bytes], lines: Iterator[bytes]) -> None:
        """Read a hunk: as many lines as its header has."""
        self._hunks += 1
        old, new = int(hunk[1]), int(hunk[3])
        end_old, end_new = old + int(hunk[2] or 1), new + int(hunk[4] or 1)
        # Both sides without whitespace, as long as nothing else differs.
        before, after = bytearray(), bytearray()
        add, remove = self._added.append, self._removed.append
        while old < end_old or new < end_new:
            line = next(lines, b"")
            sign = line[:1]
            if sign == b"+":
                text, cut = decode_line(line[1:], new)
                add(NumberedLine(new, text))
                if cut:
                    self._cut = True
                if self._whitespace:
                    after += b"".join(line[1:].split())
                    # They differ if the other side is complete and shorter.
                    if old >= end_old and len(after) > len(before):
                        self._whitespace = False
                new += 1
            elif sign == b"-":
                remove(NumberedLine(old, decode_line(line[1:], old)[0]))
                if self._whitespace:
                    before += b"".join(line[1:].split())
                old += 1
            elif not sign:
                self._whitespace = False
                return
            elif sign != b"\\":
                # Both sides are equal up to an unchanged line, unless a line moved across it.
                self._whitespace = self._whitespace and before == after
                before.clear()
                after.clear()
                old += 1
                new += 1
        self._whitespace = self._whitespace and before == after

    def patch(self) -> Patch:
        """The patch of the lines read so far."""
        whitespace = self._whitespace and self._hunks > 0
        return Patch(tuple(self._added), tuple(self._removed), self.binary, whitespace, self._cut)
