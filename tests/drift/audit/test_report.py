"""Findings by category and by module, and what to do about them."""

from __future__ import annotations

import pytest

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.corpus import Corpus
from sdd_hooks.artifacts.identifiers import ArtifactId
from sdd_hooks.drift.audit.report import (
    MAX_ACTIONS,
    count_by_module,
    group_findings,
    recommend_actions,
)
from sdd_hooks.findings import Finding, ReportedFinding, Severity, SeverityCounts, identify_findings
from sdd_hooks.reporting.outcome import AuditAction

RECORD = Artifact("ADR", ArtifactId("ADR", 7), "docs/adrs/ADR-0007-x.md", "X")
CORPUS = Corpus((RECORD,))


def reported(*findings: Finding) -> tuple[ReportedFinding, ...]:
    return identify_findings(findings, {})


def finding(rule: str, path: str = "a.py", severity: Severity = "info", text: str = "x") -> Finding:
    return Finding(path, 1, rule, severity, text)


def nowhere(_: str) -> str:
    return ""


@pytest.mark.parametrize(
    ("found", "category", "record"),
    [
        (finding("requirement-coverage/scenario"), "code-vs-spec", ""),
        (finding("decision-rule/ADR-0004"), "code-vs-adr", "ADR-0004"),
        (finding("dangling-reference", text="ADR-0012 does not exist"), "code-vs-adr", "ADR-0012"),
        (finding("dangling-reference", text="SPEC-0002 has no x"), "code-vs-spec", "SPEC-0002"),
        (finding("dangling-reference", RECORD.path), "policy-violations", "ADR-0007"),
        (finding("adr-against-spec/status"), "adr-vs-spec", ""),
        (finding("coverage-gap", "src/mail"), "coverage-gaps", ""),
        (finding("ungoverned-code"), "coverage-gaps", ""),
        (finding("stale-artifact/review-date", RECORD.path), "stale-artifacts", "ADR-0007"),
        (finding("superseded-reference"), "stale-artifacts", ""),
        (finding("frontmatter/superseded-status"), "stale-artifacts", ""),
        (finding("frontmatter/unknown-id"), "policy-violations", ""),
        (finding("opposing-requirements"), "policy-violations", ""),
        (finding("security/inner-html"), "security", ""),
        (finding("template/duplicate-form"), "templates", ""),
        (finding("a-plug-in/rule"), "other", ""),
    ],
)
def test_the_category_and_the_record_of_a_finding(
    found: Finding, category: str, record: str
) -> None:
    categories = group_findings(reported(found), CORPUS, nowhere)
    (having,) = (one for one in categories if one.rows)
    assert (having.id, having.rows[0].record) == (category, record)
    assert having.counts == SeverityCounts(0, 0, 1)


def test_categories_without_findings_are_listed_but_for_other_findings() -> None:
    assert [one.id for one in group_findings((), CORPUS, nowhere)] == [
        "code-vs-spec",
        "code-vs-adr",
        "adr-vs-spec",
        "coverage-gaps",
        "stale-artifacts",
        "policy-violations",
        "security",
        "templates",
    ]


def test_findings_are_counted_by_module() -> None:
    found = reported(
        finding("a", "api/x.py", "critical"), finding("a", "x.py"), finding("b", "api/y.py")
    )

    def module_of(path: str) -> str:
        return "api" if path.startswith("api/") else ""

    shown = [(one.name, *one.counts) for one in count_by_module(found, ["api", "web"], module_of)]
    assert shown == [("api", 1, 0, 1), ("web", 0, 0, 0), ("", 0, 0, 1)]
    assert count_by_module(found, [], module_of) == ()


def test_the_first_action_is_about_the_worst_finding() -> None:
    found = reported(
        finding("gap", "src/mail", "info", "record it"),
        finding("old", "b.py", "warning", "name ADR-0002"),
        finding("old", "c.py", "warning", "name ADR-0003"),
        finding("lost", "d.py", "critical", "there is no ADR-0009: name one"),
    )
    assert recommend_actions(found) == (
        AuditAction("critical", "lost", "there is no ADR-0009: name one", "d.py", 1),
        AuditAction("warning", "old", "name ADR-0002", "b.py", 1, more=1),
        AuditAction("info", "gap", "record it", "src/mail", 1),
    )
    many = reported(*(finding(f"rule-{number}") for number in range(40)))
    assert len(recommend_actions(many)) == MAX_ACTIONS
