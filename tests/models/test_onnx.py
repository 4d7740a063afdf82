"""The ONNX path: pooling, padding, length, and what is not a model."""

from __future__ import annotations

import json
import math
import os
from array import array
from pathlib import Path

import pytest

from sdd_hooks.errors import EngineUnavailable
from sdd_hooks.models.model import load_model
from tests.support.models import DIMENSIONS, WORDS, make_model

ODD = ["", " ", "\0", "token\0session", "🎉 emoji", "x" * 10_000, "user " * 3000]


def numbers(vector: bytes) -> list[float]:
    return list(array("f", vector))


def cosine(one: bytes, two: bytes) -> float:
    return sum(a * b for a, b in zip(numbers(one), numbers(two), strict=True))


@pytest.mark.parametrize("inputs", [2, 3])
@pytest.mark.parametrize("file", ["model.onnx", "onnx/model_quantized.onnx"])
def test_the_mean_of_the_tokens_at_length_one(tmp_path: Path, file: str, inputs: int) -> None:
    model = load_model(str(make_model(tmp_path, file=file, inputs=inputs)), tmp_path, os.environ)
    assert model.dimensions == DIMENSIONS
    assert model.device == "cpu"
    found = numbers(model.embed(["token session"])[0])
    expected = [0.0] * DIMENSIONS
    expected[WORDS.index("token")] = expected[WORDS.index("session")] = math.sqrt(0.5)
    assert found == pytest.approx(expected)


def test_a_batch_gives_what_each_text_gives_alone(tmp_path: Path) -> None:
    model = load_model(str(make_model(tmp_path)), tmp_path, os.environ)
    texts = [" ".join(WORDS[2 : 2 + n]) for n in range(1, 7)] * 5
    together = model.embed(texts)
    assert [numbers(one) for one in together] == [
        pytest.approx(numbers(model.embed([text])[0])) for text in texts
    ]


def test_odd_texts_have_vectors(tmp_path: Path) -> None:
    model = load_model(str(make_model(tmp_path)), tmp_path, os.environ)
    for vector in model.embed(ODD):
        assert len(vector) == 4 * DIMENSIONS
        assert all(map(math.isfinite, numbers(vector)))
    assert model.embed([]) == []


@pytest.mark.parametrize("damage", ["model.onnx", "tokenizer.json"])
def test_a_damaged_file_is_one_line(tmp_path: Path, damage: str) -> None:
    (make_model(tmp_path) / damage).write_bytes(b"\x08\x01 not what it says")
    with pytest.raises(EngineUnavailable, match="cannot be loaded") as caught:
        load_model(str(tmp_path), tmp_path, os.environ)
    assert "\n" not in str(caught.value)


def test_a_folder_that_is_no_model_says_what_is_missing(tmp_path: Path) -> None:
    with pytest.raises(EngineUnavailable, match=r"needs tokenizer\.json"):
        load_model(str(tmp_path), tmp_path, os.environ)


def test_a_graph_for_something_else_is_refused(tmp_path: Path) -> None:
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


def test_a_real_model_knows_what_belongs_together(shared: Path) -> None:
    folder = shared / "models/all-MiniLM-L6-v2"
    if not folder.is_dir():
        pytest.skip("needs ../shared/models/all-MiniLM-L6-v2")
    model = load_model(str(folder), shared, os.environ)
    assert model.dimensions == 384
    question, answer, other = model.embed(
        ["How do users log in?", "We authenticate with JWT.", "The cat sat on the mat."]
    )
    assert cosine(question, answer) > cosine(question, other) + 0.2


def test_a_vector_does_not_depend_on_its_neighbours(shared: Path) -> None:
    folder = shared / "models/all-MiniLM-L6-v2"
    if not folder.is_dir():
        pytest.skip("needs ../shared/models/all-MiniLM-L6-v2")
    model = load_model(str(folder), shared, os.environ)
    # A quantised graph is where it would: it scales its activations over all that is run at once.
    texts = ["a session token", "The cat sat on the mat.", "How do users log in?", *ODD]
    for text, together in zip(texts, model.embed(texts), strict=True):
        assert cosine(model.embed([text])[0], together) > 0.9999


def test_texts_keep_their_order_whichever_is_done_first(tmp_path: Path) -> None:
    model = load_model(str(make_model(tmp_path)), tmp_path, os.environ)
    texts = [f"{word} " * count for count in (400, 1) for word in WORDS[2:]] * 4
    for text, vector in zip(texts, model.embed(texts), strict=True):
        found = numbers(vector)
        assert found.index(max(found)) == WORDS.index(text.split()[0])


def test_an_undecodable_argument_has_a_vector(tmp_path: Path) -> None:
    model = load_model(str(make_model(tmp_path)), tmp_path, os.environ)
    assert model.embed(["token \udcff"]) == model.embed(["token ?"])


def test_a_tokenizer_for_another_graph_is_one_line(
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


def test_a_graph_that_gives_something_else_is_refused(tmp_path: Path) -> None:
    import onnx
    from onnx import TensorProto, helper

    make_model(tmp_path)
    wanted = ("input_ids", "attention_mask")
    inputs = [helper.make_tensor_value_info(n, TensorProto.INT64, ["b", "s"]) for n in wanted]
    output = helper.make_tensor_value_info("out", TensorProto.FLOAT, ["b", "s"])
    nodes = [
        helper.make_node("Add", list(wanted), ["sum"]),
        helper.make_node("Cast", ["sum"], ["out"], to=TensorProto.FLOAT),
    ]
    graph = helper.make_graph(nodes, "other", inputs, [output])
    onnx.save(
        helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9),
        tmp_path / "model.onnx",
    )
    with pytest.raises(EngineUnavailable, match="not a sentence model"):
        load_model(str(tmp_path), tmp_path, os.environ)
