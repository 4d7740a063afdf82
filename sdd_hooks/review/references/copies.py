"""Copies of records in the same repository, such as those in the content of a website.

A copy says the same as its original and is never the record that an author means. It would halve
the rarity of each word of the original, and stand beside it in the ranking.
"""

# Governing: ADR-0020 (a decision is found by equal votes of evidence)

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import PurePosixPath

from sdd_hooks.review.references.records import DecisionRecord

MIN_OVERLAP = 0.9
"""The share of the words of two records, each as often as it is there, that a copy has in common
with its original: a website adds a header or changes links."""
MAX_ORIGINALS = 8
"""Records of one id and name with which another one is compared."""


def without_copies(records: Iterable[DecisionRecord]) -> list[DecisionRecord]:
    """The records without copies of others, in order.

    A copy has the file name of its original in any case, its id, and at least MIN_OVERLAP of its
    words. The original is the one with the fewest directories, then the shortest path.
    """
    records = list(records)
    namesakes: dict[tuple[object, str], list[DecisionRecord]] = defaultdict(list)
    for record in records:
        name = PurePosixPath(record.artifact.path).name.lower()
        namesakes[record.artifact.id, name].append(record)
    copies = {
        copy.artifact.path
        for group in namesakes.values()
        if len(group) > 1
        for copy in _find_copies(group)
    }
    return [record for record in records if record.artifact.path not in copies]


def _find_copies(namesakes: Iterable[DecisionRecord]) -> Iterable[DecisionRecord]:
    originals: list[Counter[str]] = []
    for record in sorted(namesakes, key=_depth):
        words = Counter[str]()
        for counts in record.content.counts:
            words.update(counts)
        if any(_overlap(words, known) >= MIN_OVERLAP for known in originals):
            yield record
        elif len(originals) < MAX_ORIGINALS:
            originals.append(words)


def _depth(record: DecisionRecord) -> tuple[int, int, str]:
    path = record.artifact.path
    return path.count("/"), len(path), path


def _overlap(one: Counter[str], other: Counter[str]) -> float:
    """The words in common as a part of those of both, from 0 to 1 (Jaccard, of multisets)."""
    either = (one | other).total()
    return (one & other).total() / either if either else 0.0
