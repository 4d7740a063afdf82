"""Search by words, and read the hits of ranked chunks.

FTS5 finds the candidates, and `word_ranking` ranks them.
"""

# Governing: ADR-0002 (embedded engine on apsw, FTS5 and sqlite-vec)

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

import apsw

from sdd_hooks.engines.embedded.database import ImpossibleValue, typed
from sdd_hooks.engines.embedded.stored_paths import original_path
from sdd_hooks.engines.embedded.word_ranking import MatchedChunk, Matcher, rank_candidates
from sdd_hooks.engines.fusion import FusedMatch, RankedMatch
from sdd_hooks.engines.path_evidence import weigh_paths
from sdd_hooks.engines.protocol import Hit, Query
from sdd_hooks.engines.query_terms import Term, parse_terms
from sdd_hooks.engines.snippets import chunk_snippet, query_words

_CANDIDATES = 300
"""Chunks that FTS5 ranks first and that are ranked again."""

_HIT_TYPES = (str, str, str, str, str, str, int, int, str)


def search_words(
    connection: apsw.Connection, query: str, collections: Sequence[int], limit: int
) -> list[RankedMatch[int]]:
    """Return the chunks that contain any term of the query, best first, at most `limit`.

    `collections` are row ids. The strength of a chunk is described in `word_ranking`.
    """
    terms = parse_terms(query)
    included = [term for term in terms if not term.excluded]
    if not included or not collections:
        return []
    weights = _inverse_frequencies(connection, included)
    matcher = Matcher(included)
    connection.register_fts5_function("match_terms", matcher.match)
    marks = ",".join("?" * len(collections))
    select = (
        "SELECT words.rowid, match_terms(words), document, path, section, first_line, rank"
        " FROM words LEFT JOIN chunks ON chunks.id = words.rowid"
        " LEFT JOIN documents ON documents.id = chunks.document"
        f" WHERE words MATCH ? AND (chunks.id IS NULL OR chunks.collection IN ({marks}))"
    )
    kept = max(_CANDIDATES, limit)
    bindings = (_fts5_expression(terms), *collections, kept + 1)
    types = (int, int, int, str, str, int, float)
    rows = list(typed(connection.execute(f"{select} ORDER BY rank LIMIT ?", bindings), *types))
    if len(rows) > kept and rows[-1][-1] == rows[-2][-1]:
        # Equal ranks are in the order of indexing, and a refreshed index must rank like a new one.
        order = "ORDER BY rank, path, first_line LIMIT ?"
        rows = list(typed(connection.execute(f"{select} {order}", bindings), *types))
    candidates = [
        MatchedChunk(chunk, document, original_path(path), section, line, matcher.found[chunk])
        for chunk, _, document, path, section, line, _ in rows[:kept]
    ]
    sizes = _document_sizes(connection, {candidate.document for candidate in candidates})
    ranked = rank_candidates(query, included, weights, candidates, sizes)
    return [RankedMatch(candidate.chunk, strength) for strength, candidate in ranked[:limit]]


def weigh_chunks(
    connection: apsw.Connection, matches: Sequence[RankedMatch[int]], query: str
) -> list[RankedMatch[int]]:
    """Return chunks with the evidence of the paths of their documents, best first."""
    rows = connection.execute(
        "SELECT chunks.id, path FROM chunks JOIN documents ON documents.id = document"
        f" WHERE chunks.id IN ({','.join(str(int(match.key)) for match in matches)})"
    )
    paths = {chunk: original_path(path) for chunk, path in typed(rows, int, str)}
    return weigh_paths(matches, lambda chunk: paths.get(chunk, ""), query)


def _document_sizes(connection: apsw.Connection, documents: Collection[int]) -> dict[int, float]:
    """Return how many chunks each of the documents has, over the average of all."""
    numbers = "(SELECT count(*) FROM words_docsize), (SELECT count(*) FROM documents)"
    chunks, total = connection.execute(f"SELECT {numbers}").get
    average = max(1, chunks) / max(1, total)
    rows = connection.execute(
        "SELECT document, count(*) FROM chunks"
        f" WHERE document IN ({','.join(map(str, documents))}) GROUP BY document"
    )
    return {document: count / average for document, count in typed(rows, int, int)}


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
