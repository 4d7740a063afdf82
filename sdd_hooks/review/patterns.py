"""Regular expressions that run in linear time, and the added lines that they search.

The engine is RE2, which has no lookaround and no backreferences, and whose time is proportional to
the text for every pattern. A pattern matches within one line; `^` and `$` match its ends. The
syntax: https://github.com/google/re2/wiki/Syntax.
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

MAX_PATTERN = 1_000
"""Characters of a pattern."""
MAX_INSTRUCTIONS = 500
"""Instructions of a compiled pattern: the upper bound of its cost for each byte of text."""
MAX_STATES_BYTES = 1 << 20
"""Bytes for the cached states of a pattern. Beyond them matching is slower, and still linear."""


class PatternError(ValueError):
    """An invalid pattern. The message gives the reason, without the pattern itself."""


@dataclass(frozen=True)
class Pattern:
    """A compiled pattern. `size` is its number of instructions."""

    source: str
    size: int
    _compiled: re2._Regexp

    def find(self, data: bytes, start: int = 0) -> tuple[int, int] | None:
        """Find the first match at or after `start`: its first byte and the one after its last."""
        match = self._compiled.search(data, start)
        return match.span() if match else None

    def matches(self, text: str) -> bool:
        """Whether a line of `text` matches."""
        return self.find(encode(text)) is not None


def compile_pattern(source: str, *, ignore_case: bool = False) -> Pattern:
    """Compile a pattern. Raises PatternError when it is invalid, too large, or matches any line."""
    import re2

    if not source:
        raise PatternError("it is empty")
    if len(source) > MAX_PATTERN:
        raise PatternError(f"it is longer than {MAX_PATTERN:,} characters")
    options = re2.Options()
    options.log_errors = False
    options.max_mem = MAX_STATES_BYTES
    options.never_nl = True
    options.case_sensitive = not ignore_case
    try:
        # Without the flag first: `(?m)` in front could complete an invalid pattern.
        re2.compile(encode(source), options)
        compiled = re2.compile(b"(?m)" + encode(source), options)
    except re2.error as error:
        raise PatternError(_explain(error)) from None
    if compiled.programsize > MAX_INSTRUCTIONS:
        raise PatternError("it repeats too much: use smaller numbers in {}")
    if compiled.search(b""):
        raise PatternError("it matches an empty line, and so every line")
    return Pattern(source, compiled.programsize, compiled)


def encode(text: str) -> bytes:
    """Encode text for RE2. A surrogate becomes a question mark."""
    return text.encode("utf-8", "replace")


class PatternMatch(NamedTuple):
    """A match on an added line; `start` and `end` are columns in characters from 0."""

    file: ChangedFile
    line: NumberedLine
    start: int
    end: int


@dataclass(frozen=True)
class AddedText:
    """The added lines of several files as one text, which a pattern searches in one pass."""

    files: tuple[ChangedFile, ...]
    data: bytes
    _starts: tuple[int, ...]

    def search(
        self, pattern: Pattern, *, limit: int, limit_per_file: int
    ) -> Iterator[PatternMatch]:
        """Find the first match of each line, `limit` matches and `limit_per_file` at most."""
        position = count = count_in_file = 0
        current = -1
        while count < limit and (span := pattern.find(self.data, position)):
            start, end = span
            index = bisect_right(self._starts, start) - 1
            if index != current:
                current, count_in_file = index, 0
            first = self.data.rfind(b"\n", 0, start) + 1
            last = self.data.find(b"\n", start)
            number = self.data.count(b"\n", self._starts[index], first)
            before = len(self.data[first:start].decode("utf-8", "replace"))
            length = len(self.data[start:end].decode("utf-8", "replace"))
            file = self.files[index]
            yield PatternMatch(file, file.added[number], before, before + length)
            count += 1
            count_in_file += 1
            position = last + 1
            if count_in_file == limit_per_file:
                position = self._starts[index + 1]
            if position >= len(self.data):
                return


def join_added_lines(files: Sequence[ChangedFile]) -> AddedText:
    """Join the added lines of the files. A file can have none."""
    pieces = [encode("".join(f"{text}\n" for _, text in file.added)) for file in files]
    starts = tuple(accumulate((len(piece) for piece in pieces), initial=0))
    return AddedText(tuple(files), b"".join(pieces), starts)


def _explain(error: Exception) -> str:
    """The message of RE2, or a plainer one for its most frequent errors."""
    argument = error.args[0] if error.args else ""
    text = argument.decode("utf-8", "replace") if isinstance(argument, bytes) else str(argument)
    text = text.replace("(?m)", "", 1)
    if text.startswith("invalid perl operator: (?"):
        return f"RE2 has no lookahead and no lookbehind ({text})"
    if text.startswith("invalid escape sequence: \\") and text[-1:].isdigit():
        return f"RE2 has no backreference ({text})"
    if text.startswith("pattern too large"):
        return "it repeats too much: use smaller numbers in {}"
    return text
