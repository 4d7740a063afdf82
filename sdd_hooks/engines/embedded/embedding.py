"""Give a vector to every chunk that has none, once, however often the work is cut short."""

# Governing: ADR-0011 (content-addressed vectors)

from __future__ import annotations

import fcntl
import os
from collections.abc import Sequence
from pathlib import Path

import apsw

from sdd_hooks.engines.embedded import vectors
from sdd_hooks.engines.protocol import Progress
from sdd_hooks.errors import StorageError
from sdd_hooks.models.model import EmbeddingModel
from sdd_hooks.units.passages import embedded_text

BATCH = 32
"""Texts at once: of about the same length, so that little of a batch is padding."""


def embed_missing(
    connection: apsw.Connection,
    lock: Path,
    model: EmbeddingModel,
    storage: str,
    collections: Sequence[int],
    progress: Progress | None = None,
) -> tuple[int, int]:
    """Embed what these collections (row ids) miss. Returns (embedded, still without a vector).

    Each batch is kept as soon as it is made: a killed run is continued by the next. Equal texts
    are one vector. Another embed of this repository at work is an error, not a second computation.

    Raises:
        StorageError: another embed is at work, or the store cannot be written.
    """
    descriptor = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise StorageError(
                "another embed of this repository is running: run `sdd index embed` after it"
            ) from None
        where = vectors.create_space(connection, model.id, storage, model.dimensions)
        wanted = vectors.missing(connection, where, collections)
        for start in range(0, len(wanted), BATCH):
            if progress:
                progress("Embedding", start, len(wanted))
            batch = wanted[start : start + BATCH]
            made = model.embed([_text(connection, chunk) for _, chunk in batch])
            vectors.store(connection, where, [key for key, _ in batch], made)
        if progress:
            progress("Embedding", len(wanted), len(wanted))
        left = sum(vectors.pending(connection, where, one) for one in collections)
        return len(wanted), left
    finally:
        os.close(descriptor)


def _text(connection: apsw.Connection, chunk: int) -> str:
    title, section, text = connection.execute(
        "SELECT title, section, text FROM chunks JOIN documents ON documents.id = document"
        " WHERE chunks.id = ?",
        (chunk,),
    ).get
    return embedded_text(title, section, text)
