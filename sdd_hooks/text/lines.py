"""The lines of a text file, numbered as git numbers them."""

from __future__ import annotations

from typing import NamedTuple


class NumberedLine(NamedTuple):
    """A line of a file with its 1-based number, without its line ending."""

    number: int
    text: str


def split_lines(text: str) -> tuple[str, ...]:
    """Split a file's text at line feeds, as git does, and drop the line endings.

    `str.splitlines` would also split at form feeds and other separators, and shift the numbers.
    """
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    return tuple(lines if lines[-1] else lines[:-1])
