"""The report of an import: what was taken over from each record, and what was not understood."""

# Governing: SPEC-0024 REQ "Records of other tools", ADR-0012 (untrusted input)

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sdd_hooks.authoring.foreign.findings import Understood
from sdd_hooks.authoring.foreign.plan import ImportedRecord
from sdd_hooks.reporting.escape import code_span, table_cell
from sdd_hooks.text.display import format_count, printable_line, shortened

MAX_TEXT = 120
"""Characters of a quotation."""


def render_lines(records: Sequence[ImportedRecord]) -> Iterator[str]:
    """The report as lines for a terminal. A record with nothing to say is left out."""
    for one in records:
        if not (one.added or one.unknown):
            continue
        yield printable_line("  ".join(filter(None, (one.artifact.path, one.name, one.form))))
        for value in one.added:
            yield f"  {printable_line(f'{value.key}: {written(value)}')}  ({_source(value)})"
        for problem in one.unknown:
            text = shortened(printable_line(problem.text), MAX_TEXT)
            reason = printable_line(problem.reason)
            yield f"  not understood: line {problem.line}: {text} ({reason})"
    yield summary(records)


def render_markdown(records: Sequence[ImportedRecord]) -> Iterator[str]:
    """The report as lines of Markdown: a table of what was taken over, one of what was not."""
    yield "# Imported records"
    yield ""
    yield summary(records)
    rows = [(one, value) for one in records for value in one.added]
    if rows:
        yield from ("", "| record | form | key | value | line |", "| --- | --- | --- | --- | --- |")
    for one, value in rows:
        cells = (one.form, value.key, written(value))
        middle = " | ".join(table_cell(cell) for cell in cells)
        yield f"| {code_span(one.artifact.path)} | {middle} | {value.line or ''} |"
    problems = [(one, problem) for one in records for problem in one.unknown]
    if problems:
        yield from ("", "## Not understood", "")
        yield from ("| record | line | text | reason |", "| --- | --- | --- | --- |")
    for one, problem in problems:
        text, reason = table_cell(problem.text, MAX_TEXT), table_cell(problem.reason)
        yield f"| {code_span(one.artifact.path)} | {problem.line} | {text} | {reason} |"


def summary(records: Sequence[ImportedRecord]) -> str:
    """One line about all records."""
    changed = sum(one.before != one.after for one in records)
    values = sum(len(one.added) for one in records)
    problems = sum(len(one.unknown) for one in records)
    return (
        f"{format_count(len(records), 'record')}: {format_count(values, 'value')} added to"
        f" {format_count(changed, 'record')}, {format_count(problems, 'text')} not understood"
    )


def written(value: Understood) -> str:
    """A value as the frontmatter has it."""
    return value.value if isinstance(value.value, str) else f"[{', '.join(value.value)}]"


def _source(value: Understood) -> str:
    text = shortened(printable_line(value.text), MAX_TEXT)
    return f"line {value.line}: {text}" if value.line else text
