"""The scores of found files: links as LiSSA counts them, and semble's NDCG@10."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

CUT = 10


@dataclass(frozen=True)
class Links:
    """Found pairs of a text and a file: how many, how many of them are right, how many exist."""

    found: int
    right: int
    expected: int

    @property
    def precision(self) -> float:
        """The share of the found pairs that are right; 0 without a found one."""
        return self.right / self.found if self.found else 0.0

    @property
    def recall(self) -> float:
        """The share of the existing pairs that are found; 0 if none exists."""
        return self.right / self.expected if self.expected else 0.0

    def f(self, beta: float) -> float:
        """The F measure, in which recall weighs `beta` times as much as precision."""
        weight = beta * beta
        total = weight * self.expected + self.found
        return (1 + weight) * self.right / total if total else 0.0


def count_links(found: Sequence[Sequence[str]], expected: Sequence[Sequence[str]]) -> Links:
    """Count the pairs of all questions, each with its found and its expected files."""
    pairs = [(set(one), set(other)) for one, other in zip(found, expected, strict=True)]
    return Links(
        sum(len(one) for one, _ in pairs),
        sum(len(one & other) for one, other in pairs),
        sum(len(other) for _, other in pairs),
    )


def best_links(expected: Sequence[Sequence[str]], files: int) -> Links:
    """Count the pairs of the best answers that have exactly `files` files for each question."""
    counts = [len(one) for one in expected]
    right = sum(min(files, count) for count in counts)
    return Links(files * len(counts), right, sum(counts))


def ndcg(found: Sequence[str], expected: Sequence[str]) -> float:
    """NDCG of the first ten files, with gains of 1 and 0. Raises ValueError without an answer.

    As in semble's benchmark, a file is an expected one if either path ends with the other.
    """
    if not expected:
        raise ValueError("a question needs an expected file")
    left, gain = list(expected), 0.0
    for rank, file in enumerate(found[:CUT]):
        answered = next((one for one in left if _is_same(file, one)), None)
        if answered is not None:
            left.remove(answered)
            gain += _discount(rank)
    return gain / sum(map(_discount, range(min(CUT, len(expected)))))


def _is_same(one: str, other: str) -> bool:
    return one == other or one.endswith(f"/{other}") or other.endswith(f"/{one}")


def _discount(rank: int) -> float:
    return 1 / math.log2(rank + 2)
