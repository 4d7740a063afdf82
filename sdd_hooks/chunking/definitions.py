"""Code as chunks: one for each definition, and `file` for what stands between them.

A definition begins with the comments and decorators on the lines above it and ends where the
indentation comes back, braces permitting. A long class is cut into its methods. What is neither is
a part of `file`, or of the class. The chunks' texts, put together, are the file.
"""

# Governing: ADR-0008 (sections and definitions as units of retrieval with stable ids)

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache

from sdd_hooks.chunking.cgg import definitions_by_cgg, version_of_cgg
from sdd_hooks.chunking.chunk import LONGEST, Chunk, in_parts
from sdd_hooks.chunking.definition_patterns import INSIDE, Language, language_of

_DEEPEST = 4
_LONGEST_NAME = 200
_COMMENT_OF_FILE = re.compile(
    r"(?:#!|[^\n]*\b(?:Governing:|Implements:|SPDX-License-Identifier|Copyright\b))[^\n]*\n"
    r"(?:[ \t]*\*[^\n]*\n)*"
)
_SPACE = " \t\r\n"
_ONLY_CLOSES = re.compile(r"(?:[\s)\]};,]|end\b)*")
_NOT_NAME = re.compile(r"[^\w$.:?!=~<>+*/%&|^@-]")


def chunker_version() -> str:
    """The method that cuts code and its version: another one may cut the same file differently."""
    cgg = version_of_cgg()
    return f"definitions 1, cgg {cgg}" if cgg else "definitions 1"


def chunk_code(path: str, text: str) -> list[Chunk]:
    """Cut a source file into chunks, in order, without gap or overlap; blank text has none.

    `path` tells the language by its ending. Languages without a row in `languages.py` are cut by
    `cgg` where it is installed and knows them, else by length alone. Never raises.
    """
    if not text or text.isspace():
        return []
    language = language_of(path, text)
    if language is not None:
        spans = _Cutter(text, language).cut()
    else:
        spans = _around(text, definitions_by_cgg(path, text))
    return _chunks(text, spans)


@dataclass
class _Span:
    """A piece of the text that is one definition, or one part of what is between definitions."""

    anchor: str
    title: str
    start: int
    end: int


@dataclass(frozen=True)
class _Definition:
    start: int
    indent: int
    name: str
    box: bool


@dataclass
class _Anchors:
    """Names that are unique in a file; `file` is always the file's own."""

    used: dict[str, int] = field(default_factory=lambda: {"file": 0})

    def unique(self, name: str) -> str:
        if name not in self.used:
            self.used[name] = 0
            return name
        count = self.used[name]
        while True:
            count += 1
            candidate = f"{name}-{count}"
            if candidate not in self.used:
                self.used[name] = count
                self.used[candidate] = 0
                return candidate


class _Cutter:
    def __init__(self, text: str, language: Language) -> None:
        self.text = text
        self.language = language
        self.code = _without_strings_and_comments(text, language)
        self.lines = "\n" + self.code  # so that the first line has a line break before it too
        self.anchors = _Anchors()
        self.spans: list[_Span] = []

    def cut(self) -> list[_Span]:
        self._region(0, 0, len(self.text), "file", "", self.language.definitions, 0)
        return self.spans

    def _next(self, pattern: re.Pattern[str], start: int, end: int) -> _Definition | None:
        """The first definition on a line of text[start:end]; `start` is where a line begins."""
        match = pattern.search(self.lines, start, end + 1)
        if match is None:
            return None
        group = match.lastgroup or ""
        name = _name(match[group])
        groups = pattern.groupindex
        if "owner" in groups and match["owner"]:
            name = f"{match['owner']}.{name}"
        if "trait" in groups and match["trait"]:
            name = f"{name}.{match['trait']}"
        line = match[0]
        indent = len(line) - 1 - len(line.lstrip("\n \t"))
        return _Definition(match.start(), indent, name, group.startswith("box"))

    def _region(
        self,
        start: int,
        inside: int,
        end: int,
        anchor: str,
        title: str,
        pattern: re.Pattern[str],
        depth: int,
    ) -> None:
        """Cut text[start:end], whose own text, and all before `inside`, is called `anchor`."""
        first = len(self.spans)
        cursor = start
        one = self._next(pattern, inside, end)
        while one is not None:
            alone = len(self.spans) == first
            lead = self._lead(cursor, one, top=depth == 0, first=alone)
            if lead > cursor:
                self._own(cursor, lead, anchor, title, joins=not alone)
            cursor = self._end(one, end, pattern)
            self._definition(one, lead, cursor, title, depth)
            one = self._next(pattern, cursor, end)
        if cursor < end:
            self._own(cursor, end, anchor, title, joins=len(self.spans) > first)

    def _own(self, start: int, end: int, anchor: str, title: str, *, joins: bool) -> None:
        """Text between definitions: with the one above when it only closes something."""
        if joins and _ONLY_CLOSES.fullmatch(self.code, start, end):
            self.spans[-1].end = end
        else:
            self.spans.append(_Span(anchor, title, start, end))

    def _definition(self, one: _Definition, lead: int, stop: int, owner: str, depth: int) -> None:
        name = f"{owner}.{one.name}" if owner else one.name
        anchor = self.anchors.unique(name)
        if not one.box or stop - lead <= LONGEST or depth == _DEEPEST:
            self.spans.append(_Span(anchor, name, lead, stop))
            return
        inside = self._line_end(one.start)
        pattern = self.language.inside
        self._region(lead, inside, stop, anchor, name, pattern, depth + 1)

    def _line_end(self, at: int) -> int:
        return (self.code.find("\n", at) + 1) or len(self.code)

    def _line_start(self, at: int) -> int:
        return self.code.rfind("\n", 0, at - 1) + 1

    def _lead(self, cursor: int, one: _Definition, *, top: bool, first: bool) -> int:
        """Where the definition's own comments and decorators begin, above its first line."""
        if one.start == cursor:
            return cursor
        committed = at = one.start
        while at > cursor:
            start = self._line_start(at)
            line = self.code[start:at]
            code = line.strip(_SPACE)
            if not code and self.text[start:at].isspace():
                break
            if not code or self.language.lead.match(code):
                committed = start
            elif code[0] not in ")]}" and len(line) - len(line.lstrip(" \t")) <= one.indent:
                break
            at = start
        if first and top:
            committed = self._below_the_comment_of_the_file(committed, one.start)
        if first:
            return cursor if self.text[cursor:committed].isspace() else committed
        if self.code[cursor:committed].isspace():
            return self._first_line_with_text(cursor, committed)
        return committed

    def _first_line_with_text(self, start: int, end: int) -> int:
        """Comments that nothing but blank lines separates from a definition are that one's too."""
        rest = self.text[start:end]
        blank = len(rest) - len(rest.lstrip(_SPACE))
        return start + rest.rfind("\n", 0, blank) + 1

    def _below_the_comment_of_the_file(self, start: int, end: int) -> int:
        below = start
        for match in _COMMENT_OF_FILE.finditer(self.text, start, end):
            below = match.end()
        return below

    def _end(self, one: _Definition, limit: int, pattern: re.Pattern[str]) -> int:
        """Where the definition ends: after its last line, and the blank lines that follow it."""
        language, code = self.language, self.code
        stop, depth, counted = limit, 0, one.start
        for match in _outside(one.indent).finditer(code, self._line_end(one.start) - 1, limit):
            at = match.start() + 1
            if pattern.match(self.lines, at):
                stop = at
                break
            if language.to_next:
                continue
            if language.braces:
                depth += code.count("{", counted, at) - code.count("}", counted, at)
                counted = at
                if depth > 0:
                    continue
            if match.end() - 1 - at == one.indent and language.closing.match(code, match.end() - 1):
                continue
            stop = at
            break
        return self._without_comments_below(one, stop)

    def _without_comments_below(self, one: _Definition, stop: int) -> int:
        """Leave the comments between two definitions to the second."""
        last = one.start + len(self.code[one.start : stop].rstrip(_SPACE))
        end = self._line_end(last - 1)
        if end >= stop or self.text[end:stop].isspace():
            return stop
        while end < stop:
            after = min(self._line_end(end), stop)
            line = self.text[end:after]
            bare = line.lstrip(_SPACE)
            if bare and len(line) - len(bare) <= one.indent:
                break
            end = after
        return end


def _name(found: str) -> str:
    """A definition's name as it can stand in an anchor."""
    if found.isidentifier():
        return found[:_LONGEST_NAME]
    return _NOT_NAME.sub("", found).replace("::", ".")[:_LONGEST_NAME] or "definition"


@lru_cache(maxsize=64)
def _outside(indent: int) -> re.Pattern[str]:
    """The first character of a line of at most this indentation that is not inside a string."""
    return re.compile(rf"\n[ \t]{{0,{indent}}}[^ \t\r\n{INSIDE}]")


def _without_strings_and_comments(text: str, language: Language) -> str:
    """The same text, of the same length and lines, comments blank, strings without their words."""
    comments = language.comments

    def blank(match: re.Match[str]) -> str:
        found = match[0]
        comment = found.startswith(comments)
        if "\n" not in found:
            return " " * len(found) if comment else '"' + INSIDE * (len(found) - 1)
        if match.end() == len(text) and not _is_closed(found):
            return found
        filler = " " if comment else INSIDE
        blanked = "\n".join([filler * len(line) for line in found.split("\n")])
        return blanked if comment else '"' + blanked[1:]

    return language.tokens.sub(blank, text)


def _is_closed(token: str) -> bool:
    """Whether a token that reaches the end of the text ends there by itself."""
    if token.startswith(("/*", "[[", "--[[")):
        return token.endswith(("*/", "]]"))
    if token[0] not in "\"'`":
        return True
    quote = token[:3] if token[:3] in ('"""', "'''") else token[0]
    return len(token) >= 2 * len(quote) and token.endswith(quote)


def _around(text: str, found: list[tuple[str, int, int]]) -> list[_Span]:
    """Spans for definitions known by their lines: (name, first, last), 1-based, in order."""
    starts = [0, *(match.end() for match in re.finditer("\n", text))]
    anchors, spans, cursor = _Anchors(), list[_Span](), 0
    for raw_name, first, last in found:
        line = first - 1
        if line >= len(starts) or starts[line] < cursor:
            continue
        above = re.compile(rf"\s*(?:[^\w\s(\[{{-]|--|-spec\b|\(\*|{re.escape(raw_name)}\b)")
        while (
            line
            and starts[line - 1] >= cursor
            and above.match(text, starts[line - 1], starts[line])
        ):
            line -= 1
        lead = starts[line]
        if spans and text[cursor:lead].isspace():
            spans[-1].end = lead
        elif lead > cursor:
            spans.append(_Span("file", "", cursor, lead))
        cursor = starts[last] if last < len(starts) else len(text)
        name = _name(raw_name)
        spans.append(_Span(anchors.unique(name), name, lead, cursor))
    if spans and text[cursor:].isspace():
        spans[-1].end = len(text)
    elif cursor < len(text):
        spans.append(_Span("file", "", cursor, len(text)))
    return spans


def _chunks(text: str, spans: list[_Span]) -> list[Chunk]:
    """Spans as chunks of bearable length; the parts of one anchor are counted through the file."""
    parts: dict[str, int] = {}
    used: set[str] = set()
    chunks = []
    line = 1
    for span in spans:
        piece = text[span.start : span.end]
        breaks = piece.count("\n")
        last = line + breaks - piece.endswith("\n")
        whole = Chunk(span.anchor, span.title, line, last, piece)
        for chunk in in_parts(whole) if len(piece) > LONGEST else (whole,):
            part = parts.get(span.anchor, 0) + 1
            anchor = span.anchor if part == 1 else f"{span.anchor}~{part}"
            while anchor in used:
                part += 1
                anchor = f"{span.anchor}~{part}"
            parts[span.anchor] = part
            used.add(anchor)
            chunks.append(
                chunk
                if chunk.anchor == anchor
                else Chunk(anchor, chunk.title, chunk.first_line, chunk.last_line, chunk.text)
            )
        line += breaks
    return chunks
