"""Fuse the ranked lists of a query's sub-queries into one list of scored chunks.

Reciprocal-rank fusion is from Cormack, Clarke and Büttcher (SIGIR 2009), with their k of 60.
"""

# Governing: ADR-0009 (score: reciprocal-rank fusion discounted by evidence)

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Generic, TypeVar

_K = 60

CANDIDATES = 60
"""Chunks of each ranked list: a longer list would rarely change the fused one."""

WIDER = 4
"""How many times as many chunks are compared by their paths, too, in a search by meaning."""

Key = TypeVar("Key", bound=Hashable)
"""What identifies a ranked chunk, or a ranked document, in an engine."""


class RankedMatch(Generic[Key]):
    """An entry of one ranked list. `strength` (0..1) is the evidence that it matches: the share of
    the query's words that it contains, or its cosine."""

    key: Key
    strength: float
    cosine: float | None

    def __init__(self, key: Key, strength: float, cosine: float | None = None) -> None:
        self.key = key
        self.strength = strength
        self.cosine = cosine


class FusedMatch(Generic[Key]):
    """An entry of the fused list, with the score that users see (0..1)."""

    key: Key
    score: float
    cosine: float | None

    def __init__(self, key: Key, score: float, cosine: float | None) -> None:
        self.key = key
        self.score = score
        self.cosine = cosine


def weight_of(index: int) -> float:
    """Return the weight of a sub-query by its index: the first has double weight."""
    return 1.0 if index else 2.0


def fuse(lists: Sequence[tuple[float, Sequence[RankedMatch[Key]]]]) -> list[FusedMatch[Key]]:
    """Fuse ranked lists, each with its weight, into one list, best first.

    The score of a key is its greatest strength in any list, reduced by up to half for a low rank:
    `strength * (1 + rank_share) / 2`, where `rank_share` is the reciprocal-rank sum of the key over
    the greatest possible one.
    """
    if not lists:
        return []
    rank_sums: dict[Key, float] = {}
    strengths: dict[Key, float] = {}
    cosines: dict[Key, float] = {}
    for weight, matches in lists:
        for rank, match in enumerate(matches):
            key = match.key
            rank_sums[key] = rank_sums.get(key, 0.0) + weight * (_K + 1) / (_K + 1 + rank)
            strengths[key] = max(strengths.get(key, 0.0), match.strength)
            if match.cosine is not None:
                cosines[key] = max(match.cosine, cosines.get(key, match.cosine))
    greatest = sum(weight for weight, _ in lists)
    fused = [
        FusedMatch(key, strengths[key] * (1 + rank_sum / greatest) / 2, cosines.get(key))
        for key, rank_sum in rank_sums.items()
    ]
    return sorted(fused, key=lambda match: -match.score)
