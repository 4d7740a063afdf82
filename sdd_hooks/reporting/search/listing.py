"""List the hits of a search for people, a group for each kind, in the words of every output."""

# Governing: SPEC-0005 REQ "Search", ADR-0012 (untrusted input)

from __future__ import annotations

from collections.abc import Iterator

from sdd_hooks.code.paths import has_sections
from sdd_hooks.retrieval.questions import DEFAULT_KINDS
from sdd_hooks.retrieval.report import LabelledHit, SearchReport
from sdd_hooks.system.terminal import Terminal
from sdd_hooks.text.display import printable_line, printable_lines, shorten_words

_HEADINGS = {"adrs": "ADRs", "specs": "Specs", "code": "Code", "issues": "Issues"}
_INDENT = " " * 6
_MAX_LINES = 4
"""Lines of a wrapped text."""

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
    location = f"{hit.path}:{hit.first_line}-{hit.last_line}"
    anchor = hit.id.rpartition("#")[2]
    yield f"{hit.score:.2f}  {screen.strong(printable_line(label(one)))}"
    yield f"{_INDENT}{printable_line(location)} {screen.faint(printable_line(f'#{anchor}'))}"
    yield from (f"{_INDENT}{line}" for line in _excerpt_lines(hit.snippet, screen.width))
    yield ""


def _excerpt_lines(text: str, width: int) -> list[str]:
    """Return prose wrapped into the width, and code line by line (a width of 0 is unlimited)."""
    lines = printable_lines(text)
    room = max(width - len(_INDENT), 20) if width else 0
    if len(lines) > 1:
        return [f"{line[: room - 1]}…" if 0 < room < len(line) else line for line in lines]
    if not lines or not room or len(lines[0]) <= room:
        return lines
    from textwrap import wrap

    return wrap(lines[0], room, max_lines=_MAX_LINES, placeholder=" …")


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
