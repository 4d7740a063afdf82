"""Audits to render: one with every kind of content, and random ones."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st

from sdd_hooks.findings import ReportedFinding, SeverityCounts
from sdd_hooks.reporting.outcome import (
    AuditAction,
    AuditCategory,
    AuditModule,
    AuditRow,
    AuditSummary,
    CheckedTree,
    DecisionCoverage,
    ReviewOutcome,
    UncitedRecord,
)
from tests.reporting.reviews import DANGLING, MARKUP, UNPAIRED, paths, reviews, texts

FINDINGS = (
    ReportedFinding(DANGLING, "f1"),
    ReportedFinding(UNPAIRED, "f3"),
    ReportedFinding(MARKUP, "f4"),
)

EVERYTHING = ReviewOutcome(
    "",
    "",
    "",
    14,
    findings=FINDINGS,
    notes=("left out: 3 findings that audit.json has",),
    tree=CheckedTree("audit", "src", ("Index was 3 hours stale — refreshed before running.",)),
    audit=AuditSummary(
        adrs=4,
        specs=1,
        files=12,
        categories=(
            AuditCategory(
                "code-vs-adr",
                "Code vs. ADR Drift",
                "Code vs. ADR",
                (AuditRow(FINDINGS[0], "ADR-0099", "api"),),
                SeverityCounts(1, 0, 0),
            ),
            AuditCategory("coverage-gaps", "Coverage Gaps", "Coverage Gaps"),
            AuditCategory(
                "security",
                "Security Patterns",
                "Security",
                (AuditRow(FINDINGS[2], "", ""), AuditRow(FINDINGS[1], "SPEC-0001", "")),
                SeverityCounts(0, 2, 0),
            ),
        ),
        modules=(
            AuditModule("api", SeverityCounts(1, 0, 0)),
            AuditModule("", SeverityCounts(0, 2, 0)),
        ),
        actions=(
            AuditAction("critical", "lost", "name one that is there", "src/pay/client.py", 12, 1),
        ),
        coverage=DecisionCoverage(
            5, 2, 1, (UncitedRecord("ADR-0003", "Timeouts", "docs/adrs/ADR-0003.md"),), 12, 8
        ),
        baseline="audit.json",
        known=3,
    ),
)
CLEAN = replace(
    EVERYTHING,
    findings=(),
    notes=(),
    tree=CheckedTree("audit"),
    audit=AuditSummary(adrs=1, categories=(EVERYTHING.audit.categories[1],))
    if EVERYTHING.audit
    else None,
)


def audits() -> st.SearchStrategy[ReviewOutcome]:
    """Well-formed audits of any content."""

    def audit_of(review: ReviewOutcome, names: list[str]) -> ReviewOutcome:
        name, path, text = (*names, "", "", "")[:3]
        rows = tuple(AuditRow(one, name, text) for one in review.findings)
        counts = SeverityCounts(*(review.count(one) for one in ("critical", "warning", "info")))
        category = AuditCategory("other", "Other Findings", "Other", rows, counts)
        summary = AuditSummary(
            categories=(category,),
            modules=(AuditModule(text, counts),),
            actions=(AuditAction("info", name, text, path),),
            coverage=DecisionCoverage(1, uncited=(UncitedRecord(name, text, path),)),
        )
        return replace(review, tree=CheckedTree("audit", path, (text,)), audit=summary)

    named = st.tuples(texts(), paths(), texts()).map(list)
    return st.builds(audit_of, reviews(), named)
