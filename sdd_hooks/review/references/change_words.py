"""The words of a change, and the query that they make for records."""

# Governing: ADR-0020 (a decision is found by equal votes of evidence)

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.review.references.bm25 import Bm25

MAX_WORDS = 40
"""Words of the added lines in a query: those with the highest tf-idf."""


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
