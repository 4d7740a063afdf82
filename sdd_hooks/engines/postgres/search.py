"""Search by words and by meaning in a scope, fused as the embedded engine does it."""

# Governing: ADR-0058 (the organisation's index is on PostgreSQL), ADR-0009 (score)

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from sdd_hooks.engines.organisation import RepositoryHit
from sdd_hooks.engines.postgres.scope import OrganisationScope
from sdd_hooks.engines.postgres.values import original_text
from sdd_hooks.engines.postgres.vectors import ModelSpace, search_nearest
from sdd_hooks.engines.postgres.word_search import search_words
from sdd_hooks.engines.protocol import Query
from sdd_hooks.engines.ranking.fusion import (
    CANDIDATES,
    WIDER,
    FusedMatch,
    RankedMatch,
    fuse,
    weight_of,
)
from sdd_hooks.engines.ranking.hits import HitChunk, make_hits
from sdd_hooks.engines.ranking.path_evidence import weigh_paths
from sdd_hooks.errors import EngineUnavailable
from sdd_hooks.models.embedding_model import EmbeddingModel
from sdd_hooks.named_tuple import NamedTuple

if TYPE_CHECKING:
    from psycopg import Connection


class QueryVectors(NamedTuple):
    """The vector of each sub-query by meaning, as float32, and notes on why there is none."""

    vectors: dict[str, bytes]
    notes: tuple[str, ...] = ()


def embed_query(
    query: Query, space: ModelSpace | None, load_model: Callable[[], EmbeddingModel]
) -> QueryVectors:
    """Return the vectors of a query in a space; none without sub-queries by meaning.

    A note says why a search by words alone has to do.
    """
    texts = [search.query for search in query.searches if search.type != "lex"]
    if not texts or space is None:
        return QueryVectors({})
    try:
        model = load_model()
        if model.dimensions == space.dimensions:
            return QueryVectors(dict(zip(texts, model.embed(texts), strict=True)))
    except EngineUnavailable as error:
        return QueryVectors({}, (f"searched by words only: {error}",))
    return QueryVectors(
        {},
        (
            f"searched by words only: the stored vectors have {space.dimensions} dimensions, not"
            f" {model.dimensions}: give the model another name",
        ),
    )


def search(
    connection: Connection,
    scope: OrganisationScope,
    query: Query,
    space: ModelSpace | None,
    vectors: QueryVectors,
) -> tuple[RepositoryHit, ...]:
    """Return at most `limit` hits of the scope with a score of at least `min_score`, best first.

    The caller has opened a transaction, so that all queries see the same state.
    """
    lists = _rank(connection, scope, query, space, vectors)
    matches = [match for match in fuse(lists) if match.score >= query.min_score]
    return _read_hits(connection, scope, matches[: query.limit], query)


def _rank(
    connection: Connection,
    scope: OrganisationScope,
    query: Query,
    space: ModelSpace | None,
    vectors: QueryVectors,
) -> list[tuple[float, list[RankedMatch[int]]]]:
    """Return the weighted list of each sub-query that can run."""
    limit = max(CANDIDATES, query.limit)
    lists = []
    for index, part in enumerate(query.searches):
        if part.type == "lex":
            matches = search_words(connection, scope, part.query, limit)
        elif space is not None and part.query in vectors.vectors:
            vector = vectors.vectors[part.query]
            near = search_nearest(connection, scope, space, vector, WIDER * limit)
            paths = {one.match.key: one.path for one in near}
            chunks = [one.match for one in near]
            matches = weigh_paths(chunks, paths.__getitem__, query.text)[:limit]
        else:
            continue
        lists.append((weight_of(index), matches))
    return lists


def _read_hits(
    connection: Connection,
    scope: OrganisationScope,
    matches: Sequence[FusedMatch[int]],
    query: Query,
) -> tuple[RepositoryHit, ...]:
    rows = connection.execute(
        "SELECT c.id, r.name, k.name, k.context, d.path, d.title, c.anchor, c.section,"
        " c.first_line, c.last_line, c.text FROM sdd.chunks AS c"
        " JOIN sdd.documents AS d ON d.repository = c.repository AND d.id = c.document"
        " JOIN sdd.collections AS k ON k.repository = c.repository AND k.name = c.collection"
        " JOIN sdd.repositories AS r ON r.id = c.repository"
        f" WHERE c.id = ANY(%(chunks)s){scope.conditions}".encode(),
        {**scope.values, "chunks": [match.key for match in matches]},
    )
    found = {row[0]: (row[1], _hit_chunk(row[2:])) for row in rows}
    kept = [match for match in matches if match.key in found]
    hits = make_hits([(match, found[match.key][1]) for match in kept], query)
    repositories = [original_text(found[match.key][0]) for match in kept]
    return tuple(map(RepositoryHit, repositories, hits))


def _hit_chunk(row: Sequence[Any]) -> HitChunk:
    """Return the chunk of a row, whose texts are as PostgreSQL stores them."""
    return HitChunk._make(original_text(one) if isinstance(one, str) else one for one in row)
