"""Where the added lines go against a record: a model names the lines, and both are looked up."""

# Governing: SPEC-0010 REQ "Judge"

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sdd_hooks.changes.change import Change, ChangedFile
from sdd_hooks.findings import Finding, worst_first
from sdd_hooks.review.judge.added_lines import Shown, added_part, find_added, written
from sdd_hooks.review.judge.answer import parse_answer, word
from sdd_hooks.review.judge.prompt import Ask, about
from sdd_hooks.review.judge.quotes import find_quote
from sdd_hooks.review.judge.records import Record, part
from sdd_hooks.review.rule import Rule
from sdd_hooks.text.display import one_line
from sdd_hooks.text.slugs import slugify

JUDGE = Rule(
    "judge",
    "critical",
    "An added line contradicts a record, says a language model",
    "Both the line and the sentence of the record exist; that they contradict each other is a"
    " model's opinion. Read both, and follow the record or supersede it.",
    lambda _: (),
)
"""What reports say about these findings: a rule that finds nothing without a model. The `rule` of
each finding begins with its id; the record's follows after a slash."""

RECORDS = 4
"""How many records the lines are held against."""

MOST = 10
"""How many findings are kept."""

_READ = 50
_RECORD = 4_000
_LINES = 14_000
_WHY = 240
_QUOTED = 300

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


class Drift(NamedTuple):
    """What contradicts a record, the worst first, and what to say about the rest."""

    findings: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()


def read_drift(answer: str, shown: Shown, records: Sequence[Record]) -> Drift:
    """The findings in an answer that quote a line it was shown and words of a record. Never raises.

    Their severity is that of the record's words: critical where it says MUST, warning where SHOULD,
    else info.
    """
    found = parse_answer(answer)
    entries = found.get("findings") if found else None
    if not isinstance(entries, list):
        note = "the judge's findings were left out: its answer is not the JSON asked for"
        return Drift(notes=(note,))
    by_path = {record.path: record for record in records}
    read = [_finding(entry, shown, by_path) for entry in entries[:_READ]]
    proven = {(one.path, one.line, one.rule): one for one in read if one}
    notes = []
    if left := read.count(None):
        notes.append(f"{left:,} of the judge's findings left out: what they quote is not there")
    if more := max(0, len(proven) - MOST) + len(entries) - len(read):
        notes.append(f"the judge found {more:,} more")
    kept = worst_first(proven.values())[:MOST]
    return Drift(kept, tuple(notes))


def drift(
    ask: Ask, change: Change, files: Sequence[ChangedFile], records: Sequence[Record]
) -> Drift:
    """Have the added lines of `files` held against the records.

    Raises EngineUnavailable when the model does not answer.
    """
    shown = added_part(files, _LINES)
    parts = [about(change), shown.part]
    parts += [part(record, number, _RECORD) for number, record in enumerate(records, 1)]
    answered = read_drift(ask(_INSTRUCTIONS, parts, _SCHEMA), shown, records)
    lines = sum(1 for file in files for _ in written(file))
    if shown.total == lines:
        return answered
    note = f"the judge saw {shown.total:,} of {lines:,} added lines"
    return answered._replace(notes=(*answered.notes, note))


def _finding(entry: object, shown: Shown, records: Mapping[str, Record]) -> Finding | None:
    record = records.get(word(entry, "record"))
    near = entry.get("line") if isinstance(entry, dict) else None
    near = near if isinstance(near, int) else 0
    path = word(entry, "file")
    line = find_added(shown, path, word(entry, "added"), near)
    quote = find_quote(record.text, word(entry, "quote")) if record else None
    if record is None or line is None or quote is None:
        return None
    said = quote.text if len(quote.text) <= _QUOTED else f"{quote.text[: _QUOTED - 1]}…"
    why = one_line(word(entry, "why"))[:_WHY] or "follow it, or supersede the record"
    place = f"{record.path}:{quote.line}"
    message = one_line(f"contradicts {record.name} ({place}), which says “{said}”: {why}")
    rule = f"{JUDGE.id}/{slugify(record.name)}"
    return Finding(path, line.number, rule, quote.severity, message, line.text)
