"""The lines of a text file, numbered as git numbers them."""

from __future__ import annotations

from typing import NamedTuple


class Line(NamedTuple):
    """A line of a file, by its number from 1, without its line end."""

    number: int
    text: str


def lines_of(text: str) -> tuple[str, ...]:
    """The lines of a file's text as git counts them, so that line 1 is the first of them.

    `str.splitlines` also ends lines at form feeds and other characters.
    """
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    return tuple(lines if lines[-1] else lines[:-1])
