"""Hits made of ranked chunks."""

# Governing: ADR-0009 (score), SPEC-0005 REQ "Excerpts"

from __future__ import annotations

from collections.abc import Sequence

from sdd_hooks.engines.fusion import FusedMatch
from sdd_hooks.engines.protocol import Hit, Query
from sdd_hooks.engines.snippets import chunk_snippet, query_words
from sdd_hooks.named_tuple import NamedTuple


class HitChunk(NamedTuple):
    """A chunk with its document and its collection, as an index stores them."""

    collection: str
    context: str
    path: str
    title: str
    anchor: str
    section: str
    first_line: int
    last_line: int
    text: str


def make_hits(chunks: Sequence[tuple[FusedMatch[int], HitChunk]], query: Query) -> tuple[Hit, ...]:
    """Return the hits of ranked chunks, in their order.

    Only the first hit of a document has a snippet, and only of as many documents as the query
    needs: that takes longer than the rest of a search.
    """
    words = query_words(query.text)
    wanted = len(chunks) if query.snippets is None else query.snippets
    with_snippet: set[tuple[str, str]] = set()
    hits = []
    for match, chunk in chunks:
        hit = _make_hit(match, chunk)
        if (hit.collection, hit.path) not in with_snippet and len(with_snippet) < wanted:
            with_snippet.add((hit.collection, hit.path))
            hit = hit._replace(snippet=chunk_snippet(chunk.text, hit.section, words, hit.path))
        hits.append(hit)
    return tuple(hits)


def _make_hit(match: FusedMatch[int], chunk: HitChunk) -> Hit:
    """Return the hit of a chunk without its snippet."""
    return Hit(
        id=f"{chunk.path}#{chunk.anchor}",
        collection=chunk.collection,
        path=chunk.path,
        first_line=chunk.first_line,
        last_line=chunk.last_line,
        title=chunk.title or chunk.path.rpartition("/")[2],
        section=chunk.section,
        score=round(match.score, 4),
        cosine=None if match.cosine is None else round(match.cosine, 4),
        snippet="",
        context=chunk.context,
    )
