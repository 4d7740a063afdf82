"""The rules that the decisions of the repository state in `sdd-rule` blocks."""

# Governing: ADR-0021 (a decision's own rules run in linear time), SPEC-0010 REQ "Decision rules"

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from sdd_hooks.changes.added_text import AddedText, join_added_lines
from sdd_hooks.changes.change import ChangedFile
from sdd_hooks.code.dependencies import is_manifest, parse_dependencies
from sdd_hooks.code.imports import parse_imports, supports_imports
from sdd_hooks.findings import SEVERITIES, Finding
from sdd_hooks.review.rule import Rule
from sdd_hooks.review.rules.decision.applied import (
    ID,
    MAX_EVIDENCE,
    AppliedRule,
    find_applied_rules,
)
from sdd_hooks.review.rules.decision.blocks import MAX_LINE, RuleObject, RuleVerb
from sdd_hooks.review.subject import Subject
from sdd_hooks.text.display import one_line
from sdd_hooks.text.linear_regex import Pattern
from sdd_hooks.text.lines import NumberedLine, split_lines

MAX_RULES = 500
"""Rules of all records that are applied."""
MAX_FINDINGS = 200
"""Findings of one rule."""
MAX_FINDINGS_PER_FILE = 20
"""Findings of one rule in one file."""
MAX_COST = 3_000_000_000
"""Bytes of text times instructions of patterns in one review: 20 seconds in the worst case."""

_OBJECTS: Mapping[RuleObject, str] = {
    "regex": "/{}/",
    "import": "the import of {}",
    "dependency": "the dependency {}",
}


def check(subject: Subject) -> Iterator[Finding]:
    """Find each violation of a rule that a record in force states, at the head or at the base.

    An invalid block is a finding when the change touches its record.
    """
    applied = find_applied_rules(subject)
    yield from applied.findings
    if applied.rules:
        yield from _apply(subject, applied.rules)


class _Search(NamedTuple):
    """One name of a rule as a pattern, with the text that it searches."""

    applied: AppliedRule
    name: str
    pattern: Pattern
    text: AddedText

    @property
    def cost(self) -> int:
        """Bytes times instructions: an upper bound of the time."""
        return len(self.text.data) * self.pattern.size


def _apply(subject: Subject, applied: Sequence[AppliedRule]) -> Iterator[Finding]:
    if len(applied) > MAX_RULES:
        first = applied[MAX_RULES]
        message = f"the records state more than {MAX_RULES} rules: from here on they are left out"
        yield Finding(first.path, first.rule.line, f"{ID}/unread", "warning", message, first.name)
    cost = 0
    # A rule of the base and its changed version can find the same line: the worse finding counts.
    findings: dict[tuple[str, str, int, str], Finding] = {}
    # The cheapest first, so that an expensive search uses the rest of the limit only.
    searches = _searches(subject, applied[:MAX_RULES])
    for search in sorted(searches, key=lambda search: search.cost):
        cost += search.cost
        if cost > MAX_COST:
            yield _too_expensive(search)
            continue
        for finding in _find(search, subject):
            key = (finding.rule, finding.path, finding.line, search.name)
            if key not in findings or _rank(finding) < _rank(findings[key]):
                findings[key] = finding
    yield from findings.values()


def _rank(finding: Finding) -> int:
    return SEVERITIES.index(finding.severity)


def _searches(subject: Subject, applied: Sequence[AppliedRule]) -> Iterator[_Search]:
    """Every name of every rule, with the text of the files that the rule applies to."""
    files_of: dict[tuple[RuleVerb, RuleObject], list[ChangedFile]] = {}
    texts: dict[object, AddedText] = {}
    for one in applied:
        rule = one.rule
        kind = (rule.verb, rule.what)
        key = (*kind, rule.within, rule.outside)
        if kind not in files_of:
            files_of[kind] = list(_searched_files(subject, *kind))
        if key not in texts:
            applies_to = rule.path_filter()
            # Without `in`, records are left out: they name what they forbid.
            texts[key] = join_added_lines(
                [
                    file
                    for file in files_of[kind]
                    if applies_to(file.path) and (rule.within or not subject.is_artifact(file.path))
                ]
            )
        for name, pattern in zip(rule.names, rule.patterns(), strict=True):
            yield _Search(one, name, pattern, texts[key])


def _searched_files(subject: Subject, verb: RuleVerb, what: RuleObject) -> Iterator[ChangedFile]:
    """The files that such a rule searches, with the lines, imports or dependencies as `added`."""
    for file in subject.change.files:
        if not file.is_file or file.binary:
            continue
        read = _added_lines if verb == "forbid" else _all_lines
        lines = read(subject, file, what)
        if lines is not None:
            yield file._replace(added=lines)


def _added_lines(
    subject: Subject, file: ChangedFile, what: RuleObject
) -> tuple[NumberedLine, ...] | None:
    """The lines, imports or dependencies that the change adds; None when the file can have none."""
    if what == "regex":
        return file.added
    if what == "import":
        return _imported(file.path, file.added)
    if not is_manifest(file.path):
        return None
    added = {number for number, _ in file.added}
    known = set[str]()
    if file.before:
        known = {
            name for _, name in parse_dependencies(file.before, subject.text_before(file.before))
        }
    declared = parse_dependencies(file.path, subject.text(file.path)) if added else ()
    return tuple(one for one in declared if one.number in added and one.text not in known)


def _all_lines(
    subject: Subject, file: ChangedFile, what: RuleObject
) -> tuple[NumberedLine, ...] | None:
    """The lines, imports or dependencies of the whole file; None when the file can have none."""
    if what == "dependency":
        known = is_manifest(file.path)
        return parse_dependencies(file.path, subject.text(file.path)) if known else None
    text = subject.text(file.path)
    if not text or (what == "import" and not supports_imports(file.path)):
        return None
    lines = tuple(
        NumberedLine(number, line[:MAX_LINE]) for number, line in enumerate(split_lines(text), 1)
    )
    return lines if what == "regex" else _imported(file.path, lines)


def _imported(path: str, lines: Iterable[NumberedLine]) -> tuple[NumberedLine, ...]:
    return tuple(
        NumberedLine(number, name) for number, text in lines for name in parse_imports(path, text)
    )


def _find(search: _Search, subject: Subject) -> Iterator[Finding]:
    """The findings of one search: lines that are forbidden, or files that lack what is required."""
    name, path, rule = search.applied
    explanation = f": {rule.message.rstrip('.')}" if rule.message else ""
    source = f"{explanation} ({path}:{rule.line})"
    rule_id = f"{ID}/{name}"
    what = _OBJECTS[rule.what].format(one_line(search.name))
    if rule.verb == "forbid":
        files = {file.path: file for file in subject.change.files}
        matches = search.text.search(
            search.pattern, limit=MAX_FINDINGS, limit_per_file=MAX_FINDINGS_PER_FILE
        )
        for file, line, *_ in matches:
            message = f"{name} forbids {what}{source}"
            evidence = _evidence(files[file.path], line.number)
            yield Finding(file.path, line.number, rule_id, rule.severity, message, evidence)
        return
    searched = search.text.files
    matches = search.text.search(search.pattern, limit=len(searched), limit_per_file=1)
    satisfied = {match.file.path for match in matches}
    for file in [file for file in searched if file.path not in satisfied][:MAX_FINDINGS]:
        message = f"{name} requires {what} in this file{source}"
        yield Finding(file.path, 0, rule_id, rule.severity, message)


def _evidence(file: ChangedFile, number: int) -> str:
    """The text of an added line: a search of imports or dependencies matches names only."""
    index = bisect_left(file.added, (number,))
    return file.added[index].text.strip()[:MAX_EVIDENCE]


def _too_expensive(search: _Search) -> Finding:
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
