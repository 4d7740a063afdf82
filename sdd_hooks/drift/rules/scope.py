"""The records in scope of a check."""

from __future__ import annotations

from collections.abc import Iterator

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.review.subject import Subject


def specs_in_scope(subject: Subject) -> Iterator[Artifact]:
    """The specifications in force with a file in scope, by path."""
    for artifact in records_in_scope(subject):
        if artifact.kind == "SPEC" and artifact.status.authoritative:
            yield artifact


def records_in_scope(subject: Subject) -> Iterator[Artifact]:
    """The artifacts with a file in scope, by path."""
    found = (subject.corpus.by_path.get(file.path) for file in subject.change.files)
    yield from {one.path: one for one in found if one}.values()
