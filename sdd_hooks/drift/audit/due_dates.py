"""Dates that a record sets itself, for its review and its end, and those that have passed."""

# Governing: SPEC-0019 REQ "Dates", SPEC-0019 REQ "Right or silent"

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterator
from datetime import date
from typing import Literal

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.fields import normalize_field_name, read_header_fields
from sdd_hooks.artifacts.frontmatter import read_frontmatter
from sdd_hooks.artifacts.languages import month_of
from sdd_hooks.drift.audit.audited import Audited
from sdd_hooks.findings import Finding
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.text.lazy_regex import lazy_regex
from sdd_hooks.text.markdown import parse_document, unify_line_endings
from sdd_hooks.text.sentences import split_sentences

DueKind = Literal["review", "end"]

MAX_TEXT = 400_000
"""Characters of a record that are read."""

_REVIEW_FIELDS = frozenset(
    {
        *("review-date", "review-by", "review-on", "review-due", "review-due-date", "review-at"),
        *("next-review", "next-review-date", "next-review-due", "date-of-review", "due-for-review"),
        *("revisit", "revisit-by", "revisit-on", "revisit-date", "revisit-after", "revisit-at"),
        *("reassess-by", "reassess-on", "reevaluate-by", "re-evaluate-by", "re-evaluate-on"),
    }
)
_END_FIELDS = frozenset(
    {
        *("expires", "expires-on", "expires-at", "expiry", "expiry-date", "expiration"),
        *("expiration-date", "valid-until", "valid-to", "provisional-until", "temporary-until"),
        *("trial-until", "sunset", "sunset-date", "sunset-on"),
    }
)
_REVIEWED_FIELDS = frozenset(
    {
        *("reviewed", "last-reviewed", "reviewed-on", "last-review", "last-review-date"),
        *("last-reviewed-on", "reviewed-at", "last-reviewed-at", "date-reviewed"),
    }
)

_MONTH = r"(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]{0,6}"
_DATE = rf"""(?:
    (?P<year>[0-9]{{4}})-(?P<month>[0-9]{{2}})(?:-(?P<day>[0-9]{{2}}))?(?![0-9])
    | (?P<qyear>[0-9]{{4}})[ -]?Q(?P<quarter>[1-4])\b
    | Q(?P<quarter2>[1-4])[ /-]?(?P<q2year>[0-9]{{4}})\b
    | (?:(?P<mday>[0-9]{{1,2}})(?:st|nd|rd|th)?\ )?(?P<mname>{_MONTH})\.?\ (?P<myear>[0-9]{{4}})\b
    | (?P<aname>{_MONTH})\.?\ (?P<aday>[0-9]{{1,2}})(?:st|nd|rd|th)?,?\ (?P<ayear>[0-9]{{4}})\b
)"""
_VALUE = lazy_regex(
    rf"[\s*_`\"']*(?:(?:by|on|before|after|until|due|end\ of|in)\ )*{_DATE}", re.VERBOSE | re.I
)
_UNTIL = lazy_regex(
    rf"""\b(?: expires?\s(?:on|in|after)\s
    | (?:provisional(?:ly)?|temporar(?:y|ily)|trial|interim|experimental|valid|accepted)\b
      [^.;()\n]{{0,40}}?\b(?:until|till|through)\s ) (?:the\ end\ of\s)?{_DATE}""",
    re.VERBOSE | re.IGNORECASE,
)
_REVISIT = lazy_regex(
    rf"""\b(?:(?:must|shall|should|will|to)\ be\ (?:revisited|reviewed|reassessed|re-?evaluated)
    | (?:revisit|reassess|re-?evaluate|review)\ (?:this|the)\ (?:decision|adr|record|choice))
    [^.;()\n]{{0,40}}?\b(?:by|before|no\ later\ than|not\ later\ than|at\ the\ latest\ (?:by|in|on))
    \s(?:the\ end\ of\s)?{_DATE}""",
    re.VERBOSE | re.IGNORECASE,
)
_CODE = lazy_regex(r"`[^`]*`")
_MAYBE = lazy_regex(r"revisit|review|reassess|evaluat", re.IGNORECASE)

REVIEW_DUE = "stale-artifact/review-date"
EXPIRED = "stale-artifact/expired"


class DueDate(NamedTuple):
    """A day that a record names, on `line`: its review (`review`), or the `end` of its validity.

    `text` is the field or the sentence that names it, in one line.
    """

    kind: DueKind
    day: date
    line: int
    text: str


def find_due_dates(text: str, status_text: str = "", status_line: int = 0) -> list[DueDate]:
    """Return the days that the text of a record names, in order of its lines. Never raises.

    A review that a later `reviewed` field confirms is left out. `status_text` is the written status
    on `status_line`, which may have an end (`accepted until 2026-06-30`).
    """
    sections, prose = parse_document(text[:MAX_TEXT])
    matter = read_frontmatter(text)
    fields = [(key, matter.text(key), matter.lines.get(key, 0)) for key in matter.fields]
    fields += [(one.name, one.value, one.line) for one in read_header_fields(prose, sections)]
    lines = unify_line_endings(text).split("\n")
    found: list[DueDate] = []
    reviewed: list[date] = []
    for name, value, line in fields:
        key = normalize_field_name(name.replace("_", "-"))
        match = _VALUE.match(value)
        day = _read_day(match) if match else None
        if day is None:
            continue
        shown = lines[line - 1].strip()[:200] if 0 < line <= len(lines) else name
        if key in _REVIEW_FIELDS:
            found.append(DueDate("review", day, line, shown))
        elif key in _END_FIELDS:
            found.append(DueDate("end", day, line, shown))
        elif key in _REVIEWED_FIELDS:
            reviewed.append(day)
    if (until := _UNTIL.search(status_text[:500])) and (day := _read_day(until)):
        found.append(DueDate("end", day, status_line, status_text[:200]))
    found += _in_prose(prose)
    latest = max(reviewed, default=None)
    return sorted(
        {
            (one.kind, one.day, one.line): one
            for one in found
            if one.kind == "end" or latest is None or latest < one.day
        }.values(),
        key=lambda one: (one.line, one.day),
    )


def _in_prose(prose: str) -> Iterator[DueDate]:
    if not _MAYBE.search(prose):
        return
    # A review is often set at the end of a record, and `prose` has at most MAX_TEXT characters.
    for sentence in split_sentences(prose, max_lines=MAX_TEXT):
        match = _REVISIT.search(_CODE.sub(" ", sentence.text[:1_000]))
        if match and (day := _read_day(match)):
            yield DueDate("review", day, sentence.line, sentence.text[:200])


def _read_day(match: re.Match[str]) -> date | None:
    """The last day of the written day, month or quarter; None for one that does not exist."""
    parts = {name: value for name, value in match.groupdict().items() if value}
    year = int(next(parts[name] for name in parts if name.endswith("year")))
    name = parts.get("mname") or parts.get("aname")
    quarter = parts.get("quarter") or parts.get("quarter2")
    day = parts.get("day") or parts.get("mday") or parts.get("aday")
    if name:
        month = month_of(name)
    else:
        month = int(quarter) * 3 if quarter else int(parts["month"])
    try:
        return date(year, month, int(day) if day else monthrange(year, month)[1])
    except ValueError:
        return None


def find_overdue(audited: Audited) -> Iterator[Finding]:
    """Find the dates of records in force that have passed."""
    for one in audited.records:
        yield from _find_passed(one, audited.subject.text(one.path), audited.today)


def _find_passed(record: Artifact, text: str, today: date) -> Iterator[Finding]:
    if not record.status.authoritative:
        return
    for due in find_due_dates(text, record.status.text, record.status.line):
        if due.day >= today:
            continue
        if due.kind == "review":
            message = (
                f"the review of {record.name} was due on {due.day.isoformat()}: review it, and set"
                " the next date or say when it was reviewed"
            )
            yield Finding(record.path, due.line, REVIEW_DUE, "info", message, due.text)
        else:
            message = (
                f"{record.name} was valid until {due.day.isoformat()} and is still in force:"
                " confirm it, supersede it, or set another date"
            )
            yield Finding(record.path, due.line, EXPIRED, "warning", message, due.text)
