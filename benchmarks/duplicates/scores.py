"""Judge the cases with the rule of `sdd work --check`, and count."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.duplicates.cases import NEW, POSITIVE, Case, open_clone, read_text
from sdd_hooks.changes.base import resolve_commit
from sdd_hooks.changes.tree import Tree
from sdd_hooks.code.symbols import find_symbols
from sdd_hooks.planning.work.duplicates import Duplicate, most_similar

POSITIVES = 100
NEGATIVES = 200


class Judged(NamedTuple):
    """A case, and the most similar existing definition that was found for it."""

    case: Case
    best: Duplicate | None

    @property
    def is_reported(self) -> bool:
        """Whether the check reports it."""
        return self.best is not None and self.best.is_certain

    @property
    def is_right(self) -> bool:
        """Whether the definition to import is the right one: an expected one, or one of the same
        text."""
        if self.best is None or not self.is_reported:
            return False
        existing = self.best.existing
        return (existing.path, existing.name) in self.case.expected or (
            self.case.is_positive and existing.text == self.best.new.text
        )


def select(cases: Sequence[Case]) -> list[Case]:
    """100 cases of duplicates and 200 of new definitions, chosen in turn from each repository."""
    return [
        *_in_turn([one for one in cases if one.kind in POSITIVE], POSITIVES),
        *_in_turn([one for one in cases if one.kind == NEW], NEGATIVES),
    ]


def judge(clones: Path, case: Case) -> Judged:
    """Apply the rule to one case."""
    git = open_clone(clones / case.repository)
    tree = Tree(git, resolve_commit(git, case.commit))
    symbols = find_symbols(case.place.path, read_text(git, case.blob))
    new = [one for one in symbols if one.name == case.place.name][:1]
    return Judged(case, next(most_similar(tree, new), None))


def render(judged: Sequence[Judged]) -> Iterator[str]:
    """The table of the figures."""
    positive = [one for one in judged if one.case.is_positive]
    reported = [one for one in judged if one.is_reported]
    right = [one for one in positive if one.is_right]
    repositories = len({one.case.repository for one in judged})
    yield "| cases | number | reported | of these right |"
    yield "| --- | --- | --- | --- |"
    for kind in (*POSITIVE, NEW):
        of_kind = [one for one in judged if one.case.kind == kind]
        count = sum(one.is_reported for one in of_kind)
        yield f"| {kind} | {len(of_kind)} | {count} | {sum(one.is_right for one in of_kind)} |"
    yield ""
    yield (
        f"precision {len(right) / (len(reported) or 1):.2f},"
        f" recall {len(right) / (len(positive) or 1):.2f},"
        f" {len(positive)} duplicates and {len(judged) - len(positive)} new definitions of"
        f" {repositories} repositories"
    )


def _in_turn(cases: Sequence[Case], count: int) -> list[Case]:
    """The first of each repository, then the second of each, and so on."""
    turns: dict[str, int] = {}
    ranked = []
    for case in sorted(cases, key=_order):
        turns[case.repository] = turns.get(case.repository, 0) + 1
        ranked.append((turns[case.repository], _order(case), case))
    return [case for _, _, case in sorted(ranked)[:count]]


def _order(case: Case) -> str:
    return hashlib.sha256(repr(case).encode()).hexdigest()
