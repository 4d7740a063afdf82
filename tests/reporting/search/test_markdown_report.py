"""The report of a search in Markdown."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.engines.protocol import Hit
from sdd_hooks.reporting.search.markdown_report import ReportSection, render_markdown
from sdd_hooks.retrieval.report import HitGroup, LabelledHit, RecordLabel, SearchReport

HIT = Hit("a.md#x", "c", "a.md", 3, 5, "A", "X", 0.756, None, "It is so.", "")
RECORD = RecordLabel("ADR-0011", "Queues", "accepted")


def report(*hits: LabelledHit, kind: str = "adrs", query: str = "q") -> SearchReport:
    return SearchReport(query, (HitGroup(kind, ("c",), hits),))


def entry(hit: Hit, record: RecordLabel | None = None, kind: str = "adrs") -> list[str]:
    """The lines of the only hit."""
    return list(render_markdown(report(LabelledHit(hit, kind, "", record), kind=kind))[6:])


def test_an_entry_has_id_title_score_and_note() -> None:
    assert entry(HIT, RECORD) == [
        "- **ADR-0011: Queues** (score: 0.76) · accepted",
        "  It is so.",
        "  `a.md:3-5`",
    ]


@pytest.mark.parametrize(
    ("record", "line"),
    [
        (RecordLabel("ADR-0001", "A"), "- **ADR-0001: A** (score: 0.76)"),
        (
            RecordLabel("ADR-0001", "A", "superseded", False, ("ADR-0002", "ADR-0003")),
            "- **ADR-0001: A** (score: 0.76) · superseded by ADR-0002, ADR-0003",
        ),
        (
            RecordLabel("ADR-0001", "A", "deprecated", False, ("ADR-0002",)),
            "- **ADR-0001: A** (score: 0.76) · deprecated, superseded by ADR-0002",
        ),
        (
            RecordLabel("ADR-0001", "A", "rejected", False),
            "- **ADR-0001: A** (score: 0.76) · rejected",
        ),
        (
            RecordLabel("README", "Decisions", is_artifact=False),
            "- **Decisions** (score: 0.76)",
        ),
    ],
)
def test_the_state_of_a_record(record: RecordLabel, line: str) -> None:
    assert entry(HIT, record)[0] == line


def test_code_keeps_its_lines_in_a_fence_that_it_cannot_close() -> None:
    code = HIT._replace(path="a.go", section="F", snippet="// F sends.\nfunc F() {\n```\n}")
    assert entry(code, kind="code") == [
        "- **a.go** (score: 0.76)",
        "  Defines `F` in lines 3-5: F sends.",
        "  ````",
        "  // F sends.",
        "  func F() {",
        "  ```",
        "  }",
        "  ````",
    ]


@pytest.mark.parametrize(
    "line", ["*,", "*args: str,", "#include <stdio.h>", "#[derive(Debug)]", "--n;", "*p = 1;"]
)
def test_code_that_begins_like_a_comment_is_no_description(line: str) -> None:
    code = HIT._replace(path="a.c", section="f", snippet=f"f(\n    {line}")
    assert entry(code, kind="code")[1] == "  Defines `f` in lines 3-5."


@pytest.mark.parametrize(
    "line", ["# It sends.", "## It sends.", "/** It sends. */", "-- It sends.", " * It sends."]
)
def test_the_first_comment_describes_code(line: str) -> None:
    code = HIT._replace(path="a.c", section="f", snippet=f"f(\n    {line}\n    *,")
    assert entry(code, kind="code")[1] == "  Defines `f` in lines 3-5: It sends."


def test_code_in_a_record_keeps_its_lines() -> None:
    lines = entry(HIT._replace(snippet="a = 1\nb = 2"), RECORD)
    assert lines[1:5] == ["  ```", "  a = 1", "  b = 2", "  ```"]


def test_sections_are_numbered_and_others_follow() -> None:
    empty = SearchReport(
        "q", (HitGroup("specs", (), ()), HitGroup("adrs", (), (LabelledHit(HIT, "adrs"),)))
    )
    lines = render_markdown(empty, [ReportSection("Call Graphs", ["graph"])])
    headings = [line for line in lines if line.startswith("#")]
    assert headings == [
        "## Search Results: q",
        "### 1. Matching Specs",
        "### 2. Matching ADRs",
        "### 3. Call Graphs",
    ]
    assert "No matching specs found." in lines


@given(st.text(max_size=80), st.text(max_size=40), st.text(max_size=20))
def test_hostile_text_makes_no_heading_html_or_control(note: str, title: str, path: str) -> None:
    hit = LabelledHit(
        HIT._replace(snippet=note, path=path), "adrs", "", RecordLabel("ADR-0001", title)
    )
    lines = render_markdown(report(hit, query=title))
    assert sum(line.startswith("#") for line in lines) == 2
    assert not {"\x1b", "\r", "\u202e"} & set("".join(lines))
