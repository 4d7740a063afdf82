"""The decision records that state rules in `sdd-rule` blocks, before a change and after it."""

# Governing: ADR-0021 (a change is held to the rules of its base), SPEC-0010 REQ "Decision rules"

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from sdd_hooks.artifacts.adr import read_adr
from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.changes.change import ChangedFile
from sdd_hooks.code.languages import MARKDOWN_SUFFIXES
from sdd_hooks.code.paths import is_external
from sdd_hooks.config.memory_file import MEMORY_FILE_NAMES as MEMORY_FILES
from sdd_hooks.config.semantic_search import SEMANTIC_SEARCH_FILE as COLLECTIONS_FILE
from sdd_hooks.project.collections import Collection, all_pathspecs
from sdd_hooks.project.recognition import looks_like_record
from sdd_hooks.review.rules.decision.blocks import MARK, BlockError, DecisionRule, read_rules
from sdd_hooks.review.subject import Subject

# Folders whose records are fixtures and templates.
_FIXTURE_FOLDERS = frozenset({"test", "tests", "testdata", "fixtures", "examples", "templates"})


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
    """Read every record that has a block before or after the change."""
    files = {file.before: file for file in subject.change.files}
    before = {path: _read_before(subject, path, text) for path, text in _marked_texts(subject)}
    for path, record in before.items():
        file = files.get(path)
        if file is None:
            yield RecordChange(record, record, changed=False)
        else:
            yield RecordChange(record, _read_changed(subject, file), changed=True)
    for file in subject.change.files:
        if file.before not in before:
            record = _read_changed(subject, file)
            if record:
                yield RecordChange(None, record, changed=True)


def _marked_texts(subject: Subject) -> Iterable[tuple[str, str]]:
    """The paths and texts of the ADRs at the base that have a block."""
    collections = [one for one in subject.collections if one.kind == "adrs" and not one.repository]
    pathspecs = all_pathspecs(collections)
    if _redeclares_records(subject):
        pathspecs = [f":(icase)*{suffix}" for suffix in MARKDOWN_SUFFIXES]
    if not pathspecs:
        return ()
    tree = subject.before
    # `-a`: an attribute must not hide a record from the search. A failure to read raises, since
    # otherwise its rules would not be applied.
    return tree.texts(tree.grep((MARK,), pathspecs, "-a")).items()


def _redeclares_records(subject: Subject) -> bool:
    """Whether the change edits a file that declares folders of records.

    Such a change must not take the records of the base out of their collection.
    """
    return any(
        path in (*MEMORY_FILES, COLLECTIONS_FILE)
        for file in subject.change.files
        for path in (file.path, file.before)
    )


def _read_before(subject: Subject, path: str, text: str) -> RecordRules | None:
    record = _read(subject, path, text)
    if record or not _redeclares_records(subject) or is_external(path):
        return record
    folder, _, name = path.rpartition("/")
    if not looks_like_record(folder, name) or not _FIXTURE_FOLDERS.isdisjoint(folder.split("/")):
        return None
    artifact = read_adr(path, text)
    return RecordRules(artifact, *read_rules(text)) if artifact else None


def _read_changed(subject: Subject, file: ChangedFile) -> RecordRules | None:
    if not file.is_file or not _collection(subject, file.path):
        return None
    return _read(subject, file.path, subject.text(file.path))


def _read(subject: Subject, path: str, text: str) -> RecordRules | None:
    collection = _collection(subject, path)
    if collection is None or MARK not in text:
        return None
    artifact = read_adr(path, text, collection.module)
    return RecordRules(artifact, *read_rules(text)) if artifact else None


def _collection(subject: Subject, path: str) -> Collection | None:
    """The collection of ADRs of this repository that has the file."""
    collections = (one for one in subject.collections if one.kind == "adrs" and not one.repository)
    return next((one for one in collections if one.contains(path)), None)


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
