"""Okapi BM25 with weighted query terms, over documents as word counts.

Robertson and Zaragoza, The Probabilistic Relevance Framework (2009).
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence, Set

K1 = 1.2
B = 0.75


def inverse_document_frequency(count: int, frequency: int) -> float:
    """The idf of what is in `frequency` of `count` documents, in the form that is never negative:
    ln(1 + (N - df + 0.5) / (df + 0.5)).
    """
    return math.log(1 + (count - frequency + 0.5) / (frequency + 0.5))


class Bm25:
    """An index of documents for queries whose words are in `vocabulary`.

    Each document is the count of each of its words. With `lengths`, the numbers of their words,
    a document may lack words that are not in the vocabulary. `count` is the number of documents,
    `length` that of all their words.
    """

    def __init__(
        self,
        documents: Sequence[Mapping[str, int]],
        vocabulary: Set[str],
        lengths: Sequence[int] | None = None,
    ) -> None:
        if lengths is None:
            lengths = [sum(document.values()) for document in documents]
        self.count, self.length = len(documents), sum(lengths)
        mean = self.length / self.count if documents else 1.0
        self._weights: dict[str, list[tuple[int, float]]] = defaultdict(list)
        self._idf: dict[str, float] = {}
        weights = self._weights
        for number, document in enumerate(documents):
            damping = K1 * (1 - B + B * lengths[number] / (mean or 1.0))
            # Most words are in a document once.
            once = (number, (K1 + 1) / (1 + damping))
            for word in document.keys() & vocabulary:
                count = document[word]
                weights[word].append(
                    once if count == 1 else (number, count * (K1 + 1) / (count + damping))
                )

    def __contains__(self, word: str) -> bool:
        return word in self._weights

    def idf(self, word: str) -> float:
        """The inverse document frequency of a word, from 0."""
        found = self._idf.get(word)
        if found is None:
            found = inverse_document_frequency(self.count, len(self._weights.get(word, ())))
            self._idf[word] = found
        return found

    def scores(self, query: Mapping[str, float]) -> list[float]:
        """The score of each document for a query, which gives the weight of each word."""
        scores = [0.0] * self.count
        for word, weight in query.items():
            postings = self._weights.get(word)
            if postings is None:
                continue
            factor = weight * self.idf(word)
            for number, part in postings:
                scores[number] += factor * part
        return scores

    def top_words(
        self,
        counts: Mapping[str, int],
        limit: int,
        worth: Callable[[str], float] | None = None,
    ) -> Counter[str]:
        """The `limit` words with the highest tf-idf that a document has, each with weight 1.

        The tf-idf of a word is multiplied by its `worth`, if there is one.
        """
        ranked = sorted(
            ((1 + math.log(count)) * self.idf(word) * (worth(word) if worth else 1.0), word)
            for word, count in counts.items()
            if word in self._weights
        )
        return Counter({word: 1 for _, word in ranked[-limit:]})
