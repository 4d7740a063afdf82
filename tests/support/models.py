"""A tiny sentence model in ONNX, in which each word has a different vector."""

from __future__ import annotations

from pathlib import Path

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

WORDS = ("[PAD]", "[UNK]", "token", "session", "cache", "page", "database", "user")
DIMENSIONS = len(WORDS)


def make_model(folder: Path, *, file: str = "model.onnx", inputs: int = 3) -> Path:
    """Write the model into `folder`; `inputs` is 2 for a graph without token types."""
    (folder / file).parent.mkdir(parents=True, exist_ok=True)
    names = ("input_ids", "attention_mask", "token_type_ids")[:inputs]
    # The graph must use each input: the mask and the types add nothing.
    nodes = [
        helper.make_node("Gather", ["table", "input_ids"], ["found"]),
        helper.make_node("Add", list(names[1:]), ["others"])
        if inputs > 2
        else helper.make_node("Identity", ["attention_mask"], ["others"]),
        helper.make_node("Cast", ["others"], ["numbers"], to=TensorProto.FLOAT),
        helper.make_node("Mul", ["numbers", "zero"], ["nothing"]),
        helper.make_node("Unsqueeze", ["nothing", "last"], ["wide"]),
        helper.make_node("Add", ["found", "wide"], ["last_hidden_state"]),
    ]
    graph = helper.make_graph(
        nodes,
        "tiny",
        [helper.make_tensor_value_info(n, TensorProto.INT64, ["batch", "words"]) for n in names],
        [
            helper.make_tensor_value_info(
                "last_hidden_state", TensorProto.FLOAT, ["batch", "words", DIMENSIONS]
            )
        ],
        [
            numpy_helper.from_array(numpy.eye(DIMENSIONS, dtype=numpy.float32), "table"),
            numpy_helper.from_array(numpy.zeros(1, dtype=numpy.float32), "zero"),
            numpy_helper.from_array(numpy.array([2], dtype=numpy.int64), "last"),
        ],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    onnx.save(model, folder / file)
    tokenizer = Tokenizer(WordLevel({word: n for n, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.save(str(folder / "tokenizer.json"))
    return folder
