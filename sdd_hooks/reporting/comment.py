"""Report a review as the one comment of a pull request."""

# Governing: ADR-0022 (one review, many reports), SPEC-0010 REQ "One comment"

from __future__ import annotations

from sdd_hooks.reporting.markdown import markdown_lines, truncate_lines
from sdd_hooks.reporting.outcome import ReviewOutcome
from sdd_hooks.reporting.registry import Links, Reporter

MARKER = "<!-- sdd-review -->"
"""The first line of the comment, and the only HTML comment in it."""
MAX_UNITS = 65_536
"""UTF-16 code units that GitHub accepts."""

_MARGIN = 536
_NOTICE = (
    "**Cut here:** the whole report is longer than a comment may be. `sdd review` prints all of it."
)


def render_comment(review: ReviewOutcome, *, links: Links | None = None) -> str:
    """The marker and the report, cut between lines to at most `MAX_UNITS` code units."""
    lines = (MARKER, *markdown_lines(review, links))
    return truncate_lines(lines, _units, MAX_UNITS - _MARGIN, _NOTICE)


def has_marker(body: str) -> bool:
    """Whether a comment begins with the marker. Its author is for the caller to check."""
    return body.split("\n", 1)[0].rstrip("\r") == MARKER


def _units(line: str) -> int:
    """What GitHub may count, at most: UTF-16 code units, and two for the end of a line."""
    return len(line.encode("utf-16-le")) // 2 + 1


REPORTER = Reporter(
    "comment", lambda outcome, context: render_comment(outcome, links=context.links)
)
