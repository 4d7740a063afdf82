"""A report format of one line."""

from __future__ import annotations

from sdd_hooks.api import ReportContext, Reporter, ReviewOutcome


def render(outcome: ReviewOutcome, context: ReportContext) -> str:
    """Say how many files were reviewed, and with which rules."""
    rules = " ".join(sorted(rule.id for rule in context.rules())[:2])
    return f"{outcome.files} file, {len(context.warnings)} warnings, {rules}, {context.width}\n"


REPORTER = Reporter("poem", render)
