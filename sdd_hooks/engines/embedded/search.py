"""Search by words, and read the hits of ranked chunks.

FTS5 finds the candidates, counts the terms in them, and `word_ranking` ranks them.
"""

# Governing: ADR-0002 (embedded engine on apsw, FTS5 and sqlite-vec), ADR-0009 (score)

from __future__ import annotations

from collections.abc import Collection, Sequence

import apsw

from sdd_hooks.engines.documents import original_path
from sdd_hooks.engines.embedded.database import ImpossibleValue, typed
from sdd_hooks.engines.protocol import Hit, Query
from sdd_hooks.engines.ranking.fusion import FusedMatch, RankedMatch
from sdd_hooks.engines.ranking.hits import HitChunk, make_hits
from sdd_hooks.engines.ranking.path_evidence import weigh_paths
from sdd_hooks.engines.ranking.query_terms import Term, parse_terms
from sdd_hooks.engines.ranking.word_ranking import (
    CANDIDATES,
    PREFIX,
    MatchedChunk,
    TermCounts,
    inverse_frequency,
    rank_candidates,
    weighted_size,
)

_HIT_TYPES = (str, str, str, str, str, str, int, int, str)


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
    chunks = connection.execute("SELECT count(*) FROM words_docsize").get
    weights = _inverse_frequencies(connection, included, chunks)
    matcher = Matcher(included)
    connection.register_fts5_function("match_terms", matcher.match)
    marks = ",".join("?" * len(collections))
    select = (
        "SELECT words.rowid, match_terms(words), document, path, section, first_line, rank"
        " FROM words LEFT JOIN chunks ON chunks.id = words.rowid"
        " LEFT JOIN documents ON documents.id = chunks.document"
        f" WHERE words MATCH ? AND (chunks.id IS NULL OR chunks.collection IN ({marks}))"
    )
    kept = max(CANDIDATES, limit)
    bindings = (_fts5_expression(terms), *collections, kept + 1)
    types = (int, int, int, str, str, int, float)
    rows = list(typed(connection.execute(f"{select} ORDER BY rank LIMIT ?", bindings), *types))
    if len(rows) > kept and rows[-1][-1] == rows[-2][-1]:
        # Equal ranks are in the order of indexing, and a refreshed index must rank like a new one.
        # Without the sign, FTS5 would take the number for the name of a ranking function.
        last = rows[-1][-1]
        order = "AND +rank = ? ORDER BY path, first_line LIMIT ?"
        bindings = (*bindings[:-1], last, kept)
        equal = typed(connection.execute(f"{select} {order}", bindings), *types)
        rows = [*(row for row in rows if row[-1] != last), *equal]
        rows.sort(key=lambda row: (row[-1], row[3], row[5]))
    candidates = [
        MatchedChunk(chunk, document, original_path(path), section, line, matcher.found[chunk])
        for chunk, _, document, path, section, line, _ in rows[:kept]
    ]
    sizes = _document_sizes(connection, {candidate.document for candidate in candidates}, chunks)
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


def _document_sizes(
    connection: apsw.Connection, documents: Collection[int], chunks: int
) -> dict[int, float]:
    """Return how many chunks each of the documents has, over the average of all.

    `chunks` is the number of those of the whole index.
    """
    total = connection.execute("SELECT count(*) FROM documents").get
    average = max(1, chunks) / max(1, total)
    rows = connection.execute(
        "SELECT document, count(*) FROM chunks"
        f" WHERE document IN ({','.join(map(str, documents))}) GROUP BY document"
    )
    return {document: count / average for document, count in typed(rows, int, int)}


def read_hits(
    connection: apsw.Connection, matches: Sequence[FusedMatch[int]], query: Query
) -> tuple[Hit, ...]:
    """Read the hits of these chunks, in their order."""
    return make_hits([(match, _read_chunk(connection, match.key)) for match in matches], query)


def _read_chunk(connection: apsw.Connection, chunk: int) -> HitChunk:
    rows = connection.execute(
        "SELECT collections.name, context, path, title, anchor, section, first_line, last_line,"
        " text FROM chunks JOIN documents ON documents.id = document"
        " JOIN collections ON collections.id = chunks.collection WHERE chunks.id = ?",
        (chunk,),
    )
    row = next(typed(rows, *_HIT_TYPES), None)
    if row is None:
        raise ImpossibleValue("words of a chunk that does not exist")
    found = HitChunk(*row)
    if "\0" in found.text:
        _require_hash(connection, chunk, found.title, found.section, found.text)
    return found._replace(path=original_path(found.path))


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


def _inverse_frequencies(
    connection: apsw.Connection, terms: Sequence[Term], chunks: int
) -> list[float]:
    """Return the inverse document frequency of each term among `chunks`, always above 0."""
    frequencies = []
    for term in terms:
        matching = connection.execute(
            "SELECT count(*) FROM words WHERE words MATCH ?", (term.expression,)
        ).get
        if matching > chunks:
            raise ImpossibleValue("more chunks have a word than there are chunks")
        frequencies.append(inverse_frequency(chunks, matching))
    return frequencies
