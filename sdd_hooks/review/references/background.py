"""What sets a change apart from the repository's past changes, measured on each record.

What fits every change fits none: a word that most changes have tells little about this one, and a
record is named only when its decision fits this change better than any fits a usual one.
"""

# Governing: ADR-0039 (a question needs what sets a change apart)

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property

from sdd_hooks.review.references.bm25 import Bm25, inverse_document_frequency
from sdd_hooks.review.references.change_words import ChangeWords
from sdd_hooks.review.references.past_changes import PastChange
from sdd_hooks.review.references.query import ChangeQuery
from sdd_hooks.review.references.records import DecisionRecord
from sdd_hooks.review.references.section_roles import SectionRole, find_role

MIN_CHANGES = 20
"""Past changes below which nothing is known of a usual change."""
UNKNOWN = 0.8
"""The surprise when nothing is known: that of most questions that are right."""

_MIN_RARITY = 0.05


class Background:
    """The past changes of a repository, compared with one change."""

    def __init__(
        self, past: Sequence[PastChange], query: ChangeQuery, records: Sequence[DecisionRecord]
    ) -> None:
        self._past = past
        self._query = query
        self._records = records
        self._frequency = Counter(word for one in past for word in one.words.distinct())
        self._highest = inverse_document_frequency(len(past), 0)

    def rarity(self, word: str) -> float:
        """How rare a word is in the past changes: from 0 for a usual word to 1 for a new one."""
        idf = inverse_document_frequency(len(self._past), self._frequency[word])
        return idf / self._highest

    def query(self, index: Bm25, words: ChangeWords) -> Mapping[str, float]:
        """The words of a change as a query for an index, weighted by their rarity."""
        weights = words.query(index, lambda word: self.rarity(word) + _MIN_RARITY)
        return {word: weight * self.rarity(word) for word, weight in weights.items()}

    def surprise(self) -> list[float]:
        """The share of the past changes that no decision fits as well as each record fits this.

        One number from 0 to 1 for each record; UNKNOWN with fewer than MIN_CHANGES.
        """
        if len(self._past) < MIN_CHANGES:
            return [UNKNOWN] * len(self._records)
        index = self._decisions
        scores = index.scores(self.query(index, self._query.words))
        best = [max(index.scores(self.query(index, one.words)), default=0.0) for one in self._past]
        return [sum(other < score for other in best) / len(best) for score in scores]

    @cached_property
    def _decisions(self) -> Bm25:
        vocabulary = self._query.words.distinct().union(self._frequency)
        return Bm25([_decision_words(record) for record in self._records], vocabulary)


def _decision_words(record: DecisionRecord) -> Counter[str]:
    """The words of what a record decides; those of all it says when no heading tells."""
    roles = [(find_role(section, record.artifact), counts) for section, counts in record.sections]
    decides = any(role == SectionRole.DECISION for role, _ in roles)
    lowest = SectionRole.DECISION if decides else SectionRole.CONTEXT
    words: Counter[str] = Counter()
    for role, counts in roles:
        if role >= lowest:
            words.update(counts)
    return words
