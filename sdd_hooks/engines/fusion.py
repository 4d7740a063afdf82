"""From two ranked lists to one: where each chunk stands, and how strong the evidence for it is.

Reciprocal-rank fusion is from Cormack, Clarke and Büttcher (SIGIR 2009), with their k of 60.
"""

# Governing: ADR-0009 (score: reciprocal-rank fusion discounted by evidence)

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

_K = 60

Chunk = TypeVar("Chunk", bound=Hashable)
"""What an engine knows a ranked chunk, or a whole document, by."""


@dataclass(frozen=True)
class Found(Generic[Chunk]):
    """A chunk in one list: `strength` (0..1) is how much of what was asked it holds."""

    chunk: Chunk
    strength: float
    cosine: float | None = None


@dataclass(frozen=True)
class Ranked(Generic[Chunk]):
    """A chunk in the fused list, with the score people see (0..1)."""

    chunk: Chunk
    score: float
    cosine: float | None


def fuse(lists: Sequence[tuple[float, Sequence[Found[Chunk]]]]) -> list[Ranked[Chunk]]:
    """Fuse ranked lists, each with its weight; best first.

    The score of a chunk is the strongest evidence any list has for it (how much of the query's
    words it holds, or the cosine), halved by as much as it stands behind the others:
    `evidence * (1 + place) / 2`, where `place` is its reciprocal-rank sum over the best possible.
    """
    if not lists:
        return []
    place: dict[Chunk, float] = {}
    strength: dict[Chunk, float] = {}
    cosine: dict[Chunk, float | None] = {}
    for weight, found in lists:
        for rank, one in enumerate(found):
            place[one.chunk] = place.get(one.chunk, 0.0) + weight * (_K + 1) / (_K + 1 + rank)
            strength[one.chunk] = max(strength.get(one.chunk, 0.0), one.strength)
            if one.cosine is not None:
                cosine[one.chunk] = max(one.cosine, _or(cosine.get(one.chunk), one.cosine))
    best = sum(weight for weight, _ in lists)
    ranked = [
        Ranked(chunk, strength[chunk] * (1 + place[chunk] / best) / 2, cosine.get(chunk))
        for chunk in place
    ]
    return sorted(ranked, key=lambda r: -r.score)


def _or(value: float | None, otherwise: float) -> float:
    return otherwise if value is None else value
