"""The definitions of a source file: functions, methods, classes and types, each with its lines.

A definition begins with the comments and decorators on the lines above it. It ends where the
indentation returns to its own, once the braces that it opens are closed.
"""

# Governing: ADR-0008 (sections and definitions as units of retrieval with stable ids)

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Protocol

from sdd_hooks.code.cgg import CallableLines, find_callables
from sdd_hooks.code.definition_patterns import FILLER, LanguagePatterns, find_patterns
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.text.lazy_regex import lazy_regex

_MAX_NAME = 200
_COMMENT_OF_FILE = lazy_regex(
    r"(?:#!|[^\n]*\b(?:Governing:|Implements:|SPDX-License-Identifier|Copyright\b))[^\n]*\n"
    r"(?:[ \t]*\*[^\n]*\n)*"
)
_SPACE = " \t\r\n"
_CLOSING = lazy_regex(r"(?:[\s)\]};,]|end\b)*")
_NOT_NAME = lazy_regex(r"[^\w$.:?!=~<>+*/%&|^@-]")


class Definition(NamedTuple):
    """One definition of a source file.

    `name` is its name alone, or `Owner.name` where its own line names the owner, as in Go. The
    definition is `text[start:end]`: it begins with its comments and decorators, and ends with the
    blank lines below it. `head` is the offset of the line with the name. `first_line` and
    `last_line` are 1-based and inclusive, without the blank lines. `is_container` is whether it
    may have members.
    """

    name: str
    start: int
    head: int
    end: int
    first_line: int
    last_line: int
    is_container: bool = False


class Definitions(Protocol):
    """The definitions of one source file. They are in order and do not overlap."""

    def outermost(self) -> Iterator[Definition]:
        """The definitions that are not inside another one."""
        ...

    def members(self, definition: Definition) -> Iterator[Definition]:
        """The definitions directly inside a container."""
        ...

    def only_closes(self, start: int, end: int) -> bool:
        """Whether `text[start:end]` has no content but the end of the definition above it."""
        ...


def find_definitions(path: str, text: str) -> Definitions:
    """The definitions of a source file, in the language that `path` and a first line `#!` tell.

    The languages with patterns in `definition_patterns` are searched with these, others with
    `cgg` where it is installed. Never raises.
    """
    patterns = find_patterns(path, text)
    if patterns is not None:
        return _ByPatterns(text, patterns)
    return _ByLines(text, find_callables(path, text))


class _Head(NamedTuple):
    """The first line of a definition: its offset, its indentation, and what it names."""

    start: int
    indent: int
    name: str
    is_container: bool


class _ByPatterns:
    """Definitions in a language that has patterns."""

    def __init__(self, text: str, patterns: LanguagePatterns) -> None:
        self._text = text
        self._patterns = patterns
        self._code = _blank_strings_and_comments(text, patterns)
        self._lines = "\n" + self._code  # so that a line break precedes the first line, too

    def outermost(self) -> Iterator[Definition]:
        return self._region(0, 0, len(self._text), 1, self._patterns.definitions)

    def members(self, definition: Definition) -> Iterator[Definition]:
        start, inside = definition.start, self._line_end(definition.head)
        first_line = definition.first_line
        return self._region(start, inside, definition.end, first_line, self._patterns.inside)

    def only_closes(self, start: int, end: int) -> bool:
        return _CLOSING.fullmatch(self._code, start, end) is not None

    def _region(
        self, start: int, inside: int, end: int, line: int, pattern: re.Pattern[str]
    ) -> Iterator[Definition]:
        """The definitions of text[start:end] after `inside`; `line` is the number of its first."""
        top = start == inside
        first = True
        cursor = start
        head = self._next_head(pattern, inside, end)
        while head is not None:
            lead = self._lead(cursor, head, top=top, first=first)
            stop = self._end(head, end, pattern)
            first_line = line + self._text.count("\n", cursor, lead)
            filled = lead + len(self._text[lead:stop].rstrip(_SPACE))
            last_line = first_line + self._text.count("\n", lead, filled)
            yield Definition(
                head.name, lead, head.start, stop, first_line, last_line, head.is_container
            )
            line = last_line + self._text.count("\n", filled, stop)
            cursor, first = stop, False
            head = self._next_head(pattern, cursor, end)

    def _next_head(self, pattern: re.Pattern[str], start: int, end: int) -> _Head | None:
        """The first definition on a line of text[start:end]; `start` is where a line begins."""
        match = pattern.search(self._lines, start, end + 1)
        if match is None:
            return None
        group = match.lastgroup or ""
        name = _clean_name(match[group])
        groups = pattern.groupindex
        if "owner" in groups and match["owner"]:
            name = f"{match['owner']}.{name}"
        if "trait" in groups and match["trait"]:
            name = f"{name}.{match['trait']}"
        line = match[0]
        indent = len(line) - 1 - len(line.lstrip("\n \t"))
        return _Head(match.start(), indent, name, group.startswith("container"))

    def _line_end(self, at: int) -> int:
        return (self._code.find("\n", at) + 1) or len(self._code)

    def _line_start(self, at: int) -> int:
        return self._code.rfind("\n", 0, at - 1) + 1

    def _lead(self, cursor: int, head: _Head, *, top: bool, first: bool) -> int:
        """Where the comments and decorators of the definition begin, above its first line."""
        if head.start == cursor:
            return cursor
        lead = at = head.start
        while at > cursor:
            start = self._line_start(at)
            line = self._code[start:at]
            code = line.strip(_SPACE)
            if not code and self._text[start:at].isspace():
                break
            if not code or self._patterns.lead.match(code):
                lead = start
            elif code[0] not in ")]}" and len(line) - len(line.lstrip(" \t")) <= head.indent:
                break
            at = start
        if first and top:
            lead = self._below_comment_of_file(lead, head.start)
        if first:
            return cursor if self._text[cursor:lead].isspace() else lead
        if self._code[cursor:lead].isspace():
            return self._first_line_with_text(cursor, lead)
        return lead

    def _first_line_with_text(self, start: int, end: int) -> int:
        """Comments belong to the definition below if only blank lines separate them."""
        rest = self._text[start:end]
        blank = len(rest) - len(rest.lstrip(_SPACE))
        return start + rest.rfind("\n", 0, blank) + 1

    def _below_comment_of_file(self, start: int, end: int) -> int:
        below = start
        for match in _COMMENT_OF_FILE.finditer(self._text, start, end):
            below = match.end()
        return below

    def _end(self, head: _Head, limit: int, pattern: re.Pattern[str]) -> int:
        """Where the definition ends: after its last line, and the blank lines that follow it."""
        patterns, code = self._patterns, self._code
        stop, depth, counted = limit, 0, head.start
        for match in _outdented(head.indent).finditer(code, self._line_end(head.start) - 1, limit):
            at = match.start() + 1
            if pattern.match(self._lines, at):
                stop = at
                break
            if patterns.to_next:
                continue
            if patterns.braces:
                depth += code.count("{", counted, at) - code.count("}", counted, at)
                counted = at
                if depth > 0:
                    continue
            column = match.end() - 1 - at
            if column == head.indent and patterns.closing.match(code, match.end() - 1):
                continue
            stop = at
            break
        return self._without_comments_below(head, stop)

    def _without_comments_below(self, head: _Head, stop: int) -> int:
        """Leave the comments between two definitions to the second."""
        last = head.start + len(self._code[head.start : stop].rstrip(_SPACE))
        end = self._line_end(last - 1)
        if end >= stop or self._text[end:stop].isspace():
            return stop
        while end < stop:
            after = min(self._line_end(end), stop)
            line = self._text[end:after]
            bare = line.lstrip(_SPACE)
            if bare and len(line) - len(bare) <= head.indent:
                break
            end = after
        return end


class _ByLines:
    """Definitions that are known by name and lines, in order. They have no members."""

    def __init__(self, text: str, callables: list[CallableLines]) -> None:
        self._text = text
        self._callables = callables

    def outermost(self) -> Iterator[Definition]:
        text = self._text
        starts = [0, *(match.end() for match in re.finditer("\n", text))]
        cursor = 0
        for raw_name, first, last in self._callables:
            line = first - 1
            if line >= len(starts) or starts[line] < cursor:
                continue
            # A comment, an attribute, or a signature with the name.
            above = re.compile(rf"\s*(?:[^\w\s(\[{{-]|--|-spec\b|\(\*|{re.escape(raw_name)}\b)")
            while (
                line
                and starts[line - 1] >= cursor
                and above.match(text, starts[line - 1], starts[line])
            ):
                line -= 1
            cursor = starts[last] if last < len(starts) else len(text)
            name = _clean_name(raw_name)
            yield Definition(name, starts[line], starts[first - 1], cursor, line + 1, last)

    def members(self, definition: Definition) -> Iterator[Definition]:
        del definition
        return iter(())

    def only_closes(self, start: int, end: int) -> bool:
        return self._text[start:end].isspace()


def _clean_name(raw: str) -> str:
    """A name without characters that an anchor cannot have."""
    if raw.isidentifier():
        return raw[:_MAX_NAME]
    return _NOT_NAME.sub("", raw).replace("::", ".")[:_MAX_NAME] or "definition"


@lru_cache(maxsize=64)
def _outdented(indent: int) -> re.Pattern[str]:
    """The first character of a line of at most this indentation that is not inside a string."""
    return re.compile(rf"\n[ \t]{{0,{indent}}}[^ \t\r\n{FILLER}]")


def _blank_strings_and_comments(text: str, patterns: LanguagePatterns) -> str:
    """The text with blanks for comments and fillers for strings, of the same length and lines."""
    comments = patterns.comments

    def blank(match: re.Match[str]) -> str:
        token = match[0]
        is_comment = token.startswith(comments)
        if "\n" not in token:
            return " " * len(token) if is_comment else '"' + FILLER * (len(token) - 1)
        if match.end() == len(text) and not _is_closed(token):
            return token
        filler = " " if is_comment else FILLER
        blanked = "\n".join([filler * len(line) for line in token.split("\n")])
        return blanked if is_comment else '"' + blanked[1:]

    return patterns.tokens.sub(blank, text)


def _is_closed(token: str) -> bool:
    """Whether a token that reaches the end of the text has its own end there."""
    if token.startswith(("/*", "[[", "--[[")):
        return token.endswith(("*/", "]]"))
    if token[0] not in "\"'`":
        return True
    quote = token[:3] if token[:3] in ('"""', "'''") else token[0]
    return len(token) >= 2 * len(quote) and token.endswith(quote)
