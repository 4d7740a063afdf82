"""Governing comments in files that a change does not touch, about what it takes away."""

# Governing: SPEC-0010 REQ "Rules", SPEC-0002 REQ "Governing comments"

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from sdd_hooks.artifacts.corpus import Corpus
from sdd_hooks.artifacts.governing import GoverningReference, read_governing
from sdd_hooks.review.subject import Subject
from sdd_hooks.text.lines import split_lines

MOST_FILES = 2_000
"""Files with governing comments that are read."""

_LABELS = ("govern", "implements")


class Comment(NamedTuple):
    """One artifact that a governing comment names, and the line where that stands."""

    path: str
    entry: GoverningReference
    text: str


def comments_left(subject: Subject) -> Iterator[Comment]:
    """The governing comments that the change does not add, where it takes an id or a requirement
    away. By path and line; whether what they name is gone is for the caller to see. Raises
    GitError.
    """
    if not _takes_away(subject.corpus_before, subject.corpus):
        return
    added = {(file.path, line.number) for file in subject.change.files for line in file.added}
    labelled = subject.after.having(_LABELS, (), "-I", "-i")
    for path, text in subject.after.texts(labelled[:MOST_FILES]).items():
        if subject.is_artifact(path):
            continue
        lines = split_lines(text)
        for entry in read_governing(text):
            if (path, entry.line) not in added:
                yield Comment(path, entry, lines[entry.line - 1])


def _takes_away(before: Corpus, after: Corpus) -> bool:
    return before is not after and bool(_names(before) - _names(after))


def _names(corpus: Corpus) -> set[tuple[str, str]]:
    """Every id, and every requirement of each."""
    return {
        (str(id), name)
        for id, artifacts in corpus.by_id.items()
        for artifact in artifacts
        for name in ("", *(one.name for one in artifact.requirements))
    }
