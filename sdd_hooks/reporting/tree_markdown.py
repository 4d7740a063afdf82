"""Report a check of the work tree as Markdown: a table of findings for each module, and a summary.

The header has the lines about the index, and the end says which records were read in full.
"""

# Governing: ADR-0022 (one review, many reports), SPEC-0018 REQ "Report"

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sdd_hooks.findings import Finding
from sdd_hooks.reporting.escape import code_span, escape_text
from sdd_hooks.reporting.markdown_parts import SIGNS, folded, place_link, suppressed_lines
from sdd_hooks.reporting.outcome import CheckedTree, ReviewOutcome, findings_by_module
from sdd_hooks.reporting.registry import Links
from sdd_hooks.reporting.severity_counts import count_severities
from sdd_hooks.text.display import format_count

MAX_ROWS = 200
"""Rows of one table; the rest is counted."""

_COLUMNS = ("| Severity | Finding | Place | Rule |", "| --- | --- | --- | --- |")


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
        place = place_link(one.path, 0, links)
        lines.append(f"- {escape_text(one.full_name)}{cited}{score}: {place}")
    yield from folded(f"{format_count(len(read), 'record')} read in full", lines)
