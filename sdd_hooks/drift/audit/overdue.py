"""Records whose review is due, and provisional decisions whose end has passed."""

# Governing: SPEC-0019 REQ "Dates"

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.drift.audit.audited import Audited
from sdd_hooks.drift.audit.due_dates import find_due_dates
from sdd_hooks.findings import Finding

REVIEW_DUE = "stale-artifact/review-date"
EXPIRED = "stale-artifact/expired"


def find_overdue(audited: Audited) -> Iterator[Finding]:
    """Find the dates of records in force that have passed."""
    for one in audited.records:
        yield from find_passed_dates(one, audited.subject.text(one.path), audited.today)


def find_passed_dates(record: Artifact, text: str, today: date) -> Iterator[Finding]:
    """Find the dates of a record, whose file has this text, that are before `today`.

    A record that is not in force has none.
    """
    if not record.status.authoritative:
        return
    for due in find_due_dates(text, record.status.text, record.status.line):
        if due.day >= today:
            continue
        if due.kind == "review":
            message = (
                f"the review of {record.name} was due on {due.day.isoformat()}: review it, and set"
                " the next date or say when it was reviewed"
            )
            yield Finding(record.path, due.line, REVIEW_DUE, "info", message, due.text)
        else:
            message = (
                f"{record.name} was valid until {due.day.isoformat()} and is still in force:"
                " confirm it, supersede it, or set another date"
            )
            yield Finding(record.path, due.line, EXPIRED, "warning", message, due.text)
