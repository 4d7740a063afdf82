"""The one comment that a pull request has of a review."""

# Governing: ADR-0022 (one review, many reports), SPEC-0010 REQ "One comment"

from __future__ import annotations

from sdd_hooks.reporting.links import Links
from sdd_hooks.reporting.markdown import report_lines
from sdd_hooks.reporting.outcome import ReviewOutcome
from sdd_hooks.reporting.truncation import fitting

MARKER = "<!-- sdd-review -->"
"""The first line of the comment. Nothing else in it is an HTML comment."""
LONGEST = 65_536
"""Characters that GitHub takes."""

_MARGIN = 536
_CUT = (
    "**Cut here:** the whole report is longer than a comment may be. `sdd review` prints all of it."
)


def comment(review: ReviewOutcome, *, links: Links | None = None) -> str:
    """The report after its marker, of at most `LONGEST` characters, cut on whole lines."""
    lines = (MARKER, *report_lines(review, links))
    return fitting(lines, _characters, LONGEST - _MARGIN, _CUT)


def is_ours(body: str) -> bool:
    """Whether the text of a comment begins as ours does. Who wrote it is for the caller to know."""
    return body.split("\n", 1)[0].rstrip("\r") == MARKER


def _characters(line: str) -> int:
    """What GitHub may count, at most: UTF-16 units, and two for the end of a line."""
    return len(line.encode("utf-16-le")) // 2 + 1
