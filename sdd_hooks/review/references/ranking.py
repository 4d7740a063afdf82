"""The ranking of records: each kind of evidence has a vote, divided by its strength."""

# Governing: ADR-0020 (a decision is found by equal votes of evidence)

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sdd_hooks.named_tuple import NamedTuple

Scores = Sequence[float]
"""One number of one kind of evidence for each record, in order; 0 means no evidence."""

APPLIES = "applies"
"""The kind whose vote only adds: a record that does not say what it applies to loses nothing."""
LINKS = "links"
HALF_VOTES = frozenset({"paths", "comments", LINKS})
"""The kinds with half a vote: a record whose area is changed often has them for every change, and
the links follow from the other kinds. The others have one."""


class RankedRecord(NamedTuple):
    """A record by its index among the records, with its score from 0 to 1.

    `shares` are its scores of each kind of evidence, divided by the highest of all records.
    """

    record_index: int
    score: float
    shares: Mapping[str, float]


def rank_records(
    evidence: Mapping[str, Scores], links: Sequence[Sequence[int]], paths: Sequence[str]
) -> list[RankedRecord]:
    """Rank all records, best first; records of equal score are ordered by path.

    `links` are, for each record, the indexes of the records that it names. The score is the mean
    share, weighted by the votes. Weights learned from changes with known records rank no better
    on held-out repositories, and these votes need no data (benchmarks/references).
    """
    shares = {kind: _shares(scores) for kind, scores in evidence.items()}
    votes = [
        sum(_weight(kind) * share[index] for kind, share in shares.items())
        for index in range(len(paths))
    ]
    shares[LINKS] = _shares(_link_scores(votes, links, paths))
    total = sum(_weight(kind) for kind in shares if kind != APPLIES)
    ranked = [
        RankedRecord(
            index,
            min(1.0, (vote + _weight(LINKS) * shares[LINKS][index]) / total),
            {kind: share[index] for kind, share in shares.items()},
        )
        for index, vote in enumerate(votes)
    ]
    return sorted(ranked, key=lambda record: (-record.score, paths[record.record_index]))


def _weight(kind: str) -> float:
    return 0.5 if kind in HALF_VOTES else 1.0


def _link_scores(
    votes: Sequence[float], links: Sequence[Sequence[int]], paths: Sequence[str]
) -> list[float]:
    """The votes that each record gets from those that name it: their own, divided by their rank."""
    scores = [0.0] * len(votes)
    order = sorted(range(len(votes)), key=lambda index: (-votes[index], paths[index]))
    for rank, index in enumerate(order, 1):
        for target in links[index]:
            scores[target] += votes[index] / rank
    return scores


def _shares(scores: Scores) -> list[float]:
    highest = max(scores, default=0.0)
    return [score / highest if highest > 0 else 0.0 for score in scores]
