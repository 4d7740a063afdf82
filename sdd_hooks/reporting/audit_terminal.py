"""What the report of an audit has on a terminal besides its findings."""

# Governing: ADR-0022 (one review, many reports), SPEC-0019 REQ "Report"

from __future__ import annotations

from collections.abc import Sequence

from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.reporting.audit import AuditAction, AuditSummary, DecisionCoverage
from sdd_hooks.reporting.audit_markdown import CLEAN, describe_scope
from sdd_hooks.reporting.outcome import CheckedTree, ReviewOutcome
from sdd_hooks.reporting.severity_counts import SeverityCounts, sum_counts
from sdd_hooks.text.display import display_width, format_count, printable_line, shortened

MAX_NAMED = 12
"""Records without a mention that are named; the rest is counted."""
MAX_NAME = 40
"""Columns of the name of a module."""


class ReportPart(NamedTuple):
    """A heading, rows of a table that are printed as they are, and texts that are wrapped."""

    heading: str
    table: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()


class ReportParts(NamedTuple):
    """What comes before the findings and what comes after them."""

    header: ReportPart | None = None
    footer: tuple[ReportPart, ...] = ()


NO_PARTS = ReportParts()


def audit_parts(review: ReviewOutcome, audit: AuditSummary) -> ReportParts:
    """The parts of an audit's report. Rows of tables are printable."""
    tree = review.tree or CheckedTree("audit")
    what = printable_line(tree.target) or "the whole repository"
    clean = () if review.findings else (CLEAN,)
    header = ReportPart(f"audit of {what}", texts=(*tree.header, describe_scope(audit), *clean))
    footer = [
        ReportPart(
            "summary",
            _table("category", [(one.short, one.counts) for one in audit.categories]),
        )
    ]
    if audit.modules:
        rows = [(one.name or "(no module)", one.counts) for one in audit.modules]
        footer.append(ReportPart("modules", _table("module", rows)))
    if audit.coverage.records:
        footer.append(ReportPart("coverage", texts=_coverage(audit.coverage)))
    if audit.actions:
        texts = tuple(f"{number}. {_action(one)}" for number, one in enumerate(audit.actions, 1))
        footer.append(ReportPart("recommended actions", texts=texts))
    return ReportParts(header, tuple(footer))


def _table(first: str, rows: Sequence[tuple[str, SeverityCounts]]) -> tuple[str, ...]:
    """The rows with aligned columns, and a row of totals."""
    named = [(shortened(printable_line(name), MAX_NAME), counts) for name, counts in rows]
    total = sum_counts(counts for _, counts in named)
    named.append(("total", total))
    width = max(display_width(name) for name, _ in (*named, (first, total)))
    header = first + " " * (width - display_width(first))
    lines = [f"{header}  critical  warning  info  total"]
    for name, counts in named:
        padded = name + " " * (width - display_width(name))
        columns = zip((*counts, counts.total), (8, 7, 4, 5), strict=True)
        lines.append("  ".join((padded, *(f"{number:{room},}" for number, room in columns))))
    return tuple(lines)


def _action(one: AuditAction) -> str:
    place = f"{one.path}:{one.line}" if one.path and one.line else one.path
    more = f" ({format_count(one.more, 'more finding')} of {one.rule})" if one.more else ""
    return f"[{one.severity}] {f'{place}: ' if place else ''}{one.text}{more}"


def _coverage(coverage: DecisionCoverage) -> tuple[str, ...]:
    summary = (
        f"code names {coverage.cited:,} of {format_count(coverage.records, 'record')} in force,"
        f" {coverage.stated:,} state what they apply to, {len(coverage.uncited):,} are never named;"
        f" they govern {coverage.governed:,} of {format_count(coverage.files, 'source file')}"
    )
    if not coverage.uncited:
        return (summary,)
    names = [one.name for one in coverage.uncited[:MAX_NAMED]]
    more = len(coverage.uncited) - len(names)
    listed = ", ".join(names) + (f" and {more:,} more" if more else "")
    return (summary, f"never named: {listed}")
