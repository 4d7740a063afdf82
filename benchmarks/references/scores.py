"""What the rows say: how well records are ranked, and how well it is chosen when to speak."""

from __future__ import annotations

import statistics
from collections.abc import Container, Iterable, Mapping, Sequence
from typing import NamedTuple

from benchmarks.references.cases import Row
from benchmarks.references.model import ORDINARY_WEIGHS, Model, fit
from sdd_hooks.review.references.confidence import THRESHOLD
from sdd_hooks.review.references.evidence import KINDS
from sdd_hooks.review.references.ranking import rank_records

MANY = 30
"""Records from which a repository has many."""


class Ranking(NamedTuple):
    """Recall among the first 1, 3, 8 and 20, and the mean of 1 / rank of the first right one, from
    0 to 1, over `cases` changes."""

    at_1: float
    at_3: float
    at_8: float
    at_20: float
    mrr: float
    cases: int


class Showing(NamedTuple):
    """Of what was shown the share that was right, of the right records the share that was shown;
    the shares of trivial and of ordinary changes that were left alone."""

    precision: float
    coverage: float
    quiet: float
    ordinary: float


def scored(rows: Iterable[Row]) -> list[Row]:
    """The rows by which ranking is scored: they need a record, and their diff did not name it."""
    return [row for row in rows if row.expected and not row.leaks]


def ranking(rows: Sequence[Row], kinds: Container[str] = KINDS) -> Ranking:
    """How well the records of the rows are ranked by those kinds of evidence."""
    found = [_ranks(row, kinds) for row in rows]

    def recall(k: int) -> float:
        return statistics.fmean(sum(r <= k for r in ranks) / len(ranks) for ranks in found)

    reciprocal = statistics.fmean(1 / min(ranks) for ranks in found)
    return Ranking(recall(1), recall(3), recall(8), recall(20), reciprocal, len(rows))


def _ranks(row: Row, kinds: Container[str]) -> list[int]:
    chosen = {kind: numbers for kind, numbers in row.evidence.items() if kind in kinds}
    links = row.links if "links" in kinds else [()] * len(row.paths)
    order = [row.paths[one.record_index] for one in rank_records(chosen, links, row.paths)]
    places = {path: place for place, path in enumerate(order, 1)}
    return [places.get(path, 1_000_000) for path in row.expected]


def held_out(rows: Sequence[Row]) -> dict[str, Model]:
    """For every repository the model that the others teach."""
    repos = sorted({row.repo for row in rows})
    return {repo: model_of(row for row in rows if row.repo != repo) for repo in repos}


def model_of(rows: Iterable[Row]) -> Model:
    """What rows teach. A change that names its first record is no example: nothing is asked."""
    return fit(
        [
            (row.facts, row.right, ORDINARY_WEIGHS if row.ordinary else 1.0)
            for row in rows
            if not row.named
        ]
    )


def showing(rows: Sequence[Row], models: Mapping[str, Model]) -> Showing:
    """How well it is chosen when to show the first record, with the model of each repository."""

    def shows(row: Row) -> bool:
        return not row.named and models[row.repo].probability(row.facts) >= THRESHOLD

    needing = [row for row in rows if row.expected]
    shown = [row for row in needing if shows(row)]
    right = [row for row in shown if row.right]
    return Showing(
        len(right) / max(1, len(shown)),
        sum(1 / len(row.expected) for row in right) / len(needing),
        statistics.fmean(not shows(row) for row in rows if not row.expected and not row.ordinary),
        statistics.fmean(not shows(row) for row in rows if row.ordinary),
    )
