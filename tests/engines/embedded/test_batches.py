"""A fast model gets large batches, a slow one small ones, and a refused text costs few others."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import apsw
import pytest

from sdd_hooks.engines.embedded.database import open_database
from sdd_hooks.engines.embedded.embedding import (
    BATCH,
    LARGEST_BATCH,
    SECONDS,
    embed_missing,
    next_size,
)
from sdd_hooks.engines.embedded.schema import INDEX, VECTORS
from sdd_hooks.errors import EngineUnavailable

CHUNKS = 10_000
VECTOR = array("f", [1.0, 0.0]).tobytes()


class Model:
    """A model that takes its time by a clock of its own, refuses `refused`, and counts."""

    id = "timed"
    dimensions = 2
    device = "cpu"

    def __init__(self, seconds: Callable[[int], float], refused: str = "") -> None:
        self._seconds, self._refused = seconds, refused
        self.now = 0.0
        self.asked: list[int] = []

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        self.asked.append(len(texts))
        self.now += sum(self._seconds(len(text)) for text in texts)
        if self._refused and any(self._refused in text for text in texts):
            raise EngineUnavailable("refused")
        return [VECTOR] * len(texts)

    def clock(self) -> float:
        return self.now


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[apsw.Connection]:
    """A collection of CHUNKS chunks, the later the longer."""
    open_database(tmp_path / "vectors.db", VECTORS).close()
    one = open_database(tmp_path / "index.db", INDEX)
    one.execute("ATTACH DATABASE ? AS store", (str(tmp_path / "vectors.db"),))
    one.execute("INSERT INTO documents VALUES(1, 1, 'docs/a.md', x'00', 'A')")
    with one:
        one.executemany(
            "INSERT INTO chunks VALUES(?, 1, 1, ?, '', 1, 1, ?, ?)",
            (
                (number, f"n{number}", number.to_bytes(4, "big"), f"#{number}#" + "x" * number)
                for number in range(1, CHUNKS + 1)
            ),
        )
    yield one
    one.close()


def embedded(connection: apsw.Connection, tmp_path: Path, model: Model) -> tuple[int, int, int]:
    done = embed_missing(connection, tmp_path / "lock", model, "int8", [1], clock=model.clock)
    return done.embedded, done.failed, done.remaining


def test_a_fast_model_gets_large_batches(connection: apsw.Connection, tmp_path: Path) -> None:
    model = Model(lambda _: 0.000_01)
    assert embedded(connection, tmp_path, model) == (CHUNKS, 0, 0)
    assert model.asked[:3] == [BATCH, 2 * BATCH, 4 * BATCH]
    assert max(model.asked) == LARGEST_BATCH
    assert len(model.asked) < 12


def test_a_killed_run_loses_seconds(connection: apsw.Connection, tmp_path: Path) -> None:
    model = Model(lambda length: length * 0.000_003)
    assert embedded(connection, tmp_path, model) == (CHUNKS, 0, 0)
    assert max(model.asked) > BATCH
    assert model.asked[-1] < max(model.asked)  # as texts grow longer
    longest = max(count * CHUNKS * 0.000_003 for count in model.asked[-5:])
    assert longest <= 2 * SECONDS


def test_a_slow_model_gets_the_smallest() -> None:
    assert next_size(BATCH, 60.0) == BATCH
    assert next_size(4 * BATCH, SECONDS + 0.1) == 2 * BATCH
    assert next_size(4 * BATCH, SECONDS) == 4 * BATCH


def test_one_text_that_is_refused_costs_few_others(
    connection: apsw.Connection, tmp_path: Path
) -> None:
    model = Model(lambda _: 0.000_01, refused="#7000#")
    assert embedded(connection, tmp_path, model) == (CHUNKS - 1, 1, 1)
    assert len(model.asked) < 60
    assert sum(model.asked) < CHUNKS + 3 * LARGEST_BATCH
