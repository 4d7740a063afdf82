"""The scores of decisions: the quality of the ranking, of the questions, and of the probability."""

from __future__ import annotations

import statistics
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from benchmarks.references.held_out import Outcome

MANY = 30
"""Records of a repository with many records."""
BINS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
"""The lower bounds of the ranges of probability in the reliability table."""


class Ranking(NamedTuple):
    """Recall among the first 1, 3 and 20 records, and the mean reciprocal rank, from 0 to 1, over
    `cases` changes."""

    at_1: float
    at_3: float
    at_20: float
    mrr: float
    cases: int


class Questions(NamedTuple):
    """The questions on ordinary commits.

    `need` of all `commits` need a record, and of these `first` have a right one first that could be
    asked about. `named` have a right one first that the change names or changes, so that there is
    nothing to ask. `asked` is the number of questions, of which `right` name a right record, and
    `unlabelled` a record that no person judged, which counts as wrong.
    """

    commits: int
    need: int
    first: int
    named: int
    asked: int
    right: int
    unlabelled: int

    @property
    def per_100(self) -> float:
        """Questions per 100 commits."""
        return 100 * self.asked / max(1, self.commits)

    @property
    def precision(self) -> float:
        """The share of right questions, 0 without a question."""
        return self.right / max(1, self.asked)


class Shown(NamedTuple):
    """The questions on changes that need a record: the share of right ones, and the share of the
    right records that they name. `quiet` is the share of trivial changes without a question."""

    precision: float
    coverage: float
    quiet: float


class Reliability(NamedTuple):
    """A range of probability from `low`: how many records have it, its mean, and how many of them
    are right."""

    low: float
    records: int
    mean: float
    right: int


def scored(outcomes: Iterable[Outcome]) -> list[Outcome]:
    """Those that score the ranking: an author named a record, and the diff did not."""
    return [one for one in named(outcomes) if one.row.expected and not one.row.leaks]


def named(outcomes: Iterable[Outcome]) -> list[Outcome]:
    """Those of the changes that are no ordinary commits."""
    return [one for one in outcomes if not one.row.ordinary]


def ordinary(outcomes: Iterable[Outcome]) -> list[Outcome]:
    """Those of the ordinary commits."""
    return [one for one in outcomes if one.row.ordinary]


def with_many(outcomes: Iterable[Outcome]) -> list[Outcome]:
    """Those of repositories with many records."""
    return [one for one in outcomes if len(one.decision.order) >= MANY]


def rank(outcomes: Iterable[Outcome]) -> Ranking:
    """Score the ranking of changes that need a record."""
    found = [_ranks(one) for one in outcomes]

    def recall(k: int) -> float:
        return _mean(sum(rank <= k for rank in ranks) / len(ranks) for ranks in found)

    reciprocal = _mean(1 / min(ranks) for ranks in found)
    return Ranking(recall(1), recall(3), recall(20), reciprocal, len(found))


def _ranks(outcome: Outcome) -> list[int]:
    places = {path: place for place, path in enumerate(outcome.decision.order, 1)}
    return [places.get(path, 1_000_000) for path in outcome.row.expected]


def count_questions(outcomes: Iterable[Outcome]) -> Questions:
    """Count the questions on the ordinary commits among the outcomes."""
    commits = ordinary(outcomes)
    asked = [one for one in commits if one.decision.asks]
    return Questions(
        len(commits),
        sum(bool(one.row.expected) for one in commits),
        sum(one.right for one in commits),
        sum(_is_named(one) for one in commits),
        len(asked),
        sum(one.right for one in asked),
        len(find_unlabelled(commits)),
    )


def _is_named(outcome: Outcome) -> bool:
    """Whether a right record is first that the change names or changes."""
    if outcome.decision.offered or outcome.row.facts.silent:
        return False
    return not outcome.row.expected.isdisjoint(outcome.decision.order[:1])


def find_unlabelled(outcomes: Iterable[Outcome]) -> list[Outcome]:
    """The questions on ordinary commits about records that no person judged."""
    return [
        one
        for one in ordinary(outcomes)
        if one.decision.asks and one.decision.offered not in one.row.judged
    ]


def show(outcomes: Iterable[Outcome]) -> Shown:
    """Score the questions on the changes that are no ordinary commits."""
    changes = named(outcomes)
    needing = [one for one in changes if one.row.expected]
    asked = [one for one in needing if one.decision.asks]
    return Shown(
        _mean(one.right for one in asked),
        _mean(one.decision.asks and one.right and 1 / len(one.row.expected) for one in needing),
        _mean(not one.decision.asks for one in changes if not one.row.expected),
    )


def find_gravity(outcomes: Sequence[Outcome]) -> tuple[float, float]:
    """The shares of the most frequent record of each repository on its ordinary commits: among the
    questions, and among the records that are first.

    A repository with a single question has no share in the former.
    """
    commits = ordinary(outcomes)
    asked = [one for one in commits if one.decision.asks]
    first = [one for one in commits if one.decision.order]
    return (
        _most_frequent([(one.row.repo, one.decision.offered) for one in asked]),
        _most_frequent([(one.row.repo, one.decision.order[0]) for one in first]),
    )


def _most_frequent(records: Iterable[tuple[str, str]]) -> float:
    by_repo: dict[str, Counter[str]] = defaultdict(Counter)
    for repo, path in records:
        by_repo[repo][path] += 1
    several = [counts for counts in by_repo.values() if counts.total() > 1]
    return sum(max(counts.values()) for counts in several) / max(
        1, sum(counts.total() for counts in several)
    )


def reliability(outcomes: Iterable[Outcome]) -> list[Reliability]:
    """Compare the probability with the share of right records, in ranges that are not empty."""
    found = []
    offered = [one for one in outcomes if one.decision.offered]
    for low, high in zip(BINS, (*BINS[1:], 2.0), strict=True):
        inside = [one for one in offered if low <= one.decision.probability < high]
        if inside:
            mean = _mean(one.decision.probability for one in inside)
            found.append(Reliability(low, len(inside), mean, sum(one.right for one in inside)))
    return found


def brier(outcomes: Iterable[Outcome]) -> float:
    """The mean squared difference of the probability from 1 for a right record, 0 for a wrong one
    (Brier, Verification of Forecasts Expressed in Terms of Probability, 1950)."""
    return _mean(
        (one.decision.probability - one.right) ** 2 for one in outcomes if one.decision.offered
    )


def at_threshold(outcomes: Iterable[Outcome], threshold: float) -> list[Outcome]:
    """The outcomes when the review asks from another probability."""
    return [
        one._replace(
            decision=one.decision._replace(
                asks=bool(one.decision.offered) and one.decision.probability >= threshold
            )
        )
        for one in outcomes
    ]


def _mean(values: Iterable[float]) -> float:
    numbers = list(values)
    return statistics.fmean(numbers) if numbers else 0.0
