"""The summary that a step of a job leaves behind, on GitHub and on Gitea from 1.27 on."""

# Governing: ADR-0022 (one review, many reports), SPEC-0010 REQ "Reports"

from __future__ import annotations

from sdd_hooks.reporting.annotations import left_out
from sdd_hooks.reporting.links import Links
from sdd_hooks.reporting.markdown import report_lines
from sdd_hooks.reporting.outcome import ReviewOutcome
from sdd_hooks.reporting.truncation import fitting
from sdd_hooks.text.display import format_count

LONGEST = 1_048_576
"""Bytes of a step's summary; GitHub throws a longer one away as a whole."""

_MARGIN = 48_576
_CUT = "**Cut here:** the report is longer than a summary may be. `sdd review` prints all of it."


def summary(review: ReviewOutcome, *, links: Links | None = None) -> str:
    """The report in at most `LONGEST` bytes of UTF-8, cut on whole lines.

    It counts what `annotations` has left out. The margin is for what else a step writes there.
    """
    lines = list(report_lines(review, links))
    if missing := left_out(review):
        lines[2:2] = [f"{format_count(missing, 'finding')} more than a step may annotate.", ""]
    return fitting(lines, _bytes, LONGEST - _MARGIN, _CUT)


def _bytes(line: str) -> int:
    return len(line.encode())
