"""Search the indexed collections of a project, by words and by meaning at once."""

# Governing: SPEC-0003 (embedded engine), ADR-0001 (two engines)

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from sdd_hooks import tracing
from sdd_hooks.engines.protocol import Bookmark, Engine, Hit, Query, SearchResult, SubQuery
from sdd_hooks.engines.registry import not_indexed
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.collections import Collection
from sdd_hooks.project.project import Project
from sdd_hooks.text.display import format_count


class HitLimits(NamedTuple):
    """How many hits a search returns at most, and their minimum score (0..1).

    The defaults are the requirements of the search command. Without `snippets`, the hits need none.
    """

    max_hits: int = 8
    min_score: float = 0.3
    snippets: bool = True


DEFAULT_LIMITS = HitLimits()

_HITS_PER_DOCUMENT = 5
"""Hits requested for each document: a document rarely has more among the best."""


def search(
    project: Project,
    engine: Engine,
    text: str,
    collections: Sequence[Collection],
    limits: HitLimits = DEFAULT_LIMITS,
) -> SearchResult:
    """Search those of `collections` that are indexed, by words (double weight) and by meaning.

    Each document has one hit: its best section or definition. Notes name what the result lacks.

    Raises:
        NotIndexed: no collection is indexed.
    """
    searches = (SubQuery("lex", text), SubQuery("vec", text))
    return search_typed(project, engine, searches, collections, limits)


def search_typed(
    project: Project,
    engine: Engine,
    searches: Sequence[SubQuery],
    collections: Sequence[Collection],
    limits: HitLimits = DEFAULT_LIMITS,
) -> SearchResult:
    """Like `search`, with typed sub-queries. The first has double weight."""
    indexed = engine.bookmarks()
    names = tuple(collection.name for collection in collections if collection.name in indexed)
    if not names:
        raise not_indexed(project)
    count = limits.max_hits
    read = count if limits.snippets else 0
    query = Query(tuple(searches), names, "", count, limits.min_score, snippets=read)
    result = search_sections(engine, query)
    best: dict[tuple[str, str], Hit] = {}
    for hit in result.hits:
        best.setdefault((hit.collection, hit.path), hit)
    partial = incomplete_notes(names, indexed, engine.touched())
    notes = (*partial, *pending_notes(result.pending), *result.notes)
    return result._replace(hits=tuple(best.values())[: limits.max_hits], notes=notes)


def search_sections(engine: Engine, query: Query) -> SearchResult:
    """Run a query whose limit counts documents. Its hits are several sections of a document."""
    with tracing.span("search", *query.collections) as span:
        result = engine.search(query._replace(limit=query.limit * _HITS_PER_DOCUMENT))
        span.outcome = format_count(len(result.hits), "hit")
    return result


def incomplete_notes(
    names: Iterable[str], bookmarks: Mapping[str, Bookmark | None], touched: float | None
) -> tuple[str, ...]:
    """Return the note about collections of these names, whose first index was cut short.

    They have no bookmark. An engine that was updated (`touched`, seconds since the epoch) and has
    no bookmark at all stores none: nothing is known then.
    """
    if touched is not None and not any(bookmarks.values()):
        return ()
    incomplete = sorted(name for name in names if bookmarks[name] is None)
    if not incomplete:
        return ()
    verb = "is" if len(incomplete) == 1 else "are"
    return (f"{', '.join(incomplete)} {verb} not completely indexed: run `sdd index update`",)


def pending_notes(pending: int) -> tuple[str, ...]:
    """Return the note about chunks without a vector, in the words of SPEC-0019; none for 0."""
    if not pending:
        return ()
    return (
        f"{pending} chunks unembedded — vector/hybrid search disabled until `sdd index embed` runs",
    )
