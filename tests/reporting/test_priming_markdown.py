"""The report of `sdd prime` in Markdown."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from sdd_hooks.reporting.budget import count_tokens
from sdd_hooks.reporting.priming import ArtifactName, PrimedArtifact, PrimeReport
from sdd_hooks.reporting.priming_markdown import render_markdown
from tests.reporting.primed import artifact, matched, reports, spec

REFERENCE = [
    "### Quick Reference",
    "",
    "- Load one topic: `sdd prime TOPIC`",
    "- Search decisions, specifications and code: `sdd search QUERY`",
    "- List all artifacts: `sdd list`",
]


def overview(*artifacts: PrimedArtifact, **fields: object) -> list[str]:
    kept = [one for one in artifacts if one.authoritative]
    excluded = [one for one in artifacts if not one.authoritative]
    report = PrimeReport(None, tuple(kept), tuple(excluded))
    return render_markdown(report._replace(**fields))  # type: ignore[arg-type]


def test_the_report_without_a_topic() -> None:
    lines = overview(
        artifact(1),
        artifact(2, status="", summary=("Use `a|b`.", "It *is* [small](x).")),
        spec(1, status="draft", requirements=1, scenarios=12, summary=()),
        artifact(3, status="superseded", authoritative=False, replaced_by=("ADR-0001",)),
        artifact(4, status="superseded", authoritative=False),
        artifact(5, status="rejected", authoritative=False),
        artifact(6, status="deprecated", authoritative=False, replaced_by=("ADR-0002",)),
        notes=("Refreshed index (1 added, 0 updated, 0 removed across all collections)",),
    )
    assert lines == [
        "## Architecture Context Loaded",
        "",
        "Refreshed index (1 added, 0 updated, 0 removed across all collections)",
        "",
        "Primed session with 2 ADRs and 1 spec.",
        "",
        "### Architecture Decision Records",
        "",
        "| ID | Title | Status | Key Decision |",
        "|----|-------|--------|--------------|",
        "| ADR-0001 | Title 1 | accepted | Decision 1. |",
        "| ADR-0002 | Title 2 | — | Use `a\\|b`. |",
        "",
        "### Specifications",
        "",
        "| ID | Title | Status | Requirements |",
        "|----|-------|--------|--------------|",
        "| SPEC-0001 | Title 1 | draft | 1 requirement, 12 scenarios |",
        "",
        "### Artifact Summaries",
        "",
        "**ADR-0001: Title 1** (accepted)",
        "Decision 1.",
        "",
        "**ADR-0002: Title 2**",
        "Use `a|b`. It is small.",
        "",
        "### Non-Authoritative (excluded)",
        "",
        "- ADR-0003: Title 3 → superseded by ADR-0001",
        "- ADR-0004: Title 4 (superseded — no replacement recorded)",
        "- ADR-0005: Title 5 (rejected)",
        "- ADR-0006: Title 6 → deprecated, replaced by ADR-0002",
        "",
        *REFERENCE,
    ]


def test_the_report_with_a_topic() -> None:
    skipped = (ArtifactName("ADR", "ADR-0007", "Other", "a.md"),)
    gone = matched(2, status="superseded", authoritative=False, replaced_by=("ADR-0001",))
    report = PrimeReport("auth", (matched(1), gone), (), skipped)
    assert render_markdown(report) == [
        '## Architecture Context Loaded (filtered: "auth")',
        "",
        'Primed session with 2 ADRs and 0 specs matching "auth".',
        "",
        "### Matching ADRs",
        "",
        "| ID | Title | Status | Relevance |",
        "|----|-------|--------|-----------|",
        "| ADR-0001 | Title 1 | accepted | Decision: why it matches — auth in the title |",
        "| ADR-0002 | Title 2 | ⚠ superseded | Decision: why it matches — auth in the title |",
        "",
        "### Summaries",
        "",
        "**ADR-0001: Title 1**",
        "Decision 1.",
        "",
        "**ADR-0002: Title 2** ⚠ superseded by ADR-0001",
        "Decision 2. This decision was superseded by ADR-0001 — see the replacement for current"
        " guidance.",
        "",
        "### Full Text",
        "",
        "**ADR-0001: Title 1** (docs/adrs/1.md)",
        "",
        "```markdown",
        "# Text 1",
        "```",
        "",
        "**ADR-0002: Title 2** (docs/adrs/2.md)",
        "",
        "```markdown",
        "# Text 2",
        "```",
        "",
        '### Skipped (not relevant to "auth")',
        "",
        "- ADR-0007: Other",
    ]


def test_nothing_found() -> None:
    assert overview() == [
        "## Architecture Context Loaded",
        "",
        "No design artifacts found. Create an ADR with `sdd adr` or a spec with `sdd spec` first.",
    ]
    assert render_markdown(PrimeReport("auth", ()))[-1] == (
        'No ADRs or specs matched the topic "auth". Try a broader term, or run `sdd prime` without'
        " a topic to see all artifacts."
    )


def test_a_kind_without_artifacts_has_no_table() -> None:
    lines = overview(artifact(1))
    assert lines[2] == "Primed session with 1 ADR and 0 specs. There are no specs."
    assert "### Specifications" not in lines
    assert overview(spec(1))[2].endswith("0 ADRs and 1 spec. There are no ADRs.")


def test_without_any_status_the_column_is_dropped() -> None:
    lines = overview(artifact(1, status=""), spec(1, status=""))
    assert "| ID | Title | Key Decision |" in lines
    assert "| ID | Title | Requirements |" in lines
    mixed = overview(artifact(1, status=""), spec(1, status="draft"))
    assert "| ADR-0001 | Title 1 | — | Decision 1. |" in mixed


def test_modules_are_a_column_and_a_prefix() -> None:
    lines = overview(
        artifact(1),
        artifact(1, module="api"),
        artifact(2, module="api", status="rejected", authoritative=False),
        modules=("api", "worker"),
    )
    assert lines[2].startswith("Primed session with 2 ADRs and 0 specs across 2 modules.")
    assert "| — | ADR-0001 | Title 1 | accepted | Decision 1. |" in lines
    assert "| [api] | ADR-0001 | Title 1 | accepted | Decision 1. |" in lines
    assert "**[api] ADR-0001: Title 1** (accepted)" in lines
    assert "- [api] ADR-0002: Title 2 (rejected)" in lines


def test_a_budget_keeps_the_most_important_and_says_what_it_leaves_out() -> None:
    artifacts = tuple(artifact(number) for number in range(1, 61))
    report = PrimeReport(None, artifacts, (artifact(99, status="rejected", authoritative=False),))
    lines = render_markdown(report, 1_000)
    assert count_tokens("\n".join(lines)) <= 1_000
    assert lines.count("### Architecture Decision Records") == 1
    assert "| ADR-0001 | Title 1 | accepted | Decision 1. |" in lines
    shown = sum(line.startswith("| ADR-") for line in lines)
    assert 10 < shown < 60
    assert lines[-1] == (
        f"Left out to stay within 1,000 tokens: {60 - shown} of 60 ADRs, 60 of 60 summaries,"
        " 1 of 1 non-authoritative artifacts. A larger `--budget` includes them."
    )
    assert render_markdown(report, 100_000) == render_markdown(report)


def test_a_text_too_long_for_the_budget_leaves_room_for_the_next() -> None:
    report = PrimeReport("auth", (matched(1, text="long " * 5_000), matched(2)))
    lines = render_markdown(report, 1_000)
    assert "# Text 2" in lines
    assert lines[-1].startswith("Left out to stay within 1,000 tokens: 1 of 2 full texts.")


@given(reports(), st.integers(500, 1_500))
def test_a_report_of_any_text_stays_within_its_budget(report: PrimeReport, budget: int) -> None:
    assert count_tokens("\n".join(render_markdown(report, budget))) <= budget


HEADINGS = {
    "Architecture Context Loaded",
    "Architecture Decision Records",
    "Specifications",
    "Artifact Summaries",
    "Non-Authoritative (excluded)",
    "Quick Reference",
    "Matching ADRs",
    "Matching Specs",
    "Summaries",
    "Full Text",
    "Patterns and Lessons",
}


@given(reports())
def test_text_of_the_repository_is_no_markup(report: PrimeReport) -> None:
    """The structure of the report is the same as with harmless text."""
    lines = render_markdown(report)
    assert not [line for line in lines if "\x1b" in line or "\u202e" in line or "\n" in line]
    tokens = MarkdownIt("commonmark", {"html": True}).enable("table").parse("\n".join(lines))
    inline = [child for token in tokens for child in token.children or ()]
    assert {token.type for token in tokens} & {"html_block", "blockquote_open", "hr"} == set()
    assert {child.type for child in inline} & {"html_inline", "image", "link_open"} == set()
    for token, text in pairwise(tokens):
        if token.type == "heading_open":
            title = text.content
            assert title in HEADINGS or title.startswith(("Skipped (", "Architecture Context"))
    rows = [one for one in report.artifacts if one.name.kind in ("ADR", "SPEC")]
    assert sum(token.type == "tr_open" for token in tokens) == len(rows) + len(
        {one.name.kind for one in rows}
    )


@pytest.mark.parametrize("title", ["a | b", "`a|b`", "a \\| b", "`a` | `b", "<!-- x -->|", "\\"])
def test_a_cell_is_one_cell(title: str) -> None:
    lines = overview(artifact(1, title=title))
    html = MarkdownIt("commonmark").enable("table").render("\n".join(lines))
    assert html.count("<td>") == 4
