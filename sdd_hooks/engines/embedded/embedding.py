"""Embed the chunks of the index that have no vector, one process at a time."""

# Governing: ADR-0011 (content-addressed vectors), SPEC-0003 REQ "Every text is embedded once"

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import apsw

from sdd_hooks.engines.embedded import vectors
from sdd_hooks.engines.embedding import EmbedCounts, StoredChunk, embed_missing
from sdd_hooks.engines.protocol import Progress
from sdd_hooks.errors import StorageError
from sdd_hooks.models.embedding_model import EmbeddingModel
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.system.locks import hold_lock


class EmbedTarget(NamedTuple):
    """An index with the vectors attached, the lock of its embeds, and the format of a vector."""

    connection: apsw.Connection
    lock: Path
    storage: str


def embed_index(
    target: EmbedTarget,
    model: EmbeddingModel,
    collections: Sequence[int],
    *,
    progress: Progress | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> EmbedCounts:
    """Embed the chunks of these collections (row ids); see `engines.embedding.embed_missing`.

    Raises StorageError, too, if another embed runs.
    """
    with hold_lock(target.lock, 0.0) as is_locked:
        if not is_locked:
            raise StorageError(
                "another embed of this repository is running: run `sdd index embed` after it"
            )
        connection = target.connection
        space = vectors.create_space(connection, model.id, target.storage, model.dimensions)
        work = _Work(connection, space, collections)
        return embed_missing(work, model, progress=progress, clock=clock)


class _Work(NamedTuple):
    """`EmbedStore` of these collections (row ids) and the space of a model."""

    connection: apsw.Connection
    space: vectors.VectorSpace
    collections: Sequence[int]

    def missing(self) -> list[bytes]:
        return vectors.find_missing(self.connection, self.space, self.collections)

    def chunks(self, keys: Sequence[bytes]) -> dict[bytes, StoredChunk]:
        found = ((key, self._find_chunk(key)) for key in keys)
        return {key: chunk for key, chunk in found if chunk is not None}

    def is_empty(self) -> bool:
        return not vectors.has_vectors(self.connection, self.space)

    def store(self, vectors_by_key: Mapping[bytes, bytes]) -> None:
        vectors.store_vectors(self.connection, self.space, vectors_by_key)

    def count_pending(self) -> int:
        return sum(
            vectors.count_pending(self.connection, self.space, collection)
            for collection in self.collections
        )

    def _find_chunk(self, key: bytes) -> StoredChunk | None:
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
