"""The added lines of a change as one text, which a pattern searches in one pass."""

# Governing: ADR-0021 (a decision's own rules run in linear time), SPEC-0010 REQ "Decision rules"

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from sdd_hooks.changes.change import ChangedFile
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.text.linear_regex import Pattern, encode
from sdd_hooks.text.lines import NumberedLine, line_texts


class PatternMatch(NamedTuple):
    """An added line that matches."""

    file: ChangedFile
    line: NumberedLine


@dataclass(frozen=True)
class AddedText:
    """The added lines of several files, joined."""

    files: tuple[ChangedFile, ...]
    data: bytes
    _starts: tuple[int, ...]

    def search(
        self, pattern: Pattern, *, limit: int, limit_per_file: int
    ) -> Iterator[PatternMatch]:
        """Find the first match of each line, `limit` matches and `limit_per_file` at most."""
        position = count = count_in_file = 0
        current = -1
        while count < limit and (start := pattern.find(self.data, position)) is not None:
            index = bisect_right(self._starts, start) - 1
            if index != current:
                current, count_in_file = index, 0
            first = self.data.rfind(b"\n", 0, start) + 1
            last = self.data.find(b"\n", start)
            number = self.data.count(b"\n", self._starts[index], first)
            file = self.files[index]
            yield PatternMatch(file, file.added[number])
            count += 1
            count_in_file += 1
            position = last + 1
            if count_in_file == limit_per_file:
                position = self._starts[index + 1]
            if position >= len(self.data):
                return


def join_added_lines(files: Sequence[ChangedFile]) -> AddedText:
    """Join the added lines of the files. A file can have none."""
    pieces = [encode("".join([f"{text}\n" for text in line_texts(file.added)])) for file in files]
    starts = tuple(accumulate((len(piece) for piece in pieces), initial=0))
    return AddedText(tuple(files), b"".join(pieces), starts)
