"""Vectors by (model, chunk hash): shared by every work tree, never computed twice.

A vector is stored as float32, or as int8 scaled so that its largest component is 127; the cosine
does not change with the scale, so nothing else is stored.
"""

# Governing: ADR-0011 (content-addressed vectors), ADR-0006 (vectors beside the git common dir)

from __future__ import annotations

import importlib.util
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import apsw

from sdd_hooks.engines.embedded.database import transaction
from sdd_hooks.engines.fusion import Found
from sdd_hooks.errors import EngineUnavailable

_CONSTRUCTOR = {"int8": "vec_int8", "float32": "vec_f32"}
_BYTES = {"int8": 1, "float32": 4}

# A chunk counts as embedded only if its vector can be used: a hostile file may hold anything.
_MISSING = (
    "NOT EXISTS (SELECT 1 FROM store.vectors WHERE model = :model"
    " AND vectors.hash = chunks.hash AND length(vector) = :bytes)"
)


@dataclass(frozen=True)
class Space:
    """One model's vectors in the store, in one storage (`int8` or `float32`)."""

    model: int
    storage: str
    dimensions: int

    @property
    def bytes(self) -> int:
        """Length of one stored vector."""
        return self.dimensions * _BYTES[self.storage]


def space(connection: apsw.Connection, model: str, storage: str) -> Space | None:
    """The space of a model in the attached store, or None when nothing was embedded with it."""
    row = connection.execute(
        "SELECT id, dimensions FROM store.models WHERE name = ? AND storage = ?", (model, storage)
    ).fetchone()
    return Space(row[0], storage, row[1]) if row else None


def create_space(connection: apsw.Connection, model: str, storage: str, dimensions: int) -> Space:
    """The space of a model, created when missing.

    Raises:
        EngineUnavailable: the same model name gave vectors of another length before.
    """
    connection.execute(
        "INSERT OR IGNORE INTO store.models(name, storage, dimensions) VALUES(?, ?, ?)",
        (model, storage, dimensions),
    )
    found = space(connection, model, storage)
    if found is None or found.dimensions != dimensions:
        raise EngineUnavailable(
            f"{model} now gives {dimensions} dimensions, not those of the stored vectors:"
            " give the model another name in `Embed Model`"
        )
    return found


def begun(connection: apsw.Connection, where: Space) -> bool:
    """Whether the model ever gave a vector that was kept."""
    row = connection.execute("SELECT 1 FROM store.vectors WHERE model = ? LIMIT 1", (where.model,))
    return row.fetchone() is not None


def pending(connection: apsw.Connection, where: Space, collection: int) -> int:
    """How many chunks of a collection (row id) have no vector."""
    count = connection.execute(
        f"SELECT count(*) FROM chunks WHERE collection = :collection AND {_MISSING}",
        {"collection": collection, "model": where.model, "bytes": where.bytes},
    ).get
    return int(count)


def missing(
    connection: apsw.Connection, where: Space, collections: Sequence[int]
) -> list[tuple[bytes, int]]:
    """Each chunk hash without a vector, once, with one chunk id that has it; short texts first."""
    marks = ",".join(str(int(collection)) for collection in collections)
    return list(
        connection.execute(
            "SELECT hash, min(id) FROM chunks"
            f" WHERE collection IN ({marks}) AND {_MISSING} GROUP BY hash ORDER BY length(text), 2",
            {"model": where.model, "bytes": where.bytes},
        )
    )


def store(
    connection: apsw.Connection, where: Space, hashes: Sequence[bytes], vectors: Sequence[bytes]
) -> None:
    """Keep one float32 vector for each hash, in one transaction."""
    with transaction(connection):
        connection.executemany(
            "INSERT OR REPLACE INTO store.vectors(model, hash, vector) VALUES(?, ?, ?)",
            [
                (where.model, key, packed(vector, where.storage))
                for key, vector in zip(hashes, vectors, strict=True)
            ],
        )


def keys(connection: apsw.Connection, where: Space) -> frozenset[bytes]:
    """The hash of every vector of the space that can be used."""
    rows = connection.execute(
        "SELECT hash FROM store.vectors WHERE model = ? AND length(vector) = ?",
        (where.model, where.bytes),
    )
    return frozenset(row[0] for row in rows)


def read(
    connection: apsw.Connection, where: Space, hashes: Sequence[bytes]
) -> Iterator[tuple[bytes, bytes]]:
    """Those of the hashes that have a vector, each with it as it is stored."""
    for key in hashes:
        row = connection.execute(
            "SELECT vector FROM store.vectors WHERE model = ? AND hash = ? AND length(vector) = ?",
            (where.model, key, where.bytes),
        ).fetchone()
        if row is not None:
            yield key, row[0]


def adopt(connection: apsw.Connection, where: Space, made: Sequence[tuple[bytes, bytes]]) -> int:
    """Keep vectors that are stored elsewhere as they are here. Returns how many are new.

    One that is here stays, unless it cannot be used. The caller has a transaction.
    """
    before = connection.total_changes()
    connection.executemany(
        "INSERT INTO store.vectors(model, hash, vector) VALUES(?, ?, ?)"
        " ON CONFLICT DO UPDATE SET vector = excluded.vector"
        " WHERE length(vectors.vector) <> length(excluded.vector)",
        [(where.model, key, vector) for key, vector in made],
    )
    return connection.total_changes() - before


def packed(vector: bytes, storage: str) -> bytes:
    """A float32 vector as it is stored."""
    if storage == "float32":
        return vector
    values = array("f", vector)
    largest = max(map(abs, values), default=0.0) or 1.0
    return array("b", (round(value / largest * 127) for value in values)).tobytes()


def nearest(
    connection: apsw.Connection,
    where: Space,
    vector: bytes,
    collections: Sequence[int],
    limit: int,
) -> list[Found[int]]:
    """The chunks of these collections (row ids) whose vectors are nearest, by cosine.

    A chunk's strength is its cosine, 0 where that is negative.
    """
    load_extension(connection)
    build = _CONSTRUCTOR[where.storage]
    marks = ",".join(str(int(collection)) for collection in collections)
    rows = connection.execute(
        "SELECT near.id, distance FROM (SELECT chunks.id AS id, document, first_line,"
        f" vec_distance_cosine({build}(vector), {build}(:vector)) AS distance"
        " FROM chunks CROSS JOIN store.vectors"
        " ON vectors.model = :model AND vectors.hash = chunks.hash"
        f" WHERE collection IN ({marks}) AND length(vector) = :bytes"
        " ORDER BY distance LIMIT :limit) AS near"
        " LEFT JOIN documents ON documents.id = document ORDER BY distance, path, first_line",
        {
            "vector": packed(vector, where.storage),
            "model": where.model,
            "bytes": where.bytes,
            "limit": limit,
        },
    )
    return [Found(chunk, max(0.0, 1 - far), 1 - far) for chunk, far in rows if far is not None]


def load_extension(connection: apsw.Connection) -> None:
    """Load sqlite-vec into the connection, by its file: importing its module would pull numpy.

    Raises:
        EngineUnavailable: sqlite-vec is not installed.
    """
    spec = importlib.util.find_spec("sqlite_vec")
    if spec is None or spec.origin is None:
        raise EngineUnavailable("sqlite-vec is not installed: pip install sqlite-vec")
    connection.enable_load_extension(True)
    connection.load_extension(str(Path(spec.origin).parent / "vec0"))
    connection.enable_load_extension(False)
