"""What the decisions of the repository forbid and require in their own `sdd-rule` blocks."""

# Governing: ADR-0021 (a decision's own rules run in linear time), SPEC-0010 REQ "Decision rules"

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.changes.change import ChangedFile
from sdd_hooks.code.dependencies import dependencies, is_manifest
from sdd_hooks.code.imports import has_imports, imports
from sdd_hooks.findings import SEVERITIES, Finding
from sdd_hooks.review.patterns import AddedText, Pattern, added_text
from sdd_hooks.review.rule import Rule
from sdd_hooks.review.rules.decision.blocks import (
    LONGEST_LINE,
    MARK,
    DecisionRule,
    Verb,
    What,
)
from sdd_hooks.review.rules.decision.records import Record, is_superseded, records
from sdd_hooks.review.subject import Subject
from sdd_hooks.text.display import one_line
from sdd_hooks.text.lines import NumberedLine, split_lines

MOST_RULES = 500
"""Rules of all records that are applied."""
MOST = 200
"""Findings of one rule; `MOST_OF_FILE` in one file."""
MOST_OF_FILE = 20
BUDGET = 3_000_000_000
"""Bytes times instructions of patterns that a review spends: twenty seconds at the worst."""

LONGEST_EVIDENCE = 200

ID = "decision-rule"

_SHOWN: Mapping[What, str] = {
    "regex": "/{}/",
    "import": "the import of {}",
    "dependency": "the dependency {}",
}


class _Applied(NamedTuple):
    """A rule that this change is held to, and the record that says it."""

    name: str
    path: str
    rule: DecisionRule


def check(subject: Subject) -> Iterator[Finding]:
    """Every break of a rule that an authoritative ADR states, at the head or at the base.

    Blocks that cannot be read are findings where the change touches the record.
    """
    applied: list[_Applied] = []
    for before, after, changed in records(subject):
        if after and changed:
            yield from _faults(after)
        rules = after.in_force if after else ()
        if before and (changed or after is None):
            kept = {rule.substance for rule in rules}
            lost = [rule for rule in before.in_force if rule.substance not in kept]
            if lost and not (after and is_superseded(after.artifact, subject)):
                yield _weakened(before.artifact, after, lost)
                applied += (_Applied(*_named(before.artifact), rule) for rule in lost)
        if after:
            applied += (_Applied(*_named(after.artifact), rule) for rule in rules)
    if applied:
        yield from _apply(subject, applied)


def _faults(record: Record) -> Iterator[Finding]:
    for fault in record.faults:
        message = f"this {MARK} block is not applied: {one_line(fault.message)}"
        evidence = one_line(fault.text)[:LONGEST_EVIDENCE]
        path = record.artifact.path
        yield Finding(path, fault.line, f"{ID}/unreadable", "warning", message, evidence)


def _weakened(before: Artifact, after: Record | None, lost: Sequence[DecisionRule]) -> Finding:
    name, _ = _named(before)
    what = "a rule" if len(lost) == 1 else f"{len(lost)} rules"
    message = (
        f"this change edits or removes {what} of {name}: it is still held to what the base says,"
        " unless another record supersedes it"
    )
    path = after.artifact.path if after else before.path
    first = lost[0]
    evidence = one_line(f"{first.verb} {first.what}: {', '.join(first.names)}")[:LONGEST_EVIDENCE]
    return Finding(path, 0, f"{ID}/changed", "info", message, evidence)


def _named(artifact: Artifact) -> tuple[str, str]:
    return one_line(artifact.name), artifact.path


class _Search(NamedTuple):
    """One name of a rule as a pattern, with what it has to read."""

    applied: _Applied
    name: str
    pattern: Pattern
    text: AddedText

    @property
    def cost(self) -> int:
        """Bytes times instructions: what it takes at the worst."""
        return len(self.text.data) * self.pattern.size


def _apply(subject: Subject, applied: Sequence[_Applied]) -> Iterator[Finding]:
    if len(applied) > MOST_RULES:
        first = applied[MOST_RULES]
        message = f"the records state more than {MOST_RULES} rules: from here on they are left out"
        yield Finding(first.path, first.rule.line, f"{ID}/unread", "warning", message, first.name)
    spent = 0
    # A rule of the base, and what the change made of it, find the same: the worse one counts.
    found: dict[tuple[str, str, int, str], Finding] = {}
    # The cheap ones first, so that one that costs much takes no other's place.
    for search in sorted(_searches(subject, applied[:MOST_RULES]), key=lambda one: one.cost):
        spent += search.cost
        if spent > BUDGET:
            yield _unapplied(search)
            continue
        for finding in _found(search, subject):
            key = (finding.rule, finding.path, finding.line, search.name)
            if key not in found or _rank(finding) < _rank(found[key]):
                found[key] = finding
    yield from found.values()


def _rank(finding: Finding) -> int:
    return SEVERITIES.index(finding.severity)


def _searches(subject: Subject, applied: Sequence[_Applied]) -> Iterator[_Search]:
    """Every name of every rule, with the text of the files that the rule holds for."""
    read: dict[tuple[Verb, What], list[ChangedFile]] = {}
    texts: dict[object, AddedText] = {}
    for one in applied:
        rule = one.rule
        kind = (rule.verb, rule.what)
        key = (*kind, rule.within, rule.outside)
        if kind not in read:
            read[kind] = list(_read(subject, *kind))
        if key not in texts:
            holds = rule.holds_for()
            files = [file for file in read[kind] if holds(file.path)]
            # Records speak about what they forbid.
            own = [file for file in files if rule.within or not subject.is_artifact(file.path)]
            texts[key] = added_text(own)
        for name, pattern in zip(rule.names, rule.patterns(), strict=True):
            yield _Search(one, name, pattern, texts[key])


def _read(subject: Subject, verb: Verb, what: What) -> Iterator[ChangedFile]:
    """The files that such a rule can say something about, with what it reads in place of lines."""
    for file in subject.change.files:
        if not file.is_file or file.binary:
            continue
        lines = _added(subject, file, what) if verb == "forbid" else _all(subject, file, what)
        if lines is not None:
            yield file._replace(added=lines)


def _added(subject: Subject, file: ChangedFile, what: What) -> tuple[NumberedLine, ...] | None:
    """The lines, imports or dependencies that the change adds."""
    if what == "regex":
        return file.added
    if what == "import":
        return _imported(file.path, file.added)
    if not is_manifest(file.path):
        return None
    added = {number for number, _ in file.added}
    known = set[str]()
    if file.before:
        known = {name for _, name in dependencies(file.before, subject.text_before(file.before))}
    declared = dependencies(file.path, subject.text(file.path)) if added else ()
    return tuple(one for one in declared if one.number in added and one.text not in known)


def _all(subject: Subject, file: ChangedFile, what: What) -> tuple[NumberedLine, ...] | None:
    """The same of the whole file; None where it can have none."""
    if what == "dependency":
        known = is_manifest(file.path)
        return dependencies(file.path, subject.text(file.path)) if known else None
    text = subject.text(file.path)
    if not text or (what == "import" and not has_imports(file.path)):
        return None
    rows = enumerate(split_lines(text), 1)
    lines = tuple(NumberedLine(number, row[:LONGEST_LINE]) for number, row in rows)
    return lines if what == "regex" else _imported(file.path, lines)


def _imported(path: str, lines: Iterable[NumberedLine]) -> tuple[NumberedLine, ...]:
    return tuple(
        NumberedLine(number, name) for number, text in lines for name in imports(path, text)
    )


def _found(search: _Search, subject: Subject) -> Iterator[Finding]:
    name, path, rule = search.applied
    told = f": {rule.message.rstrip('.')}" if rule.message else ""
    where = f"{told} ({path}:{rule.line})"
    kind = f"{ID}/{name}"
    shown = _SHOWN[rule.what].format(one_line(search.name))
    if rule.verb == "forbid":
        files = {file.path: file for file in subject.change.files}
        for hit in search.text.search(search.pattern, most=MOST, most_of_file=MOST_OF_FILE):
            message = f"{name} forbids {shown}{where}"
            evidence = _line(files[hit.file.path], hit.line.number)
            yield Finding(hit.file.path, hit.line.number, kind, rule.severity, message, evidence)
        return
    every = len(search.text.files)
    hits = search.text.search(search.pattern, most=every, most_of_file=1)
    met = {hit.file.path for hit in hits}
    for file in [file for file in search.text.files if file.path not in met][:MOST]:
        message = f"{name} requires {shown} in this file{where}"
        yield Finding(file.path, 0, kind, rule.severity, message)


def _line(file: ChangedFile, number: int) -> str:
    """The added line of a file, as it stands there."""
    index = bisect_left(file.added, (number,))
    return file.added[index].text.strip()[:LONGEST_EVIDENCE]


def _unapplied(search: _Search) -> Finding:
    name, path, rule = search.applied
    message = (
        f"this rule of {name} was not applied: the change is too large for all rules; narrow its"
        " `in`, or make its pattern smaller"
    )
    return Finding(path, rule.line, f"{ID}/unread", "warning", message, one_line(search.name))


RULE = Rule(
    ID,
    "critical",
    "A decision's own rule is broken, cannot be read, or is taken out.",
    "A decision record states what it forbids or requires in an sdd-rule block. Change the code, or"
    " supersede the record by one that decides otherwise.",
    check,
)
