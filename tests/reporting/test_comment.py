from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdd_hooks.findings import Finding, ReportedFinding, SuppressedFinding
from sdd_hooks.reporting.comment import MARKER, MAX_UNITS, has_marker, render_comment
from sdd_hooks.reporting.markdown import render_markdown
from sdd_hooks.reporting.outcome import Candidate, References, ReviewOutcome
from sdd_hooks.reporting.registry import Links
from tests.reporting.forges import acted_on, shown
from tests.reporting.reviews import BASE, EVERYTHING, HEAD, reviews
from tests.reporting.test_markdown import many

CUT = "**Cut here:**"


def characters(text: str) -> int:
    """The upper bound of what a forge counts: UTF-16 units, and CR LF for the end of a line."""
    return len(text.replace("\n", "\r\n").encode("utf-16-le")) // 2


def huge(number: int, evidence: str) -> ReviewOutcome:
    """A review with this number of warnings, and of suppressed ones."""
    findings = [Finding(f"src/{at}.py", 1, "r", "warning", "no", evidence) for at in range(number)]
    reported = tuple(ReportedFinding(finding, f"{at:032x}") for at, finding in enumerate(findings))
    suppressed = tuple(SuppressedFinding(finding, "a reason") for finding in findings)
    return ReviewOutcome(BASE, HEAD, "", 1, findings=reported, suppressed=suppressed)


def test_the_marker_is_the_first_line() -> None:
    text = render_comment(EVERYTHING)
    assert text == f"{MARKER}\n{render_markdown(EVERYTHING)}"
    assert has_marker(text)
    assert has_marker(text.replace("\n", "\r\n"))


@pytest.mark.parametrize("body", ["", "x", f" {MARKER}\n", f"x\n{MARKER}\n", f"{MARKER} x", "\n"])
def test_a_comment_without_the_marker(body: str) -> None:
    assert not has_marker(body)


def test_a_marker_in_the_reviewed_text_is_escaped() -> None:
    finding = Finding(f"{MARKER}\n{MARKER}", 1, MARKER, "critical", MARKER, f"{MARKER}\n{MARKER}")
    record = Candidate(MARKER, MARKER, MARKER, 1, True, False, (), MARKER, f"\n{MARKER}\n", 1)
    notes, silenced = (f"\n{MARKER}",), f"\n{MARKER}"
    references = References((record,), (record,), silenced)
    suppressed = (SuppressedFinding(finding, f"\n{MARKER}"),)
    hostile = ReviewOutcome(
        BASE, HEAD, MARKER, 1, references, (ReportedFinding(finding, "f" * 32),), suppressed, notes
    )
    text = render_comment(hostile)
    assert text.count("<!--") == 1
    assert shown(text).comments == [" sdd-review "]


@pytest.mark.parametrize("evidence", ["x = 1", "𝒳" * 160, "日本" * 100, "`" * 100, "<!--" * 50])
def test_a_long_report_is_cut_between_lines(evidence: str) -> None:
    review = huge(2_000, evidence)
    text = render_comment(review)
    assert MAX_UNITS - 2_000 < characters(text) <= MAX_UNITS
    *kept, blank, notice = text.splitlines()
    assert notice.startswith(CUT)
    assert blank == ""
    whole = f"{MARKER}\n{render_markdown(review)}".splitlines()
    assert kept[:-2] == whole[: len(kept) - 2]
    assert kept[-2:] == ["", "</details>"]
    page = shown(text)
    assert page.tags.count("details") == text.count("</details>")
    assert acted_on(page.texts) == []


def test_a_report_that_fits_is_not_cut() -> None:
    for number in range(400, 640, 10):
        review = ReviewOutcome(BASE, HEAD, "", 1, findings=many(number))
        text = render_comment(review)
        whole = f"{MARKER}\n{render_markdown(review)}"
        assert text == whole or CUT in text
        assert (CUT in text) == (characters(whole) > MAX_UNITS - 536)


@settings(max_examples=15)
@given(reviews(), st.integers(0, 200))
def test_every_comment_is_within_the_limit(review: ReviewOutcome, times: int) -> None:
    grown = ReviewOutcome(
        review.base,
        review.head,
        review.title,
        review.files,
        review.references,
        review.findings * times,
        review.suppressed * times,
        review.notes * times,
    )
    text = render_comment(grown, links=Links("https://forge.example/o/r/blob", HEAD))
    assert characters(text) <= MAX_UNITS
    assert has_marker(text)
    assert text.count("<!--") == 1
    page = shown(text)
    assert page.tags.count("details") == text.splitlines().count("</details>")
    assert acted_on(page.texts) == []
