"""Bring the kinds of evidence together: each has one vote, shared out by how strong it is."""

# Governing: ADR-0020 (a decision is found by equal votes of evidence)

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sdd_hooks.review.references.evidence import Kind, Numbers


class Ranked(NamedTuple):
    """A record by its place among the records, its score from 0 to 1, and for each kind of evidence
    how near it comes to the strongest there is, from 0 to 1."""

    place: int
    score: float
    shares: Mapping[Kind, float]


def rank(evidence: Mapping[Kind, Numbers], paths: Sequence[str]) -> list[Ranked]:
    """All records, best first; those of equal score by path.

    The score is the mean share. Weights learned from changes of known answers rank no better on
    repositories that were held out, and equal ones need no data (benchmarks/references).
    """
    highest = {kind: max(numbers, default=0.0) for kind, numbers in evidence.items()}
    found = []
    for place in range(len(paths)):
        shares = {
            kind: numbers[place] / highest[kind] if highest[kind] > 0 else 0.0
            for kind, numbers in evidence.items()
        }
        found.append(Ranked(place, sum(shares.values()) / max(1, len(shares)), shares))
    return sorted(found, key=lambda one: (-one.score, paths[one.place]))
