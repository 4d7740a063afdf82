"""The report of an audit as Markdown: a table for each category, summaries, coverage, actions."""

# Governing: ADR-0022 (one review, many reports), ADR-0012 (untrusted input),
# SPEC-0019 REQ "Report"

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from sdd_hooks.findings import SuppressedFinding
from sdd_hooks.reporting.audit import (
    AuditCategory,
    AuditRow,
    AuditSummary,
    DecisionCoverage,
)
from sdd_hooks.reporting.escape import code_span, escape_text
from sdd_hooks.reporting.markdown_parts import place_link
from sdd_hooks.reporting.outcome import CheckedTree, ReviewOutcome
from sdd_hooks.reporting.registry import Links
from sdd_hooks.reporting.severity_counts import SeverityCounts, sum_counts
from sdd_hooks.text.display import format_count

CLEAN = "No drift detected. All implementation aligns with governing ADRs and specs."
"""The text of an audit without a finding, as the audit skill of the SDD plugin has it."""
MAX_ROWS = 200
"""Rows of a table; the rest is counted."""
MAX_UNCITED = 20
"""Records without a mention that are listed; the rest is counted."""

_BAR = re.compile(r"(?<!\\)\|")


def audit_lines(review: ReviewOutcome, audit: AuditSummary, links: Links | None) -> Iterator[str]:
    """The lines of the report. Untrusted text is escaped, and begins no line."""
    tree = review.tree or CheckedTree("audit")
    yield "## Design Audit Report"
    yield ""
    for note in tree.header:
        yield f"> {escape_text(note)}"
        yield ""
    yield f"Scope: {code_span(tree.target) or 'Full project'}\\"
    yield f"Analyzed: {describe_scope(audit)}\\"
    yield f"Total findings: {total_findings(review)}"
    yield ""
    if not review.findings:
        yield CLEAN
        yield ""
    for category in audit.categories:
        yield from _table(category, bool(audit.modules), links)
    yield from _summary(audit.categories)
    yield from _modules(audit)
    yield from _coverage(audit.coverage)
    yield from _actions(audit, links)
    yield from _suppressed(review.suppressed)
    yield from _notes(review.notes)


def describe_scope(audit: AuditSummary) -> str:
    """`4 ADRs, 1 spec, 2 source files`."""
    counted = (
        format_count(audit.adrs, "ADR"),
        format_count(audit.specs, "spec"),
        format_count(audit.files, "source file"),
    )
    return ", ".join(counted)


def total_findings(review: ReviewOutcome) -> str:
    """`3 (1 critical, 2 warning, 0 info)`."""
    counts = [(review.count(severity), severity) for severity in ("critical", "warning", "info")]
    listed = ", ".join(f"{number:,} {severity}" for number, severity in counts)
    return f"{sum(number for number, _ in counts):,} ({listed})"


def _table(category: AuditCategory, modules: bool, links: Links | None) -> Iterator[str]:
    if not category.rows:
        return
    yield f"### {category.name}"
    yield ""
    names = ("Severity", *(("Module",) if modules else ()), "Finding", "Record", "Location")
    yield from _header(names)
    for row in islice(category.rows, MAX_ROWS):
        yield _cells(_row(row, modules, links))
    yield ""
    if (more := len(category.rows) - MAX_ROWS) > 0:
        yield f"… and {more:,} more."
        yield ""


def _row(row: AuditRow, modules: bool, links: Links | None) -> Sequence[str]:
    finding = row.reported.finding
    module = (escape_text(row.module),) if modules else ()
    message = f"{escape_text(finding.message)} ({code_span(finding.rule)})"
    place = place_link(finding.path, finding.line, links)
    return (f"\\[{finding.severity.upper()}\\]", *module, message, escape_text(row.record), place)


def _header(names: Sequence[str]) -> Iterator[str]:
    yield _cells(names)
    yield f"|{'---|' * len(names)}"


def _cells(cells: Sequence[str]) -> str:
    # A bar ends a cell, in a code span, too, unless a backslash precedes it.
    return "| " + " | ".join(_BAR.sub(r"\|", cell) for cell in cells) + " |"


def _summary(categories: Sequence[AuditCategory]) -> Iterator[str]:
    yield "### Summary"
    yield ""
    yield from _header(("Category", "Critical", "Warning", "Info", "Total"))
    for one in categories:
        yield _cells((one.short, *_numbers(one.counts)))
    total = sum_counts(one.counts for one in categories)
    yield _cells([f"**{text}**" for text in ("Total", *_numbers(total))])
    yield ""


def _numbers(counts: SeverityCounts) -> Sequence[str]:
    return [f"{number:,}" for number in (*counts, counts.total)]


def _modules(audit: AuditSummary) -> Iterator[str]:
    if not audit.modules:
        return
    yield "### Cross-Module Summary"
    yield ""
    yield from _header(("Module", "Critical", "Warning", "Info", "Total"))
    for one in audit.modules:
        name = escape_text(one.name) if one.name else "(no module)"
        yield _cells((name, *_numbers(one.counts)))
    yield ""


def _coverage(coverage: DecisionCoverage) -> Iterator[str]:
    if not coverage.records:
        return
    yield "### Coverage"
    yield ""
    yield (
        f"Of {format_count(coverage.records, 'record')} in force, code names {coverage.cited:,},"
        f" {coverage.stated:,} state what they apply to, and {len(coverage.uncited):,} are never"
        f" named. They govern {coverage.governed:,} of"
        f" {format_count(coverage.files, 'source file')}."
    )
    yield ""
    for one in coverage.uncited[:MAX_UNCITED]:
        yield f"- {escape_text(one.name)}: {escape_text(one.title)}"
    if (more := len(coverage.uncited) - MAX_UNCITED) > 0:
        yield f"- … and {more:,} more"
    yield ""


def _actions(audit: AuditSummary, links: Links | None) -> Iterator[str]:
    if not audit.actions:
        return
    yield "### Recommended Actions"
    yield ""
    for number, one in enumerate(audit.actions, 1):
        place = place_link(one.path, one.line, links)
        more = f" ({format_count(one.more, 'more finding')} of {code_span(one.rule)})"
        yield (
            f"{number}. \\[{one.severity.upper()}\\] {f'{place}: ' if place else ''}"
            f"{escape_text(one.text)}{more if one.more else ''}"
        )
    yield ""


def _suppressed(suppressed: Sequence[SuppressedFinding]) -> Iterator[str]:
    if suppressed:
        yield f"{format_count(len(suppressed), 'finding')} suppressed."
        yield ""


def _notes(notes: Sequence[str]) -> Iterator[str]:
    if notes:
        yield "### Notes"
        yield ""
        yield from (f"- {escape_text(note)}" for note in notes)
        yield ""
