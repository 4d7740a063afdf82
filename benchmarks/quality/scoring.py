"""The quality of a list of files, by the definitions of `qmd bench`, and by nDCG.

precision@k, recall and MRR repeat what qmd 2.8 computes from the files it found, so that both sides
can be compared number by number. nDCG@10 is that of Järvelin and Kekäläinen (TOIS
2002) with gains of 1 and 0, which qmd does not report.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

CUT = 10
"""Files of a list that count for nDCG; also the number of files that both sides return."""


@dataclass(frozen=True)
class Scores:
    """Each in 0..1, more is better.

    `precision`: of the first k files, how many are expected, over the most that could be. `recall`:
    of the expected, how many are in the list at all. `mrr`: 1 over the rank of the first expected
    file. `ndcg`: the expected files in the first ten, discounted by the logarithm of their rank,
    over the best order.
    """

    precision: float
    recall: float
    mrr: float
    ndcg: float


def score(found: Sequence[str], expected: Sequence[str], k: int) -> Scores:
    """The scores of a list of different files, best first. Raises ValueError without answers."""
    if not expected or k < 1:
        raise ValueError("a question needs an expected file and a k of at least 1")
    first = next((rank for rank, file in enumerate(found) if _any(file, expected)), None)
    return Scores(
        precision=_held(found[:k], expected) / min(k, len(expected)),
        recall=_held(found, expected) / len(expected),
        mrr=0.0 if first is None else 1 / (first + 1),
        ndcg=_gain(found, expected) / sum(map(_discount, range(min(CUT, len(expected))))),
    )


def mean(scores: Sequence[Scores]) -> Scores:
    """The mean of each score over several questions."""
    return Scores(
        *(
            math.fsum(getattr(score, name) for score in scores) / len(scores)
            for name in Scores.__dataclass_fields__
        )
    )


def matches(found: str, expected: str) -> bool:
    """Whether a result is an expected file, as qmd compares: by suffix, without its scheme."""
    plain_found, plain_expected = _plain(found), _plain(expected)
    return plain_found.endswith(plain_expected) or plain_expected.endswith(plain_found)


def _plain(path: str) -> str:
    if path.startswith("qmd://"):
        within = path.removeprefix("qmd://")
        path = within.partition("/")[2] if "/" in within else within
    return path.lower().strip("/")


def _any(file: str, expected: Sequence[str]) -> bool:
    return any(matches(file, file_expected) for file_expected in expected)


def _held(found: Sequence[str], expected: Sequence[str]) -> int:
    return sum(_any(file, found) for file in expected)


def _gain(found: Sequence[str], expected: Sequence[str]) -> float:
    # An expected file counts at its best rank only.
    left, gain = list(expected), 0.0
    for rank, file in enumerate(found[:CUT]):
        answered = next((candidate for candidate in left if matches(file, candidate)), None)
        if answered is not None:
            left.remove(answered)
            gain += _discount(rank)
    return gain


def _discount(rank: int) -> float:
    return 1 / math.log2(rank + 2)
