"""Read the fields at the top of a record without frontmatter.

`- **Status:** accepted`, `* Date: 2026-01-01`, `**Status**: x`, and tables in either
direction.
"""

# Governing: SPEC-0002 REQ "Records as they are found"

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.text.lazy_regex import lazy_regex
from sdd_hooks.text.markdown import Section

MAX_LINES = 120
"""Fields below this line of a section are ignored."""

MAX_SECTION = 50_000
"""Characters of a section in which fields are looked for."""

MAX_VALUE = 2_000
"""Longer values, in characters, are cut."""


class HeaderField(NamedTuple):
    """A field: its name in lower case with hyphens, its value on one line, and its first line."""

    name: str
    value: str
    line: int


_NAME = r"[A-Za-z][A-Za-z /_-]{0,40}?"
_FIELD = lazy_regex(
    rf"""[ ]{{0,3}}(?:(?P<quote>>)[ ]?)?(?:[-*+][ ]+)?
    (?: (?P<marks>[*_]{{1,3}})(?P<marked>{_NAME})[ ]?
        (?: [*_]{{1,3}}[ ]?[:：] | [:：](?:[ ]?[*_]{{1,3}})? )
      | (?P<name>{_NAME})[ ]?[:：](?!//) )
    [ \t]*(?P<value>.*)""",
    re.VERBOSE,
)
# Every repetition has a limit: a blanked comment may be thousands of spaces.
_NEXT_ON_LINE = lazy_regex(
    r"(?<![ \t])[ \t]{1,8}(?:[|·•][ \t]{0,8})?(?=\*\*[A-Za-z][A-Za-z /_-]{0,40}(?::\*\*|\*\*:))"
)
_LINE_BREAK = lazy_regex(r"(?:\\|<br ?/?>)[ \t]*$", re.IGNORECASE)
_DELIMITER_ROW = lazy_regex(r"[ ]{0,3}\|?[ ]?:?-+:?[ ]?(?:\|[ ]?:?-+:?[ ]?){0,30}\|?[ ]*$")

# Headings of the second column of a table whose rows are records, not fields.
_COLUMN_NAMES = frozenset({"date", "author", "authors", "owner", "deciders", "decision-makers"})


def read_header_fields(prose: str, sections: Sequence[Section]) -> tuple[HeaderField, ...]:
    """Return the fields above the second heading of a document, or in a Metadata section.

    `prose` is the document without code and comments.
    """
    read: list[HeaderField] = []
    for section in sections_with_fields(sections):
        # Only this section is split: the document may be long.
        lines = prose[section.start : min(section.end, section.start + MAX_SECTION)].split("\n")
        read.extend(_fields(lines[:MAX_LINES], section.first_line))
    return tuple(read)


def sections_with_fields(sections: Sequence[Section]) -> Iterator[Section]:
    """Yield the sections of a document whose first MAX_SECTION characters may have fields."""
    headed = 0
    for section in sections[:50]:
        headed += section.level > 0
        if headed < 2 or normalize_field_name(section.title) == "metadata":
            yield section


def normalize_field_name(name: str) -> str:
    """Reduce the name of a field or heading for comparison: lower-case words and hyphens."""
    return "-".join(re.findall(r"[^\W\d_]+", name.lower()))


def _fields(lines: Sequence[str], first_line: int) -> Iterator[HeaderField]:
    at = 0
    while at < len(lines):
        if lines[at].lstrip().startswith("|"):
            end = at
            while end < len(lines) and "|" in lines[end]:
                end += 1
            yield from _table(lines[at:end], first_line + at)
            at = end
            continue
        start = at
        at += 1
        line = lines[start]
        if ":" not in line and "：" not in line:
            continue
        pieces = _NEXT_ON_LINE.split(line) if "**" in line else [line]
        for piece in pieces:
            match = _FIELD.match(piece)
            if not match or (match["quote"] and not match["marks"]):
                continue
            value = _LINE_BREAK.sub("", match["value"])
            if piece is pieces[-1]:
                at, value = _continued(lines, at, value)
            yield HeaderField(
                normalize_field_name(match["marked"] or match["name"]),
                _plain(value),
                first_line + start,
            )


def _continued(lines: Sequence[str], at: int, value: str) -> tuple[int, str]:
    """Append the continuation lines of a value: indented, or up to its closing bracket."""
    while at < len(lines) and len(value) < MAX_VALUE:
        line = lines[at]
        is_open = value.count("(") > value.count(")")
        if not line.strip() or not (is_open or line.startswith("  ")):
            break
        if re.match(r"\s*(?:[-*+]\s|\||#)", line) or (not is_open and _FIELD.match(line)):
            break
        value = f"{value} {line.strip()}"
        at += 1
    return at, value


def _table(rows: Sequence[str], first_line: int) -> Iterator[HeaderField]:
    cells = [[_plain(cell) for cell in row.strip().strip("|").split("|")] for row in rows]
    delimited = len(rows) > 2 and bool(_DELIMITER_ROW.match(rows[1]))
    if delimited:
        names = [normalize_field_name(cell) for cell in cells[0]]
        if len(names) > 2 or (len(names) == 2 and names[1] in _COLUMN_NAMES):
            for name, value in zip(names, cells[2], strict=False):
                if name:
                    yield HeaderField(name, value, first_line + 2)
            return
    for number, row in enumerate(cells):
        if len(row) == 2 and (name := normalize_field_name(row[0])):
            yield HeaderField(name, row[1], first_line + number)


def _plain(value: str) -> str:
    value = " ".join(value[:MAX_VALUE].split())
    if value.startswith("**") and value.endswith("**") and value.count("**") == 2:
        value = value[2:-2].strip()
    return value
