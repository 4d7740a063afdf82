"""Count the terms of a query in the chunks that FTS5 finds."""

# Governing: ADR-0009 (score), ADR-0002 (embedded engine on apsw, FTS5 and sqlite-vec)

from __future__ import annotations

from collections.abc import Sequence

import apsw

from sdd_hooks.engines.ranking.query_terms import Term
from sdd_hooks.engines.ranking.word_ranking import PREFIX, TermCounts, weighted_size


class Matcher:
    """Counts terms in the chunks that FTS5 finds: `match` is an auxiliary function of FTS5."""

    def __init__(self, terms: Sequence[Term]) -> None:
        self.found: dict[int, TermCounts] = {}
        """By row id."""
        self._phrases = [
            (index, PREFIX if phrase.endswith("*") else 1.0)
            for index, term in enumerate(terms)
            for phrase in term.alternatives
        ]
        self._average = 0.0

    def match(self, api: apsw.FTS5ExtensionApi, *_: object) -> int:
        """Count the terms of the current row. Returns the number of its terms."""
        if not self._average:
            self._average = weighted_size(*map(api.column_total_size, range(3))) / max(
                1, api.row_count
            )
        counts: dict[int, float] = {}
        for phrase, (term, weight) in enumerate(self._phrases):
            if api.phrase_columns(phrase):
                title, body, parts = map(len, api.phrase_locations(phrase))
                count = weight * weighted_size(title, body, parts)
                # An identifier matches as a whole and by its parts: one location, counted once.
                counts[term] = max(count, counts.get(term, 0.0))
        # The title counts towards the length, too: otherwise a short section below a long title
        # would rank like one with few other words.
        length = (
            weighted_size(*map(api.column_size, range(3))) / self._average if self._average else 1.0
        )
        self.found[api.rowid] = TermCounts(counts, length)
        return len(counts)
