"""The lines of a text file, numbered as git numbers them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

from sdd_hooks.named_tuple import NamedTuple


class NumberedLine(NamedTuple):
    """A line of a file with its 1-based number, without its line ending."""

    number: int
    text: str


class TextLines(Sequence[NumberedLine]):
    """The lines of a text that is known as a whole, numbered from 1."""

    @property
    @abstractmethod
    def text(self) -> str:
        """The text."""

    @property
    @abstractmethod
    def texts(self) -> Sequence[str]:
        """The text of each line."""


def join_lines(lines: Sequence[NumberedLine]) -> str:
    """The lines as one text, which has them in order between line feeds."""
    if isinstance(lines, TextLines):
        return lines.text
    return "\n".join(line_texts(lines))


def line_texts(lines: Sequence[NumberedLine]) -> Sequence[str]:
    """The text of each line."""
    if isinstance(lines, TextLines):
        return lines.texts
    return [line.text for line in lines]


def pick_lines(lines: Sequence[NumberedLine], indexes: Sequence[int]) -> dict[int, str]:
    """The texts of the lines at these indexes, in order, by their numbers."""
    texts = line_texts(lines) if indexes else ()
    if isinstance(lines, TextLines):
        return {index + 1: texts[index] for index in indexes if index < len(texts)}
    return {lines[index].number: texts[index] for index in indexes}


def split_lines(text: str) -> tuple[str, ...]:
    """Split a file's text at line feeds, as git does, and drop the line endings.

    `str.splitlines` would also split at form feeds and other separators, and shift the numbers.
    """
    lines = text.split("\n")
    if "\r" in text:
        lines = [line.removesuffix("\r") for line in lines]
    return tuple(lines if lines[-1] else lines[:-1])
