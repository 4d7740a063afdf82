"""The lines that a change adds, as a model is shown them, and which of them it quotes."""

# Governing: SPEC-0010 REQ "Judge"

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from sdd_hooks.review.change import ChangedFile, Line
from sdd_hooks.review.judge.question import Part, data, visible
from sdd_hooks.review.judge.quotes import squeezed

_LONGEST = 300
"""Characters of a line that are shown."""

_FEWEST_LETTERS = 4


class Shown(NamedTuple):
    """The part that a question has, and how many of the added lines are in it."""

    part: Part
    lines: int


def added_part(files: Iterable[ChangedFile], most: int) -> Shown:
    """Added lines with their numbers, below the paths of their files, in `most` characters.

    Where that is not enough for all, every file has the same room, and short files leave theirs to
    longer ones.
    """
    texts = {file.path: [_shown(line) for line in file.added] for file in files if file.added}
    room = most
    kept: dict[str, list[str]] = {}
    for left, path in enumerate(sorted(texts, key=lambda one: (_size(texts[one]), one)), 1):
        head = data(path=path)
        share = room // (len(texts) - left + 1) - len(head) - 1
        lines: list[str] = []
        for text in texts[path]:
            share -= len(text) + 1
            if share < 0:
                break
            lines.append(text)
        if lines:
            kept[path] = [head, *lines]
            room -= _size(kept[path])
    shown = [line for path in texts for line in kept.get(path, ())]
    count = len(shown) - len(kept)
    return Shown(Part("added lines", "\n".join(shown)), count)


def find_added(files: Sequence[ChangedFile], path: str, quote: str, near: int) -> Line | None:
    """The added line of `path` that `quote` is, the closest to line `near`; None when none is.

    White space does not count, but the line has to be whole, as it is or as it was shown. A line of
    punctuation proves nothing.
    """
    wanted = squeezed(visible(quote))
    if sum(map(str.isalnum, wanted)) < _FEWEST_LETTERS:
        return None
    lines = (line for file in files if file.path == path for line in file.added)
    found = [line for line in lines if wanted in _readings(line)]
    return min(found, key=lambda line: abs(line.number - near), default=None)


def _shown(line: Line) -> str:
    return f"{line.number}: {visible(line.text.expandtabs(4))[:_LONGEST]}"


def _readings(line: Line) -> tuple[str, str]:
    text = visible(line.text)
    return squeezed(text), squeezed(visible(line.text.expandtabs(4))[:_LONGEST])


def _size(lines: Iterable[str]) -> int:
    return sum(len(line) + 1 for line in lines)
