"""Regular expressions that run in linear time, whoever wrote them, and the added lines they read.

The engine is RE2: no lookaround and no backreference, and no pattern that takes more than time in
proportion to the text. A pattern is matched within a line; `^` and `$` are its ends. The syntax is
that of https://github.com/google/re2/wiki/Syntax.
"""

# Governing: ADR-0021 (a decision's own rules run in linear time), SPEC-0010 REQ "Decision rules"

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from sdd_hooks.changes.change import ChangedFile
from sdd_hooks.text.lines import NumberedLine

if TYPE_CHECKING:
    import re2

LONGEST = 1_000
"""Characters of a pattern."""
LARGEST = 500
"""Instructions of a compiled pattern: what a byte of text can cost at the worst."""
MEMORY = 1 << 20
"""Bytes that the states of a pattern may take; past them it gets slower, and stays linear."""


class PatternError(ValueError):
    """A pattern that cannot be used. The message is the reason, without the pattern."""


@dataclass(frozen=True)
class Pattern:
    """A compiled pattern. `size` is its number of instructions."""

    source: str
    size: int
    _compiled: re2._Regexp

    def find(self, data: bytes, start: int = 0) -> tuple[int, int] | None:
        """Where the first match at or after `start` begins and ends, in bytes."""
        match = self._compiled.search(data, start)
        return match.span() if match else None

    def matches(self, text: str) -> bool:
        """Whether a line of `text` matches."""
        return self.find(encoded(text)) is not None


def compile_pattern(source: str, *, ignore_case: bool = False) -> Pattern:
    """Compile what somebody wrote. Raises PatternError with what is wrong with it."""
    import re2

    if not source:
        raise PatternError("it is empty")
    if len(source) > LONGEST:
        raise PatternError(f"it is longer than {LONGEST:,} characters")
    options = re2.Options()
    options.log_errors = False
    options.max_mem = MEMORY
    options.never_nl = True
    options.case_sensitive = not ignore_case
    try:
        # Alone first: the flag in front must not make one out of two halves.
        re2.compile(encoded(source), options)
        compiled = re2.compile(b"(?m)" + encoded(source), options)
    except re2.error as error:
        raise PatternError(_explained(error)) from None
    if compiled.programsize > LARGEST:
        raise PatternError("it repeats too much: use smaller numbers in {}")
    if compiled.search(b""):
        raise PatternError("it matches an empty line, and so every line")
    return Pattern(source, compiled.programsize, compiled)


def encoded(text: str) -> bytes:
    """Text as RE2 reads it. What is no Unicode is a question mark."""
    return text.encode("utf-8", "replace")


class Hit(NamedTuple):
    """A match on an added line: the file, the line, and the columns in characters, from 0."""

    file: ChangedFile
    line: NumberedLine
    start: int
    end: int


@dataclass(frozen=True)
class AddedText:
    """The added lines of some files as one text, so that a pattern reads them in one pass."""

    files: tuple[ChangedFile, ...]
    data: bytes
    _starts: tuple[int, ...]

    def search(self, pattern: Pattern, *, most: int, most_of_file: int) -> Iterator[Hit]:
        """The first match of each line that has one, up to `most` and `most_of_file` of a file."""
        position = found = found_here = 0
        current = -1
        while found < most and (span := pattern.find(self.data, position)):
            start, end = span
            index = bisect_right(self._starts, start) - 1
            if index != current:
                current, found_here = index, 0
            first = self.data.rfind(b"\n", 0, start) + 1
            last = self.data.find(b"\n", start)
            number = self.data.count(b"\n", self._starts[index], first)
            before = len(self.data[first:start].decode("utf-8", "replace"))
            length = len(self.data[start:end].decode("utf-8", "replace"))
            file = self.files[index]
            yield Hit(file, file.added[number], before, before + length)
            found += 1
            found_here += 1
            position = last + 1
            if found_here == most_of_file:
                position = self._starts[index + 1]
            if position >= len(self.data):
                return


def added_text(files: Sequence[ChangedFile]) -> AddedText:
    """The added lines of the files; a file may have none."""
    pieces = [encoded("".join(f"{text}\n" for _, text in file.added)) for file in files]
    starts = tuple(accumulate((len(piece) for piece in pieces), initial=0))
    return AddedText(tuple(files), b"".join(pieces), starts)


def _explained(error: Exception) -> str:
    said = error.args[0] if error.args else ""
    text = said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)
    text = text.replace("(?m)", "", 1)
    if text.startswith("invalid perl operator: (?"):
        return f"RE2 has no lookahead and no lookbehind ({text})"
    if text.startswith("invalid escape sequence: \\") and text[-1:].isdigit():
        return f"RE2 has no backreference ({text})"
    if text.startswith("pattern too large"):
        return "it repeats too much: use smaller numbers in {}"
    return text
