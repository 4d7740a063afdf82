"""Give a vector to every chunk that has none, once, however often the work is cut short."""

# Governing: ADR-0011 (content-addressed vectors), SPEC-0003 REQ "Every text is embedded once"

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import apsw

from sdd_hooks.chunking.document import text_to_embed
from sdd_hooks.engines.embedded import vectors
from sdd_hooks.engines.protocol import Progress, report_progress
from sdd_hooks.errors import EngineUnavailable, StorageError
from sdd_hooks.models.model import EmbeddingModel

BATCH = 32
"""Texts kept at once to begin with."""
LARGEST_BATCH = 4_096
SECONDS = 2.0
"""How long a larger batch may take: what a killed embed loses at most. A fast model gets batches
that are worth its while."""

_NAMED = 5
"""Failures that are named; the others are counted."""


@dataclass(frozen=True)
class Outcome:
    """What an embed did: texts embedded, texts tried in vain, chunks still without a vector.

    Equal chunks are one text. `notes` names the first failures, each with its reason.
    """

    embedded: int
    failed: int
    remaining: int
    notes: tuple[str, ...]


def embed_missing(
    connection: apsw.Connection,
    lock: Path,
    model: EmbeddingModel,
    storage: str,
    collections: Sequence[int],
    progress: Progress | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> Outcome:
    """Embed what these collections (row ids) miss.

    Each batch is kept as soon as it is made: a killed run is continued by the next. Equal texts
    are one vector. A text the model refuses costs no other its vector. Another embed of this
    repository at work is an error, not a second computation.

    Raises:
        StorageError: another embed is at work, or the store cannot be written.
        EngineUnavailable: the model answers nothing any more, or never answered one of our texts.
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
        failures: list[str] = []
        start, size = 0, BATCH
        while start < len(wanted):
            report_progress(progress, "Embedding", start, len(wanted))
            began = clock()
            failures += _embed_batch(connection, where, model, wanted[start : start + size])
            start, size = start + size, next_size(size, clock() - began)
        report_progress(progress, "Embedding", len(wanted), len(wanted))
        left = sum(vectors.pending(connection, where, one) for one in collections)
        return Outcome(len(wanted) - len(failures), len(failures), left, _notes(failures))
    finally:
        os.close(descriptor)


def next_size(size: int, seconds: float) -> int:
    """How many texts the next batch has, after one of `size` that took `seconds`."""
    if seconds > SECONDS:
        return max(size // 2, BATCH)
    return min(size * 2, LARGEST_BATCH) if seconds < SECONDS / 2 else size


def _embed_batch(
    connection: apsw.Connection,
    where: vectors.Space,
    model: EmbeddingModel,
    batch: Sequence[tuple[bytes, int]],
) -> list[str]:
    """Embed and keep these texts (hash, one chunk that has it). Returns a line for each refused."""
    named = [_named_text(connection, chunk) for _, chunk in batch]
    made: dict[bytes, bytes] = {}
    refused: list[tuple[str, EngineUnavailable]] = []
    answers = _answers(model, [text for _, text in named])
    for (key, _), (name, _), answer in zip(batch, named, answers, strict=True):
        if isinstance(answer, bytes):
            made[key] = answer
        else:
            refused.append((name, answer))
    # Refused from the first on, it is the model that is wrong, not the texts.
    if refused and not made and not vectors.begun(connection, where):
        raise refused[0][1]
    vectors.store(connection, where, list(made), list(made.values()))
    return [f"{name} has no vector: {error}" for name, error in refused]


def _answers(model: EmbeddingModel, texts: Sequence[str]) -> list[bytes | EngineUnavailable]:
    """The vector of each text, or why it has none.

    Raises EngineUnavailable when the model does not answer what every model that was loaded did.
    """
    try:
        return list(model.embed(texts))
    except EngineUnavailable as error:
        model.embed(["dimensions"])
        if len(texts) == 1:
            return [error]
    # Halves: of a thousand texts with one that is refused, few are tried again alone.
    middle = len(texts) // 2
    return [*_answers(model, texts[:middle]), *_answers(model, texts[middle:])]


def _notes(failures: Sequence[str]) -> tuple[str, ...]:
    others = len(failures) - _NAMED
    return (*failures[:_NAMED], *([f"{others} more have no vector"] if others > 0 else []))


def _named_text(connection: apsw.Connection, chunk: int) -> tuple[str, str]:
    """A chunk's id, `path#anchor`, and what a model reads for it."""
    path, anchor, title, section, text = connection.execute(
        "SELECT path, anchor, title, section, text"
        " FROM chunks JOIN documents ON documents.id = document WHERE chunks.id = ?",
        (chunk,),
    ).get
    return f"{path}#{anchor}", text_to_embed(title, section, text)
