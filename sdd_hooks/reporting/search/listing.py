"""List the hits of a search for people, a group for each kind, in the words of every output."""

# Governing: SPEC-0005 REQ "Search", ADR-0012 (untrusted input)

from __future__ import annotations

import sys
from collections.abc import Iterator

from sdd_hooks.code.paths import has_sections
from sdd_hooks.retrieval.questions import DEFAULT_KINDS
from sdd_hooks.retrieval.report import LabelledHit, SearchReport
from sdd_hooks.system.terminal import Terminal
from sdd_hooks.text.columns import cut_cell, wrap_line
from sdd_hooks.text.display import (
    display_width,
    printable_line,
    printable_lines,
    shorten_words,
    shortened,
)

_HEADINGS = {"adrs": "ADRs", "specs": "Specs", "code": "Code", "issues": "Issues"}
_INDENT = " " * 6
_MAX_LINES = 4
"""Lines of a wrapped text."""
_LEAST = 20
"""Columns of a text on the narrowest terminal."""

NOUNS = {"adrs": "ADRs", "specs": "specs", "code": "code", "knowledge": "patterns or lessons"}
"""How a message calls the hits of each kind; other kinds are called by their names."""

_NOTHING = "No relevant {} found for '{}'. Try a broader search term."


def list_hits(report: SearchReport, screen: Terminal) -> list[str]:
    """Return the lines of the list. A kind without hits is left out."""
    if report.is_empty:
        return [nothing_found(report)]
    lines = []
    for group in report.groups:
        if group.hits:
            heading = _HEADINGS.get(group.kind, printable_line(group.kind))
            lines += [screen.strong(heading), ""]
            lines += [line for one in group.hits for line in _hit_lines(one, screen)]
    return lines


def _hit_lines(one: LabelledHit, screen: Terminal) -> Iterator[str]:
    hit = one.hit
    state = printable_line(one.record.state) if one.record else ""
    name, end = (one.record.name, f" · {state}") if one.record and state else (label(one), "")
    room = max(screen.width - len(_INDENT), _LEAST) if screen.width else sys.maxsize
    name = shortened(printable_line(name), max(room - len(end), _LEAST))
    yield f"{hit.score:.2f}  {screen.strong(name)}{end[:3]}{screen.status(end[3:])}"
    location = cut_cell(printable_line(f"{hit.path}:{hit.first_line}-{hit.last_line}"), room)
    anchor = printable_line(f"#{hit.id.rpartition('#')[2]}")
    fits = display_width(f"{location} {anchor}") <= room
    yield f"{_INDENT}{location} {screen.faint(anchor)}" if fits else f"{_INDENT}{location}"
    yield from (f"{_INDENT}{line}" for line in _excerpt_lines(hit.snippet, screen.width))
    yield ""


def _excerpt_lines(text: str, width: int) -> list[str]:
    """Return prose wrapped into the width, and code line by line (a width of 0 is unlimited)."""
    lines = printable_lines(text)
    if not width or not lines:
        return lines
    room = max(width - len(_INDENT), _LEAST)
    if len(lines) > 1:
        return [shortened(line, room) for line in lines]
    wrapped = list(wrap_line(lines[0], room))
    if len(wrapped) > _MAX_LINES:
        wrapped[_MAX_LINES - 1 :] = [shortened(" ".join(wrapped[_MAX_LINES - 1 :]), room)]
    return wrapped


def nothing_found(report: SearchReport) -> str:
    """Return the message about a search without hits, in the words of the search skill."""
    kinds = [NOUNS.get(kind, kind) for kind in report.kinds or DEFAULT_KINDS]
    *others, last = kinds
    separator = ", or " if len(others) > 1 else " or "
    named = f"{', '.join(others)}{separator}{last}" if others else last
    return _NOTHING.format(named, printable_line(shorten_words(report.query)))


def label(one: LabelledHit) -> str:
    """Return what a hit is: `ADR-0011: Title · accepted`, or the file and its definition."""
    if one.record:
        return " · ".join(filter(None, (one.record.name, one.record.state)))
    hit = one.hit
    title = hit.title if has_sections(hit.path) else hit.path
    return " › ".join(dict.fromkeys(part for part in (title, hit.section) if part))
