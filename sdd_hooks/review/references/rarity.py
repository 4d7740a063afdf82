"""How rare words are in the past changes of a repository, and how surprising a change is."""

# Governing: ADR-0039 (a question needs what sets a change apart)

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.review.references.bm25 import Bm25, inverse_document_frequency
from sdd_hooks.review.references.change_words import ChangeWords

UNKNOWN = 0.8
"""The surprise when nothing is known: that of most questions that are right."""

_MIN_RARITY = 0.05


class Rarity(NamedTuple):
    """The number of past changes, and how many of them have each word."""

    changes: int
    frequency: Mapping[str, int]

    def of(self, word: str) -> float:
        """How rare a word is in the past changes: from 0 for a usual word to 1 for a new one."""
        idf = inverse_document_frequency(self.changes, self.frequency.get(word, 0))
        return idf / inverse_document_frequency(self.changes, 0)

    def query(self, index: Bm25, words: ChangeWords) -> Mapping[str, float]:
        """The words of a change as a query for an index, weighted by their rarity."""
        weights = words.query(index, lambda word: self.of(word) + _MIN_RARITY)
        return {word: weight * self.of(word) for word, weight in weights.items()}


def surprise(
    fits: Sequence[float], index: Bm25 | None, words: ChangeWords, rarity: Rarity, records: int
) -> list[float]:
    """The share of the past changes that no decision fits as well as each record fits a change.

    `fits` are those of `Background.usual_fits`, `index` the words of the decisions of as many
    `records`. One number from 0 to 1 for each; UNKNOWN without fits.
    """
    if not fits or index is None:
        return [UNKNOWN] * records
    scores = index.scores(rarity.query(index, words))
    return [sum(other < score for other in fits) / len(fits) for score in scores]
