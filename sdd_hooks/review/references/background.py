"""What sets a change apart from the repository's past changes, measured on each record.

What fits every change fits none: a word that most changes have tells little about this one, and a
record is named only when its decision fits this change better than any fits a usual one.
"""

# Governing: ADR-0039 (a question needs what sets a change apart)

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence, Set
from functools import cached_property
from hashlib import sha256

from sdd_hooks.project.repository import Repository
from sdd_hooks.review.references.bm25 import Bm25
from sdd_hooks.review.references.cache import load_cached, store_cached
from sdd_hooks.review.references.past_changes import PastChange
from sdd_hooks.review.references.query import ChangeQuery
from sdd_hooks.review.references.rarity import Rarity, surprise
from sdd_hooks.review.references.records import DecisionRecord
from sdd_hooks.review.references.section_roles import SectionRole, find_role

MIN_CHANGES = 20
"""Past changes below which nothing is known of a usual change."""

_CACHE = "usual-fits"


class Background:
    """The past changes of a repository, compared with one change."""

    def __init__(
        self,
        past: Sequence[PastChange],
        query: ChangeQuery,
        records: Sequence[DecisionRecord],
        repository: Repository | None = None,
    ) -> None:
        """With `repository`, what past changes fit is cached there.

        `rarity` is how rare words are in the past changes.
        """
        self._past = past
        self._query = query
        self._records = records
        self._repository = repository
        frequency = Counter(word for one in past for word in one.words.distinct())
        self.rarity = Rarity(len(past), frequency)

    def surprise(self) -> list[float]:
        """The share of the past changes that no decision fits as well as each record fits this.

        One number from 0 to 1 for each record; UNKNOWN with fewer than MIN_CHANGES.
        """
        fits = self.usual_fits()
        index = self._index(self._query.words.distinct()) if fits else None
        return surprise(fits, index, self._query.words, self.rarity, len(self._records))

    def usual_fits(self) -> Sequence[float]:
        """The score of the decision that fits each past change best; () with too few of them."""
        if len(self._past) < MIN_CHANGES:
            return ()
        best = self._load_fits()
        if best is None:
            index = self._index(self.rarity.frequency.keys())
            found = (index.scores(self.rarity.query(index, one.words)) for one in self._past)
            best = [max(scores, default=0.0) for scores in found]
            self._store_fits(best)
        return best

    def _index(self, vocabulary: Set[str]) -> Bm25:
        """The decisions as documents, of which the words in the vocabulary are known."""
        documents = [decision_words(record, vocabulary) for record in self._records]
        return Bm25(
            [words for words, _ in documents], vocabulary, [count for _, count in documents]
        )

    def _load_fits(self) -> list[float] | None:
        """The best score of a decision for each past change; None where it is not cached."""
        if self._repository is None:
            return None
        data = load_cached(self._repository, _CACHE)
        fits = data.get("fits")
        if data.get("of") != self._identity or not isinstance(fits, list):
            return None
        is_whole = len(fits) == len(self._past) and all(type(one) is float for one in fits)
        return fits if is_whole else None

    def _store_fits(self, fits: Sequence[float]) -> None:
        if self._repository is not None:
            store_cached(self._repository, _CACHE, {"of": self._identity, "fits": fits})

    @cached_property
    def _identity(self) -> str:
        """A digest of the past changes and the records."""
        digest = sha256()
        for one in self._past:
            size = sum(one.words.added.values()), sum(one.words.title.values())
            digest.update(f"{one.id} {size}\n".encode())
        for record in self._records:
            for text in (record.artifact.path, record.text):
                digest.update(sha256(text.encode("utf-8", "surrogatepass")).digest())
        return digest.hexdigest()


def decision_words(record: DecisionRecord, vocabulary: Set[str]) -> tuple[Mapping[str, int], int]:
    """The words of what a record decides; those of all it says when no heading tells.

    Returns the counts of those in the vocabulary, and the number of all.
    """
    roles = [(find_role(section, record.artifact), counts) for section, counts in record.sections]
    decides = any(role == SectionRole.DECISION for role, _ in roles)
    lowest = SectionRole.DECISION if decides else SectionRole.CONTEXT
    words: Counter[str] = Counter()
    length = 0
    for role, counts in roles:
        if role >= lowest:
            length += sum(counts.values())
            for word in counts.keys() & vocabulary:
                words[word] += counts[word]
    return words, length
