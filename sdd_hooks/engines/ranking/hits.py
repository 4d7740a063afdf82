"""Hits made of ranked chunks."""

# Governing: ADR-0009 (score), SPEC-0005 REQ "Excerpts"

from __future__ import annotations

from collections.abc import Sequence

from sdd_hooks.code.paths import is_document
from sdd_hooks.engines.protocol import Hit, Query
from sdd_hooks.engines.ranking.fusion import FusedMatch, Key
from sdd_hooks.engines.ranking.query_terms import parse_terms
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.text.excerpts import code_excerpt, prose_excerpt


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


def make_hits(chunks: Sequence[tuple[FusedMatch[Key], HitChunk]], query: Query) -> tuple[Hit, ...]:
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


def _make_hit(match: FusedMatch[Key], chunk: HitChunk) -> Hit:
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


def chunk_snippet(text: str, heading: str, words: frozenset[str], path: str = "") -> str:
    """Return the snippet of a chunk's `text`.

    `words` are those of the query, from `query_words`. `heading` is the title of the section, or
    the name of the definition. By the name of its file `path`, a chunk is prose ("" too) or code,
    whose snippet has several lines.
    """
    if path and not is_document(path):
        return code_excerpt(text, heading, words)
    return prose_excerpt(text, words)


def query_words(query: str) -> frozenset[str]:
    """Return the words that a query searches for, in lower case."""
    terms = parse_terms(query)
    phrases = [phrase for term in terms if not term.excluded for phrase in term.phrases]
    return frozenset(word.lower() for phrase in phrases for word in phrase.strip('"*').split())
