"""The method that is measured: the ranking and the decision to ask, as `sdd_hooks` has them.

This module and `facts` are all that depends on the method.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from benchmarks.references.facts import Facts
from benchmarks.references.model import LogisticModel, fit
from benchmarks.references.rows import Row
from sdd_hooks.changes.change import Change, ChangedFile
from sdd_hooks.review.references.asking.confidence import (
    THRESHOLD,
    ConfidenceFeatures,
    extract_features,
)
from sdd_hooks.review.references.ranking import rank_records

ASKS_FROM = THRESHOLD
"""The probability from which the review asks."""
ORDINARY_WEIGHT = 3.0
"""The weight of an ordinary commit as an example; that of a change with a known record is 1."""
UNCITED_WEIGHT = 0.5
"""The part of its weight that an example has once more, as of a repository without citations."""


class Prepared(NamedTuple):
    """What is computed from facts before any weights: the records by path, best first, the record
    to ask about, "" for none, and the features of the confidence in it."""

    order: tuple[str, ...]
    offered: str
    features: tuple[float, ...]


class Example(NamedTuple):
    """A row with what is prepared from its facts, and from those without citations."""

    row: Row
    prepared: Prepared
    uncited: Prepared


class Decision(NamedTuple):
    """The records by path, best first, and the path that could be asked about, "" for none, with
    the probability that it is right. `asks` is whether the review asks."""

    order: tuple[str, ...]
    offered: str
    probability: float
    asks: bool


def prepare(facts: Facts) -> Prepared:
    """Rank the records of a change, and extract the features of the first."""
    ranked = rank_records(facts.evidence, facts.links, facts.paths)
    if not ranked:
        return Prepared((), "", ())
    files = tuple(ChangedFile(path, path, status) for path, status in facts.files)
    change = Change("", "", facts.title, "", (), files)
    return Prepared(
        tuple(facts.paths[one.record_index] for one in ranked),
        "" if facts.silent else facts.offers[ranked[0].record_index],
        tuple(extract_features(change, ranked, facts.evidence, facts.measures)),
    )


def train(examples: Sequence[Example]) -> LogisticModel:
    """Fit the confidence to the examples in which a record could be asked about.

    Each counts as of its repository, and as of one that cites no records: the weights are for both.
    """
    return fit(
        [
            (
                prepared.features,
                prepared.offered in row.expected,
                part * (ORDINARY_WEIGHT if row.ordinary else 1.0),
            )
            for row, *both in examples
            for prepared, part in zip(both, (1.0, UNCITED_WEIGHT), strict=True)
            if prepared.offered
        ]
    )


def decide(model: LogisticModel, prepared: Prepared) -> Decision:
    """Decide whether to ask."""
    if not prepared.offered:
        return Decision(prepared.order, "", 0.0, asks=False)
    probability = model.probability(prepared.features)
    return Decision(prepared.order, prepared.offered, probability, probability >= ASKS_FROM)


def describe(model: LogisticModel) -> str:
    """The weights as the package has them."""
    named = zip(ConfidenceFeatures._fields, model.weights, strict=True)
    weights = ", ".join(f"{name} {weight:+.2f}" for name, weight in named)
    return f"{weights}; intercept {model.intercept:+.2f}"
