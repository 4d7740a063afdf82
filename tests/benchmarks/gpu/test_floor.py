"""The minimum time of a forward pass, and the table with it."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from benchmarks.gpu.__main__ import fastest, floor, table
from benchmarks.gpu.floor import Shape, operations
from benchmarks.gpu.model import name_of

MINILM = Shape(6, 384, 1536)


def test_the_operations_of_a_layer() -> None:
    # Four products with 2x2 and two with 2x3 for one token, and two of the token with itself.
    assert operations([1], Shape(1, 2, 3)) == 2 * (4 * 4 + 2 * 6) + 2 * 2 * 2
    assert operations([128], MINILM) / 128 == 2 * 10_616_832 + 4 * 128 * 384 * 6


@given(st.lists(st.integers(1, 512), min_size=2))
def test_the_operations_of_texts_are_added(tokens: list[int]) -> None:
    assert operations(tokens, MINILM) == sum(operations([token], MINILM) for token in tokens)
    assert operations([sum(tokens)], MINILM) > operations(tokens, MINILM)


def test_tensors_have_the_names_of_transformers() -> None:
    assert name_of("token_embd_norm.bias") == "embeddings.LayerNorm.bias"
    assert name_of("blk.11.ffn_up.weight") == "encoder.layer.11.intermediate.dense.weight"


def test_the_table_has_a_column_for_each_device() -> None:
    processor: dict[str, Any] = {
        "device": "cpu", "precision": "float32", "texts": 1_000, "tokens": 200_000,
        "command": 30.0, "loading": 5.0, "embedding": 25.0, "alone": {"32": 20.0, "256": 22.0},
        "operations": 4e12, "rate": 4e11, "torch": "2.9",
    }  # fmt: skip
    gpu = {**processor, "device": "H100", "embedding": 0.5, "rate": 4e13}
    lines = table([gpu, processor]).splitlines()
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    assert cells[0] == ["texts a second", "H100, float32", "cpu, float32"]
    assert ["sdd, once the model is loaded", "2,000", "40"] in cells
    assert ["its floor", "10,000", "100"] in cells
    assert (fastest(processor), floor(processor)) == (20.0, 10.0)
