"""The words that every output of a search uses."""

# Governing: SPEC-0005 REQ "Search"

from __future__ import annotations

from sdd_hooks.code.paths import is_markdown
from sdd_hooks.retrieval.questions import DEFAULT_KINDS
from sdd_hooks.retrieval.report import LabelledHit, SearchReport
from sdd_hooks.text.display import printable_line, shorten_words

NOUNS = {"adrs": "ADRs", "specs": "specs", "code": "code", "knowledge": "patterns or lessons"}
"""How a message calls the hits of each kind; other kinds are called by their names."""

_NOTHING = "No relevant {} found for '{}'. Try a broader search term."


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
    title = hit.title if is_markdown(hit.path) else hit.path
    return " › ".join(dict.fromkeys(part for part in (title, hit.section) if part))
