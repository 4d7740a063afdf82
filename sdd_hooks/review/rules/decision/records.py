"""The decision records that state rules in `sdd-rule` blocks, before a change and after it."""

# Governing: ADR-0021 (a change is held to the rules of its base), ADR-0031 (the base declares its
# records), SPEC-0010 REQ "Decision rules"

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sdd_hooks.artifacts.adr import read_adr
from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.changes.change import ChangedFile
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.collections import Collection, CollectionMap, all_pathspecs
from sdd_hooks.review.rules.decision.blocks import MARK, BlockError, DecisionRule, read_rules
from sdd_hooks.review.subject import Subject


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
            text = one.tree.text(one.tree_path(artifact.path))
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
    return tree.texts(tree.grep((MARK,), pathspecs, "-a")).items()


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
    return artifact.id is not None and any(
        edge.kind == "supersedes" and edge.target == artifact.id for edge in other.edges
    )
