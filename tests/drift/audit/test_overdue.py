"""Records whose dates have passed."""

from __future__ import annotations

from datetime import date

from sdd_hooks.drift.audit.overdue import find_overdue
from sdd_hooks.findings import Finding
from tests.drift.audit.repositories import adr, audited
from tests.support.repos import Repo

PATH = "docs/adrs/ADR-0001-mail.md"
REVIEW = adr(1).replace("date:", "review-by: 2026-01-31\ndate:")
TRIAL = adr(1, "accepted (trial until 2026-01-31)")


def overdue(repo: Repo, text: str, today: date) -> list[Finding]:
    return list(find_overdue(audited(repo, {PATH: text}, today=today)))


def test_a_review_that_is_due(repo: Repo) -> None:
    assert overdue(repo, REVIEW, date(2026, 1, 31)) == []
    assert overdue(repo, REVIEW, date(2026, 2, 1)) == [
        Finding(
            PATH,
            3,
            "stale-artifact/review-date",
            "info",
            "the review of ADR-0001 was due on 2026-01-31: review it, and set the next date or say"
            " when it was reviewed",
            "review-by: 2026-01-31",
        )
    ]


def test_a_provisional_decision_that_has_ended(repo: Repo) -> None:
    assert overdue(repo, TRIAL, date(2026, 1, 31)) == []
    assert overdue(repo, TRIAL, date(2026, 2, 1)) == [
        Finding(
            PATH,
            2,
            "stale-artifact/expired",
            "warning",
            "ADR-0001 was valid until 2026-01-31 and is still in force: confirm it, supersede it,"
            " or set another date",
            "accepted (trial until 2026-01-31)",
        )
    ]


def test_a_record_that_is_not_in_force_has_no_dates(repo: Repo) -> None:
    text = REVIEW.replace("accepted", "superseded by ADR-0002")
    assert overdue(repo, text, date(2027, 1, 1)) == []
