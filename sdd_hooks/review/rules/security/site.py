"""A match of a hazardous pattern, and the text around it that confirms or refutes the hazard."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from sdd_hooks.code.source_files import MAX_LINE
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.text.lazy_regex import lazy_regex

MAX_LINES_ABOVE = 200
"""Lines above a match that are read."""
MAX_STATEMENT = 30
"""Lines of a call, a tag or an assignment that are read."""

_BRACKETS = {"(": ")", "[": "]", "{": "}"}
_SAFE = lazy_regex(
    r"(?<!un)(?<!Un)escape|sanitiz|sanitis|purif|bleach|nh3|strip_?tags|\besc(?:_?[a-z]{0,12})?\("
    r"|\bto_json\b|\bjson_encode\(",
    re.IGNORECASE,
)
# Calls whose result is HTML with escaped values. Markdown may contain HTML, so it is none of them.
_RENDERED = lazy_regex(
    r"(?<!template\.)\b(?:\w*(?:HTML|Html|_html|Svg|SVG|_svg)|[rR]ender(?!\w*[mM]arkdown)\w*"
    r"|ExecuteTemplate|highlight\w*|(?<=goldmark\.)New)\("
)
_NAME = lazy_regex(r"[A-Za-z_]\w*")
_ASSIGNED = lazy_regex(r"(?<![\w.])([A-Za-z_]\w*)\s*(?::=|=(?!=))")
# `ExecuteTemplate(&page, …)` writes to an argument.
_FILLED = lazy_regex(r"&([A-Za-z_]\w*)")
_MAX_LINES_TO_ASSIGNMENT = 40
_MAX_NAMES = 40
_LITERAL = lazy_regex(
    r"""\s*\(?[a-zA-Z]{0,2}(?: "[^"\\\n]*(?:\\.[^"\\\n]*)*" | '[^'\\\n]*(?:\\.[^'\\\n]*)*'
    | `[^`\\$]*(?:\\.[^`\\$]*)*` )[ \t]*""",
    re.VERBOSE | re.DOTALL,
)
_TEMPLATE_MARK = lazy_regex(r"\\.|`|\$\{|[{}]", re.DOTALL)
_CONDITION = lazy_regex(r"[^?\"'`\n]{1,100}\?(?![.?])")
_INTERPOLATED = lazy_regex(r"^\s*[rRbB]?[fF]|\#\{")


class OtherFiles(NamedTuple):
    """What the other files of a program show.

    `is_written` says whether people write something through it, by the stem of its name, and
    `is_named` whether a file other than the one at a path has a name in it.
    """

    is_written: Callable[[str], bool]
    is_named: Callable[[str, str], bool]


@dataclass(frozen=True)
class MatchSite:
    """A match in the file at `path`: line `number` from 1, columns `start` to `end` from 0.

    `lines` are all lines of the file after the change; `added` are the numbers of the added ones.
    """

    path: str
    lines: Sequence[str]
    number: int
    start: int
    end: int
    added: frozenset[int]
    others: OtherFiles

    @property
    def line(self) -> str:
        """The line of the match."""
        return self.lines[self.number - 1]

    @property
    def matched(self) -> str:
        """The text that matches."""
        return self.line[self.start : self.end]

    @cached_property
    def whole(self) -> str:
        """The text of the file."""
        return "\n".join(self.lines)

    @cached_property
    def rest(self) -> str:
        """The text behind the match, on its line and on the lines of the same statement."""
        below = self.lines[self.number : self.number + MAX_STATEMENT]
        return "\n".join([self.line[self.end :], *(line[:MAX_LINE] for line in below)])

    @cached_property
    def above(self) -> Sequence[str]:
        """The lines above the match, back to the first line of the top-level definition."""
        first = max(0, self.number - 1 - MAX_LINES_ABOVE)
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
        """Whether the names in an expression say that it is escaped or sanitized."""
        if _SAFE.search(expression):
            return True
        return not self._made_safe.isdisjoint(_NAME.findall(expression))

    def is_rendered(self, expression: str) -> bool:
        """Whether the names in an expression are assigned rendered HTML, directly or in steps."""
        if "WithUnsafe(" in self.whole:
            # goldmark escapes HTML in Markdown otherwise.
            return False
        names = set(_NAME.findall(expression)[:_MAX_NAMES])
        for line in reversed(self.above):
            assigned = names.intersection(_ASSIGNED.findall(line[:MAX_LINE]))
            filled = not assigned and not names.isdisjoint(_FILLED.findall(line[:MAX_LINE]))
            safe = _RENDERED.search(line[:MAX_LINE]) or _SAFE.search(line[:MAX_LINE])
            if (assigned or filled) and safe:
                return True
            if (assigned or filled) and len(names) < _MAX_NAMES:
                names.update(_NAME.findall(line[:MAX_LINE])[:_MAX_NAMES])
        return False

    @cached_property
    def _made_safe(self) -> frozenset[str]:
        """The variables that a line above assigns escaped or sanitized text to."""
        lines = [line for line in self.above[-_MAX_LINES_TO_ASSIGNMENT:] if _SAFE.search(line)]
        return frozenset(name for line in lines for name in _ASSIGNED.findall(line))


def _always(_: MatchSite) -> bool:
    return True


class Hazard(NamedTuple):
    """A pattern that RE2 searches in files with these suffixes.

    `name` follows the rule's id in a finding; `message` says what is wrong and what to do.
    `is_hazard` decides from the text around a match. With `in_strings` a match in a string counts,
    with `in_service` only code that answers requests of others. In a whole tree `is_certain` has to
    hold as well: what a person would explain in a review has to be shown. One of the texts of
    `set_elsewhere` in any file with these suffixes says that the application guards against it. So
    does one of the files `platforms` beside a directory `api`, whose files a platform runs.
    """

    name: str
    pattern: str
    suffixes: tuple[str, ...]
    message: str
    is_hazard: Callable[[MatchSite], bool]
    in_strings: bool = False
    in_service: bool = False
    is_certain: Callable[[MatchSite], bool] = _always
    set_elsewhere: tuple[str, ...] = ()
    platforms: tuple[str, ...] = ()


def is_constant(expression: str) -> bool:
    """Whether the expression consists of string literals that are joined or chosen from."""
    end = _constant_end(expression)
    return end > 0 and not expression[end:].strip()


def begins_constant(text: str) -> bool:
    """Whether the expression at the start of a text is constant up to a line end or a bracket."""
    end = _constant_end(text)
    following = text[end:].lstrip(" \t")[:1]
    return end > 0 and (following in ";)}\"'>,\n" or "\n" in text[:end][-1:])


def _constant_end(text: str) -> int:
    """The end of the string literals without interpolation; 0 when the text begins with none."""
    chosen = _CONDITION.match(text)
    position = chosen.end() if chosen else 0
    end = 0
    while match := _LITERAL.match(text, position):
        if _INTERPOLATED.search(match[0]):
            return 0
        end = match.end()
        position = end + 1
        if text[end : end + 1] not in ("+", ".", ":"):
            # In Python, literals on lines of their own are one.
            position = end + len(text[end:]) - len(text[end:].lstrip())
            if text[end : end + 1] != "\n" or not _LITERAL.match(text, position):
                return end
    # A literal that is joined with another expression is not constant.
    return 0


def _arguments(text: str) -> Iterator[str]:
    """The texts between the commas, up to the closing bracket or the end of the text."""
    opened: list[str] = []
    quote = ""
    begin = 0
    for index, character in enumerate(text):
        if quote:
            if character == quote and text[index - 1] != "\\":
                quote = ""
        elif character in "\"'`":
            quote = character
        elif character in _BRACKETS:
            opened.append(_BRACKETS[character])
        elif opened and character == opened[-1]:
            opened.pop()
        elif not opened and character in ",)]}":
            yield text[begin:index].strip()
            begin = index + 1
            if character != ",":
                return
    yield text[begin:].strip()


def interpolations(text: str) -> Sequence[str] | None:
    """The expressions in the template literal at the start of a text; None if it does not end.

    Those in a nested literal are part of the expression around it.
    """
    found: list[str] = []
    opened: list[str] = []
    begin = 0
    for match in _TEMPLATE_MARK.finditer(text):
        mark = match[0]
        in_literal = opened[-1:] == ["`"]
        if mark == "`" and in_literal:
            opened.pop()
            if not opened:
                return found
        elif mark == "`" or (mark == "${" and in_literal) or (mark[-1] == "{" and not in_literal):
            opened.append(mark)
            begin = match.end() if len(opened) == 2 else begin
        elif mark == "}" and not in_literal and opened:
            opened.pop()
            if len(opened) == 1:
                found.append(text[begin : match.start()])
    return None
