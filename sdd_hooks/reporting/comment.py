"""Report a review as the one comment of a pull request."""

# Governing: ADR-0022 (one review, many reports), SPEC-0010 REQ "One comment"

from __future__ import annotations

from sdd_hooks.reporting.markdown import markdown_lines, truncate_lines
from sdd_hooks.reporting.outcome import ReviewOutcome
from sdd_hooks.reporting.registry import Links, Reporter

MARKER = "<!-- sdd-review -->"
"""The first line of a comment without a key, and the only HTML comment in it."""
MAX_UNITS = 65_536
"""UTF-16 code units that GitHub accepts."""

_MARGIN = 536
_NOTICE = (
    "**Cut here:** the whole report is longer than a comment may be. `sdd review` prints all of it."
)


def render_comment(review: ReviewOutcome, *, links: Links | None = None, key: str = "") -> str:
    """The marker and the report, cut between lines to at most `MAX_UNITS` code units.

    `key` distinguishes the comments of several jobs on one pull request: letters, digits, `.`, `_`
    and `-`.
    """
    marker = _marker(key, review.tree.command if review.tree else "review")
    lines = (marker, *markdown_lines(review, links))
    return truncate_lines(lines, _units, MAX_UNITS - _MARGIN, _NOTICE)


def has_marker(body: str, key: str = "") -> bool:
    """Whether a comment begins with the marker of this key. The caller checks its author."""
    return body.split("\n", 1)[0].rstrip("\r") == _marker(key)


def _marker(key: str, command: str = "review") -> str:
    return f"<!-- sdd-{command} ({key}) -->" if key else MARKER.replace("review", command)


def _units(line: str) -> int:
    """What GitHub may count, at most: UTF-16 code units, and two for the end of a line."""
    return len(line.encode("utf-16-le")) // 2 + 1


REPORTER = Reporter(
    "comment", lambda outcome, context: render_comment(outcome, links=context.links)
)
