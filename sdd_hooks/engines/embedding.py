"""Embed every chunk that has no vector, in batches that are stored as soon as they are computed."""

# Governing: ADR-0011 (content-addressed vectors), SPEC-0003 REQ "Every text is embedded once"

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from sdd_hooks.chunking.document import text_hash, text_to_embed
from sdd_hooks.engines.protocol import EmbedReport, Progress, report_progress
from sdd_hooks.errors import EngineUnavailable
from sdd_hooks.models.embedding_model import EmbeddingModel
from sdd_hooks.named_tuple import NamedTuple

_GOLDEN_RATIO = (5**0.5 - 1) / 2

MIN_BATCH = 32
"""Texts of the first batch, and of the smallest."""
MAX_BATCH = 4_096
"""Texts of the largest batch."""
BATCH_SECONDS = 2.0
"""How long a batch above `MIN_BATCH` may take: a killed embed loses at most that much work."""

_MAX_NAMED_FAILURES = 5

_MAX_PASSES = 10
"""How often texts are listed that a refresh has added meanwhile: the last pass may leave some."""


@dataclass(frozen=True)
class EmbedCounts:
    """What an embed did: texts embedded, texts that failed, chunks that still have no vector.

    Equal chunks are one text. `notes` names the first failures with their reasons, and counts the
    others.
    """

    embedded: int
    failed: int
    remaining: int
    notes: tuple[str, ...]

    def report(self, model: EmbeddingModel, seconds: float) -> EmbedReport:
        """Return the report of an embed with a model."""
        return EmbedReport(
            self.embedded,
            self.remaining,
            seconds,
            model.id,
            model.device,
            self.failed,
            self.notes,
        )


class StoredChunk(NamedTuple):
    """A chunk as an index stores it. `id` is `path#anchor`."""

    id: str
    title: str
    section: str
    text: str


class EmbedStore(Protocol):
    """The chunks of an index that an embed is about, and the vectors of one model.

    A key is the hash of the text that the model embeds.
    """

    def missing(self) -> Sequence[bytes]:
        """Return each key without a vector, sorted by the length of its text."""
        ...

    def chunks(self, keys: Sequence[bytes]) -> Mapping[bytes, StoredChunk]:
        """Return a chunk for each key that is still in the index."""
        ...

    def is_empty(self) -> bool:
        """Whether no vector of this model is stored."""
        ...

    def store(self, vectors_by_key: Mapping[bytes, bytes]) -> None:
        """Store float32 vectors by their keys, in one transaction."""
        ...

    def count_pending(self) -> int:
        """Count the chunks without a vector."""
        ...


def embed_missing(
    store: EmbedStore,
    model: EmbeddingModel,
    *,
    progress: Progress | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> EmbedCounts:
    """Embed the chunks that have no vector. The caller makes sure that no other embed runs.

    Equal texts are embedded once. Every batch is stored when it is done, so that the next embed
    continues after a killed one. A text that the model refuses does not fail the others.

    Raises:
        StorageError: the vectors cannot be stored.
        EngineUnavailable: the model stopped working, or refused every text from the start.
        Stopped: `progress` returned False.
    """
    embedded, tried = 0, set[bytes]()
    failures: list[str] = []
    # A refresh may add texts while others are embedded.
    for number in range(_MAX_PASSES):
        missing = _spread([key for key in store.missing() if key not in tried])
        if number and not missing:
            break
        tried.update(missing)
        start, size = 0, MIN_BATCH
        while start < len(missing):
            report_progress(progress, "Embedding", start, len(missing))
            started = clock()
            batch = _embed_batch(store, model, missing[start : start + size])
            embedded, failures = embedded + batch.embedded, failures + batch.failures
            start, size = start + size, next_batch_size(size, clock() - started)
        report_progress(progress, "Embedding", len(missing), len(missing))
    return EmbedCounts(embedded, len(failures), store.count_pending(), _failure_notes(failures))


def _spread(keys: Sequence[bytes]) -> list[bytes]:
    """The keys, which are sorted by the lengths of their texts, so that each part has all lengths.

    Otherwise the rate of the short texts at the start would promise an end that is too early.
    Multiples of the golden ratio are spread evenly over an interval, and so are all first ones.
    """
    order = sorted(range(len(keys)), key=lambda number: number * _GOLDEN_RATIO % 1)
    return [keys[number] for number in order]


def next_batch_size(size: int, seconds: float) -> int:
    """Return how many texts the next batch has, after one of `size` texts that took `seconds`."""
    if seconds > BATCH_SECONDS:
        return max(size // 2, MIN_BATCH)
    return min(size * 2, MAX_BATCH) if seconds < BATCH_SECONDS / 2 else size


class _Batch(NamedTuple):
    """How many texts were embedded, and a line for each that was not."""

    embedded: int
    failures: list[str]


class _Text(NamedTuple):
    """The id of a chunk, `path#anchor`, the hash in its row, and the text that the model embeds."""

    name: str
    hash: bytes
    text: str

    @property
    def is_sound(self) -> bool:
        """Whether the hash is that of the text: a vector must never belong to another text."""
        return text_hash(self.text) == self.hash


def _embed_batch(store: EmbedStore, model: EmbeddingModel, keys: Sequence[bytes]) -> _Batch:
    """Embed and store the texts with these keys. Those that a refresh removed are left out."""
    chunks = store.chunks(keys)
    found = [
        _Text(chunk.id, key, text_to_embed(chunk.title, chunk.section, chunk.text))
        for key in keys
        if (chunk := chunks.get(key)) is not None
    ]
    # A model pads texts that it embeds together to the length of the longest.
    texts = sorted((text for text in found if text.is_sound), key=lambda text: len(text.text))
    embedded: dict[bytes, bytes] = {}
    failures: list[tuple[str, EngineUnavailable]] = []
    results = _embed_or_explain(model, [text.text for text in texts]) if texts else []
    for text, result in zip(texts, results, strict=True):
        if isinstance(result, bytes):
            embedded[text.hash] = result
        else:
            failures.append((text.name, result))
    # If every text fails from the start, the model is at fault, not the texts.
    if failures and not embedded and store.is_empty():
        raise failures[0][1]
    store.store(embedded)
    lines = [f"{name} has no vector: {error}" for name, error in failures]
    lines += [
        f"{text.name} has no vector: the index is damaged there, run `sdd index update --full`"
        for text in found
        if not text.is_sound
    ]
    return _Batch(len(embedded), lines)


def _embed_or_explain(
    model: EmbeddingModel, texts: Sequence[str]
) -> list[bytes | EngineUnavailable]:
    """Return the vector of each text, or the error that it causes.

    Raises EngineUnavailable when the model no longer embeds the text it embedded while loading.
    """
    try:
        return list(model.embed(texts))
    except EngineUnavailable as error:
        model.embed(["dimensions"])
        if len(texts) == 1:
            return [error]
    # Halving repeats few texts when one of a thousand is refused.
    middle = len(texts) // 2
    return [*_embed_or_explain(model, texts[:middle]), *_embed_or_explain(model, texts[middle:])]


def _failure_notes(failures: Sequence[str]) -> tuple[str, ...]:
    others = len(failures) - _MAX_NAMED_FAILURES
    more = [f"{others} more have no vector"] if others > 0 else []
    return (*failures[:_MAX_NAMED_FAILURES], *more)
