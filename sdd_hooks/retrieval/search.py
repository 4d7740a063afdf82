"""The one way to query: by words and by meaning at once, over collections that exist."""

# Governing: SPEC-0003 (embedded engine), ADR-0001 (two engines)

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sdd_hooks import tracing
from sdd_hooks.engines.protocol import Engine, Hit, Query, SearchResult, SubQuery
from sdd_hooks.engines.registry import not_indexed
from sdd_hooks.project.collections import Collection
from sdd_hooks.project.project import Project
from sdd_hooks.text.display import format_count

LIMIT = 8
MIN_SCORE = 0.3
"""Both from the requirements of the search command."""

_SECTIONS_A_DOCUMENT = 5
"""Hits asked for where one document is wanted: more than one document rarely has in a row."""


def search(
    project: Project,
    engine: Engine,
    text: str,
    collections: Sequence[Collection],
    *,
    limit: int = LIMIT,
    min_score: float = MIN_SCORE,
) -> SearchResult:
    """Search those of `collections` that are indexed, by words (double weight) and by meaning.

    A document is answered once, with the section or definition of it that answers best. Notes say
    what the answer lacks, in the words of SPEC-0019 where it has them.

    Raises:
        NotIndexed: none of them is.
    """
    searches = (SubQuery("lex", text), SubQuery("vec", text))
    return answer(project, engine, searches, collections, limit=limit, min_score=min_score)


def answer(
    project: Project,
    engine: Engine,
    searches: Sequence[SubQuery],
    collections: Sequence[Collection],
    *,
    limit: int = LIMIT,
    min_score: float = MIN_SCORE,
) -> SearchResult:
    """`search` with typed sub-queries of the caller's own, the first of double weight."""
    indexed = engine.bookmarks()
    names = tuple(c.name for c in collections if c.name in indexed)
    if not names:
        raise not_indexed(project)
    query = Query(
        searches=tuple(searches),
        collections=names,
        limit=limit * _SECTIONS_A_DOCUMENT,
        min_score=min_score,
    )
    with tracing.span("search", *names) as span:
        result = engine.search(query)
        span.outcome = format_count(len(result.hits), "hit")
    best: dict[tuple[str, str], Hit] = {}
    for hit in result.hits:
        best.setdefault((hit.collection, hit.path), hit)
    notes = (*pending_notes(result.pending), *result.notes)
    return replace(result, hits=tuple(best.values())[:limit], notes=notes)


def pending_notes(pending: int) -> tuple[str, ...]:
    """What to say about chunks without a vector, in the words of SPEC-0019; nothing for none."""
    if not pending:
        return ()
    return (
        f"{pending} chunks unembedded — vector/hybrid search disabled until `sdd index embed` runs",
    )
