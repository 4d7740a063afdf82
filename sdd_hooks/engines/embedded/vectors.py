"""Store vectors by model and chunk hash, for all work trees of a repository.

A vector is stored as float32, or as int8 scaled so that its largest component is 127. The cosine
does not depend on the scale, so the scale is not stored.
"""

# Governing: ADR-0011 (content-addressed vectors), ADR-0006 (vectors beside the git common dir),
# ADR-0025 (vectors travel in a git ref), ADR-0028 (a vector is used only if it is sound)

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from importlib.machinery import PathFinder
from pathlib import Path
from typing import TYPE_CHECKING

import apsw

from sdd_hooks.engines.embedded.database import transaction, translate_errors
from sdd_hooks.engines.embedded.vector_file import model_checksum, vector_checksum
from sdd_hooks.engines.vector_exchange import pack_vector
from sdd_hooks.errors import EngineUnavailable
from sdd_hooks.named_tuple import NamedTuple

if TYPE_CHECKING:
    from sdd_hooks.engines.embedding import StoredChunk
    from sdd_hooks.engines.ranking.fusion import RankedMatch

_CONSTRUCTORS = {"int8": "vec_int8", "float32": "vec_f32"}
_COMPONENT_BYTES = {"int8": 1, "float32": 4}

_HASH_BYTES = 32
"""A hostile index may have hashes of any length."""

# The length is checked because a hostile file may have values of any length.
_HAS_NO_VECTOR = (
    "NOT EXISTS (SELECT 1 FROM store.vectors WHERE model = :model"
    " AND vectors.hash = chunks.hash AND length(vector) = :bytes)"
)


class VectorSpace(NamedTuple):
    """The vectors of one model in one storage (`int8` or `float32`); `model` is a row id.

    `measured` says that the model itself gave the dimensions, on this machine.
    """

    model: int
    storage: str
    dimensions: int
    measured: bool = True

    @property
    def bytes(self) -> int:
        """The length of a stored vector."""
        return self.dimensions * _COMPONENT_BYTES[self.storage]


class StoredVectors(NamedTuple):
    """`VectorExchange` over an index with its vectors attached; `path` is the file of vectors.

    `measured` says that the model itself gave the dimensions, on this machine.
    """

    connection: apsw.Connection
    path: Path
    model: str
    storage: str
    dimensions: int
    measured: bool = True

    def keys(self) -> Sequence[bytes]:
        """Return the key of every text in the index, once, in order."""
        with translate_errors(self.path):
            rows = self.connection.execute(
                "SELECT DISTINCT hash FROM chunks WHERE length(hash) = ? ORDER BY hash",
                (_HASH_BYTES,),
            )
            return [row[0] for row in rows]

    def held(self) -> Set[bytes]:
        """Return the key of every stored vector of the right length."""
        with translate_errors(self.path):
            space = find_space(self.connection, self.model, self.storage)
            if space is None:
                return frozenset()
            rows = self.connection.execute(
                "SELECT hash FROM store.vectors WHERE model = ? AND length(vector) = ?",
                (space.model, space.bytes),
            )
            return frozenset(row[0] for row in rows)

    def vectors(self, keys: Sequence[bytes]) -> Iterator[tuple[bytes, bytes]]:
        """Yield those of `keys` that have a stored vector, each with it."""
        with translate_errors(self.path):
            space = find_space(self.connection, self.model, self.storage)
            if space is None:
                return
            for key in keys:
                row = self.connection.execute(
                    "SELECT vector FROM store.vectors"
                    " WHERE model = ? AND hash = ? AND length(vector) = ?",
                    (space.model, key, space.bytes),
                ).fetchone()
                if row is not None:
                    yield key, row[0]

    def adopt(self, dimensions: int, vectors: Sequence[tuple[bytes, bytes]]) -> int:
        """Store vectors of another machine, all of them or none. Returns how many are new."""
        with translate_errors(self.path), transaction(self.connection):
            space = create_space(
                self.connection, self.model, self.storage, dimensions, measured=self.measured
            )
            return adopt_vectors(self.connection, space, vectors)

    def forget_pulled(self) -> int:
        """Delete the vectors of other machines, of every model. Returns how many there were."""
        with translate_errors(self.path), transaction(self.connection):
            before = self.connection.total_changes()
            self.connection.execute("DELETE FROM store.vectors WHERE pulled <> 0")
            deleted = self.connection.total_changes() - before
            self.connection.execute("DELETE FROM store.models WHERE NOT measured")
            return deleted


def find_space(connection: apsw.Connection, model: str, storage: str) -> VectorSpace | None:
    """Find the space of a model in the attached store; None if nothing was embedded with it."""
    row = connection.execute(
        "SELECT id, dimensions, measured FROM store.models WHERE name = ? AND storage = ?",
        (model, storage),
    ).fetchone()
    return VectorSpace(row[0], storage, row[1], bool(row[2])) if row else None


def create_space(
    connection: apsw.Connection, model: str, storage: str, dimensions: int, *, measured: bool = True
) -> VectorSpace:
    """Return the space of a model, which is created if missing.

    With `measured`, the model itself gave the dimensions: they replace those of pulled vectors,
    which then count as missing.

    Raises:
        EngineUnavailable: vectors of other dimensions are stored under the same model name.
    """
    space = find_space(connection, model, storage)
    if space is not None and space.dimensions != dimensions and (space.measured or not measured):
        raise EngineUnavailable(
            f"{model} now gives {dimensions} dimensions, not those of the stored vectors:"
            " give the model another name in `Embed Model`"
        )
    wanted = VectorSpace(0, storage, dimensions, measured or (space is not None and space.measured))
    if space is not None and wanted._replace(model=space.model) == space:
        return space
    # A savepoint: the checksum of a new row contains its id.
    with connection:
        if space is None:
            connection.execute(
                "INSERT INTO store.models(name, storage, dimensions, measured, checksum)"
                " VALUES(?, ?, 0, 0, 0) ON CONFLICT DO NOTHING",
                (model, storage),
            )
        row_id = connection.execute(
            "SELECT id FROM store.models WHERE name = ? AND storage = ?", (model, storage)
        ).get
        checksum = model_checksum(row_id, model, storage, dimensions, int(wanted.measured))
        connection.execute(
            "UPDATE store.models SET dimensions = ?, measured = ?, checksum = ? WHERE id = ?",
            (dimensions, int(wanted.measured), checksum, row_id),
        )
    return wanted._replace(model=row_id)


def count_pending(connection: apsw.Connection, space: VectorSpace, collection: int) -> int:
    """Count the chunks of a collection (row id) that have no vector."""
    count = connection.execute(
        f"SELECT count(*) FROM chunks WHERE collection = :collection AND {_HAS_NO_VECTOR}",
        {"collection": collection, "model": space.model, "bytes": space.bytes},
    ).get
    return int(count)


class MissingVectors(NamedTuple):
    """`EmbedStore` of the chunks of these collections (row ids) and the space of a model."""

    connection: apsw.Connection
    space: VectorSpace
    collections: Sequence[int]

    def missing(self) -> list[bytes]:
        """Return each chunk hash without a vector; those of short texts come first."""
        marks = ",".join(str(int(collection)) for collection in self.collections)
        rows = self.connection.execute(
            f"SELECT hash FROM chunks WHERE collection IN ({marks}) AND {_HAS_NO_VECTOR}"
            " GROUP BY hash ORDER BY length(text), min(id)",
            {"model": self.space.model, "bytes": self.space.bytes},
        )
        return [row[0] for row in rows]

    def chunks(self, keys: Sequence[bytes]) -> dict[bytes, StoredChunk]:
        """Return a chunk for each key that is still in the index."""
        found = ((key, self._find_chunk(key)) for key in keys)
        return {key: chunk for key, chunk in found if chunk is not None}

    def is_empty(self) -> bool:
        """Whether no vector of the space is stored."""
        row = self.connection.execute(
            "SELECT 1 FROM store.vectors WHERE model = ? LIMIT 1", (self.space.model,)
        ).fetchone()
        return row is None

    def store(self, vectors_by_key: Mapping[bytes, bytes]) -> None:
        """Store float32 vectors by their chunk hashes, in one transaction."""
        with transaction(self.connection):
            self.connection.executemany(
                "INSERT OR REPLACE INTO store.vectors(model, hash, vector, pulled, checksum)"
                " VALUES(?, ?, ?, ?, ?)",
                [
                    _vector_row(self.space, key, pack_vector(vector, self.space.storage), pulled=0)
                    for key, vector in vectors_by_key.items()
                ],
            )

    def count_pending(self) -> int:
        """Count the chunks without a vector."""
        return sum(count_pending(self.connection, self.space, one) for one in self.collections)

    def _find_chunk(self, key: bytes) -> StoredChunk | None:
        from sdd_hooks.engines.embedding import StoredChunk

        for collection in self.collections:
            row = self.connection.execute(
                "SELECT path, anchor, title, section, text"
                " FROM chunks JOIN documents ON documents.id = document"
                " WHERE chunks.collection = ? AND chunks.hash = ? LIMIT 1",
                (collection, key),
            ).fetchone()
            if row is not None:
                path, anchor, *content = row
                return StoredChunk(f"{path}#{anchor}", *content)
        return None


def adopt_vectors(
    connection: apsw.Connection, space: VectorSpace, vectors: Sequence[tuple[bytes, bytes]]
) -> int:
    """Store packed vectors of another machine. Returns how many are new.

    An existing vector stays unless its length is wrong. The caller opens the transaction.
    """
    before = connection.total_changes()
    connection.executemany(
        "INSERT INTO store.vectors(model, hash, vector, pulled, checksum) VALUES(?, ?, ?, ?, ?)"
        " ON CONFLICT DO UPDATE SET vector = excluded.vector, pulled = excluded.pulled,"
        " checksum = excluded.checksum WHERE length(vectors.vector) <> length(excluded.vector)",
        [_vector_row(space, key, vector, pulled=1) for key, vector in vectors],
    )
    return connection.total_changes() - before


def _vector_row(
    space: VectorSpace, key: bytes, vector: bytes, *, pulled: int
) -> tuple[int, bytes, bytes, int, int]:
    """Return a row of `vectors`. `pulled` is 1 for a vector that another machine computed."""
    checksum = vector_checksum(space.model, key, vector, pulled)
    return space.model, key, vector, pulled, checksum


def search_nearest(
    connection: apsw.Connection,
    space: VectorSpace,
    vector: bytes,
    collections: Sequence[int],
    limit: int,
) -> list[RankedMatch[int]]:
    """Return the chunks of these collections (row ids) with the greatest cosine, at most `limit`.

    The strength of a chunk is its cosine, or 0 where that is negative.
    """
    from sdd_hooks.engines.ranking.fusion import RankedMatch

    load_extension(connection)
    construct = _CONSTRUCTORS[space.storage]
    marks = ",".join(str(int(collection)) for collection in collections)
    rows = connection.execute(
        "SELECT near.id, distance FROM (SELECT chunks.id AS id, document, first_line,"
        f" vec_distance_cosine({construct}(vector), {construct}(:vector)) AS distance"
        " FROM chunks CROSS JOIN store.vectors"
        " ON vectors.model = :model AND vectors.hash = chunks.hash"
        f" WHERE collection IN ({marks}) AND length(vector) = :bytes"
        " ORDER BY distance LIMIT :limit) AS near"
        " LEFT JOIN documents ON documents.id = document ORDER BY distance, path, first_line",
        {
            "vector": pack_vector(vector, space.storage),
            "model": space.model,
            "bytes": space.bytes,
            "limit": limit,
        },
    )
    return [
        RankedMatch(chunk, max(0.0, 1 - distance), 1 - distance)
        for chunk, distance in rows
        if distance is not None
    ]


def load_extension(connection: apsw.Connection) -> None:
    """Load sqlite-vec into the connection from its file: importing its module imports numpy.

    Raises:
        EngineUnavailable: sqlite-vec is not installed.
    """
    spec = PathFinder.find_spec("sqlite_vec")
    if spec is None or spec.origin is None:
        from sdd_hooks.system.installation import advise_package

        raise EngineUnavailable(f"sqlite-vec is not installed: {advise_package('sqlite-vec')}")
    connection.enable_load_extension(True)
    connection.load_extension(str(Path(spec.origin).parent / "vec0"))
    connection.enable_load_extension(False)
