"""Vectors in the store: missing, nearest, and invalid ones."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.engines.embedded import vectors
from sdd_hooks.engines.embedded.database import open_database
from sdd_hooks.engines.embedded.schema import INDEX, VECTORS
from sdd_hooks.errors import EngineUnavailable


def vector(*values: float) -> bytes:
    length = math.hypot(*values)
    return array("f", [value / length for value in values]).tobytes()


EAST, NORTH, NORTH_EAST, WEST = vector(1, 0), vector(0, 1), vector(1, 1), vector(-1, 0)


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[apsw.Connection]:
    """Three chunks in collection 1, one in collection 2; chunks 1 and 4 have the same text."""
    open_database(tmp_path / "vectors.db", VECTORS).close()
    index = open_database(tmp_path / "index.db", INDEX)
    index.execute("ATTACH DATABASE ? AS store", (str(tmp_path / "vectors.db"),))
    index.executemany(
        "INSERT INTO chunks VALUES(?, 1, ?, 'a', '', 1, 1, ?, ?)",
        [
            (1, 1, b"same", "xx"),
            (2, 1, b"two", "x"),
            (3, 1, b"three", "xxx"),
            (4, 2, b"same", "xx"),
        ],
    )
    yield index
    index.close()


@pytest.mark.parametrize("storage", ["int8", "float32"])
def test_the_nearest_is_first(connection: apsw.Connection, storage: str) -> None:
    space = vectors.create_space(connection, "model", storage, 2)
    vectors.MissingVectors(connection, space, [1]).store(
        {b"same": EAST, b"two": NORTH, b"three": WEST}
    )
    matches = vectors.search_nearest(connection, space, NORTH_EAST, [1], 3)
    assert [match.key for match in matches] == [1, 2, 3]
    assert matches[0].cosine == pytest.approx(math.sqrt(0.5), abs=0.01)
    assert matches[2].cosine == pytest.approx(-math.sqrt(0.5), abs=0.01)
    assert matches[2].strength == 0


def test_equal_texts_share_a_vector(connection: apsw.Connection) -> None:
    space = vectors.create_space(connection, "model", "int8", 2)
    assert vectors.MissingVectors(connection, space, [1, 2]).missing() == [
        b"two",
        b"same",
        b"three",
    ]
    vectors.MissingVectors(connection, space, [1]).store({b"same": EAST})
    assert vectors.count_pending(connection, space, 1) == 2
    assert vectors.count_pending(connection, space, 2) == 0
    assert [match.key for match in vectors.search_nearest(connection, space, EAST, [2], 9)] == [4]


def test_models_do_not_mix(connection: apsw.Connection) -> None:
    one = vectors.create_space(connection, "one", "int8", 2)
    vectors.MissingVectors(connection, one, [1]).store({b"same": EAST})
    two = vectors.create_space(connection, "two", "int8", 2)
    assert vectors.search_nearest(connection, two, EAST, [1], 9) == []
    assert vectors.find_space(connection, "one", "int8") == one
    assert vectors.find_space(connection, "one", "float32") is None


def test_a_model_with_other_dimensions_than_before_is_refused(connection: apsw.Connection) -> None:
    vectors.create_space(connection, "model", "int8", 2)
    with pytest.raises(EngineUnavailable, match="3 dimensions"):
        vectors.create_space(connection, "model", "int8", 3)


def test_a_vector_of_the_wrong_length_counts_as_missing(connection: apsw.Connection) -> None:
    pulled = vectors.create_space(connection, "model", "int8", 4, measured=False)
    vectors.adopt_vectors(connection, pulled, [(b"two", b"\1\2\3\4")])
    space = vectors.create_space(connection, "model", "int8", 2)
    assert vectors.count_pending(connection, space, 1) == 3
    assert vectors.search_nearest(connection, space, EAST, [1], 9) == []


def test_the_model_decides_the_dimensions_of_pulled_vectors(connection: apsw.Connection) -> None:
    pulled = vectors.create_space(connection, "model", "int8", 4, measured=False)
    assert vectors.create_space(connection, "model", "int8", 4, measured=False) == pulled
    with pytest.raises(EngineUnavailable):
        vectors.create_space(connection, "model", "int8", 3, measured=False)
    measured = vectors.create_space(connection, "model", "int8", 2)
    assert (measured.dimensions, measured.measured) == (2, True)
    assert vectors.find_space(connection, "model", "int8") == measured
    assert vectors.create_space(connection, "model", "int8", 2, measured=False) == measured


@given(st.lists(st.floats(-1, 1, width=32), min_size=2, max_size=32).filter(any))
def test_int8_keeps_the_direction(values: list[float]) -> None:
    packed = array("b", vectors.pack_vector(array("f", values).tobytes(), "int8"))
    assert max(map(abs, packed)) == 127
    largest = max(map(abs, values))
    assert all(
        abs(p / 127 - v / largest) <= 0.51 / 127 for p, v in zip(packed, values, strict=True)
    )


def test_a_zero_vector_is_stored_and_has_no_strength(connection: apsw.Connection) -> None:
    space = vectors.create_space(connection, "model", "int8", 2)
    vectors.MissingVectors(connection, space, [1]).store({b"two": array("f", [0, 0]).tobytes()})
    assert all(
        match.strength == 0 for match in vectors.search_nearest(connection, space, EAST, [1], 9)
    )
