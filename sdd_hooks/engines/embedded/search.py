"""Search by words, and read the hits of ranked chunks.

FTS5 finds the candidates. They are ranked by BM25 over the fields of a section, computed here:
FTS5's own `bm25()` gives a word that most documents contain no weight, which in a repository of ten
decisions is nearly every word, and its values have no range. This is the same formula with the
logarithm of Lucene (always above 0), with counts and lengths summed over the weighted fields before
saturation (BM25F, Robertson, Zaragoza and Taylor, CIKM 2004), divided by the score of a section of
average length that contains every word of the query once.
"""

# Governing: ADR-0002 (embedded engine on apsw, FTS5 and sqlite-vec), ADR-0009 (score)

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import apsw

from sdd_hooks.engines.embedded.database import ImpossibleValue, typed
from sdd_hooks.engines.embedded.stored_paths import original_path
from sdd_hooks.engines.fusion import FusedMatch, RankedMatch
from sdd_hooks.engines.protocol import Hit, Query
from sdd_hooks.engines.query_terms import Term, parse_terms
from sdd_hooks.engines.snippets import chunk_snippet, query_words

_CANDIDATES = 300
"""Chunks that FTS5 ranks first and that are ranked again."""

_K1 = 1.2
_B = 0.75
_HIT_TYPES = (str, str, str, str, str, str, int, int, str)

_FIELD_WEIGHTS = (2.0, 1.0, 0.5)
"""Weights of the title, the body, and the parts of identifiers."""


def search_words(
    connection: apsw.Connection, query: str, collections: Sequence[int], limit: int
) -> list[RankedMatch[int]]:
    """Return the chunks that contain any term of the query, best first, at most `limit`.

    `collections` are row ids. The strength of a chunk is its BM25 score over that of a section of
    average length that contains every term once, at most 1.
    """
    terms = parse_terms(query)
    included = [term for term in terms if not term.excluded]
    if not included or not collections:
        return []
    weights = _inverse_frequencies(connection, included)
    total_weight = sum(weights)
    term_of_phrase = [index for index, term in enumerate(included) for _ in term.phrases]
    average = 0.0

    def strength(api: apsw.FTS5ExtensionApi, *_: object) -> float:
        nonlocal average
        # The title counts towards the length, too: otherwise a short section below a long title
        # would rank like one with few other words.
        if not average:
            average = _weighted_size(api.column_total_size) / max(1, api.row_count)
        length = _weighted_size(api.column_size) / average if average else 1.0
        counts: dict[int, float] = {}
        for phrase, term in enumerate(term_of_phrase):
            if api.phrase_columns(phrase):
                locations = api.phrase_locations(phrase)
                count = sum(map(_weighted_count, _FIELD_WEIGHTS, locations))
                # An identifier matches as a whole and by its parts: one location, counted once.
                counts[term] = max(count, counts.get(term, 0.0))
        saturation = _K1 * (1 - _B + _B * length)
        score = sum(
            weights[term] * count * (_K1 + 1) / (count + saturation)
            for term, count in counts.items()
        )
        return score / total_weight

    connection.register_fts5_function("strength", strength)
    marks = ",".join("?" * len(collections))
    rows = connection.execute(
        "SELECT words.rowid, strength(words), path, first_line FROM words"
        " LEFT JOIN chunks ON chunks.id = words.rowid"
        " LEFT JOIN documents ON documents.id = chunks.document"
        f" WHERE words MATCH ? AND (chunks.id IS NULL OR chunks.collection IN ({marks}))"
        " ORDER BY rank LIMIT ?",
        (_fts5_expression(terms), *collections, max(_CANDIDATES, limit)),
    )
    # Not by row id, which is the order of indexing: a refreshed index must rank like a new one.
    checked = typed(rows, int, float, str, int)
    ranked = sorted(checked, key=lambda row: (-row[1], *row[2:]))
    return [RankedMatch(chunk, min(1.0, score)) for chunk, score, *_ in ranked[:limit]]


def read_hits(
    connection: apsw.Connection, matches: Sequence[FusedMatch[int]], query: Query
) -> tuple[Hit, ...]:
    """Read the hits of these chunks, in their order.

    Only the first hit of a document has a snippet, and only of as many documents as the query
    needs: that takes longer than the rest of a search.
    """
    words = query_words(query.text)
    wanted = len(matches) if query.snippets is None else query.snippets
    with_snippet: set[tuple[str, str]] = set()
    hits = []
    for match in matches:
        hit, text = _read_hit(connection, match)
        if (hit.collection, hit.path) not in with_snippet and len(with_snippet) < wanted:
            with_snippet.add((hit.collection, hit.path))
            hit = hit._replace(snippet=chunk_snippet(text, hit.section, words, hit.path))
        hits.append(hit)
    return tuple(hits)


def _read_hit(connection: apsw.Connection, match: FusedMatch[int]) -> tuple[Hit, str]:
    """Read the hit of a chunk, without its snippet, and the text of the chunk."""
    rows = connection.execute(
        "SELECT collections.name, context, path, title, anchor, section, first_line, last_line,"
        " text FROM chunks JOIN documents ON documents.id = document"
        " JOIN collections ON collections.id = chunks.collection WHERE chunks.id = ?",
        (match.key,),
    )
    row = next(typed(rows, *_HIT_TYPES), None)
    if row is None:
        raise ImpossibleValue("words of a chunk that does not exist")
    collection, context, stored, title, anchor, section, first, last, text = row
    path = original_path(stored)
    if "\0" in text:
        _require_hash(connection, match.key, title, section, text)
    hit = Hit(
        id=f"{path}#{anchor}",
        collection=collection,
        path=path,
        first_line=first,
        last_line=last,
        title=title or path.rpartition("/")[2],
        section=section,
        score=round(match.score, 4),
        cosine=None if match.cosine is None else round(match.cosine, 4),
        snippet="",
        context=context,
    )
    return hit, text


def _require_hash(
    connection: apsw.Connection, chunk: int, title: str, section: str, text: str
) -> None:
    """Raise ImpossibleValue if the end of a long text was replaced by zeros.

    The checksum of a page of zeros is right.
    """
    from sdd_hooks.chunking.document import text_hash, text_to_embed

    key = connection.execute("SELECT hash FROM chunks WHERE id = ?", (chunk,)).get
    if key != text_hash(text_to_embed(title, section, text)):
        raise ImpossibleValue("a text has another hash")


def _weighted_count(weight: float, locations: Sequence[int]) -> float:
    return weight * len(locations)


def _weighted_size(size_of: Callable[[int], int]) -> float:
    return sum(weight * size_of(field) for field, weight in enumerate(_FIELD_WEIGHTS))


def _fts5_expression(terms: Sequence[Term]) -> str:
    included = " OR ".join(term.expression for term in terms if not term.excluded)
    excluded = " OR ".join(term.expression for term in terms if term.excluded)
    return f"({included}) NOT ({excluded})" if excluded else included


def _inverse_frequencies(connection: apsw.Connection, terms: Sequence[Term]) -> list[float]:
    """Return the inverse document frequency of each term, always above 0."""
    chunks = connection.execute("SELECT count(*) FROM words_docsize").get
    frequencies = []
    for term in terms:
        matching = connection.execute(
            "SELECT count(*) FROM words WHERE words MATCH ?", (term.expression,)
        ).get
        if matching > chunks:
            raise ImpossibleValue("more chunks have a word than there are chunks")
        frequencies.append(math.log(1 + (chunks - matching + 0.5) / (matching + 0.5)))
    return frequencies
