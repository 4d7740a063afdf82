"""Dates that a record sets for its review or its end."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.drift.audit.due_dates import find_due_dates, find_overdue
from sdd_hooks.findings import Finding
from tests.drift.audit.repositories import adr, audited
from tests.support.cpu_time import assert_linear
from tests.support.repos import Repo

HEAD = "---\nstatus: accepted\n{0}\n---\n\n# ADR-0001: Use queues\n\nWe use queues.\n"

PATH = "docs/adrs/ADR-0001-mail.md"
REVIEW = adr(1).replace("date:", "review-by: 2026-01-31\ndate:")
TRIAL = adr(1, "accepted (trial until 2026-01-31)")


def found(text: str, status: str = "") -> list[tuple[str, str]]:
    return [(one.kind, one.day.isoformat()) for one in find_due_dates(text, status, 2)]


@pytest.mark.parametrize(
    ("field", "expected"),
    [
        ("review-by: 2026-01-31", ("review", "2026-01-31")),
        ("review_date: 2026-01-31", ("review", "2026-01-31")),
        ("next-review: 2026-02", ("review", "2026-02-28")),
        ("Revisit: Q3 2026", ("review", "2026-09-30")),
        ("revisit-by: 2026-Q1", ("review", "2026-03-31")),
        ("review-by: by June 2026", ("review", "2026-06-30")),
        ("review-by: 1st Sept 2026", ("review", "2026-09-01")),
        ("review-by: February 3, 2026", ("review", "2026-02-03")),
        ("expires: 2026-01-31", ("end", "2026-01-31")),
        ("valid-until: 2026-01-31 (then see ADR-2)", ("end", "2026-01-31")),
        ("provisional-until: end of Dec 2025", ("end", "2025-12-31")),
    ],
)
def test_a_field_in_the_frontmatter(field: str, expected: tuple[str, str]) -> None:
    assert found(HEAD.format(field)) == [expected]
    (due,) = find_due_dates(HEAD.format(field))
    assert (due.line, due.text) == (3, field)


@pytest.mark.parametrize(
    "field",
    [
        "date: 2020-01-01",
        "reviewed: 2020-01-01",
        "review-by: next year",
        "review-by: 2026-13-01",
        "review-by: 2026-02-30",
        "review-by: ADR-0012",
        "review-by: the team, since 2020-01-01",
        "review-by: 12020-01-01",
        "expires: never",
        "expires: 3600",
        "review-by:",
    ],
)
def test_what_is_no_date_of_a_review(field: str) -> None:
    assert found(HEAD.format(field)) == []


def test_a_field_above_the_second_heading() -> None:
    text = "# 7. Queues\n\n- **Status:** accepted\n- **Review date:** 2026-01-31\n\n## Context\n"
    (due,) = find_due_dates(text)
    assert (due.kind, due.day, due.line) == ("review", date(2026, 1, 31), 4)


def test_a_review_that_took_place() -> None:
    text = HEAD.format("review-by: 2026-01-31\nlast-reviewed: {0}")
    assert found(text.format("2026-02-03")) == []
    assert found(text.format("2026-01-31")) == []
    assert found(text.format("2025-02-03")) == [("review", "2026-01-31")]
    # A review does not prolong what has an end.
    assert found(HEAD.format("expires: 2026-01-31\nreviewed: 2026-02-03")) == [
        ("end", "2026-01-31")
    ]


@pytest.mark.parametrize(
    "status",
    [
        "accepted (provisional until 2026-06-30)",
        "Accepted, valid until June 2026",
        "accepted until 2026-06-30",
        "trial, expires on 2026-06-30",
        "Provisionally accepted until the end of Q2 2026",
    ],
)
def test_the_status_has_an_end(status: str) -> None:
    (due,) = find_due_dates("# ADR-1: x\n", status, 2)
    assert (due.kind, due.day, due.line) == ("end", date(2026, 6, 30), 2)


@pytest.mark.parametrize(
    "status", ["accepted", "accepted 2026-06-30", "accepted on 2026-06-30", "superseded 2026-06"]
)
def test_the_date_of_a_status_is_no_end(status: str) -> None:
    assert found("# ADR-1: x\n", status) == []


@pytest.mark.parametrize(
    "sentence",
    [
        "We will revisit this decision by 2026-06-30.",
        "It must be revisited before the end of June 2026, when the contract ends.",
        "Reassess the choice no later than Q2 2026.",
        "This should be re-evaluated by 30 June 2026.",
    ],
)
def test_a_sentence_sets_a_review(sentence: str) -> None:
    text = f"# ADR-1: x\n\n## Consequences\n\n- Good.\n- {sentence}\n"
    (due,) = find_due_dates(text)
    assert (due.kind, due.day, due.line, due.text) == (
        "review",
        date(2026, 6, 30),
        6,
        sentence,
    )


@pytest.mark.parametrize(
    "sentence",
    [
        "It was reviewed on 2020-06-30.",
        "The decision was revisited in 2020-06.",
        "The code will be reviewed by Ada.",
        "Review the change of 2020-06-30.",
        "`revisit this decision by 2020-06-30`",
        "We review this decision if the load doubles. By 2020-06-30 it had not.",
    ],
)
def test_a_sentence_about_the_past_or_about_other_things(sentence: str) -> None:
    assert found(f"# ADR-1: x\n\n## Consequences\n\n{sentence}\n") == []


def test_a_sentence_at_the_end_of_a_long_record() -> None:
    context = "A line of the context.\n" * 2_000
    text = f"# ADR-0001: Use queues\n\n{context}\n## Outcome\n\nReview this decision by May 2026.\n"
    (due,) = find_due_dates(text)
    assert (due.kind, due.day.isoformat(), due.line) == ("review", "2026-05-31", 2_006)


def test_the_cost_grows_with_the_text() -> None:
    assert_linear(
        find_due_dates,
        lambda size: "# x\n\n" + "It must be reviewed by provisional until \n\n" * size,
        400,
    )


@given(st.text(), st.text())
def test_any_text_is_read(text: str, status: str) -> None:
    find_due_dates(text, status)
    find_due_dates(f"---\nreview-by: {text}\n---\n", f"provisional until {status}")


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
