from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.artifacts.adr import read_adr
from sdd_hooks.artifacts.artifact import Artifact
from tests.artifacts.blocks import record, rows

RECORD = "# Use queues\n\n## Status\n\nAccepted\n\n## Decision\n\nWe use queues.\n"


def read(text: str, path: str = "docs/adr/0012-use-queues.md") -> Artifact:
    artifact = read_adr(path, text)
    assert artifact is not None
    return artifact


MADR = """\
---
status: accepted
date: 2026-01-02
decision-makers: [A, B]
extends: [ADR-0003]
---

# ADR-0012: Use queues

## Context and Problem Statement

Jobs are lost.

## Considered Options

* Queues

## Decision Outcome

Chosen option: "Queues".

### Consequences

* Good

## More Information

None.
"""


def test_madr() -> None:
    adr = read(MADR)
    assert (adr.kind, str(adr.id), adr.name, adr.title) == (
        "ADR",
        "ADR-0012",
        "ADR-0012",
        "Use queues",
    )
    assert (adr.status.value, adr.status.origin, adr.status.line) == ("accepted", "frontmatter", 2)
    assert adr.date == "2026-01-02"
    assert adr.decision == (18, 25)
    assert [str(edge.target) for edge in adr.edges] == ["ADR-0003"]
    assert adr.sections[-1].title == "More Information"
    assert adr.frontmatter["decision-makers"] == ["A", "B"]
    assert adr.paths == ("docs/adr/0012-use-queues.md",)
    assert adr.findings == ()


NYGARD = """\
# 12. Use queues

Date: 2019-03-04

## Status

Accepted

Supersedes [4. Use threads](0004-use-threads.md)

Amends [7. Log](0007-log.md)

## Context

Jobs are lost.

## Decision

We will use queues.

## Consequences

Fewer are.
"""


def test_nygard() -> None:
    """Scenario "A record in the form of Nygard" of SPEC-0002."""
    adr = read(NYGARD)
    assert (str(adr.id), adr.title, adr.status.value) == ("ADR-0012", "Use queues", "accepted")
    assert adr.date == "2019-03-04"
    assert adr.decision == (17, 20)
    assert [(edge.kind, str(edge.target), edge.line, edge.origin) for edge in adr.edges] == [
        ("supersedes", "ADR-0004", 9, "prose")
    ]


def test_y_statement() -> None:
    text = (
        "# Use queues\n\nIn the context of *jobs*, facing losses,\nwe decided for queues\n"
        "and against threads, to achieve peace, accepting latency.\n\nMore.\n"
    )
    adr = read(text, "docs/adr/use-queues.md")
    assert (adr.name, adr.title, adr.decision) == ("use-queues", "Use queues", (3, 5))
    assert read("In the context of x, we decided y.\n").decision == (1, 1)
    assert read("In the context of x.\n\nWe decided y.\n").decision is None


def test_fields_as_bullets() -> None:
    text = (
        "# ADR-0012: Use queues\n\n- **Status:** accepted (refined by [ADR-13](0013-x.md))\n"
        "- **Date:** 2026/1/2\n- **Supersedes:** [ADR-0003](0003-x.md) (too slow)\n"
        "- **Builds on:** the ideas of ADR-0002\n\n## Context\n"
    )
    adr = read(text)
    assert (adr.status.value, adr.status.note) == ("accepted", "refined by [ADR-13](0013-x.md)")
    assert adr.date == "2026-01-02"
    assert [(edge.kind, str(edge.target)) for edge in adr.edges] == [("supersedes", "ADR-0003")]


def test_frontmatter_edges_take_precedence_over_prose_of_the_same_kind() -> None:
    text = "---\nextends: [ADR-0002]\n---\n# T\n\n- Extends: ADR-0003\n- Supersedes: ADR-0004\n"
    assert [(edge.kind, str(edge.target), edge.origin) for edge in read(text).edges] == [
        ("extends", "ADR-0002", "frontmatter"),
        ("supersedes", "ADR-0004", "prose"),
    ]


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("# ADR-0012: Use queues", "Use queues"),
        ("# ADR 012 — Use queues", "Use queues"),
        ("# 57. Use queues", "Use queues"),
        ("# Use queues", "Use queues"),
        ("Use queues\n==========\n", "Use queues"),
        ("## ADR-0012: Use queues\n\n### Status\n", "Use queues"),
        ("# Meta\n- Name: Use queues\n- Status: Draft\n\n# Summary\n", "Use queues"),
        ("## Preamble\n\n```\nTitle: Use queues\n```\n\n## Status\n", "Use queues"),
        ('---\ntitle: "Use queues"\n---\n\n## Status\n\nAccepted', "Use queues"),
        (
            "---\ntitle: |\n  12. Use queues\n  everywhere\n---\n## Status\n",
            "Use queues everywhere",
        ),
        ("---\ntitle: Use queues\n---\n# Context\n# Decision\n", "Use queues"),
        ("# Context\n\n# Decision\n", "The file says so"),
        ("## Status\n\nAccepted\n", "The file says so"),
        ("#### An aside\n", "The file says so"),
        ("Use queues.\n", "The file says so"),
        ("", "The file says so"),
        ("# ADR-12\n", "The file says so"),
        ("# ADR-0012 · Use queues", "Use queues"),
        ("# 0012 · Use queues", "Use queues"),
        ("# ADR-0012：Use queues", "Use queues"),
        ("# Meta\n\n* RFC Name: [Use queues]\n\n# Summary\n", "Use queues"),
        (
            "    Status: Final\n****\nEEP 12: Use queues\n----\n\nAbstract\n====\n\nX\n===\n",
            "Use queues",
        ),
        ("REP: 12\nTitle: Use queues\nStatus: Final\n\n# Abstract\n\n# Motivation\n", "Use queues"),
        ("---\ntitle: Template\n---\n# Use queues\n", "Use queues"),
        ("# Use [queues](q.md) `now` <!-- draft -->", "Use queues `now`"),
        ("# ![x](x.svg) [RFC](r.md) for [queues][q]", "x RFC for queues"),
        ("# 0012 Use queues", "Use queues"),
        ("# ADR 12 - 2026-01-02 - Use queues", "Use queues"),
        ("# Use what 2026-01-02 - 3 decided", "Use what 2026-01-02 - 3 decided"),
        ("NIP-12\n===\n\nUse queues\n---\n\n`final`\n", "Use queues"),
        ("# ADR-12\n\n## Context\n\n## Use queues\n", "The file says so"),
        ("# [CANCELLED] Use queues", "[CANCELLED] Use queues"),
        ("---\ntitle: broken: yaml\n---\n# Use queues", "broken: yaml"),
    ],
)
def test_titles(text: str, title: str) -> None:
    assert read(text, "docs/adr/0012-the-file_says-so.md").title == title


@pytest.mark.parametrize(
    ("path", "text", "identifier", "name"),
    [
        ("docs/adr/0012-x.md", "# T", "ADR-0012", "ADR-0012"),
        ("docs/adrs/ADR-0012-x.md", "# T", "ADR-0012", "ADR-0012"),
        ("docs/arch/adr-012-x.md", "# T", "ADR-0012", "ADR-0012"),
        ("docs/adr/012_x.md", "# T", "ADR-0012", "ADR-0012"),
        (".decisions/ADR-0012.md", "# T", "ADR-0012", "ADR-0012"),
        ("docs/adr/2026-01-02_012-x.md", "# T", "ADR-0012", "ADR-0012"),
        (".decisions/0034a-x.md", "# T", "ADR-0034a", "ADR-0034a"),
        ("docs/adr/team/0012-x.mdx", "# T", "ADR-0012", "ADR-0012"),
        ("docs/website/adr/012-release/index.md", "# T", "ADR-0012", "ADR-0012"),
        ("docs/adr/0012-x/README.md", "# T", "ADR-0012", "ADR-0012"),
        ("docs/adr/0012-x.md", "# ADR-0099: T", "ADR-0012", "ADR-0012"),
        ("docs/adr/use-x.md", "# ADR-0012: T", "ADR-0012", "ADR-0012"),
        ("docs/adr/use-x.md", "---\nid: 0012\n---\n# T", "ADR-0012", "ADR-0012"),
        ("docs/adr/use-x.md", "---\ntitle: 12. T\n---\n", "ADR-0012", "ADR-0012"),
        ("docs/adr/use-x.md", "# T\n\n## Status\n\nAccepted", "use-x", "use-x"),
        ("docs/adr/use-x.md", "# T\n\n## Decision\n\nWe do.", "use-x", "use-x"),
        ("docs/adr/ADR-XXX-use-x.md", "ADR-XXX: Use x", "ADR-XXX-use-x", "ADR-XXX-use-x"),
        (
            "docs/adr/20201103-use-x.md",
            "# T\n\n## Status\n\nAccepted",
            "20201103-use-x",
            "20201103-use-x",
        ),
        ("docs/adr/PAY-0001-use-x.md", "# T\n\n## Status\n\nAccepted", "PAY-0001", "PAY-0001"),
        ("docs/adr/x.md", "---\nid: use-y\nstatus: accepted\n---\n# T", "use-y", "use-y"),
    ],
)
def test_ids(path: str, text: str, identifier: str, name: str) -> None:
    adr = read(text, path)
    assert (str(adr.id), adr.name) == (identifier, name)


@pytest.mark.parametrize(
    "path",
    [
        "docs/adr/0012-template-engine.md",
        "docs/adr/0012-use-template-literals.md",
        "docs/adr/adr-template-rendering.md",
        "docs/adr/templates-are-cached.md",
        "docs/adr/0012-readme-driven-development.md",
        "docs/adr/index-everything.md",
    ],
)
def test_unusual_record_names(path: str) -> None:
    assert read(RECORD, path).title == "Use queues"


@pytest.mark.parametrize(
    "path",
    [
        "docs/adr/README.md",
        "docs/adr/readme.md",
        "docs/adr/index.md",
        "docs/adr/template.md",
        "docs/adr/TEMPLATE.md",
        "docs/adr/_template.md",
        "docs/adr/adr-template.md",
        "docs/adr/ADR-0000-template.md",
        "docs/adr/0000-TEMPLATE.md",
        "docs/adr/NNNN-template.md",
        "docs/adr/adr-template-bare-minimal.md",
        "docs/adr/0000-adr-template-de.md",
        "docs/adr/template.es.md",
        "docs/adr/0012-diagram.png",
        "docs/adr/0012-x.md.orig",
        "docs/adr/.md",
    ],
)
def test_files_whose_names_are_not_of_records(path: str) -> None:
    assert read_adr(path, RECORD) is None


@pytest.mark.parametrize(
    ("name", "written", "title"),
    [
        ("0005-access", "Barn Architecture Decision Record #5: Access", "Access"),
        ("0005-application-structure", "0005 Application Structure", "Application Structure"),
        ("0046-mediators", "Aries RFC 0046: Mediators and Relays", "Mediators and Relays"),
        ("033-Manager-cluster", "33 Manager cluster", "Manager cluster"),
        ("nep-0021-indexing", "NEP 21 — Advanced indexing", "Advanced indexing"),
        ("DR007 - mesure", "DR007 - Measure it", "Measure it"),
        ("ODH-ADR-MS-0002-maas", "ODH-ADR-MS-0002: MaaS", "MaaS"),
        ("0024", "RFD 24 Designation of servers", "Designation of servers"),
        ("0035-create-connection", "RFC: Create Connection", "Create Connection"),
        ("0003-three-ways", "3 ways to log", "3 ways to log"),
        ("0003-drop-python", "Use Python 3: drop 2", "Use Python 3: drop 2"),
        ("0004-phase-two", "Phase 2: go", "Phase 2: go"),
        ("0001-rfc-process", "RFC 0001: The RFC Process", "The RFC Process"),
        ("nr.-001-use-native", "Nr. 001: Use native", "Use native"),
        ("function-bit32-countlz", "bit32.countlz", "bit32.countlz"),
    ],
)
def test_labels_with_the_number_of_the_file_are_no_part_of_a_title(
    name: str, written: str, title: str
) -> None:
    assert read(f"# {written}\n\n## Decision\n", f"docs/adr/{name}.md").title == title


def test_a_title_in_a_field_above_the_sections() -> None:
    text = "- Feature Name: black\n- Start Date: 2019\n\n# Summary\n\n# Design\n\n## Decision\n"
    assert read(text, "docs/adr/0015-format.md").title == "black"


@pytest.mark.parametrize(
    "title",
    [
        "# [short title of solved problem and solution]",
        "# {short title, representative of solved problem and found solution}",
        "# ADR-NNNN: {title}",
        "# ADR-0000: [Title]",
        "# <title>",
        "# NUMBER. TITLE",
        "# 0. Template",
        "# Title",
        "# ADR-XXX: Short title of the decision",
        "# ADR template",
        "# Decision record template by Michael Nygard",
        "---\ntitle: '{title}'\n---\n",
    ],
)
def test_titles_of_templates(title: str) -> None:
    assert read_adr("docs/adr/0001-a-good-start.md", f"{title}\n\n## Status\n\nproposed\n") is None


@pytest.mark.parametrize(
    "title",
    ["# Use templates", "# Template engines are Jinja", "# [Use X](x.md)", "# Titles are cut"],
)
def test_titles_that_look_like_templates(title: str) -> None:
    assert read_adr("docs/adr/0001-a-good-start.md", title) is not None


@pytest.mark.parametrize(
    "text", ["# Overview of the architecture\n\n## Context\n\nText.\n", "Just text.", ""]
)
def test_an_unnumbered_page_without_a_decision_is_not_a_record(text: str) -> None:
    assert read_adr("docs/architecture/overview.md", text) is None


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("---\ndate: 2026-01-02\n---\n", "2026-01-02"),
        ("---\ndate: 2026-01-02T10:11:12Z\n---\n", "2026-01-02"),
        ("---\ncreated: 2026.1.2\n---\n", "2026-01-02"),
        ("# T\n\nDate:📅 2026-01-02", "2026-01-02"),
        ("# T\n\n| Status | Date |\n|--|--|\n| accepted | 2026-01-02 |", "2026-01-02"),
        ("# T\n\n**Date** 2026-01-02\n\n**Status** Accepted", "2026-01-02"),
        ("# T\n\n- Start Date: 2 Jan 26", "2026-01-02"),
        ("# T\n\n- Proposed: [2026-01-02]", "2026-01-02"),
        ("# T\n\n```{eval-rst}\n:Status: Draft\n:Created: 2026-01-02\n```\n", "2026-01-02"),
        ("# T\n\n## Estado\n\nAceptada\n\n**Fecha:** 2026-01-02\n", "2026-01-02"),
        ("---\naangemaakt: 2026-01-02\n---\n# T", "2026-01-02"),
        ("# T\n\nDate: 2026-13-02", ""),
        ("# T\n\nDate: soon, 2026", ""),
        ("# T", ""),
    ],
)
def test_dates(text: str, date: str) -> None:
    assert read(text).date == date


def test_dates_as_people_write_them() -> None:
    for expected, block in rows("dates.txt"):
        assert (block, read(record(block)).date) == (block, expected)


@pytest.mark.parametrize(
    "name", ["2026-01-02_012-x.md", "20260102-x.md", "2026_01_02_x.md", "ADR-2026-01-02-x.md"]
)
def test_the_date_in_a_file_name(name: str) -> None:
    assert read("# T\n\n## Decision\n\nX.", f"docs/adr/{name}").date == "2026-01-02"


@pytest.mark.parametrize(
    ("text", "successors"),
    [
        ("# ADR-1: T\n\n## ステータス\n\n廃止 (Superseded by [ADR-9](9.md))\n", ["ADR-0009"]),
        ("# ADR-1: T\n\n状态：已被 ADR-0009 取代\n", ["ADR-0009"]),
        ("# ADR-1: T\n\n**Status:**\nSuperseded by ADR-9\n", ["ADR-0009"]),
        ("# ADR-1: T\n\n## Status\n\nAccepted (superseded by ADR-9)\n", ["ADR-0009"]),
        (
            "# ADR-1: T\n\n**Status:** Superseded by ADR-9 (2026). No ratification under ADR-6.\n",
            ["ADR-0009"],
        ),
        (
            "---\nstatus: superseded by [0009](0009-x.md) (was amended by ADR-7)\n---\n",
            ["ADR-0009"],
        ),
        ("---\nstatus: superseded\nsuperseded_by: 0009\n---\n", ["ADR-0009"]),
        ("# T\n\n- Status: superseded — see the portal's ADR-0005/0006\n", []),
        ("# T\n\n- Status: superseded\n- Superseded by: ADR-9, ADR-10\n", ["ADR-0009", "ADR-0010"]),
        ("# T\n\n## Status\n\nAccepted\n\nSuperseded by [9. X](0009-x.md)", ["ADR-0009"]),
        ("---\nstatus: superseded\n---\n", []),
        ("---\nstatus: accepted (amended by ADR-9)\n---\n", []),
    ],
)
def test_successors(text: str, successors: list[str]) -> None:
    assert [str(identifier) for identifier in read(text).successors] == successors


@pytest.mark.parametrize(
    ("text", "rule", "severity", "line", "words"),
    [
        ("---\na: b: c\n---\n# T", "broken-frontmatter", "critical", 2, "quote a value"),
        ("---\na: b\na: c\n---\n# T", "duplicate-key", "warning", 3, "more than once"),
        (
            "---\nstatus: ongoing\n---\n# T",
            "unknown-status",
            "warning",
            2,
            "`ongoing` is not a status",
        ),
        (
            "---\nstatus: accepted\n---\n# T\n\n## Status\n\nProposed",
            "status-conflict",
            "warning",
            8,
            "accepted in the frontmatter and proposed in the Status section",
        ),
        ("# ADR-0099: T", "id-conflict", "warning", 1, "ADR-0099 and the file name ADR-0012"),
        ("---\nsuperseded-by: [ADR-1]\n---\n# T", "inverse-edge", "warning", 2, "`supersedes`"),
    ],
)
def test_findings(text: str, rule: str, severity: str, line: int, words: str) -> None:
    (finding,) = read(text).findings
    assert (finding.rule, finding.severity, finding.line) == (rule, severity, line)
    assert finding.path == "docs/adr/0012-use-queues.md"
    assert words in finding.message


def test_the_letter_of_the_heading_belongs_to_the_id() -> None:
    adr = read("# ADR-012a: Queues\n\n- Status: accepted\n")
    assert (str(adr.id), adr.findings) == ("ADR-0012a", ())


def test_the_plan_of_a_decision_is_no_record() -> None:
    plan = "# ADR 8 convergence roadmap\n\n> **Status:** living plan\n\n## Steps\n\n1. Begin.\n"
    for name in ("0008-convergence-roadmap.md", "0008-migration-plan.md"):
        assert read_adr(f"docs/plans/{name}", plan) is None
        decided = plan.replace("## Steps", "## Decision")
        assert read_adr(f"docs/plans/{name}", decided) is not None


def test_an_appendix_that_names_its_record_as_parent_is_no_record() -> None:
    page = "# ADR-0027 Gates\n\n**Parent**: {} Seals\n**Status**: Pending\n"
    assert read_adr("adr/0027-gates.md", page.format("ADR-0027")) is None
    assert read_adr("adr/0027-gates.md", page.format("ADR-0026")) is not None


@pytest.mark.parametrize(
    ("status", "section", "rules"),
    [
        ("accepted", "Accepted.\n\nADR 63 is `active`, superseded by nothing.", []),
        ("superseded", "Superseded by [12](0012-a.md): the format is retained.", []),
        ("superseded", "Accepted.", ["status-conflict"]),
        ("accepted", "Accepted.\n\nSuperseded by ADR-0012.", ["status-conflict"]),
    ],
)
def test_statuses_that_agree(status: str, section: str, rules: list[str]) -> None:
    text = f"---\nstatus: {status}\n---\n# ADR-0001: A\n\n## Status\n\n{section}\n"
    record = read_adr("adr/0001-a.md", text)
    assert record is not None
    assert [one.rule for one in record.findings] == rules


@pytest.mark.parametrize(
    ("successor", "rules"),
    [("ADR-9", ["status-conflict"]), ("—", []), ("none", []), ("ADR-9 (in part)", [])],
)
def test_a_record_in_force_with_a_successor(successor: str, rules: list[str]) -> None:
    adr = read(f"# ADR-12: T\n\n- Status: Accepted\n- Superseded by: {successor}\n")
    assert [one.rule for one in adr.findings] == rules


def test_lines_of_invalid_frontmatter_that_parse_are_kept() -> None:
    adr = read("---\nstatus: superseded by 9 (was: x)\ndate: 2026-01-02\n---\n# ADR-12: T\n## A\n")
    assert (adr.status.value, adr.date, adr.title) == ("superseded", "2026-01-02", "T")
    assert [section.title for section in adr.sections] == ["", "ADR-12: T", "A"]


def test_headings_in_code_are_not_sections() -> None:
    """Scenario "A heading in a code fence" of SPEC-0002."""
    adr = read("# T\n\n```\n## Status\n\naccepted\n```\n\n## Status\n\nproposed\n")
    assert (adr.status.value, adr.status.line) == ("proposed", 11)
    assert [section.title for section in adr.sections] == ["T", "Status"]


@given(
    st.one_of(
        st.text(),
        st.lists(
            st.sampled_from(
                [
                    "---",
                    "status: accepted",
                    "# T",
                    "## Status",
                    "Accepted",
                    "## Decision",
                    "",
                    "```",
                ]
            )
        ).map("\n".join),
    ),
    st.sampled_from(["docs/adr/0001-x.md", "docs/adr/x.md", "x", ""]),
)
def test_any_text_is_read_with_lines_within_it(text: str, path: str) -> None:
    adr = read_adr(path, text)
    if adr is None:
        return
    total = text.replace("\r\n", "\n").replace("\r", "\n").count("\n") + 1
    assert adr.title
    assert 0 <= adr.status.line <= total
    assert all(0 <= finding.line <= total for finding in adr.findings)
    if adr.decision:
        assert 1 <= adr.decision[0] <= adr.decision[1] <= total
