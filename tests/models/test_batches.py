"""How many texts a model is given at once: what it asks for, and what fits."""

from __future__ import annotations

import os
from array import array
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.errors import EngineUnavailable
from sdd_hooks.models.model import load_model, model_id
from sdd_hooks.models.onnx import TOKENS_AT_ONCE, OnnxModel, shares
from tests.support.models import WORDS, make_model


def test_a_gpu_gives_what_a_processor_gives(tmp_path: Path) -> None:
    model = load_model(str(make_model(tmp_path)), tmp_path, os.environ)
    assert isinstance(model, OnnxModel)
    short = [" ".join(WORDS[2 : 2 + number % 6]) for number in range(100)]
    texts = [*short, *(f"{word} " * 510 for word in WORDS[2:] * 6), "", *short]
    alone = model.embed(texts)
    model.device = "cuda"  # whose way through the texts is another
    for one, other in zip(model.embed(texts), alone, strict=True):
        assert list(array("f", one)) == pytest.approx(list(array("f", other)))


@given(st.lists(st.integers(0, 512), min_size=1, max_size=200))
def test_shares_are_all_of_the_texts_and_fit(lengths: list[int]) -> None:
    found = list(shares(lengths))
    assert [at for rows, _ in found for at in range(len(lengths))[rows]] == [*range(len(lengths))]
    for rows, longest in found:
        assert longest == max(lengths[rows])
        assert longest * len(lengths[rows]) <= TOKENS_AT_ONCE


@pytest.mark.parametrize(("asks", "gets"), [(None, [32, 32, 6]), (50, [50, 20]), (500, [70])])
def test_a_model_of_llm_gets_as_many_as_it_asks_for(asks: int | None, gets: list[int]) -> None:
    llm = pytest.importorskip("llm", reason="needs the extra llm")
    from sdd_hooks.models.llm_embedding import LlmModel

    seen: list[int] = []

    class Counting(llm.EmbeddingModel):  # type: ignore[misc]
        model_id = "counting"
        batch_size = asks

        def embed_batch(self, items: Iterable[str]) -> Iterator[list[float]]:
            texts = list(items)
            seen.append(len(texts))
            return iter([[3.0, 4.0] for _ in texts])

    model = LlmModel("counting", Counting())
    seen.clear()
    assert model.embed(["text"] * 70) == [array("f", [0.6, 0.8]).tobytes()] * 70
    assert seen == gets


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_vectors_that_are_no_numbers_are_refused(value: float) -> None:
    llm = pytest.importorskip("llm", reason="needs the extra llm")
    from sdd_hooks.models.llm_embedding import LlmModel

    class Broken(llm.EmbeddingModel):  # type: ignore[misc]
        model_id = "broken"

        def embed_batch(self, items: Iterable[str]) -> Iterator[list[float]]:
            return iter([[1.0, value] for _ in items])

    with pytest.raises(EngineUnavailable, match="gives vectors that are no numbers"):
        LlmModel("broken", Broken())


def test_a_name_of_llm_may_look_like_one_of_the_hub(tmp_path: Path) -> None:
    pytest.importorskip("llm", reason="needs the extra llm")
    name = "llm:sentence-transformers/small"
    assert model_id(name, tmp_path) == name
    assert model_id("llm:3-small", tmp_path) == model_id("3-small", tmp_path)
    with pytest.raises(EngineUnavailable, match="llm knows no embedding model 'sentence-trans"):
        load_model(name, tmp_path, os.environ)
