"""Vectors by the hash of their text: stored, exchanged, and the nearest to a query.

A vector in the storage `int8` is kept as its integers, which `halfvec` and `vector` represent
exactly: a cosine is that of the embedded engine, and an exchanged vector comes back unchanged.
"""

# Governing: ADR-0058 (the organisation's index is on PostgreSQL), ADR-0011 (content-addressed
# vectors), SPEC-0032 REQ "Vectors"

from __future__ import annotations

import math
from array import array
from collections.abc import Iterator, Mapping, Sequence, Set
from typing import TYPE_CHECKING

from sdd_hooks.engines.embedding import StoredChunk
from sdd_hooks.engines.postgres.address import Address
from sdd_hooks.engines.postgres.connection import translate_errors
from sdd_hooks.engines.postgres.scope import OrganisationScope
from sdd_hooks.engines.postgres.values import insert_rows, original_text
from sdd_hooks.engines.ranking.fusion import RankedMatch
from sdd_hooks.engines.vector_exchange import pack_vector
from sdd_hooks.errors import EngineUnavailable
from sdd_hooks.named_tuple import NamedTuple

if TYPE_CHECKING:
    from psycopg import Connection

_TYPE_CODES = {"int8": "b", "float32": "f"}
_KEYS_AT_ONCE = 2_000

_ITERATIVE_SINCE = (0, 8)
_MAX_EF_SEARCH = 1000


class ModelSpace(NamedTuple):
    """The vectors of a model in one storage; `type` is that of the column in PostgreSQL."""

    model: int
    storage: str
    dimensions: int
    type: str
    is_iterative: bool
    """Whether a search of the index goes on while the scope excludes what it finds."""

    @property
    def indexed(self) -> str:
        """The expression that the index of the model is on, for the table `v`."""
        return f"(v.vector::{self.type}({self.dimensions}))"

    @property
    def condition(self) -> str:
        """The condition of the index of the model."""
        return f"v.model = {self.model}"


def find_space(connection: Connection, model: str, storage: str) -> ModelSpace | None:
    """Find the space of a model; None if nothing was embedded with it."""
    row = connection.execute(
        "SELECT id, dimensions, (SELECT format_type(atttypid, NULL) FROM pg_attribute"
        " WHERE attrelid = 'sdd.vectors'::regclass AND attname = 'vector'),"
        " (SELECT extversion FROM pg_extension WHERE extname = 'vector')"
        " FROM sdd.models WHERE name = %s AND storage = %s",
        (model, storage),
    ).fetchone()
    if row is None:
        return None
    version = tuple(int(part) for part in str(row[3]).split(".")[:2])
    kind = "halfvec" if "halfvec" in row[2] else "vector"
    return ModelSpace(row[0], storage, row[1], kind, version >= _ITERATIVE_SINCE)


def create_space(connection: Connection, model: str, storage: str, dimensions: int) -> ModelSpace:
    """Return the space of a model, which is created with its index if it is missing.

    Raises EngineUnavailable if vectors of other dimensions are stored under the same name.
    """
    connection.execute("SELECT sdd.add_model(%s, %s, %s)", (model, storage, dimensions))
    space = find_space(connection, model, storage)
    if space is None or space.dimensions != dimensions:
        raise EngineUnavailable(
            f"{model} now gives {dimensions} dimensions, not those of the stored vectors:"
            " give the model another name in `Embed Model`"
        )
    return space


class RepositoryVectors(NamedTuple):
    """`EmbedStore` of some collections of a repository; None for all of them."""

    connection: Connection
    repository: int
    space: ModelSpace
    collections: list[str] | None

    @property
    def _pending(self) -> str:
        return _pending_chunks(self.space)

    @property
    def _values(self) -> dict[str, object]:
        return {"repository": self.repository, "collections": self.collections}

    def missing(self) -> Sequence[bytes]:
        """Return each key without a vector; those of short texts come first."""
        rows = self.connection.execute(
            f"SELECT c.hash {self._pending} GROUP BY c.hash"
            " ORDER BY min(length(c.text)), min(c.id)".encode(),
            self._values,
        )
        return [bytes(key) for (key,) in rows]

    def chunks(self, keys: Sequence[bytes]) -> Mapping[bytes, StoredChunk]:
        """Return a chunk for each key that is still in the index."""
        rows = self.connection.execute(
            "SELECT DISTINCT ON (c.hash) c.hash, d.path, c.anchor, d.title, c.section, c.text"
            " FROM sdd.chunks AS c"
            " JOIN sdd.documents AS d ON d.repository = c.repository AND d.id = c.document"
            " WHERE c.repository = %s AND c.hash = ANY(%s) ORDER BY c.hash, c.id",
            (self.repository, list(keys)),
        )
        return {
            bytes(key): StoredChunk(
                f"{original_text(path)}#{original_text(anchor)}", *map(original_text, content)
            )
            for key, path, anchor, *content in rows
        }

    def is_empty(self) -> bool:
        """Whether no vector of the model is stored for the repository."""
        return not has_vectors(self.connection, self.repository, self.space)

    def store(self, vectors_by_key: Mapping[bytes, bytes]) -> None:
        """Store float32 vectors by their keys, in one transaction."""
        packed = [
            (key, pack_vector(vector, self.space.storage)) for key, vector in vectors_by_key.items()
        ]
        store_vectors(self.connection, self.repository, self.space, packed)

    def reuse(self) -> int:
        """Copy the vectors of the same texts in other repositories that the role may read.

        Returns how many there were.
        """
        missing = self.missing()
        copied = 0
        for start in range(0, len(missing), _KEYS_AT_ONCE):
            rows = self.connection.execute(
                "SELECT DISTINCT ON (v.hash) v.hash, v.vector::text FROM sdd.vectors AS v"
                f" WHERE v.hash = ANY(%s) AND {self.space.condition}"
                " AND v.repository IN (SELECT id FROM sdd.repositories)".encode(),
                (list(missing[start : start + _KEYS_AT_ONCE]),),
            ).fetchall()
            copied += _store_texts(self.connection, self.repository, self.space, rows)
        return copied

    def count_pending(self) -> int:
        """Count the chunks without a vector."""
        row = self.connection.execute(
            f"SELECT count(*) {self._pending}".encode(), self._values
        ).fetchone()
        return int(row[0]) if row else 0


def has_vectors(connection: Connection, repository: int, space: ModelSpace) -> bool:
    """Whether any vector of the model is stored for the repository."""
    row = connection.execute(
        "SELECT 1 FROM sdd.vectors WHERE repository = %s AND model = %s LIMIT 1",
        (repository, space.model),
    ).fetchone()
    return row is not None


def _pending_chunks(space: ModelSpace) -> str:
    return (
        "FROM sdd.chunks AS c WHERE c.repository = %(repository)s"
        " AND (%(collections)s::text[] IS NULL OR c.collection = ANY(%(collections)s))"
        f" AND NOT EXISTS (SELECT FROM sdd.vectors AS v WHERE {space.condition}"
        " AND v.repository = c.repository AND v.hash = c.hash)"
    )


def store_vectors(
    connection: Connection,
    repository: int,
    space: ModelSpace,
    vectors: Sequence[tuple[bytes, bytes]],
) -> int:
    """Store packed vectors by their keys, all of them or none. Returns how many are new."""
    texts = [(key, _literal(vector, space.storage)) for key, vector in vectors]
    with connection.transaction():
        return _store_texts(connection, repository, space, texts)


def _store_texts(
    connection: Connection, repository: int, space: ModelSpace, vectors: Sequence[tuple[bytes, str]]
) -> int:
    """Store vectors as the texts that pgvector reads. Returns how many are new."""
    results = insert_rows(
        connection,
        "INSERT INTO sdd.vectors(repository, model, hash, vector) VALUES {rows}"
        " ON CONFLICT DO NOTHING",
        f"(%s, %s, %s, %s::{space.type})",
        [(repository, space.model, *vector) for vector in vectors],
    )
    return sum(result.rowcount for result in results)


class NearChunk(NamedTuple):
    """A chunk that is near to a query, and the path of its document."""

    match: RankedMatch[int]
    path: str


def search_nearest(
    connection: Connection, scope: OrganisationScope, space: ModelSpace, vector: bytes, limit: int
) -> list[NearChunk]:
    """Return the chunks of the scope with the greatest cosine, at most `limit`.

    `vector` is the query's as float32. The strength of a chunk is its cosine, or 0 where that is
    negative. In a small scope each vector is compared; else the index of the model is searched.
    The transaction is the caller's.
    """
    if scope.repositories == ():
        return []
    distance = f"{space.indexed} <=> %(vector)s::{space.type}({space.dimensions})"
    # Arithmetic on the distance, so that the index is not used where every vector is compared.
    order = f"({distance}) + 0" if scope.is_small else distance
    if not scope.is_small:
        _set_up_index_scan(connection, space, limit)
    rows = connection.execute(
        "SELECT near.id, near.distance, d.path, near.first_line FROM ("
        "SELECT c.id, c.repository, c.document, c.first_line,"
        f" {distance} AS distance"
        " FROM sdd.vectors AS v"
        " JOIN sdd.chunks AS c ON c.repository = v.repository AND c.hash = v.hash"
        f" WHERE {space.condition}{scope.conditions} ORDER BY {order} LIMIT %(limit)s) AS near"
        " JOIN sdd.documents AS d"
        " ON d.repository = near.repository AND d.id = near.document".encode(),
        {
            **scope.values,
            "vector": _literal(pack_vector(vector, space.storage), space.storage),
            "limit": limit,
        },
    ).fetchall()
    if not scope.is_small:
        connection.execute("SET LOCAL enable_sort = on; SET LOCAL enable_hashjoin = on")
    # The distance to a vector without a direction is no number.
    return [
        NearChunk(RankedMatch(chunk, max(0.0, 1 - distance), 1 - distance), original_text(path))
        for chunk, distance, path, _ in sorted(rows, key=lambda row: row[1:])
        if not math.isnan(distance)
    ]


def _set_up_index_scan(connection: Connection, space: ModelSpace, limit: int) -> None:
    """Let the index return `limit` chunks even where the scope excludes many, if pgvector can."""
    # The policies of row-level security keep the planner from estimating how much is read: it
    # would compare the vectors of all repositories.
    settings = ["enable_sort = off", "enable_hashjoin = off", "enable_mergejoin = off"]
    settings.append(f"hnsw.ef_search = {min(int(limit), _MAX_EF_SEARCH)}")
    if space.is_iterative:
        settings.append("hnsw.iterative_scan = relaxed_order")
    connection.execute("; ".join(f"SET LOCAL {one}" for one in settings).encode())


def _literal(packed: bytes, storage: str) -> str:
    """Return a packed vector as the text that pgvector reads."""
    return "[" + ",".join(map(repr, array(_TYPE_CODES[storage], packed))) + "]"


def _packed(text: str, storage: str) -> bytes:
    """Return a vector from its text in PostgreSQL, packed."""
    numbers = map(float, text.strip("[]").split(","))
    if storage == "int8":
        return array("b", map(round, numbers)).tobytes()
    return array("f", numbers).tobytes()


class RepositoryExchange(NamedTuple):
    """`VectorExchange` over the vectors of a repository."""

    connection: Connection
    address: Address
    repository: int
    model: str
    storage: str
    dimensions: int

    def keys(self) -> Sequence[bytes]:
        """Return the key of every text of the repository, once, in order."""
        with translate_errors(self.address):
            rows = self.connection.execute(
                "SELECT DISTINCT hash FROM sdd.chunks WHERE repository = %s ORDER BY hash",
                (self.repository,),
            )
            return [bytes(key) for (key,) in rows]

    def held(self) -> Set[bytes]:
        """Return the key of every stored vector of the repository."""
        with translate_errors(self.address):
            space = find_space(self.connection, self.model, self.storage)
            if space is None:
                return frozenset()
            rows = self.connection.execute(
                "SELECT hash FROM sdd.vectors WHERE repository = %s AND model = %s",
                (self.repository, space.model),
            )
            return frozenset(bytes(key) for (key,) in rows)

    def vectors(self, keys: Sequence[bytes]) -> Iterator[tuple[bytes, bytes]]:
        """Yield those of `keys` that have a stored vector, each with it."""
        with translate_errors(self.address):
            space = find_space(self.connection, self.model, self.storage)
            for start in range(0, len(keys) if space else 0, _KEYS_AT_ONCE):
                some = list(keys[start : start + _KEYS_AT_ONCE])
                rows = self.connection.execute(
                    "SELECT hash, vector::text FROM sdd.vectors"
                    " WHERE repository = %s AND model = %s AND hash = ANY(%s)",
                    (self.repository, space.model if space else 0, some),
                )
                found = {bytes(key): text for key, text in rows}
                yield from (
                    (key, _packed(found[key], self.storage)) for key in some if key in found
                )

    def adopt(self, dimensions: int, vectors: Sequence[tuple[bytes, bytes]]) -> int:
        """Store vectors of another machine, all of them or none. Returns how many are new."""
        with translate_errors(self.address), self.connection.transaction():
            space = create_space(self.connection, self.model, self.storage, dimensions)
            return store_vectors(self.connection, self.repository, space, vectors)
