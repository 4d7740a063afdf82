"""A folder that sentence-transformers loads, without a network.

Where only a GGUF of a BERT is at hand, as the other measures have it, its weights are written out
as such a folder: what they were before they were quantised, within the rounding of that.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

_LAYERS = {
    "attn_q": "attention.self.query",
    "attn_k": "attention.self.key",
    "attn_v": "attention.self.value",
    "attn_output": "attention.output.dense",
    "attn_output_norm": "attention.output.LayerNorm",
    "ffn_up": "intermediate.dense",
    "ffn_down": "output.dense",
    "layer_output_norm": "output.LayerNorm",
}
_EMBEDDINGS = {
    "token_embd": "embeddings.word_embeddings",
    "position_embd": "embeddings.position_embeddings",
    "token_types": "embeddings.token_type_embeddings",
    "token_embd_norm": "embeddings.LayerNorm",
}
_IN_A_LAYER = re.compile(r"blk\.(\d+)\.(\w+)\.(weight|bias)")
_LONGEST = 256
"""Tokens that the models of this kind were trained to read."""


def model_folder(given: Path, into: Path) -> Path:
    """The folder of a model for sentence-transformers: `given` where it is one, else what is made
    of the GGUF in it, in the folder `into`.

    Raises FileNotFoundError where it has neither.
    """
    if (given / "modules.json").is_file():
        return given
    gguf = next(iter(sorted(given.glob("*.gguf"))), None)
    if gguf is None or not (given / "config.json").is_file():
        raise FileNotFoundError(f"{given} has no modules.json, and no GGUF beside a config.json")
    return _written_out(given, gguf, into)


def _written_out(given: Path, gguf: Path, into: Path) -> Path:
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.models import Normalize, Pooling, Transformer
    from transformers import BertConfig, BertModel

    plain = into / "bert"
    bert = BertModel(BertConfig.from_json_file(given / "config.json"), add_pooling_layer=False)
    bert.load_state_dict(_weights(gguf))
    bert.save_pretrained(plain)
    for path in given.glob("*.json"):
        if path.name != "config.json":
            shutil.copy(path, plain / path.name)
    reader = Transformer(str(plain), max_seq_length=_LONGEST)
    modules = [reader, Pooling(bert.config.hidden_size, "mean"), Normalize()]
    SentenceTransformer(modules=modules, device="cpu").save(str(into / "model"))
    return into / "model"


def _weights(gguf: Path) -> Mapping[str, Any]:
    """The tensors of the file, by the names that transformers gives them."""
    import torch
    from gguf import GGUFReader
    from gguf.quants import dequantize

    found = {}
    for tensor in GGUFReader(str(gguf)).tensors:
        values = dequantize(tensor.data, tensor.tensor_type).astype("float32")
        found[name_of(tensor.name)] = torch.from_numpy(values)
    return found


def name_of(name: str) -> str:
    """The name in transformers of a BERT's tensor that is `name` in a GGUF. Raises KeyError."""
    layer = _IN_A_LAYER.fullmatch(name)
    if layer:
        return f"encoder.layer.{layer[1]}.{_LAYERS[layer[2]]}.{layer[3]}"
    tensor, _, kind = name.rpartition(".")
    return f"{_EMBEDDINGS[tensor]}.{kind}"
