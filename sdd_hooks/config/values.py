"""What the value of a setting may be. Each reader turns text into a value or raises ValueError.

The message of the error completes the sentence "Key must be …".
"""

from __future__ import annotations

import re
from collections.abc import Callable

from sdd_hooks.text.durations import parse_duration

Reader = Callable[[str], object]

_YES = frozenset({"true", "yes", "on", "enabled", "1"})
_NO = frozenset({"false", "no", "off", "disabled", "0"})
_NOTE = re.compile(r"(?<!\s)\s+\([^()]*\)$")
_REF = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/-]{0,99}")


def text(value: str) -> str:
    """Anything."""
    return value


def word(value: str) -> str:
    """A name, in lower case."""
    return value.lower()


def flag(value: str) -> bool:
    """`true` or `false`, and the words people use for them."""
    word = _bare(value).lower()
    if word in _YES:
        return True
    if word in _NO:
        return False
    raise ValueError("true or false")


def count(least: int, most: int) -> Reader:
    """A reader of whole numbers from `least` to `most`."""

    def read(value: str) -> int:
        digits = _bare(value)
        if re.fullmatch(r"[0-9]{1,9}", digits) and least <= int(digits) <= most:
            return int(digits)
        raise ValueError(f"a whole number from {least} to {most}")

    return read


def duration(value: str) -> float:
    """A duration, in seconds."""
    try:
        return parse_duration(_bare(value))
    except ValueError:
        raise ValueError("a duration such as 30m, 4h or 1h30m") from None


def share(value: str) -> float:
    """A percentage, as a number from 0 to 1."""
    match = re.fullmatch(r"([0-9]{1,3}(?:\.[0-9]{1,6})?)\s*(%?)", _bare(value))
    if match:
        number = float(match[1])
        number = number if number <= 1 and not match[2] else number / 100
        if number <= 1:
            return number
    raise ValueError("a percentage such as 50%")


def choice(*names: str) -> Reader:
    """A reader of one of `names`, whatever its case, with blanks or underscores for hyphens."""

    def read(value: str) -> str:
        name = re.sub(r"[\s_]+", "-", _bare(value).lower())
        if name in names:
            return name
        raise ValueError(f"{', '.join(names[:-1])} or {names[-1]}")

    return read


def words(value: str) -> tuple[str, ...]:
    """Several values, separated by commas."""
    return tuple(part for part in (item.strip(" `\"'") for item in value.split(",")) if part)


def ref_part(value: str) -> str:
    """Something that can stand in the name of a git branch."""
    if _REF.fullmatch(value) and ".." not in value and not value.endswith((".", ".lock")):
        return value.rstrip("/")
    raise ValueError("letters, digits, '-', '_', '.' and '/' as in the name of a branch")


def _bare(value: str) -> str:
    """The value without a note in parentheses."""
    return _NOTE.sub("", value).strip("` ")
