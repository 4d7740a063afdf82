"""Batches: large for a fast model, small for a slow one; a refused text fails alone."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import apsw
import pytest

from sdd_hooks.chunking.document import text_hash, text_to_embed
from sdd_hooks.engines.embedded.database import open_database
from sdd_hooks.engines.embedded.schema import INDEX, VECTORS
from sdd_hooks.engines.embedded.vectors import MissingVectors, create_space
from sdd_hooks.engines.embedding import (
    BATCH_SECONDS,
    MAX_BATCH,
    MIN_BATCH,
    embed_missing,
    next_batch_size,
)
from sdd_hooks.errors import EngineUnavailable

CHUNKS = 10_000
VECTOR = array("f", [1.0, 0.0]).tobytes()


class Model:
    """A model that advances its `clock`, fails on texts with `refused`, and records its calls."""

    id = "timed"
    dimensions = 2
    device = "cpu"

    def __init__(self, seconds: Callable[[int], float], refused: str = "") -> None:
        self._seconds, self._refused = seconds, refused
        self.now = 0.0
        self.batches: list[int] = []

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        self.batches.append(len(texts))
        self.now += sum(self._seconds(len(text)) for text in texts)
        if self._refused and any(self._refused in text for text in texts):
            raise EngineUnavailable("refused")
        return [VECTOR] * len(texts)

    def clock(self) -> float:
        return self.now


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[apsw.Connection]:
    """The index of a collection of CHUNKS chunks, each longer than the one before."""
    open_database(tmp_path / "vectors.db", VECTORS).close()
    index = open_database(tmp_path / "index.db", INDEX)
    index.execute("ATTACH DATABASE ? AS store", (str(tmp_path / "vectors.db"),))
    index.execute("INSERT INTO documents VALUES(1, 1, 'docs/a.md', x'00', 'A')")
    with index:
        index.executemany(
            "INSERT INTO chunks VALUES(?, 1, 1, ?, '', 1, 1, ?, ?)",
            (
                (number, f"n{number}", text_hash(text_to_embed("A", "", text)), text)
                for number, text in ((n, f"#{n}#" + "x" * n) for n in range(1, CHUNKS + 1))
            ),
        )
    yield index
    index.close()


def embedded(connection: apsw.Connection, model: Model) -> tuple[int, int, int]:
    space = create_space(connection, model.id, "int8", model.dimensions)
    counts = embed_missing(MissingVectors(connection, space, [1]), model, clock=model.clock)
    return counts.embedded, counts.failed, counts.remaining


def test_a_fast_model_gets_large_batches(connection: apsw.Connection) -> None:
    model = Model(lambda _: 0.000_01)
    assert embedded(connection, model) == (CHUNKS, 0, 0)
    assert model.batches[:3] == [MIN_BATCH, 2 * MIN_BATCH, 4 * MIN_BATCH]
    assert max(model.batches) == MAX_BATCH
    assert len(model.batches) < 12


def test_a_batch_takes_seconds_so_that_a_killed_embed_loses_little(
    connection: apsw.Connection,
) -> None:
    model = Model(lambda length: length * 0.000_003)
    assert embedded(connection, model) == (CHUNKS, 0, 0)
    assert max(model.batches) > MIN_BATCH
    assert model.batches[-1] < max(model.batches)  # the texts grow longer
    longest = max(count * CHUNKS * 0.000_003 for count in model.batches[-5:])
    assert longest <= 2 * BATCH_SECONDS


def test_a_slow_model_gets_the_smallest_batches() -> None:
    assert next_batch_size(MIN_BATCH, 60.0) == MIN_BATCH
    assert next_batch_size(4 * MIN_BATCH, BATCH_SECONDS + 0.1) == 2 * MIN_BATCH
    assert next_batch_size(4 * MIN_BATCH, BATCH_SECONDS) == 4 * MIN_BATCH


def test_one_refused_text_repeats_few_others(connection: apsw.Connection) -> None:
    model = Model(lambda _: 0.000_01, refused="#7000#")
    assert embedded(connection, model) == (CHUNKS - 1, 1, 1)
    assert len(model.batches) < 60
    assert sum(model.batches) < CHUNKS + 3 * MAX_BATCH
