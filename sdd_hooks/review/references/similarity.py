"""Evidence from words: how like a record is to what the change adds, says and touches."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from sdd_hooks.review.references.bm25 import Bm25
from sdd_hooks.review.references.query import Query
from sdd_hooks.review.references.records import Record
from sdd_hooks.review.references.words import words

BEST = 3
"""Sections of a record that count: the sum of the best three tells more than the best, or all."""
MOST_FILES = 40
"""Files that ask for themselves."""
MOST_WORDS = 40
"""Words of the added lines that a query has, those of highest tf-idf."""
MOST_WORDS_OF_FILE = 25


class Likeness:
    """A change against the sections of records."""

    def __init__(self, query: Query, records: Sequence[Record]) -> None:
        self._query = query
        self._records = records
        self._owners = [place for place, one in enumerate(records) for _ in one.sections]
        sections = [often for one in records for _, often in one.sections]
        self._sections = Bm25(sections, query.vocabulary)
        asked = self._sections.most_telling(_total(query.counts.values()), MOST_WORDS)
        asked.update(query.path_words)
        asked.update({word: 2 * often for word, often in query.title.items()})
        self.asked: Mapping[str, float] = asked

    def sections(self) -> list[float]:
        """To what is asked: the most telling words that are added, the paths, the title twice."""
        return self._summed(self._scores)

    def title(self) -> list[float]:
        """To the title alone."""
        return self._best(self._query.title)

    def prose(self) -> list[float]:
        """To what the change adds for people."""
        return self._best(self._sections.most_telling(self._query.prose(), MOST_WORDS))

    def terms(self, paths: Sequence[str]) -> list[float]:
        """To all words that the code of the change adds; those in many of the repository's `paths`
        weigh less."""
        query = self._query
        counts = _total(query.counts[file.path] for file in query.code)
        having = Counter(word for path in paths for word in set(words(path)))
        most = math.log(len(paths) + 2)
        return self._best(
            {
                word: (1 + math.log(often)) * (1 - math.log(having[word] + 0.5) / most)
                for word, often in counts.items()
                if word in self._sections
            }
        )

    def files(self) -> list[float]:
        """To each file of code by itself; a file's vote is at most one, and falls steeply."""
        votes = [0.0] * len(self._records)
        voters = 0
        for file in self._query.code[:MOST_FILES]:
            counts = self._query.counts[file.path]
            asked = self._sections.most_telling(counts, MOST_WORDS_OF_FILE)
            asked.update(words(file.path))
            scores = self._best(asked)
            highest = max(scores, default=0.0)
            if highest > 0:
                voters += 1
                shares = (score / highest for score in scores)
                votes = [vote + share**2 for vote, share in zip(votes, shares, strict=True)]
        return [vote / max(1, voters) for vote in votes]

    def of_sections(self, place: int) -> list[float]:
        """How like each section of one record is to what is asked, in its order."""
        first = self._owners.index(place) if place in self._owners else 0
        count = len(self._records[place].sections)
        return self._scores[first : first + count]

    def idf(self, word: str) -> float:
        """How much a word tells among the sections, from 0."""
        return self._sections.idf(word)

    @cached_property
    def _scores(self) -> list[float]:
        return self._sections.scores(self.asked)

    def _best(self, asked: Mapping[str, float]) -> list[float]:
        return self._summed(self._sections.scores(asked))

    def _summed(self, scores: Sequence[float]) -> list[float]:
        """The sum of the best sections of every record."""
        by_record: list[list[float]] = [[] for _ in self._records]
        for place, score in zip(self._owners, scores, strict=True):
            by_record[place].append(score)
        return [sum(sorted(scores)[-BEST:]) for scores in by_record]


def _total(counts: Iterable[Counter[str]]) -> Counter[str]:
    total: Counter[str] = Counter()
    for one in counts:
        total.update(one)
    return total
