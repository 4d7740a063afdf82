"""The words of a change, the query that they make, and what sets them apart from past changes."""

# Governing: ADR-0020 (a decision is found by equal votes of evidence), ADR-0039 (a question needs
# what sets a change apart)

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence, Set

from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.review.references.words.bm25 import Bm25, inverse_document_frequency

MAX_WORDS = 40
"""Words of the added lines in a query: those with the highest tf-idf."""
UNKNOWN = 0.8
"""The surprise when nothing is known: that of most questions that are right."""

_MIN_RARITY = 0.05


class ChangeWords(NamedTuple):
    """The words of the title and the added lines with their counts; the distinct ones of paths."""

    title: Mapping[str, int]
    paths: Sequence[str]
    added: Mapping[str, int]

    def distinct(self) -> set[str]:
        """Every word."""
        return {*self.title, *self.paths, *self.added}

    def query(
        self, index: Bm25, worth: Callable[[str], float] | None = None
    ) -> Mapping[str, float]:
        """The weights of words for an index: the top words of the added lines, the words of the
        paths, and those of the title with double weight. `worth` is as in `Bm25.top_words`.
        """
        weights = index.top_words(self.added, MAX_WORDS, worth)
        weights.update(self.paths)
        weights.update({word: 2 * count for word, count in self.title.items()})
        return weights


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


def cover_titles(
    titles: Sequence[Collection[str]], words: Collection[str], taken_away: Set[str] = frozenset()
) -> list[float]:
    """The share of each title's words that are among `words`, from 0 to 1.

    A word counts the more, the fewer of the titles have it. One that a single title has stands for
    that whole title if it is among `taken_away`.
    """
    frequency = Counter(word for title in titles for word in title)

    def weight(found: Collection[str]) -> float:
        return sum(inverse_document_frequency(len(titles), frequency[one]) for one in sorted(found))

    alone = {word for word in taken_away if frequency[word] == 1}
    known = {*words}
    common = [known.intersection(title) for title in titles]
    return [
        1.0
        if alone.intersection(title)
        else weight(found) / (weight(title) or 1.0)
        if found
        else 0.0
        for title, found in zip(titles, common, strict=True)
    ]


class Measures(NamedTuple):
    """How well each record fits what sets the change apart from past ones, in order.

    `rare_words` are the best section scores for words that are rare in past changes, `surprise` is
    the share of the past changes that no decision fits as well, `subject` the share of the record's
    title that is in the change.
    """

    rare_words: Sequence[float]
    surprise: Sequence[float]
    subject: Sequence[float]
