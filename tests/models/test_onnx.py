"""ONNX models: pooling, batches, the length of vectors, and files that are no model."""

from __future__ import annotations

import json
import math
import os
from array import array
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.errors import EngineUnavailable
from sdd_hooks.models.embedding_model import load_model
from sdd_hooks.models.onnx import MAX_BATCH_TOKENS, OnnxModel, split_batches
from tests.support.models import DIMENSIONS, WORDS, make_model

SPECIAL_TEXTS = ["", " ", "\0", "token\0session", "🎉 emoji", "x" * 10_000, "user " * 3000]


def numbers(vector: bytes) -> list[float]:
    return list(array("f", vector))


def cosine(one: bytes, two: bytes) -> float:
    return sum(a * b for a, b in zip(numbers(one), numbers(two), strict=True))


@pytest.mark.parametrize("inputs", [2, 3])
@pytest.mark.parametrize("file", ["model.onnx", "onnx/model_quantized.onnx"])
def test_a_vector_is_the_mean_of_the_tokens_with_length_one(
    tmp_path: Path, file: str, inputs: int
) -> None:
    model = load_model(str(make_model(tmp_path, file=file, inputs=inputs)), tmp_path, os.environ)
    assert model.dimensions == DIMENSIONS
    assert model.device == "cpu"
    values = numbers(model.embed(["token session"])[0])
    expected = [0.0] * DIMENSIONS
    expected[WORDS.index("token")] = expected[WORDS.index("session")] = math.sqrt(0.5)
    assert values == pytest.approx(expected)


def test_a_batch_gives_the_same_vectors_as_single_texts(tmp_path: Path) -> None:
    model = load_model(str(make_model(tmp_path)), tmp_path, os.environ)
    texts = [" ".join(WORDS[2 : 2 + n]) for n in range(1, 7)] * 5
    together = model.embed(texts)
    assert [numbers(vector) for vector in together] == [
        pytest.approx(numbers(model.embed([text])[0])) for text in texts
    ]


def test_texts_with_special_characters_have_vectors(tmp_path: Path) -> None:
    model = load_model(str(make_model(tmp_path)), tmp_path, os.environ)
    for vector in model.embed(SPECIAL_TEXTS):
        assert len(vector) == 4 * DIMENSIONS
        assert all(map(math.isfinite, numbers(vector)))
    assert model.embed([]) == []


@pytest.mark.parametrize("damage", ["model.onnx", "tokenizer.json"])
def test_a_damaged_file_is_an_error_of_one_line(tmp_path: Path, damage: str) -> None:
    (make_model(tmp_path) / damage).write_bytes(b"\x08\x01 not what it says")
    with pytest.raises(EngineUnavailable, match="cannot be loaded") as caught:
        load_model(str(tmp_path), tmp_path, os.environ)
    assert "\n" not in str(caught.value)


def test_a_folder_without_a_model_is_an_error_that_names_the_files(tmp_path: Path) -> None:
    with pytest.raises(EngineUnavailable, match=r"needs tokenizer\.json"):
        load_model(str(tmp_path), tmp_path, os.environ)


def test_a_graph_with_other_inputs_is_refused(tmp_path: Path) -> None:
    import onnx
    from onnx import TensorProto, helper

    make_model(tmp_path)
    value = helper.make_tensor_value_info("pixels", TensorProto.FLOAT, [1])
    same = helper.make_tensor_value_info("out", TensorProto.FLOAT, [1])
    node = helper.make_node("Identity", ["pixels"], ["out"])
    graph = helper.make_graph([node], "other", [value], [same])
    onnx.save(
        helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9),
        tmp_path / "model.onnx",
    )
    with pytest.raises(EngineUnavailable, match="not a sentence model"):
        load_model(str(tmp_path), tmp_path, os.environ)


def test_a_real_model_gives_related_texts_similar_vectors(shared: Path) -> None:
    folder = shared / "models/all-MiniLM-L6-v2"
    if not folder.is_dir():
        pytest.skip("needs ../shared/models/all-MiniLM-L6-v2")
    model = load_model(str(folder), shared, os.environ)
    assert model.dimensions == 384
    question, answer, other = model.embed(
        ["How do users log in?", "We authenticate with JWT.", "The cat sat on the mat."]
    )
    assert cosine(question, answer) > cosine(question, other) + 0.2


def test_a_vector_does_not_depend_on_other_texts(shared: Path) -> None:
    folder = shared / "models/all-MiniLM-L6-v2"
    if not folder.is_dir():
        pytest.skip("needs ../shared/models/all-MiniLM-L6-v2")
    model = load_model(str(folder), shared, os.environ)
    # In a batch it would: a quantised graph scales its activations over all texts.
    texts = ["a session token", "The cat sat on the mat.", "How do users log in?", *SPECIAL_TEXTS]
    for text, together in zip(texts, model.embed(texts), strict=True):
        assert cosine(model.embed([text])[0], together) > 0.9999


def test_vectors_are_in_the_order_of_the_texts(tmp_path: Path) -> None:
    model = load_model(str(make_model(tmp_path)), tmp_path, os.environ)
    texts = [f"{word} " * count for count in (400, 1) for word in WORDS[2:]] * 4
    for text, vector in zip(texts, model.embed(texts), strict=True):
        values = numbers(vector)
        assert values.index(max(values)) == WORDS.index(text.split()[0])


def test_an_undecodable_argument_has_a_vector(tmp_path: Path) -> None:
    model = load_model(str(make_model(tmp_path)), tmp_path, os.environ)
    assert model.embed(["token \udcff"]) == model.embed(["token ?"])


def test_a_tokenizer_of_another_graph_is_an_error_of_one_line(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    tokenizer = make_model(tmp_path) / "tokenizer.json"
    words = json.loads(tokenizer.read_text())
    words["model"]["vocab"]["user"] = 9_999
    tokenizer.write_text(json.dumps(words))
    model = load_model(str(tmp_path), tmp_path, os.environ)
    with pytest.raises(EngineUnavailable, match="failed") as caught:
        model.embed(["user"])
    assert "\n" not in str(caught.value)
    assert capfd.readouterr().err == ""


def test_a_graph_with_another_output_is_refused(tmp_path: Path) -> None:
    import onnx
    from onnx import TensorProto, helper

    make_model(tmp_path)
    names = ("input_ids", "attention_mask")
    inputs = [helper.make_tensor_value_info(n, TensorProto.INT64, ["b", "s"]) for n in names]
    output = helper.make_tensor_value_info("out", TensorProto.FLOAT, ["b", "s"])
    nodes = [
        helper.make_node("Add", list(names), ["sum"]),
        helper.make_node("Cast", ["sum"], ["out"], to=TensorProto.FLOAT),
    ]
    graph = helper.make_graph(nodes, "other", inputs, [output])
    onnx.save(
        helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9),
        tmp_path / "model.onnx",
    )
    with pytest.raises(EngineUnavailable, match="not a sentence model"):
        load_model(str(tmp_path), tmp_path, os.environ)


def test_a_gpu_gives_the_vectors_of_a_cpu(tmp_path: Path) -> None:
    model = load_model(str(make_model(tmp_path)), tmp_path, os.environ)
    assert isinstance(model, OnnxModel)
    short = [" ".join(WORDS[2 : 2 + number % 6]) for number in range(100)]
    texts = [*short, *(f"{word} " * 510 for word in WORDS[2:] * 6), "", *short]
    on_cpu = model.embed(texts)
    model.device = "cuda"  # selects larger batches
    for vector, expected in zip(model.embed(texts), on_cpu, strict=True):
        assert numbers(vector) == pytest.approx(numbers(expected))


@given(st.lists(st.integers(0, 512), min_size=1, max_size=200))
def test_batches_contain_every_text_once_and_are_limited(lengths: list[int]) -> None:
    batches = list(split_batches(lengths))
    indexes = range(len(lengths))
    assert [index for rows, _ in batches for index in indexes[rows]] == [*indexes]
    for rows, longest in batches:
        assert longest == max(lengths[rows])
        assert longest * len(lengths[rows]) <= MAX_BATCH_TOKENS
