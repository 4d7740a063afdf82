"""Match paths with globs, in time that no pattern or path can blow up.

`*`, `?` and `[…]` stay within one part of a path, a part `**` stands for any number of them, and
`{a,b}` for one or the other. What is not closed stands for itself.
"""

# Governing: ADR-0012 (no path leaves the repository)

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from fnmatch import translate

# As many patterns as braces may become.
MOST_ALTERNATIVES = 100

_BRACES = re.compile(r"\{([^{}]*,[^{}]*)\}")

_Part = Callable[[str], object] | None
"""Whether one part of a path matches; None stands for `**`."""


def compile_glob(pattern: str) -> Callable[[str], bool]:
    """A function that says whether a whole `/`-separated path matches.

    Raises ValueError for a pattern with too many alternatives.
    """
    choices = [[_part(part) for part in one.split("/")] for one in alternatives(pattern)]

    def matches(path: str) -> bool:
        parts = path.split("/")
        return any(_match(wanted, parts) for wanted in choices)

    return matches


def alternatives(pattern: str) -> list[str]:
    """The patterns that the braces of one stand for. Raises ValueError when they are too many."""
    found = [""]
    position = 0
    for braces in _BRACES.finditer(pattern):
        before = pattern[position : braces.start()]
        found = [f"{start}{before}{choice}" for start in found for choice in braces[1].split(",")]
        if len(found) > MOST_ALTERNATIVES:
            raise ValueError(f"{{…}} stands for more than {MOST_ALTERNATIVES} patterns")
        position = braces.end()
    return [start + pattern[position:] for start in found]


def _part(pattern: str) -> _Part:
    if pattern == "**":
        return None
    try:
        return re.compile(translate(pattern)).match
    except re.error:
        # A range whose end comes before its start matches nothing but itself.
        return re.compile(re.escape(pattern) + r"\Z").match


def _match(wanted: Sequence[_Part], parts: Sequence[str]) -> bool:
    """Match part by part. On a mismatch it is enough that the last `**` takes one more."""
    at, part = 0, 0
    retry: tuple[int, int] | None = None
    while part < len(parts):
        matcher = wanted[at] if at < len(wanted) else _nothing
        if matcher is None:
            retry = (at, part)
            at += 1
        elif matcher(parts[part]):
            at, part = at + 1, part + 1
        elif retry:
            retry = (retry[0], retry[1] + 1)
            at, part = retry[0] + 1, retry[1]
        else:
            return False
    return at == len(wanted)


def _nothing(_: str) -> bool:
    return False
