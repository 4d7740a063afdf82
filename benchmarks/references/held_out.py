"""The decisions on rows, each with weights that were fitted without its repository."""

from __future__ import annotations

import random
from collections.abc import Callable, Container, Iterable, Sequence
from typing import NamedTuple

from benchmarks.references.method import Decision, Example, decide, prepare, train
from benchmarks.references.rows import Row


class NoTrainingData(Exception):
    """All changes belong to one owner, so that none is left when the owner is held out."""


class Outcome(NamedTuple):
    """A row with the decision on it."""

    row: Row
    decision: Decision

    @property
    def right(self) -> bool:
        """Whether the record that could be asked about is a right one."""
        return self.decision.offered in self.row.expected


def prepare_all(rows: Iterable[Row], kinds: Container[str] | None = None) -> list[Example]:
    """Prepare rows, with evidence of some kinds only, or of all (None)."""
    examples = []
    for row in rows:
        facts = row.facts if kinds is None else row.facts.restricted_to(kinds)
        examples.append(Example(row, prepare(facts), prepare(facts.without_citations())))
    return examples


def hold_out(examples: Sequence[Example], tested: Container[str] = ()) -> list[Outcome]:
    """Decide on every example, with weights fitted to those of the other families.

    With sets `tested`, only these are decided on, and no weights are fitted to them. Raises
    NoTrainingData.
    """
    known = [example for example in examples if example.row.source not in tested]
    chosen = [one for one in examples if one.row.source in tested] if tested else known
    return _decide(chosen, lambda family: _without(known, family))


def hold_out_some(
    examples: Sequence[Example], size: int, draw: int, tested: Container[str] = ()
) -> list[Outcome]:
    """The same, with weights fitted to at most `size` repositories, drawn at random.

    A larger size of the same draw contains the repositories of a smaller one.
    """
    known = [example for example in examples if example.row.source not in tested]
    chosen = [one for one in examples if one.row.source in tested] if tested else known

    def draw_for(family: str) -> list[Example]:
        others = _without(known, family)
        repos = sorted({example.row.repo for example in others})
        random.Random(f"{draw} {family}").shuffle(repos)
        drawn = set(repos[:size])
        return [example for example in others if example.row.repo in drawn]

    return _decide(chosen, draw_for)


def _without(examples: Sequence[Example], family: str) -> list[Example]:
    return [example for example in examples if example.row.family != family]


def _decide(
    examples: Sequence[Example], training_of: Callable[[str], Sequence[Example]]
) -> list[Outcome]:
    models = {}
    for family in sorted({example.row.family for example in examples}):
        if not (training := training_of(family)):
            raise NoTrainingData(f"there is no change of another owner than {family} to fit to")
        models[family] = train(training)
    return [Outcome(row, decide(models[row.family], prepared)) for row, prepared, _ in examples]
