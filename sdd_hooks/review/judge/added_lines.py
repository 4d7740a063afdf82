"""The lines that a change adds, as a model is shown them, and which of them it quotes."""

# Governing: SPEC-0010 REQ "Judge"

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from sdd_hooks.changes.change import ChangedFile
from sdd_hooks.code.paths import is_external
from sdd_hooks.review.judge.prompt import Part, data, visible
from sdd_hooks.review.judge.quotes import squeezed
from sdd_hooks.text.lines import NumberedLine

_LONGEST = 300
"""Characters of a line that are shown."""

_FEWEST_LETTERS = 4


class Shown(NamedTuple):
    """The part that a question has, and the added lines in it by the paths of their files."""

    part: Part
    lines: Mapping[str, Sequence[NumberedLine]]

    @property
    def total(self) -> int:
        """How many lines it shows."""
        return sum(map(len, self.lines.values()))


def added_part(files: Iterable[ChangedFile], most: int) -> Shown:
    """Added lines with their numbers, below the paths of their files, in `most` characters.

    Blank lines are left out, and what nobody here wrote, vendored or generated. Where the room is
    not enough for all, every file has the same, and short files leave theirs to longer ones.
    """
    added = {
        file.path: _within(written(file), most)
        for file in files
        if file.added and not is_external(file.path)
    }
    room = most
    kept: dict[str, Sequence[NumberedLine]] = {}
    for done, path in enumerate(sorted(added, key=lambda one: (_size(added[one]), one))):
        head = len(data(path=path)) + 1
        if lines := _within(added[path], room // (len(added) - done) - head):
            kept[path] = lines
            room -= head + _size(lines)
    texts = [
        text
        for path in added
        if path in kept
        for text in (data(path=path), *map(_numbered, kept[path]))
    ]
    return Shown(Part("added lines", "\n".join(texts)), kept)


def find_added(shown: Shown, path: str, quote: str, near: int) -> NumberedLine | None:
    """The line of `path` that `quote` is, the closest to line `near`; None when it was not shown.

    White space does not count, but the line has to be whole, as it is or as it was shown. A line of
    punctuation proves nothing.
    """
    wanted = squeezed(visible(quote))
    if sum(map(str.isalnum, wanted)) < _FEWEST_LETTERS:
        return None
    found = [
        line
        for line in shown.lines.get(path, ())
        if wanted in (squeezed(visible(line.text)), squeezed(_seen(line)))
    ]
    return min(found, key=lambda line: abs(line.number - near), default=None)


def written(file: ChangedFile) -> Iterator[NumberedLine]:
    """The added lines that are not blank."""
    return (line for line in file.added if line.text.strip())


def _within(lines: Iterable[NumberedLine], most: int) -> list[NumberedLine]:
    """The first lines, as far as `most` characters of a part go."""
    found = []
    for line in lines:
        most -= len(_numbered(line)) + 1
        if most < 0:
            break
        found.append(line)
    return found


def _numbered(line: NumberedLine) -> str:
    return f"{line.number}: {_seen(line)}"


def _seen(line: NumberedLine) -> str:
    return visible(line.text[:_LONGEST].expandtabs(4))[:_LONGEST]


def _size(lines: Iterable[NumberedLine]) -> int:
    return sum(len(_numbered(line)) + 1 for line in lines)
