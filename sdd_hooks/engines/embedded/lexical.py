"""Search by words: FTS5 finds the candidates, BM25 over a section's fields orders them.

FTS5's own `bm25()` gives a word that most documents hold no weight at all, which in a repository
of ten decisions is nearly every word, and its values have no range. This is the same formula with
the logarithm of Lucene (always above 0), with counts and lengths summed over the weighted fields
before saturation (BM25F, Robertson, Zaragoza and Taylor, CIKM 2004), and divided by what every word
of the query, said once in a section of average length, would give.
"""

# Governing: ADR-0002 (embedded engine on apsw, FTS5 and sqlite-vec), ADR-0009 (score)

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import apsw

from sdd_hooks.engines.fusion import Found
from sdd_hooks.engines.query_terms import Term, terms

_CANDIDATES = 300
"""Chunks that FTS5 ranks first and that are ranked again: enough never to lose a good one."""

_K1 = 1.2
_B = 0.75
_FIELDS = (2.0, 1.0, 0.5)
"""Weights of title, body and the parts of identifiers."""


def find(
    connection: apsw.Connection, query: str, collections: Sequence[int], limit: int
) -> list[Found[int]]:
    """The chunks that hold any term of the query, best first, at most `limit`.

    `collections` are row ids. A chunk's strength is its BM25 over that of a section of average
    length that says every term once, at most 1.
    """
    asked = terms(query)
    wanted = [term for term in asked if not term.excluded]
    if not wanted or not collections:
        return []
    weights = _rarity(connection, wanted)
    total = sum(weights)
    phrases = [index for index, term in enumerate(wanted) for _ in term.phrases]
    average = 0.0

    def strength(api: apsw.FTS5ExtensionApi, *_: object) -> float:
        nonlocal average
        # What is found in a title counts towards the length too: else a short section below a long
        # title passes for one that says little else.
        average = average or _weighted(api.column_total_size) / api.row_count
        length = _weighted(api.column_size) / average if average else 1.0
        said: dict[int, float] = {}
        for number, index in enumerate(phrases):
            if api.phrase_columns(number):
                places = api.phrase_locations(number)
                count = sum(map(lambda w, found: w * len(found), _FIELDS, places))
                # An identifier is found whole and by its parts: the same place, counted once.
                said[index] = max(count, said.get(index, 0.0))
        slack = _K1 * (1 - _B + _B * length)
        held = sum(weights[i] * count * (_K1 + 1) / (count + slack) for i, count in said.items())
        return held / total

    connection.register_fts5_function("strength", strength)
    marks = ",".join("?" * len(collections))
    rows = connection.execute(
        "SELECT words.rowid, strength(words), path, first_line FROM words"
        " CROSS JOIN chunks ON chunks.id = words.rowid"
        " CROSS JOIN documents ON documents.id = chunks.document"
        f" WHERE words MATCH ? AND chunks.collection IN ({marks})"
        " ORDER BY rank LIMIT ?",
        (_expression(asked), *collections, max(_CANDIDATES, limit)),
    )
    # Row ids tell what was indexed first, and a refreshed index must answer as a new one does.
    ranked = sorted(rows, key=lambda row: (-row[1], *row[2:]))
    return [Found(chunk, min(1.0, strong)) for chunk, strong, *_ in ranked[:limit]]


def _weighted(sizes: Callable[[int], int]) -> float:
    return sum(weight * sizes(field) for field, weight in enumerate(_FIELDS))


def _expression(asked: Sequence[Term]) -> str:
    wanted = " OR ".join(term.expression for term in asked if not term.excluded)
    unwanted = " OR ".join(term.expression for term in asked if term.excluded)
    return f"({wanted}) NOT ({unwanted})" if unwanted else wanted


def _rarity(connection: apsw.Connection, wanted: Sequence[Term]) -> list[float]:
    """The inverse document frequency of each term, always above 0."""
    chunks = connection.execute("SELECT count(*) FROM words_docsize").get
    weights = []
    for term in wanted:
        holding = connection.execute(
            "SELECT count(*) FROM words WHERE words MATCH ?", (term.expression,)
        ).get
        weights.append(math.log(1 + (chunks - holding + 0.5) / (holding + 0.5)))
    return weights
