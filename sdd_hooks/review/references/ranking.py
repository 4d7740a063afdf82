"""Bring the kinds of evidence together: each has one vote, shared out by how strong it is."""

# Governing: ADR-0020 (a decision is found by equal votes of evidence)

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sdd_hooks.review.references.evidence import Numbers

LINKS = "links"
LINKS_WEIGH = 0.5
"""What the records that strong ones name have from that: half a vote, as it is second-hand."""


class Ranked(NamedTuple):
    """A record by its place among the records, its score from 0 to 1, and for each kind of evidence
    how near it comes to the strongest there is, from 0 to 1."""

    place: int
    score: float
    shares: Mapping[str, float]


def rank(
    evidence: Mapping[str, Numbers], links: Sequence[Sequence[int]], paths: Sequence[str]
) -> list[Ranked]:
    """All records, best first; those of equal score by path.

    `links` are, for each record, the places of those that it names. The score is the mean share.
    Weights learned from changes of known answers rank no better on repositories that were held
    out, and equal ones need no data (benchmarks/references).
    """
    shares = {kind: _shares(numbers) for kind, numbers in evidence.items()}
    votes = [sum(share[place] for share in shares.values()) for place in range(len(paths))]
    shares[LINKS] = _shares(_second_hand(votes, links, paths))
    whole = len(evidence) + LINKS_WEIGH
    found = [
        Ranked(
            place,
            (vote + LINKS_WEIGH * shares[LINKS][place]) / whole,
            {kind: share[place] for kind, share in shares.items()},
        )
        for place, vote in enumerate(votes)
    ]
    return sorted(found, key=lambda one: (-one.score, paths[one.place]))


def _second_hand(
    votes: Sequence[float], links: Sequence[Sequence[int]], paths: Sequence[str]
) -> list[float]:
    """What each record has from those that name it: their votes, the first telling most."""
    found = [0.0] * len(votes)
    order = sorted(range(len(votes)), key=lambda place: (-votes[place], paths[place]))
    for nth, place in enumerate(order, 1):
        for named in links[place]:
            found[named] += votes[place] / nth
    return found


def _shares(numbers: Numbers) -> list[float]:
    highest = max(numbers, default=0.0)
    return [number / highest if highest > 0 else 0.0 for number in numbers]
