"""A place where a pattern matches, and the text around it that confirms or clears it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from sdd_hooks.review.source_files import LONGEST_LINE
from sdd_hooks.text.lazy_regex import lazy_regex

LONGEST_BLOCK = 200
"""Lines above a match that are looked at."""
LONGEST_STATEMENT = 30
"""Lines of a call, a tag or an assignment."""

_BRACKETS = {"(": ")", "[": "]", "{": "}"}
_SAFE = lazy_regex(r"(?<!un)(?<!Un)escape|sanitiz|sanitis|purif|bleach|nh3", re.IGNORECASE)
_NAME = lazy_regex(r"[A-Za-z_]\w*")
_ASSIGNED = lazy_regex(r"(?<![\w.])([A-Za-z_]\w*)\s*(?::=|=(?!=))")
_NEAR = 40
_LITERAL = lazy_regex(
    r"""\s*\(?[a-zA-Z]{0,2}(?: "[^"\\\n]*(?:\\.[^"\\\n]*)*" | '[^'\\\n]*(?:\\.[^'\\\n]*)*'
    | `[^`\\$]*(?:\\.[^`\\$]*)*` )[ \t]*""",
    re.VERBOSE | re.DOTALL,
)
_CONDITION = lazy_regex(r"[^?\"'`\n]{1,100}\?(?![.?])")
_INTERPOLATED = lazy_regex(r"^\s*[rRbB]?[fF]|\#\{")


@dataclass(frozen=True)
class Site:
    """A match in the file at `path`: the line by its number from 1, and the columns from 0.

    `lines` are all of the file, as the change leaves it; `added` the numbers of those it adds.
    """

    path: str
    lines: Sequence[str]
    number: int
    start: int
    end: int
    added: frozenset[int]

    @property
    def line(self) -> str:
        """The line of the match."""
        return self.lines[self.number - 1]

    @property
    def matched(self) -> str:
        """What matches."""
        return self.line[self.start : self.end]

    @cached_property
    def whole(self) -> str:
        """The text of the file."""
        return "\n".join(self.lines)

    @cached_property
    def rest(self) -> str:
        """What follows the match, on its line and those of the same statement."""
        below = self.lines[self.number : self.number + LONGEST_STATEMENT]
        return "\n".join([self.line[self.end :], *(line[:LONGEST_LINE] for line in below)])

    @cached_property
    def above(self) -> Sequence[str]:
        """The lines of the same top-level definition above the match, its first one included."""
        first = max(0, self.number - 1 - LONGEST_BLOCK)
        for index in range(self.number - 2, first - 1, -1):
            line = self.lines[index]
            if line[:1].isalpha() or line[:1] == "@":
                return self.lines[index : self.number - 1]
        return self.lines[first : self.number - 1]

    @cached_property
    def arguments(self) -> Sequence[str]:
        """The arguments of the call whose opening bracket ends the match."""
        return tuple(_arguments(self.rest))

    def is_safe(self, expression: str) -> bool:
        """Whether the text has been through something that makes it harmless, as names tell."""
        if _SAFE.search(expression):
            return True
        return not self._made_safe.isdisjoint(_NAME.findall(expression))

    @cached_property
    def _made_safe(self) -> frozenset[str]:
        """The variables that are given what has been made harmless, some lines above."""
        lines = [line for line in self.above[-_NEAR:] if _SAFE.search(line)]
        return frozenset(name for line in lines for name in _ASSIGNED.findall(line))


class Hazard(NamedTuple):
    """What RE2 looks for in files with these suffixes, and what then confirms that it is one.

    `name` stands behind the rule's id; `message` says what is wrong and what to do.
    """

    name: str
    pattern: str
    suffixes: tuple[str, ...]
    message: str
    confirmed: Callable[[Site], bool]
    in_strings: bool = False


def is_constant(expression: str) -> bool:
    """Whether this is nothing but string literals, put together or chosen from."""
    end = _constant_end(expression)
    return end > 0 and not expression[end:].strip()


def begins_constant(text: str) -> bool:
    """Whether an expression that begins here is constant, and ends with a line or a bracket."""
    end = _constant_end(text)
    following = text[end:].lstrip(" \t")[:1]
    return end > 0 and (following in ";)}\"'>,\n" or "\n" in text[:end][-1:])


def _constant_end(text: str) -> int:
    """Where string literals with nothing inserted end; 0 when it does not begin with one."""
    chosen = _CONDITION.match(text)
    position = chosen.end() if chosen else 0
    end = 0
    while match := _LITERAL.match(text, position):
        if _INTERPOLATED.search(match[0]):
            return 0
        end = match.end()
        position = end + 1
        if text[end : end + 1] not in ("+", ".", ":"):
            return end
    # What is put together with a constant is not one.
    return 0


def _arguments(text: str) -> Iterator[str]:
    """What stands between the commas up to the closing bracket, or to the end of the text."""
    opened: list[str] = []
    quote = ""
    begin = 0
    for index, sign in enumerate(text):
        if quote:
            if sign == quote and text[index - 1] != "\\":
                quote = ""
        elif sign in "\"'`":
            quote = sign
        elif sign in _BRACKETS:
            opened.append(_BRACKETS[sign])
        elif opened and sign == opened[-1]:
            opened.pop()
        elif not opened and sign in ",)]}":
            yield text[begin:index].strip()
            begin = index + 1
            if sign != ",":
                return
    yield text[begin:].strip()
