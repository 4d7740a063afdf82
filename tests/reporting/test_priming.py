"""The report of `sdd prime` as JSON."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.reporting.budget import count_tokens
from sdd_hooks.reporting.priming import ArtifactName, PrimeReport, report_data
from tests.reporting.primed import artifact, matched, reports, spec

FIRST = {
    "id": "ADR-0001",
    "kind": "ADR",
    "title": "Title 1",
    "path": "docs/adrs/1.md",
    "module": "",
    "status": "accepted",
    "authoritative": True,
    "replaced_by": [],
    "requirements": 0,
    "scenarios": 0,
    "summary": "Decision 1.",
}


def test_every_field_without_a_topic() -> None:
    gone = artifact(2, status="rejected", authoritative=False)
    report = PrimeReport(None, (artifact(1), spec(3, status="")), (gone,))
    data = report_data(report)
    artifacts = data.pop("artifacts")
    assert artifacts[0] == FIRST  # type: ignore[index]
    assert artifacts[1]["status"] is None  # type: ignore[index]
    excluded = data.pop("excluded")
    assert excluded[0]["summary"] is None  # type: ignore[index]
    assert data == {"topic": None, "adrs": 1, "specs": 1, "left_out": []}


def test_every_field_with_a_topic() -> None:
    skipped = (ArtifactName("SPEC", "", "Other", "b/spec.md", "api"),)
    assert report_data(PrimeReport("auth", (matched(1),), (), skipped)) == {
        "topic": "auth",
        "adrs": 1,
        "specs": 0,
        "artifacts": [
            {
                **FIRST,
                "relevance": {
                    "score": 0.5,
                    "section": "Decision",
                    "excerpt": "why it matches",
                    "matched": "auth in the title",
                },
                "text": "# Text 1\n",
            }
        ],
        "skipped": [
            {"id": None, "kind": "SPEC", "title": "Other", "path": "b/spec.md", "module": "api"}
        ],
        "left_out": [],
    }


def test_a_budget_leaves_out_texts_first() -> None:
    artifacts = tuple(matched(number, text="long " * 1_000) for number in range(1, 4))
    data = report_data(PrimeReport("auth", artifacts), 2_000)
    assert [one["text"] for one in data["artifacts"]] == [None] * 3  # type: ignore[attr-defined]
    assert data["left_out"] == ["3 of 3 full texts"]


@given(reports(), st.integers(500, 3_000))
def test_a_document_of_any_text_stays_within_its_budget(report: PrimeReport, budget: int) -> None:
    document = json.dumps(report_data(report, budget), indent=2)
    assert count_tokens(document) <= budget
    assert json.loads(document)["topic"] == report.topic
