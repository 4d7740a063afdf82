"""Okapi BM25 with weighted query terms, over documents that are lists of words.

Robertson and Zaragoza, The Probabilistic Relevance Framework (2009), with the idf that is never
negative: ln(1 + (N - df + 0.5) / (df + 0.5)).
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence, Set

K1 = 1.2
B = 0.75


class Bm25:
    """An index of documents, each given as how often it has each word, for queries that are made of
    the words in `vocabulary`."""

    def __init__(self, documents: Sequence[Mapping[str, int]], vocabulary: Set[str]) -> None:
        lengths = [sum(document.values()) for document in documents]
        mean = sum(lengths) / len(lengths) if lengths else 1.0
        self.count = len(documents)
        self._weights: dict[str, list[tuple[int, float]]] = defaultdict(list)
        for number, document in enumerate(documents):
            damping = K1 * (1 - B + B * lengths[number] / (mean or 1.0))
            for word in document.keys() & vocabulary:
                often = document[word]
                self._weights[word].append((number, often * (K1 + 1) / (often + damping)))

    def __contains__(self, word: str) -> bool:
        return word in self._weights

    def idf(self, word: str) -> float:
        """How much a word tells, from 0."""
        having = len(self._weights.get(word, ()))
        return math.log(1 + (self.count - having + 0.5) / (having + 0.5))

    def scores(self, query: Mapping[str, float]) -> list[float]:
        """The score of every document for a query, given as the weight of each word."""
        found = [0.0] * self.count
        for word, weight in query.items():
            having = self._weights.get(word)
            if having is None:
                continue
            telling = weight * self.idf(word)
            for number, part in having:
                found[number] += telling * part
        return found

    def most_telling(self, often: Mapping[str, int], most: int) -> Counter[str]:
        """The `most` words of highest tf-idf, of those that some document has, at weight 1."""
        ranked = sorted(
            ((1 + math.log(times)) * self.idf(word), word)
            for word, times in often.items()
            if word in self._weights
        )
        return Counter({word: 1 for _, word in ranked[-most:]})
