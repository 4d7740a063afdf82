"""Decide what the status of an artifact is, in one vocabulary.

It is what the author says of this artifact now: in the frontmatter, in a field at the top, or under
a `Status` heading. The text after it (`accepted (refined by ADR-7)`) is a note.
"""

# Governing: SPEC-0002 REQ "Status"

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Literal

from sdd_hooks.artifacts.dates import read_date
from sdd_hooks.artifacts.fields import HeaderField, normalize_field_name, read_table
from sdd_hooks.artifacts.frontmatter import Frontmatter, FrontmatterValue
from sdd_hooks.artifacts.languages import WORD, find_status_words, is_status_name
from sdd_hooks.artifacts.statement import (
    NON_AUTHORITATIVE,
    PLAIN,
    UNKNOWN,
    StatusStatement,
    current_statement,
    read_statement,
)
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.text.lazy_regex import lazy_regex
from sdd_hooks.text.markdown import Section

StatusOrigin = Literal["frontmatter", "field", "section", "none"]

MAX_STATUS_SECTIONS = 8
MAX_NOTED = 2
"""Sections at the top in which a note about this record is looked for."""
MAX_HEADING = 120
"""Characters of a longer heading are not the name of a status."""
_STATES = frozenset({"state", "stage"})
_PARENTS = frozenset({"metadata", "meta", "params", "adr", "madr", "decision", "record", "header"})
_VALUES = ("value", "status", "state", "current", "name")
_DATES = frozenset({"date", "on", "since", "at", "when"})
_HEADING = lazy_regex(
    r"[^\w`]*(?:[0-9]+[.)]?[ ]*)?([^:：—–|`]{1,60}?)[*_ ]*(?:[:：—–]|[ ]-[ ])[ *]*(\S.*)$"
)
_CHECKED = lazy_regex(r"[-*+] \[[xX✓✔]\] +(.+)")
_UNCHECKED = lazy_regex(r"[-*+] \[ ?\]")
_QUOTE = lazy_regex(r"(?:>[ ]?)+(?:\[![A-Za-z]+\].*)?")
# A list item, a rule, a date, or a line that a tool adds below "Accepted".
_NEW_STATEMENT = lazy_regex(
    r"[-*+]\s|[0-9]{1,2}[.)]\s|[-=*_]{3,}$|(?:Super[sc]ed|Amend|Deprec|Replac)|\W{0,3}[0-9]{4}[-/.][0-9]"
)
_OF_THIS = lazy_regex(
    r"\W{0,6}this (?:adr|decision|record|rfc|proposal|document|specification) (?:is|was|has)\b",
    re.IGNORECASE,
)
# An entry of a log: `2026-01-09: Merged`
_MERGED = lazy_regex(r"\W{0,4}[0-9]{4}-[0-9]{2}-[0-9]{2}\W{0,4}merged\b", re.IGNORECASE)


class ArtifactStatus(NamedTuple):
    """A status: `value` is one of STATUSES, UNKNOWN for another word, or "" without a status.

    `text` is the written text, `note` the part after the status, `line` its 1-based line.
    """

    value: str = ""
    text: str = ""
    note: str = ""
    line: int = 0
    origin: StatusOrigin = "none"

    @property
    def authoritative(self) -> bool:
        """Whether the artifact is in force. Without a status it is."""
        return self.value not in NON_AUTHORITATIVE

    @property
    def holds_in_part(self) -> bool:
        """Whether the text begins with the end of the record, and says that a part is retained."""
        first = next(find_status_words(self.text), None)
        return self.value == "accepted" and first is not None and first.value in NON_AUTHORITATIVE


NO_STATUS = ArtifactStatus()


def parse_status(text: str, line: int = 0, origin: StatusOrigin = "field") -> ArtifactStatus | None:
    """Parse the status in a piece of Markdown. None: no text, or the choices of a template."""
    written = " ".join(text.split())[:2_000]
    said = read_statement(written)
    return said and ArtifactStatus(said.value, written, said.note, line, origin)


def find_statuses(
    matter: Frontmatter, fields: Sequence[HeaderField], prose: str, sections: Sequence[Section]
) -> tuple[ArtifactStatus, ...]:
    """Return every status of a document, the effective one first.

    The frontmatter comes before the fields, these before the sections, these before a note at the
    top that the record has ended, and a known status before another. `fields` are the header
    fields, `prose` the text without code and comments.
    """
    written = (
        _first_known(_of_frontmatter(matter)),
        _first_known(_of_field(field) for field in fields),
        _first_known(_of_section(prose, one) for one in find_status_sections(sections)),
        _first_known(_of_notes(prose, sections)),
    )
    found = (status for status in written if status)
    return tuple(sorted(found, key=lambda status: status.value == UNKNOWN))


def _first_known(found: Iterable[ArtifactStatus | None]) -> ArtifactStatus | None:
    first = None
    for status in found:
        if status and status.value != UNKNOWN:
            return status
        first = first or status
    return first


def _of_field(field: HeaderField) -> ArtifactStatus | None:
    if field.name in _STATES or is_status_name(field.name):
        return _unless_state(field.name, parse_status(field.value, field.line))
    return None


def _of_notes(prose: str, sections: Sequence[Section]) -> Iterator[ArtifactStatus]:
    """What a heading or a paragraph at the top says of the end: `This ADR has been superseded`."""
    for section in sections[:MAX_NOTED]:
        for line, text in ((section.first_line, section.title), *read_paragraphs(prose, section)):
            said = parse_status(text, line, "section") if _OF_THIS.match(text) else None
            if said and said.value in NON_AUTHORITATIVE:
                yield said


def _unless_state(name: str, status: ArtifactStatus | None) -> ArtifactStatus | None:
    """The status, unless it is a state of anything else."""
    return None if name in _STATES and status and status.value == UNKNOWN else status


def _of_frontmatter(matter: Frontmatter) -> Iterator[ArtifactStatus | None]:
    for key in sorted(matter.fields, key=lambda key: key != "status"):
        value, line = matter.fields[key], matter.lines.get(key, 0)
        if key in _STATES or is_status_name(key):
            status = parse_status(_flat(value), line, "frontmatter")
            yield _unless_state(key, status)
        elif isinstance(value, dict) and key in _PARENTS:
            for name, inner in value.items():
                if is_status_name(name.lower()):
                    yield parse_status(_flat(inner), line, "frontmatter")
        elif value == "true" and key in NON_AUTHORITATIVE:
            yield parse_status(key, line, "frontmatter")


def _flat(value: FrontmatterValue) -> str:
    """A nested value as text: `accepted 2020-02-03` of a mapping, `a; b` of a list."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "; ".join(map(_flat, value))
    lower = {key.lower(): inner for key, inner in value.items()}
    if name := next((name for name in _VALUES if name in lower), ""):
        return " ".join(_flat(lower[key]) for key in (name, *_DATES) if key in lower)
    # `accepted: true`
    names = [key for key, inner in value.items() if inner == "true"]
    return "; ".join(names or (f"{key} {_flat(inner)}" for key, inner in value.items()))


def find_status_sections(sections: Sequence[Section]) -> Iterator[Section]:
    """Yield the first MAX_STATUS_SECTIONS sections with the heading Status, a history last."""
    headed = (one for one in sections if 0 < one.level <= 3 and _heading(one.title) is not None)
    found = islice(headed, MAX_STATUS_SECTIONS)
    yield from sorted(found, key=lambda one: "history" in one.title.lower())


def _heading(title: str) -> str | None:
    """What follows Status in a heading, None in another one."""
    if len(title) > MAX_HEADING or "`" in title:
        return None
    if is_status_name(normalize_field_name(title)):
        return ""
    match = _HEADING.match(title)
    return match[2] if match and is_status_name(normalize_field_name(match[1])) else None


def _of_section(prose: str, section: Section) -> ArtifactStatus | None:
    if inline := _heading(section.title):
        return parse_status(inline, section.first_line, "section")
    entries = list(_entries(prose, section))
    known = [entry for entry in entries if entry[2].value != UNKNOWN] or entries[:1]
    current = current_statement([said for _, _, said in known])
    if not known:
        return None
    line, text, said = known[max(current, 0)]
    value = UNKNOWN if current < 0 else said.value
    return ArtifactStatus(value, text, said.note if current >= 0 else "", line, "section")


def _entries(prose: str, section: Section) -> Iterator[tuple[int, str, StatusStatement]]:
    """Yield the line, text and meaning of the first statement, and of others about this record."""
    is_first = True
    for line, paragraph in read_paragraphs(prose, section):
        text = " ".join(paragraph.split())[:2_000]
        said = read_statement(text)
        if said and said.value == UNKNOWN and _MERGED.match(text):
            said = StatusStatement("accepted", is_plain=True, day=read_date(text))
        if said and (is_first or said.is_plain):
            yield line, text, said
        is_first = is_first and said is None


def find_status_date(
    prose: str, sections: Sequence[Section], statuses: Sequence[ArtifactStatus]
) -> str:
    """Return the first date of what the sections and other statuses say, "" without one.

    The date of its end is none of a record.
    """
    said = [one for part in find_status_sections(sections) for _, _, one in _entries(prose, part)]
    said += [one for status in statuses if (one := read_statement(status.text))]
    return min(
        (one.day for one in said if one.day and one.value not in NON_AUTHORITATIVE), default=""
    )


def read_paragraphs(prose: str, section: Section) -> Iterator[tuple[int, str]]:
    """Yield the paragraphs under a heading with their first lines; at most forty lines are read.

    A row of a table is one. Rules and empty check boxes are skipped.
    """
    lines = prose[section.start : min(section.end, section.start + 20_000)].split("\n")[1:41]
    paragraph, start, rows = "", 0, list[str]()
    was_quoted = False
    for number, raw in enumerate([*lines, ""], section.first_line + 1):
        line = raw.strip()
        is_quoted = line.startswith(">")
        line = _QUOTE.sub("", line, count=1) if is_quoted else line
        if paragraph and (is_quoted != was_quoted or _begins_anew(line)):
            yield start, paragraph
            paragraph = ""
        was_quoted = is_quoted
        if line.startswith("|"):
            rows.append(line)
            continue
        if rows:
            yield from _said_by_table(rows, number - len(rows))
            rows = []
        if checked := _CHECKED.match(line):
            yield number, checked[1]
        elif not line or _UNCHECKED.match(line) or not line.strip("-=*_ "):
            continue
        elif paragraph:
            paragraph = f"{paragraph} {line}"
        else:
            paragraph, start = re.sub(r"^(?:[-*+]|[0-9]{1,2}[.)])\s+", "", line), number


def _begins_anew(line: str) -> bool:
    """Whether a line does not go on with the paragraph above it."""
    if not line or line[0] == "|" or line.lower() in PLAIN or _NEW_STATEMENT.match(line):
        return True
    return line[0].isupper() and WORD.match(line) is not None


def _said_by_table(rows: Sequence[str], line: int) -> Iterator[tuple[int, str]]:
    """Yield what a table says: in a column or row for the status, else in each of its rows."""
    named = [field for field in read_table(rows, line) if is_status_name(field.name)]
    if named:
        yield from ((field.line, field.value) for field in named)
    else:
        yield from enumerate((row.replace("|", " ") for row in rows if row.strip("|:- ")), line)
