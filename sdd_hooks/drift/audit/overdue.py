"""Records whose review is due, and provisional decisions whose end has passed."""

# Governing: SPEC-0019 REQ "Dates"

from __future__ import annotations

from collections.abc import Iterator

from sdd_hooks.drift.audit.audited import Audited
from sdd_hooks.drift.audit.due_dates import find_due_dates
from sdd_hooks.findings import Finding

REVIEW_DUE = "stale-artifact/review-date"
EXPIRED = "stale-artifact/expired"


def find_overdue(audited: Audited) -> Iterator[Finding]:
    """Find the dates of records in force that have passed."""
    for one in audited.records:
        if not one.status.authoritative:
            continue
        text = audited.subject.text(one.path)
        for due in find_due_dates(text, one.status.text, one.status.line):
            if due.day >= audited.today:
                continue
            if due.kind == "review":
                message = (
                    f"the review of {one.name} was due on {due.day.isoformat()}: review it, and set"
                    " the next date or say when it was reviewed"
                )
                yield Finding(one.path, due.line, REVIEW_DUE, "info", message, due.text)
            else:
                message = (
                    f"{one.name} was valid until {due.day.isoformat()} and is still in force:"
                    " confirm it, supersede it, or set another date"
                )
                yield Finding(one.path, due.line, EXPIRED, "warning", message, due.text)
