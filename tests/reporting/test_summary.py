from __future__ import annotations

from sdd_hooks.reporting.annotations import render_annotations
from sdd_hooks.reporting.markdown import render_markdown
from sdd_hooks.reporting.outcome import ReviewOutcome
from sdd_hooks.reporting.summary import MAX_BYTES, render_summary
from tests.reporting.forges import shown
from tests.reporting.reviews import BASE, EVERYTHING, HEAD
from tests.reporting.test_comment import CUT, huge
from tests.reporting.test_markdown import LINKS, many


def test_the_summary_is_the_report() -> None:
    assert render_summary(EVERYTHING, links=LINKS) == render_markdown(EVERYTHING, links=LINKS)


def test_the_summary_counts_findings_without_annotations() -> None:
    review = ReviewOutcome(BASE, HEAD, "", 1, findings=many(13))
    assert len(render_annotations(review)) == 10
    note = "3 findings more than a step may annotate.\n"
    assert note in render_summary(review)
    assert note.replace("3 findings", "1 finding") in render_summary(
        ReviewOutcome(BASE, HEAD, "", 1, findings=many(11))
    )
    assert "annotate" not in render_summary(ReviewOutcome(BASE, HEAD, "", 1, findings=many(10)))


def test_a_huge_summary_is_cut_to_its_limit() -> None:
    text = render_summary(huge(6_000, "日本" * 100), links=LINKS)
    assert MAX_BYTES - 60_000 < len(text.encode()) <= MAX_BYTES - 40_000
    assert text.splitlines()[-1].startswith(CUT)
    assert shown(text).tags.count("details") == text.splitlines().count("</details>")
