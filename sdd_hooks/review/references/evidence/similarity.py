"""Evidence from words: the similarity of records to the text of a change."""

# Governing: ADR-0020 (a decision is found by equal votes of evidence)

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

from sdd_hooks.review.references.words.bm25 import Bm25
from sdd_hooks.review.references.words.change_words import MAX_WORDS, Rarity
from sdd_hooks.review.references.words.query import ChangeQuery, total_counts
from sdd_hooks.review.references.words.splitting import split_words

if TYPE_CHECKING:
    from sdd_hooks.review.references.evidence.records import DecisionRecord

SectionWords = Sequence[Mapping[str, int]]
"""The word counts of each section of a record, in order."""

TOP_SECTIONS = 3
"""Sections of a record whose scores are added. One section, or all of them, rank worse."""
MAX_FILES = 40
"""Files that are compared one by one."""
MAX_WORDS_PER_FILE = 25
"""Words of one file in its query."""


def section_words(records: Sequence[DecisionRecord]) -> list[SectionWords]:
    """The words of the sections of records that are compared."""
    return [[counts for _, counts in record.sections] for record in records]


class Similarity:
    """The BM25 scores of the sections of records for several queries made from a change.

    Each `by_…` method returns one score for each record, in order. `weights` are the words of the
    main query, which is that of `ChangeWords`.
    """

    def __init__(self, query: ChangeQuery, records: Sequence[SectionWords]) -> None:
        self._query = query
        self._records = records
        # The first section of each record among those of all, and of the next one.
        self._starts = list(accumulate(map(len, records), initial=0))
        sections = [counts for record in records for counts in record]
        self._sections = Bm25(sections, query.words.distinct())
        self.weights = query.words.query(self._sections)

    def by_sections(self) -> list[float]:
        """The scores for the main query."""
        return self._score(self.weights)

    def by_rare_words(self, rarity: Rarity) -> list[float]:
        """The best section score for the words that are rare in the repository's past changes."""
        scores = self._sections.scores(rarity.query(self._sections, self._query.words))
        return [max(scores[first:end], default=0.0) for first, end in pairwise(self._starts)]

    def by_title(self) -> list[float]:
        """The scores for the title."""
        return self._score(self._query.title)

    def by_prose(self) -> list[float]:
        """The scores for the added documents and comments."""
        return self._score(self._sections.top_words(self._query.count_prose(), MAX_WORDS))

    def by_terms(self, paths: Sequence[str]) -> list[float]:
        """The scores for all words of the added code.

        A word that is in many of the repository's `paths` has less weight.
        """
        query = self._query
        counts = total_counts(query.counts[file.path] for file in query.code)
        frequency = Counter(word for path in paths for word in set(split_words(path)))
        highest = math.log(len(paths) + 2)
        return self._score(
            {
                word: (1 + math.log(count)) * (1 - math.log(frequency[word] + 0.5) / highest)
                for word, count in counts.items()
                if word in self._sections
            }
        )

    def by_files(self) -> list[float]:
        """The mean vote of the files of code.

        The vote of a file for a record is the square of the record's share of the best score, at
        most 1.
        """
        votes = [0.0] * len(self._records)
        voters = 0
        for file in self._query.code[:MAX_FILES]:
            counts = self._query.counts[file.path]
            weights = self._sections.top_words(counts, MAX_WORDS_PER_FILE)
            weights.update(split_words(file.path))
            scores = self._score(weights)
            highest = max(scores, default=0.0)
            if highest > 0:
                voters += 1
                shares = (score / highest for score in scores)
                votes = [vote + share**2 for vote, share in zip(votes, shares, strict=True)]
        return [vote / max(1, voters) for vote in votes]

    def idf(self, word: str) -> float:
        """The inverse document frequency of a word among the sections, from 0."""
        return self._sections.idf(word)

    def _score(self, weights: Mapping[str, float]) -> list[float]:
        return self._sum_top(self._sections.scores(weights))

    def _sum_top(self, scores: Sequence[float]) -> list[float]:
        """The sum of the TOP_SECTIONS best section scores of each record."""
        spans = pairwise(self._starts)
        return [sum(sorted(scores[first:end])[-TOP_SECTIONS:]) for first, end in spans]
