"""Search by words: FTS5's BM25 for the order, the share of the query that is there for strength.

# Governing: ADR-0002 (embedded engine on apsw, FTS5 and sqlite-vec), ADR-0009 (score)
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import apsw

from sdd_hooks.engines.embedded.ranking import Found
from sdd_hooks.engines.embedded.words import Term, terms


def find(
    connection: apsw.Connection, query: str, collections: Sequence[int], limit: int
) -> list[Found]:
    """The chunks that hold any term of the query, best BM25 first, at most `limit`.

    `collections` are row ids. A chunk's strength is the inverse document frequency of the terms it
    holds over that of all terms, 1.0 when it holds every one.
    """
    asked = terms(query)
    wanted = [term for term in asked if not term.excluded]
    if not wanted or not collections:
        return []
    weights = _rarity(connection, wanted)
    total = sum(weights)
    phrases = [index for index, term in enumerate(wanted) for _ in term.phrases]

    def coverage(api: apsw.FTS5ExtensionApi, *_: object) -> float:
        held = {phrases[n] for n in range(len(phrases)) if api.phrase_columns(n)}
        return sum(weights[index] for index in held) / total

    connection.register_fts5_function("coverage", coverage)
    marks = ",".join("?" * len(collections))
    rows = connection.execute(
        "SELECT words.rowid, coverage(words) FROM words"
        " CROSS JOIN chunks ON chunks.id = words.rowid"
        f" WHERE words MATCH ? AND chunks.collection IN ({marks})"
        " ORDER BY rank LIMIT ?",
        (_expression(asked), *collections, limit),
    )
    return [Found(chunk, strength) for chunk, strength in rows]


def _expression(asked: Sequence[Term]) -> str:
    wanted = " OR ".join(term.expression for term in asked if not term.excluded)
    unwanted = " OR ".join(term.expression for term in asked if term.excluded)
    return f"({wanted}) NOT ({unwanted})" if unwanted else wanted


def _rarity(connection: apsw.Connection, wanted: Sequence[Term]) -> list[float]:
    """The inverse document frequency of each term, always above 0 (Robertson's, plus one)."""
    documents = connection.execute("SELECT count(*) FROM words_docsize").get
    weights = []
    for term in wanted:
        holding = connection.execute(
            "SELECT count(*) FROM words WHERE words MATCH ?", (term.expression,)
        ).get
        weights.append(math.log(1 + (documents - holding + 0.5) / (holding + 0.5)))
    return weights
