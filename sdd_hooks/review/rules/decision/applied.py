"""The rules of decisions that apply to a change: of the records at the head and the base."""

# Governing: ADR-0021 (a change is held to the rules of its base), ADR-0031 (what could not be
# checked is a finding, the base declares its records), SPEC-0010 REQ "Decision
# rules", SPEC-0010 REQ "Incomplete"

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from sdd_hooks.artifacts.adr import read_adr
from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.changes.change import ChangedFile
from sdd_hooks.findings import SEVERITIES, Finding, Severity
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.collections import Collection, CollectionMap, all_pathspecs
from sdd_hooks.review.rules.decision.blocks import MARK, BlockError, DecisionRule, read_rules
from sdd_hooks.review.subject import Subject
from sdd_hooks.text.display import one_line
from sdd_hooks.text.documents import as_markdown
from sdd_hooks.text.globs import expand_braces

ID = "decision-rule"
"""The id of the rule that applies them."""
MAX_EVIDENCE = 200
"""Characters of the evidence of a finding."""


class AppliedRule(NamedTuple):
    """A rule that is applied to the change, with the name and the path of its record."""

    name: str
    path: str
    rule: DecisionRule

    def searches(self, path: str) -> bool:
        """Whether the rule searches a file at this path.

        With a `/` at its end, the path is that of a directory of any files.
        """
        kind = self.rule.kind
        if path.endswith("/"):
            return any(self.searches(path + name) for name in kind.paths)
        return kind.may_have(path) and self.rule.path_filter()(path)


class AppliedRules(NamedTuple):
    """The rules that apply to a change, and the findings about the records that state them."""

    rules: tuple[AppliedRule, ...]
    findings: tuple[Finding, ...]


def find_applied_rules(subject: Subject) -> AppliedRules:
    """Find the rules that apply to the change: of each record in force, at the head or the base."""
    return subject.once(ID, _find)


def severity_of_unchecked(subject: Subject, path: str = "") -> Severity:
    """The severity of a finding that a file, or with "" a part of the change, was not checked.

    It is the one that the settings name, else that of the worst rule of a decision that would have
    searched the file, at least `info`.
    """
    if subject.settings.incomplete:
        return subject.settings.incomplete
    rules = find_applied_rules(subject).rules
    found = (one.rule.severity for one in rules if not path or one.searches(path))
    return min(found, key=SEVERITIES.index, default="info")


def severity_of_unapplied(subject: Subject, applied: AppliedRule) -> Severity:
    """The severity of a finding that a rule was not applied."""
    return subject.settings.incomplete or applied.rule.severity


def _find(subject: Subject) -> AppliedRules:
    applied: list[AppliedRule] = []
    findings: list[Finding] = []
    for before, after, changed in read_record_changes(subject):
        if after and changed:
            findings += _invalid_blocks(after)
            findings += _unread_rules(after, subject)
        rules = after.in_force if after else ()
        if before and (changed or after is None):
            kept = {rule.substance for rule in rules}
            removed = [rule for rule in before.in_force if rule.substance not in kept]
            superseded = bool(after and is_superseded(after.artifact, subject))
            keeps = not superseded or subject.settings.suppressions == "base"
            if removed and keeps:
                findings.append(_changed_record(before.artifact, after, removed))
                applied += _applied(before.artifact, removed)
            elif any(rule.severity == "critical" for rule in removed):
                findings.append(_superseded_record(before.artifact, after, removed))
        if after:
            applied += _applied(after.artifact, rules)
    return AppliedRules(tuple(applied), tuple(findings))


def _applied(artifact: Artifact, rules: Iterable[DecisionRule]) -> list[AppliedRule]:
    return [AppliedRule(one_line(artifact.name), artifact.path, rule) for rule in rules]


def _invalid_blocks(record: RecordRules) -> Iterator[Finding]:
    for error in record.errors:
        message = f"this {MARK} block is not applied: {one_line(error.message)}"
        evidence = one_line(error.text)[:MAX_EVIDENCE]
        path = record.artifact.path
        yield Finding(path, error.line, f"{ID}/unreadable", "warning", message, evidence)


def _unread_rules(record: RecordRules, subject: Subject) -> Iterator[Finding]:
    """Find the rules that apply to files whose language or format is not read, and to no others."""
    for rule in record.in_force:
        for glob in (each for one in rule.within or ("**",) for each in expand_braces(one)):
            applies_to = rule._replace(within=(glob,)).path_filter()
            paths = (blob.path for blob in subject.after.blobs() if applies_to(blob.path))
            names = set(map(rule.kind.unread, paths)) - {None}
            if names and "" not in names:
                listed = one_line(", ".join(sorted(filter(None, names))[:5]))
                advice = f"use `{rule.verb} regex` for {one_line(glob)}"
                message = f"no {rule.what} is read of {listed}: {advice}"
                path = record.artifact.path
                yield Finding(path, rule.line, f"{ID}/unread", "warning", message, _evidence(rule))


def _changed_record(
    before: Artifact, after: RecordRules | None, removed: Sequence[DecisionRule]
) -> Finding:
    message = (
        f"this change edits or removes {_count(removed)} of {one_line(before.name)}: it is still"
        " held to what the base says, unless another record supersedes it"
    )
    path = after.artifact.path if after else before.path
    return Finding(path, 0, f"{ID}/changed", "info", message, _evidence(removed[0]))


def _superseded_record(
    before: Artifact, after: RecordRules | None, removed: Sequence[DecisionRule]
) -> Finding:
    must = [rule for rule in removed if rule.severity == "critical"]
    message = (
        f"this change supersedes {one_line(before.name)}, and is not held to {_count(must)} that it"
        " states as MUST: check the record that replaces it"
    )
    path = after.artifact.path if after else before.path
    return Finding(path, 0, f"{ID}/superseded", "info", message, _evidence(must[0]))


def _count(rules: Sequence[DecisionRule]) -> str:
    return "a rule" if len(rules) == 1 else f"{len(rules)} rules"


def _evidence(rule: DecisionRule) -> str:
    return one_line(f"{rule.verb} {rule.what}: {', '.join(rule.names)}")[:MAX_EVIDENCE]


class RecordRules(NamedTuple):
    """A record with its rules and the errors of its other blocks, at the base or at the head."""

    artifact: Artifact
    rules: tuple[DecisionRule, ...]
    errors: tuple[BlockError, ...]

    @property
    def in_force(self) -> tuple[DecisionRule, ...]:
        """The rules, none when the record is not in force."""
        return self.rules if self.artifact.status.authoritative else ()


class RecordChange(NamedTuple):
    """A record with blocks before and after a change; `before` and `after` are equal when it is
    not `changed`. None: the record does not exist on that side, or has no block there."""

    before: RecordRules | None
    after: RecordRules | None
    changed: bool


def read_record_changes(subject: Subject) -> Iterator[RecordChange]:
    """Read every record that has a block before or after the change.

    A record of another repository counts only where the base trusts the rules of that repository;
    no change edits it.
    """
    yield from _read_trusted(subject)
    files = {file.before: file for file in subject.change.files}
    at_base = CollectionMap(_adrs(subject.base_collections))
    at_head = CollectionMap(_adrs(subject.collections))
    before = {path: _read(at_base, path, text) for path, text in _marked_texts(subject)}
    for path, record in before.items():
        file = files.get(path)
        if file is None:
            yield RecordChange(record, record, changed=False)
        else:
            yield RecordChange(record, _read_changed(subject, at_head, file), changed=True)
    for file in subject.change.files:
        if file.before not in before:
            record = _read_changed(subject, at_head, file)
            if record:
                yield RecordChange(None, record, changed=True)


def _read_trusted(subject: Subject) -> Iterator[RecordChange]:
    for one in subject.external.sources:
        if one.tree is None or not one.source.trusts_rules:
            continue
        for artifact in one.artifacts:
            text = as_markdown(artifact.path, one.tree.text(one.tree_path(artifact.path)))
            if MARK in text:
                record = RecordRules(artifact, *read_rules(text))
                yield RecordChange(record, record, changed=False)


def _adrs(collections: Iterable[Collection]) -> tuple[Collection, ...]:
    """The collections of ADRs of this repository."""
    return tuple(one for one in collections if one.kind == "adrs" and not one.repository)


def _marked_texts(subject: Subject) -> Iterable[tuple[str, str]]:
    """The paths and texts of the ADRs at the base that have a block."""
    pathspecs = all_pathspecs(_adrs(subject.base_collections))
    if not pathspecs:
        return ()
    tree = subject.before
    # `-a`: an attribute must not hide a record from the search. A failure to read raises, since
    # otherwise its rules would not be applied.
    texts = tree.texts(tree.grep((MARK,), pathspecs, "-a"))
    return [(path, as_markdown(path, text)) for path, text in texts.items()]


def _read_changed(
    subject: Subject, collections: CollectionMap, file: ChangedFile
) -> RecordRules | None:
    if not file.is_file or not collections.containing(file.path):
        return None
    return _read(collections, file.path, subject.text(file.path))


def _read(collections: CollectionMap, path: str, text: str) -> RecordRules | None:
    found = collections.containing(path)
    if not found or MARK not in text:
        return None
    artifact = read_adr(path, text, found[0].module)
    return RecordRules(artifact, *read_rules(text)) if artifact else None


def is_superseded(artifact: Artifact, subject: Subject) -> bool:
    """Whether the record is superseded by another record that exists and is in force."""
    return artifact.status.value == "superseded" and any(
        other.path != artifact.path
        and other.status.authoritative
        and (other.id in artifact.successors or _supersedes(other, artifact))
        for other in subject.corpus.artifacts
    )


def _supersedes(other: Artifact, artifact: Artifact) -> bool:
    return any(edge.kind == "supersedes" and edge.target == artifact.id for edge in other.edges)
