"""The draft of a record, and hostile names in reports."""

from __future__ import annotations

from sdd_hooks.artifacts.adr import read_adr
from sdd_hooks.drift.discover.candidates import ImplicitDecision
from sdd_hooks.drift.discover.decided import Decided
from sdd_hooks.drift.discover.report import (
    DiscoverReport,
    draft_record,
    render_markdown,
    report_data,
)
from sdd_hooks.drift.discover.survey import EvidenceLine

HOSTILE = "`](http://evil) <script> @ada | \x1b[31m"
CANDIDATE = ImplicitDecision(
    "redis",
    "Use Redis as the in-memory store",
    "in-memory-store",
    ("Redis",),
    (("Redis",),),
    frozenset(),
    (
        EvidenceLine(f"a{HOSTILE}.py", 3, HOSTILE, "used"),
        EvidenceLine("b.py", 1, "import redis", "used"),
    ),
    2,
    9,
    60.0,
    (f"src{HOSTILE}",),
)


def test_a_draft_is_a_record_that_can_be_read() -> None:
    text = "\n".join(draft_record(CANDIDATE, "2026-03-04"))
    record = read_adr("docs/adrs/ADR-0007-redis.md", text)
    assert record is not None
    assert (record.title, record.status.value, record.date) == (
        CANDIDATE.title,
        "proposed",
        "2026-03-04",
    )
    assert [one.title for one in record.sections if one.level == 2] == [
        "Context and Problem Statement",
        "Considered Options",
        "Decision Outcome",
    ]
    assert record.findings == ()
    assert "2 of 9 source files depend on it" in text
    assert "* `b.py:1`: `import redis`" in text


def test_a_draft_claims_no_reason() -> None:
    text = "\n".join(draft_record(CANDIDATE, "2026-03-04"))
    assert "because TODO: the reason" in text
    assert text.count("TODO") == 4


def test_texts_of_the_repository_cannot_leave_their_place() -> None:
    skipped = Decided(CANDIDATE, "ADR-0001", HOSTILE, HOSTILE, "docs/a.md", "title")
    report = DiscoverReport(f"x{HOSTILE}", 9, (CANDIDATE,), (skipped,), (HOSTILE,), (HOSTILE,))
    lines = [*render_markdown(report), *draft_record(CANDIDATE, "2026-03-04")]
    text = "\n".join(lines)
    assert "\x1b" not in text
    assert all("\n" not in line for line in lines)
    (row,) = (line for line in lines if line.startswith("| Use"))
    assert row.replace("\\|", "").count("|") == 4
    assert "](http" not in text.replace("\\](http", "").replace("`](http", "")


def test_data_has_every_line_of_evidence() -> None:
    data = report_data(DiscoverReport("", 9, (CANDIDATE,), ()))
    assert data["schema_version"] == 1
    (candidate,) = data["candidates"]  # type: ignore[misc]
    assert candidate["evidence"][1] == {
        "path": "b.py",
        "line": 1,
        "text": "import redis",
        "shows": "used",
    }


def test_more_decisions_than_fit_are_counted() -> None:
    many = tuple(CANDIDATE._replace(id=f"a{number}") for number in range(12))
    report = DiscoverReport("", 9, many, ())
    assert "2 more decisions: `--all` shows all." in render_markdown(report.shown())
    assert len(report.shown(None).candidates) == 12
    assert "12 decisions in 9 source files have no record." in render_markdown(report.shown())


def test_nothing_found_is_said() -> None:
    report = DiscoverReport("", 0, (), ())
    assert render_markdown(report)[-1] == "No evidence of a decision in 0 source files."
