"""Read the fields at the top of a record without frontmatter.

`- **Status:** accepted`, `* Date: 2026-01-01`, `**Status**: x`, and tables in either
direction.
"""

# Governing: SPEC-0002 REQ "Records as they are found"

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from sdd_hooks.artifacts.dates import read_date
from sdd_hooks.artifacts.languages import TRANSLATED_WORD, WORD, is_status_name, words
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.text.lazy_regex import lazy_regex
from sdd_hooks.text.markdown import Section

MAX_LINES = 120
"""Fields below this line of a section are ignored."""

MAX_SECTION = 50_000
"""Characters of a section in which fields are looked for."""

MAX_LABEL = 60
"""Characters of a line on which a label stands alone."""

MAX_TITLES = 6
"""Sections whose titles may be fields."""

MAX_PREAMBLE = 4_000
"""Characters of the block of fields at the top."""

MAX_VALUE = 2_000
"""Longer values, in characters, are cut."""


class HeaderField(NamedTuple):
    """A field: its name in lower case with hyphens, its value on one line, and its first line."""

    name: str
    value: str
    line: int


_NAME = r"[^\W\d_][\w /_()（）-]{0,40}?"
_EMOJI = r"(?:[^\x00-\x7f\w\s：（]{1,3}[ ]?)?"
_BEFORE = rf"[ ]{{0,3}}(?:>[ ]?){{0,2}}(?:(?:[-*+]|[0-9]{{1,2}}[.)])[ ]+)?{_EMOJI}"
_FIELD = lazy_regex(
    rf"""{_BEFORE}
    (?: (?P<marks>[*_]{{1,3}}){_EMOJI}(?P<marked>{_NAME})[ ]?
        (?: [*_]{{1,3}}[ ]?(?:[:：]|[–—-][ ]) | [:：](?:[ ]?[*_]{{1,3}})?
          | (?P<dot>\.?[*_]{{1,3}}(?:[ ]·)?(?=[ ])) )
      | (?P<name>{_NAME})[ ]?[:：](?!//) )
    [ \t]*(?P<value>.*)""",
    re.VERBOSE,
)
# A label whose value is below it.
_LABEL = lazy_regex(
    rf"{_BEFORE}[*_]{{0,3}}({_NAME})[*_]{{0,3}}[ ]?[:：]?[*_]{{0,3}}\s*", re.VERBOSE
)
_ITEM = lazy_regex(r"\s*(?:>\s?)*([-*+:]\s+)?")
_BADGE = lazy_regex(r"/badge/((?:[^-/()\s\"]|--)+)-((?:[^-/()\s\"?]|--)+)-[^-/()\s\"]+")
_CELLS = lazy_regex(r"</t[dh]>\s*<t[dh][^<>]*>", re.IGNORECASE)
_TAG = lazy_regex(
    r"</?(?:b|strong|em|i|p|span|div|table|tbody|t[rdh]|d[ltd]|li)(?: [^<>]*)?>", re.IGNORECASE
)
# Every repetition has a limit: a blanked comment may be thousands of spaces.
_NEXT_ON_LINE = lazy_regex(
    r"(?<![ \t])[ \t]{1,8}(?:[|·•｜][ \t]{0,8})?"
    r"(?=\*\*[^\W\d_][\w /_-]{0,40}[ ]?(?:[:：]\*\*|\*\*[ ]?[:：]))"
)
_NEXT_BARE = lazy_regex(r"[ \t]{1,8}[|·•｜][ \t]{1,8}(?=[^\W\d_][\w -]{0,30}[:：]\s)")
# What may stand around the block at the top: a blank line, a fence, a tag, a heading.
_OPENING = lazy_regex(r"\s*(?:```+\S*|~~~+\S*|</?pre>|#{1,3} .*)?\s*")
_METADATA = frozenset(
    {"metadata", "meta", "document-metadata", "preamble", "header"}
    | {"architecture-decision-record", "decision-record"}
)
# `Date (UTC)`, `Author(s)`
_IN_BRACKETS = lazy_regex(r"(?<=\w)[ ]?[(（][^()（）]*[)）]")
_LINE_BREAK = lazy_regex(r"(?:\\|<br ?/?>)[ \t]*$", re.IGNORECASE)
_DELIMITER_ROW = lazy_regex(r"[ ]{0,3}\|?[ ]?:?-+:?[ ]?(?:\|[ ]?:?-+:?[ ]?){0,30}\|?[ ]*$")

# Headings of the second column of a table whose rows are records, not fields.
_COLUMN_NAMES = frozenset({"date", "author", "authors", "owner", "deciders", "decision-makers"})


def read_header_fields(prose: str, sections: Sequence[Section]) -> tuple[HeaderField, ...]:
    """Return the fields above the second heading of a document, or in a Metadata section.

    `prose` is the document without code and comments.
    """
    read = list(_titles(sections))
    for section in sections_with_fields(sections):
        # Only this section is split: the document may be long.
        lines = prose[section.start : min(section.end, section.start + MAX_SECTION)].split("\n")
        read.extend(read_fields(lines[:MAX_LINES], section.first_line))
    return tuple(read)


def _titles(sections: Sequence[Section]) -> Iterator[HeaderField]:
    """The fields that are headings below the title: `#### Date: 2025-02-22`."""
    for section in sections[1:MAX_TITLES]:
        match = _FIELD.match(section.title) if section.level > 1 else None
        name = _name(match) if match and match["name"] and match["value"] else ""
        # Nearer to the top, a status is a section.
        if match and _is_known(name) and (section.level > 3 or not is_status_name(name)):
            yield HeaderField(name, _plain(match["value"]), section.first_line)


def read_preamble(text: str) -> Iterator[HeaderField]:
    """Yield the fields of a block of code at the top or below the first headings, as of a PEP."""
    lines = text[:MAX_PREAMBLE].split("\n")
    first = next((at for at, line in enumerate(lines) if not _OPENING.fullmatch(line)), 0)
    above = lines[first - 1].strip() if first else ""
    if not (lines[first].startswith("  ") or (above and above[0] != "#")):
        return
    for at, line in enumerate(lines[first:], first):
        if _OPENING.fullmatch(line):
            return
        if match := _FIELD.match(line.strip().lstrip(":")):
            yield HeaderField(_name(match), _plain(match["value"]), at + 1)


def sections_with_fields(sections: Sequence[Section]) -> Iterator[Section]:
    """Yield the sections of a document whose first MAX_SECTION characters may have fields."""
    headed = 0
    for section in sections[:50]:
        headed += section.level > 0
        if headed < 2 or normalize_field_name(section.title) in _METADATA:
            yield section


@lru_cache(maxsize=4096)
def normalize_field_name(name: str) -> str:
    """Reduce the name of a field or heading for comparison: lower-case words and hyphens."""
    bare = _IN_BRACKETS.sub(" ", name) if "(" in name or "（" in name else name
    return "-".join(re.findall(r"[^\W\d_]+", bare.lower()))


def read_fields(lines: Sequence[str], first_line: int) -> Iterator[HeaderField]:
    """Yield the fields in lines of text, of which the first has this number. Never raises."""
    at = 0
    while at < len(lines):
        number = first_line + at
        line, next_line = lines[at], lines[at + 1] if at + 1 < len(lines) else ""
        if "|" in line and (line.lstrip(" >")[:1] == "|" or _DELIMITER_ROW.match(next_line)):
            end = at
            while end < len(lines) and "|" in lines[end]:
                end += 1
            yield from read_table(lines[at:end], number)
            at = end
            continue
        at += 1
        if line.lstrip(" >*-").startswith("<"):
            line = _TAG.sub("", _CELLS.sub(": ", line)).strip()
        yield from _badges(line, number)
        if name := _named_alone(line):
            at, value = _below(lines, at)
            yield HeaderField(name, _plain(value), number)
            continue
        if ":" not in line and "：" not in line and "**" not in line:
            continue
        pieces = (_NEXT_ON_LINE if "**" in line else _NEXT_BARE).split(line)
        for piece in pieces:
            match = _FIELD.match(piece)
            name = _name(match) if match else ""
            if not match or not name or (match["dot"] and not _is_known(name)):
                continue
            value = _LINE_BREAK.sub("", match["value"])
            if piece is pieces[-1]:
                at, value = (_continued if value or not _is_known(name) else _below)(
                    lines, at, value
                )
            yield HeaderField(name, _plain(value), number)


def _name(match: re.Match[str]) -> str:
    return normalize_field_name(match["marked"] or match["name"])


def _badges(line: str, number: int) -> Iterator[HeaderField]:
    for badge in _BADGE.finditer(line) if "/badge/" in line else ():
        name, value = (one.replace("--", "-").replace("_", " ") for one in badge.groups())
        yield HeaderField(normalize_field_name(name), value, number)


def _named_alone(line: str) -> str:
    """The name of a status or a date that stands alone on its line, else ""."""
    label = _LABEL.fullmatch(line) if len(line) < MAX_LABEL else None
    name = normalize_field_name(label[1]) if label else ""
    return name if _is_known(name) else ""


def _is_known(name: str) -> bool:
    return is_status_name(name) or name in words("date").split("|")


def _below(lines: Sequence[str], at: int, value: str = "") -> tuple[int, str]:
    """Where to go on, and the value below a label: a line, or the items of a list."""
    start = at + (at < len(lines) and not lines[at].strip(" >"))
    values: list[str] = []
    for line in lines[start:]:
        mark = _ITEM.match(line)
        item = line[mark.end() :].strip() if mark else ""
        field = _FIELD.match(line)
        name = (field["marked"] or field["name"]) if field else ""
        is_field = name and not (WORD.match(name) or TRANSLATED_WORD.match(name))
        is_prose = values and not (mark and mark[1]) and not item[:1].isdigit()
        if not item or is_field or is_prose or item[0] in "#|" or _named_alone(line):
            break
        values.append(item)
    return (start + len(values) if values else at), value + "; ".join(values)


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


def read_table(rows: Sequence[str], first_line: int) -> Iterator[HeaderField]:
    """Yield the fields of a table, which has a column or a row for each. Never raises."""
    cells = [[_plain(cell) for cell in row.strip("> ").strip("|").split("|")] for row in rows]
    names = [normalize_field_name(cell) for cell in cells[0]]
    if len(rows) > 2 and _DELIMITER_ROW.match(rows[1]) and _are_columns(names):
        for column, name in enumerate(names):
            values = [row[column] for row in cells[2:] if column < len(row)]
            if is_status_name(name) and len({*values}) > 1:
                # A history. Without dates they are statuses of other records.
                days = [read_date(" ".join(row)) for row in cells[2:]]
                pairs = zip(days, values, strict=False)
                values = ["; ".join(map(" ".join, pairs))] if all(days) else []
            if name and values:
                yield HeaderField(name, values[0], first_line + 2)
        return
    for number, row in enumerate(cells):
        if len(row) == 2 and (name := normalize_field_name(row[0])):
            yield HeaderField(name, row[1], first_line + number)


def _are_columns(names: Sequence[str]) -> bool:
    """Whether the first row of a table has the names of fields, not a field and its value."""
    known = [name in _COLUMN_NAMES or is_status_name(name) for name in names]
    return len(names) > 2 or (len(names) == 2 and (names[1] in _COLUMN_NAMES or all(known)))


def _plain(value: str) -> str:
    value = " ".join(value[:MAX_VALUE].split())
    if value.startswith("**") and value.endswith("**") and value.count("**") == 2:
        value = value[2:-2].strip()
    return value
