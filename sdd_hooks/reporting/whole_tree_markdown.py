"""Report a check or an audit of the work tree as Markdown.

A check has a table of findings for each module, and says which records were read in full. An audit
has a table for each category, summaries, coverage and actions.
"""

# Governing: ADR-0022 (one review, many reports), SPEC-0018 REQ "Report", ADR-0012 (untrusted
# input), SPEC-0019 REQ "Report"

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from sdd_hooks.findings import (
    Finding,
    SeverityCounts,
    SuppressedFinding,
    count_severities,
    sum_counts,
)
from sdd_hooks.reporting.escape import code_span, escape_text
from sdd_hooks.reporting.markdown_parts import SIGNS, folded, place_link, suppressed_lines
from sdd_hooks.reporting.outcome import (
    AuditCategory,
    AuditRow,
    AuditSummary,
    CheckedTree,
    DecisionCoverage,
    ReviewOutcome,
    findings_by_module,
)
from sdd_hooks.reporting.registry import Links
from sdd_hooks.text.display import format_count
from sdd_hooks.text.lazy_regex import lazy_regex

MAX_ROWS = 200
"""Rows of one table; the rest is counted."""

_COLUMNS = ("| Severity | Finding | Place | Rule |", "| --- | --- | --- | --- |")

CLEAN = "No drift detected. All implementation aligns with governing ADRs and specs."
"""The text of an audit without a finding, as the audit skill of the SDD plugin has it."""
NOT_COMPARED = (
    "Nothing to compare with: no decision and no specification was found."
    " `sdd list` says what would be one."
)
"""The text of an audit that read no record, which never says that all is clear."""
MAX_UNCITED = 20
"""Records without a mention that are listed; the rest is counted."""

_BAR = lazy_regex(r"(?<!\\)\|")


def tree_lines(review: ReviewOutcome, tree: CheckedTree, links: Links | None) -> Iterator[str]:
    """The lines of the report. Untrusted text is escaped, and begins no line."""
    target = code_span(tree.target) if tree.target else "the repository"
    yield f"## Check of {target}"
    yield ""
    for line in tree.header:
        yield f"> {escape_text(line)}"
        yield ""
    groups = findings_by_module(review, tree)
    for module, findings in groups.items():
        if len(groups) > 1 or module:
            yield f"### {escape_text(module) if module else 'Repository'}"
            yield ""
        yield from _table(findings, links)
    yield "### Summary"
    yield ""
    yield from _summary(review, groups)
    if review.first_step:
        yield "### Suggestion"
        yield ""
        yield f"- {_suggestion(review.first_step, links)}"
        yield ""
    yield from suppressed_lines(review.suppressed, links)
    yield from _records(review, links)
    for note in review.notes:
        yield f"- {escape_text(note)}"
    if review.notes:
        yield ""


def _table(findings: Sequence[Finding], links: Links | None) -> Iterator[str]:
    yield from _COLUMNS
    for one in findings[:MAX_ROWS]:
        place = place_link(one.path, one.line, links) if one.path else "the repository"
        cells = (
            f"{SIGNS[one.severity]} {one.severity}",
            escape_text(one.message),
            place,
            code_span(one.rule),
        )
        yield f"| {' | '.join(cell.replace('|', '&#124;') for cell in cells)} |"
    yield ""
    if len(findings) > MAX_ROWS:
        yield f"{len(findings) - MAX_ROWS:,} more are in `--format json`."
        yield ""


def _summary(review: ReviewOutcome, groups: dict[str, list[Finding]]) -> Iterator[str]:
    files = format_count(review.files, "file")
    if not review.findings:
        yield f"✅ No finding in {files}."
        yield ""
        return
    yield "| Module | Critical | Warnings | Info |"
    yield "| --- | --- | --- | --- |"
    for module, findings in groups.items():
        yield _counts(escape_text(module) if module else "Repository", findings)
    if len(groups) > 1:
        yield _counts("All", [one.finding for one in review.findings])
    yield ""
    yield f"{format_count(len(review.findings), 'finding')} in {files}."
    yield ""


def _counts(name: str, findings: Sequence[Finding]) -> str:
    counts = count_severities(findings)
    return f"| {name.replace('|', '&#124;')} | {' | '.join(f'{count:,}' for count in counts)} |"


def _suggestion(worst: Finding, links: Links | None) -> str:
    """What to do about the worst finding: its message ends with the advice."""
    where = f"{place_link(worst.path, worst.line, links)}: " if worst.path else ""
    return f"Begin with {where}{escape_text(worst.message)}"


def _records(review: ReviewOutcome, links: Links | None) -> Iterator[str]:
    """The records that were read in full."""
    read = review.references.ranked
    if not read:
        return
    lines = []
    for one in read:
        cited = ", cited" if one.referenced else ""
        score = f", score {one.score:.2f}" if one.score else ""
        why = "".join(f" ({escape_text(each.detail)})" for each in one.evidence)
        place = place_link(one.path, 0, links)
        lines.append(f"- {escape_text(one.full_name)}{cited}{score}: {place}{why}")
    yield from folded(f"{format_count(len(read), 'record')} read in full", lines)


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
        yield describe_clean(audit)
        yield ""
    for category in audit.categories:
        yield from _category_table(category, bool(audit.modules), links)
    yield from _audit_summary(audit.categories)
    yield from _modules(audit)
    yield from _coverage(audit.coverage)
    yield from _actions(audit, links)
    yield from _suppressed(review.suppressed)
    yield from _notes(review.notes)


def describe_clean(audit: AuditSummary) -> str:
    """What an audit without a finding says."""
    return CLEAN if audit.adrs or audit.specs else NOT_COMPARED


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


def _category_table(category: AuditCategory, modules: bool, links: Links | None) -> Iterator[str]:
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


def _audit_summary(categories: Sequence[AuditCategory]) -> Iterator[str]:
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
        f" {coverage.naming:,} name code, {coverage.both:,} both, and {len(coverage.uncited):,}"
        f" neither. They govern {coverage.governed:,} of"
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
