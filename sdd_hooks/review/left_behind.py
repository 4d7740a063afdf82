"""Governing comments in files that a change does not touch, about what it takes away."""

# Governing: SPEC-0010 REQ "Rules", SPEC-0002 REQ "Governing comments"

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from sdd_hooks.artifacts.corpus import Corpus
from sdd_hooks.artifacts.governing import Governed, governing
from sdd_hooks.project.git import nul_split, run
from sdd_hooks.review.change import lines_of
from sdd_hooks.review.subject import Subject
from sdd_hooks.review.tree import Tree

MOST_FILES = 2_000
"""Files with governing comments that are read."""

_LABELS = ("-e", "govern", "-e", "implements")


class Comment(NamedTuple):
    """One artifact that a governing comment names, and the line where that stands."""

    path: str
    entry: Governed
    text: str


def comments_left(subject: Subject) -> Iterator[Comment]:
    """The governing comments that the change does not add, where it takes an id or a requirement
    away. By path and line; whether what they name is gone is for the caller to see.
    """
    if not _takes_away(subject.corpus_before, subject.corpus):
        return
    added = {(file.path, line.number) for file in subject.change.files for line in file.added}
    for path, text in _labelled(subject.after):
        if subject.is_artifact(path):
            continue
        lines = lines_of(text)
        for entry in governing(text):
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


def _labelled(tree: Tree) -> Iterator[tuple[str, str]]:
    """The files that may have a governing comment, and their texts, by path."""
    where = (tree.commit,) if tree.commit else ("--cached",)
    options = ("-l", "-z", "-I", "-i", "-F", "--no-color", "--no-recurse-submodules")
    done = run(tree.root, "grep", *options, *_LABELS, *where, "--", index=tree.index)
    prefix = len(tree.commit) + 1 if tree.commit else 0
    paths = {name[prefix:] for name in nul_split(done.stdout)}
    blobs = islice((blob for blob in tree.blobs() if blob.path in paths), MOST_FILES)
    yield from tree.texts(blobs).items()
