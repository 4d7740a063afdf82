"""The second question: which added lines contradict a record. The model quotes both."""

# Governing: SPEC-0010 REQ "Judge"

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sdd_hooks.findings import Finding, worst_first
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.reporting.outcome import References
from sdd_hooks.review.judge.prompt import AskModel, describe_change, parse_answer, text_field
from sdd_hooks.review.judge.quotes import (
    ShownLines,
    find_quotation,
    find_quoted_line,
    iterate_added,
    show_added_lines,
)
from sdd_hooks.review.judge.records import RecordText, format_record, select_for_comparison
from sdd_hooks.review.rule import Rule
from sdd_hooks.review.subject import Subject
from sdd_hooks.text.display import clipped, one_line
from sdd_hooks.text.names import slugify

JUDGE = Rule(
    "judge",
    "critical",
    "An added line contradicts a record, says a language model",
    "Both the line and the sentence of the record exist; that they contradict each other is a"
    " model's opinion. Read both, and follow the record or supersede it.",
    lambda _: (),
)
"""The rule that reports describe these findings by. It finds nothing without a model. The `rule` of
each finding is its id, a slash, and the name of the record."""

MAX_RECORDS = 4
"""Records that the lines are compared with."""
MAX_FINDINGS = 10
"""Findings that are kept."""

_MAX_ENTRIES = 50
_MAX_RECORD = 2_000
_MAX_LINES = 6_500
_MAX_WHY = 240
_MAX_QUOTED = 300

_INSTRUCTIONS = """\
You help the reviewers of a repository. You are shown the lines that a change adds, each behind \
its number, and records of decisions and specifications that hold. Name every added line that \
contradicts a sentence of a record. A line that is merely not mentioned contradicts nothing, and \
neither does one that you would write otherwise. Most changes contradict nothing: an empty list is \
a good answer, and a wrong finding costs more than a missed one.
The answer is {"findings": [{"file": PATH, "line": NUMBER, "added": LINE, "record": PATH, "quote": \
SENTENCE, "why": REASON}]}, where LINE is the whole added line without its number, SENTENCE stands \
in the record, and REASON says in one sentence what contradicts it and what to do."""

_FINDING = {
    "type": "object",
    "properties": {
        **{name: {"type": "string"} for name in ("file", "added", "record", "quote", "why")},
        "line": {"type": "integer"},
    },
    "required": ["file", "line", "added", "record", "quote", "why"],
    "additionalProperties": False,
}
_SCHEMA = {
    "type": "object",
    "properties": {"findings": {"type": "array", "items": _FINDING}},
    "required": ["findings"],
    "additionalProperties": False,
}


class Contradictions(NamedTuple):
    """The findings, the worst first, and notes about invalid and omitted ones."""

    findings: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()


def find_contradictions(ask: AskModel, subject: Subject, references: References) -> Contradictions:
    """Let a model compare the added lines with the records. Files of records are left out.

    Raises EngineUnavailable when the model does not answer.
    """
    changed = subject.change.files
    files = [file for file in changed if file.added and not subject.is_artifact(file.path)]
    records = select_for_comparison(subject, references, MAX_RECORDS) if files else []
    if not records:
        return Contradictions()
    shown = show_added_lines(files, _MAX_LINES)
    parts = [describe_change(subject.change), shown.part]
    parts += [
        format_record(record, number, _MAX_RECORD) for number, record in enumerate(records, 1)
    ]
    answer = parse_contradictions(ask(_INSTRUCTIONS, parts, _SCHEMA), shown, records)
    total = sum(1 for file in files for _ in iterate_added(file))
    if shown.total == total:
        return answer
    note = f"the judge saw {shown.total:,} of {total:,} added lines"
    return answer._replace(notes=(*answer.notes, note))


def parse_contradictions(
    answer: str, shown: ShownLines, records: Sequence[RecordText]
) -> Contradictions:
    """Parse the findings in an answer. Never raises.

    A finding must quote a shown line and a sentence of a record. Its severity is critical when the
    sentence says MUST, a warning when it says SHOULD, otherwise info.
    """
    document = parse_answer(answer)
    entries = document.get("findings") if document else None
    if not isinstance(entries, list):
        note = "the judge's findings were left out: its answer is not the JSON asked for"
        return Contradictions(notes=(note,))
    by_path = {record.path: record for record in records}
    parsed = [_finding(entry, shown, by_path) for entry in entries[:_MAX_ENTRIES]]
    proven = {(one.path, one.line, one.rule): one for one in parsed if one}
    notes = []
    if invalid := parsed.count(None):
        notes.append(f"{invalid:,} of the judge's findings left out: what they quote is not there")
    if more := max(0, len(proven) - MAX_FINDINGS) + len(entries) - len(parsed):
        notes.append(f"the judge found {more:,} more")
    return Contradictions(worst_first(proven.values())[:MAX_FINDINGS], tuple(notes))


def _finding(entry: object, shown: ShownLines, records: Mapping[str, RecordText]) -> Finding | None:
    record = records.get(text_field(entry, "record"))
    number = entry.get("line") if isinstance(entry, dict) else None
    path = text_field(entry, "file")
    near = number if isinstance(number, int) else 0
    line = find_quoted_line(shown, path, text_field(entry, "added"), near)
    quotation = find_quotation(record.text, text_field(entry, "quote")) if record else None
    if record is None or line is None or quotation is None:
        return None
    quoted = clipped(quotation.text, _MAX_QUOTED)
    why = one_line(text_field(entry, "why"))[:_MAX_WHY] or "follow it, or supersede the record"
    place = f"{record.path}:{quotation.line}"
    message = one_line(f"contradicts {record.name} ({place}), which says “{quoted}”: {why}")
    rule = f"{JUDGE.id}/{slugify(record.name)}"
    return Finding(path, line.number, rule, quotation.severity, message, line.text)
