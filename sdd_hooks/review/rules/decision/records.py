"""The decision records that state rules of their own, before a change and after it."""

# Governing: ADR-0021 (a change is held to the rules of its base), SPEC-0010 REQ "Decision rules"

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from sdd_hooks.artifacts.adr import read_adr
from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.changes.change import ChangedFile
from sdd_hooks.code.paths import MARKDOWN, is_foreign
from sdd_hooks.config.memory_file import MEMORY_FILE_NAMES as MEMORY_FILES
from sdd_hooks.config.semantic_search import SEMANTIC_SEARCH_FILE as COLLECTIONS_FILE
from sdd_hooks.project.collections import Collection, all_pathspecs
from sdd_hooks.project.layout import looks_like_record
from sdd_hooks.review.rules.decision.blocks import MARK, DecisionRule, Fault, read_rules
from sdd_hooks.review.subject import Subject

# Folders whose records are made up.
_ELSEWHERE = frozenset({"test", "tests", "testdata", "fixtures", "examples", "templates"})


class Record(NamedTuple):
    """A record with blocks, as it is at the base or at the head."""

    artifact: Artifact
    rules: tuple[DecisionRule, ...]
    faults: tuple[Fault, ...]

    @property
    def in_force(self) -> tuple[DecisionRule, ...]:
        """Its rules, as long as it holds."""
        return self.rules if self.artifact.status.authoritative else ()


def records(subject: Subject) -> Iterator[tuple[Record | None, Record | None, bool]]:
    """The records with blocks: as they were, as they are, and whether the change touches them."""
    moved = {file.before: file for file in subject.change.files}
    before = {path: _record_before(subject, path, text) for path, text in _marked(subject)}
    for path, record in before.items():
        file = moved.get(path)
        if file is None:
            yield record, record, False
        else:
            yield record, _changed_record(subject, file), True
    for file in subject.change.files:
        if file.before not in before:
            record = _changed_record(subject, file)
            if record:
                yield None, record, True


def _marked(subject: Subject) -> Iterable[tuple[str, str]]:
    """The ADRs at the base that have a block, and their texts."""
    own = [one for one in subject.collections if one.kind == "adrs" and not one.repository]
    specs = all_pathspecs(own)
    if _is_redeclared(subject):
        specs = [f":(icase)*{suffix}" for suffix in MARKDOWN]
    if not specs:
        return ()
    tree = subject.before
    # As text whatever attributes say. Rules that cannot be read must not look like none: it raises.
    return tree.texts(tree.having((MARK,), specs, "-a")).items()


def _is_redeclared(subject: Subject) -> bool:
    """Whether the change may say where records are: it must not say so of those of the base."""
    return any(
        path in (*MEMORY_FILES, COLLECTIONS_FILE)
        for file in subject.change.files
        for path in (file.path, file.before)
    )


def _record_before(subject: Subject, path: str, text: str) -> Record | None:
    record = _record(subject, path, text)
    if record or not _is_redeclared(subject) or is_foreign(path):
        return record
    folder, _, name = path.rpartition("/")
    if not looks_like_record(folder, name) or not _ELSEWHERE.isdisjoint(folder.split("/")):
        return None
    artifact = read_adr(path, text)
    return Record(artifact, *read_rules(text)) if artifact else None


def _changed_record(subject: Subject, file: ChangedFile) -> Record | None:
    there = file.is_file and _collection(subject, file.path)
    return _record(subject, file.path, subject.text(file.path)) if there else None


def _record(subject: Subject, path: str, text: str) -> Record | None:
    collection = _collection(subject, path)
    if collection is None or MARK not in text:
        return None
    artifact = read_adr(path, text, collection.module)
    return Record(artifact, *read_rules(text)) if artifact else None


def _collection(subject: Subject, path: str) -> Collection | None:
    """The ADRs of this repository that a file belongs to."""
    own = (one for one in subject.collections if one.kind == "adrs" and not one.repository)
    return next((one for one in own if one.contains(path)), None)


def is_superseded(artifact: Artifact, subject: Subject) -> bool:
    """Whether the record is superseded, by another one that is there and holds."""
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
