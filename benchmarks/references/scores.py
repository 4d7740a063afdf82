"""The scores of rows: the quality of the ranking, and that of the decision to suggest."""

from __future__ import annotations

import statistics
from collections.abc import Container, Iterable, Mapping, Sequence
from typing import NamedTuple

from benchmarks.references.cases import Row
from benchmarks.references.model import ORDINARY_WEIGHT, Model, fit
from sdd_hooks.review.references.confidence import THRESHOLD
from sdd_hooks.review.references.evidence import KINDS
from sdd_hooks.review.references.ranking import rank_records

MANY = 30
"""Records of a repository with many records."""


class Ranking(NamedTuple):
    """Recall among the first 1, 3, 8 and 20 records, and the mean reciprocal rank, from 0 to 1,
    over `cases` changes."""

    at_1: float
    at_3: float
    at_8: float
    at_20: float
    mrr: float
    cases: int


class Suggesting(NamedTuple):
    """The precision of the suggestions, their coverage of the right records, and the shares of
    trivial and of ordinary changes without a suggestion."""

    precision: float
    coverage: float
    quiet: float
    ordinary: float


def scored(rows: Iterable[Row]) -> list[Row]:
    """The rows that score the ranking: they need a record, and their diff did not name it."""
    return [row for row in rows if row.expected and not row.leaks]


def ranking(rows: Sequence[Row], kinds: Container[str] = KINDS) -> Ranking:
    """Score the ranking of the records of rows by some kinds of evidence."""
    found = [_ranks(row, kinds) for row in rows]

    def recall(k: int) -> float:
        return statistics.fmean(sum(r <= k for r in ranks) / len(ranks) for ranks in found)

    reciprocal = statistics.fmean(1 / min(ranks) for ranks in found)
    return Ranking(recall(1), recall(3), recall(8), recall(20), reciprocal, len(rows))


def _ranks(row: Row, kinds: Container[str]) -> list[int]:
    chosen = {kind: numbers for kind, numbers in row.evidence.items() if kind in kinds}
    links = row.links if "links" in kinds else [()] * len(row.paths)
    order = [row.paths[record.record_index] for record in rank_records(chosen, links, row.paths)]
    places = {path: place for place, path in enumerate(order, 1)}
    return [places.get(path, 1_000_000) for path in row.expected]


def held_out(rows: Sequence[Row]) -> dict[str, Model]:
    """Fit, for every repository, a model to the rows of the others."""
    repos = sorted({row.repo for row in rows})
    return {repo: model_of(row for row in rows if row.repo != repo) for repo in repos}


def model_of(rows: Iterable[Row]) -> Model:
    """Fit a model to rows. A change that cites its first record is no example."""
    return fit(
        [
            (row.features, row.right, ORDINARY_WEIGHT if row.ordinary else 1.0)
            for row in rows
            if not row.cited
        ]
    )


def suggesting(rows: Sequence[Row], models: Mapping[str, Model]) -> Suggesting:
    """Score the decision to suggest the first record, with the model of each repository."""

    def shows(row: Row) -> bool:
        return not row.cited and models[row.repo].probability(row.features) >= THRESHOLD

    needing = [row for row in rows if row.expected]
    shown = [row for row in needing if shows(row)]
    right = [row for row in shown if row.right]
    return Suggesting(
        len(right) / max(1, len(shown)),
        sum(1 / len(row.expected) for row in right) / len(needing),
        statistics.fmean(not shows(row) for row in rows if not row.expected and not row.ordinary),
        statistics.fmean(not shows(row) for row in rows if row.ordinary),
    )
