"""Arguments in their usual spellings, parsed without click, whose import takes 18 to 28 ms.

What is returned is what click would return. Everything else (help, errors, `--option=value`, an
option of another command) is left to click.
"""

# Governing: SPEC-0005 REQ "Lazy commands"

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TypeVar

from sdd_hooks.named_tuple import NamedTuple

_Default = TypeVar("_Default")


class PlainArguments(NamedTuple):
    """The words, the flags, and the values of each other option, in their order."""

    words: tuple[str, ...]
    flags: frozenset[str]
    values: dict[str, list[str]]

    def last(self, option: str, default: _Default) -> str | _Default:
        """Return the last value of an option."""
        values = self.values.get(option)
        return values[-1] if values else default


def parse_plain(
    arguments: Sequence[str], flags: Collection[str], options: Collection[str]
) -> PlainArguments | None:
    """Parse arguments with these flags and options with a value; None if click has to decide."""
    words: list[str] = []
    found: set[str] = set()
    values: dict[str, list[str]] = {}
    remaining = iter(arguments)
    for argument in remaining:
        if argument in flags:
            found.add(argument)
        elif argument in options:
            value = next(remaining, "-")
            if value.startswith("-"):
                return None
            values.setdefault(argument, []).append(value)
        elif argument.startswith("-"):
            return None
        else:
            words.append(argument)
    return PlainArguments(tuple(words), frozenset(found), values)


def whole_number(text: str, least: int, greatest: int) -> int | None:
    """Return a number in plain digits between the limits; None for another text."""
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        return None
    number = int(text)
    return number if least <= number <= greatest else None


def share(text: str) -> float | None:
    """Return a number from 0 to 1 in plain digits, such as `0.3`; None for another text."""
    whole, _, decimals = text.partition(".")
    if not (text.isascii() and (whole + decimals).isdigit() and len(text) < 20):
        return None
    number = float(text)
    return number if number <= 1 else None
