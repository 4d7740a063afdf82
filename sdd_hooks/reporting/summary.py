"""Report a review as the summary of a job's step, on GitHub and on Gitea from 1.27 on."""

# Governing: ADR-0022 (one review, many reports), SPEC-0010 REQ "Reports"

from __future__ import annotations

from sdd_hooks.reporting.annotations import count_left_out
from sdd_hooks.reporting.markdown import markdown_lines, truncate_lines
from sdd_hooks.reporting.outcome import ReviewOutcome
from sdd_hooks.reporting.registry import Links, Reporter
from sdd_hooks.text.display import format_count

MAX_BYTES = 1_048_576
"""Bytes of a step's summary: GitHub discards a longer one."""

_MARGIN = 48_576
_NOTICE = "**Cut here:** the report is longer than a summary may be. `sdd review` prints all of it."


def render_summary(review: ReviewOutcome, *, links: Links | None = None) -> str:
    """The report in at most `MAX_BYTES` bytes of UTF-8, cut between lines.

    It says how many findings have no annotation. The margin is for other text in the same summary.
    """
    lines = list(markdown_lines(review, links))
    if missing := count_left_out(review):
        lines[2:2] = [f"{format_count(missing, 'finding')} more than a step may annotate.", ""]
    return truncate_lines(lines, _bytes, MAX_BYTES - _MARGIN, _NOTICE)


def _bytes(line: str) -> int:
    return len(line.encode())


REPORTER = Reporter(
    "summary", lambda outcome, context: render_summary(outcome, links=context.links)
)
