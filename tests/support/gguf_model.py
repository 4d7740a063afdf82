"""A tiny embedding model in GGUF, in which each word has a different vector.

It is a BERT with one block that adds zeros, so that the vector of a text is the mean of the vectors
of its words. Unknown words and special tokens have a weight near zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy
from gguf import GGUFWriter, PoolingType, TokenType

# Without "search", which qmd adds to every query.
WORDS = (
    "token", "session", "cache", "page", "database", "user", "password", "hash", "order", "payment",
    "event", "queue", "index", "outbox", "sqlite", "postgres", "cookie", "heron", "kestrel", "pond",
    "ci", "go",
)  # fmt: skip

CONTEXT = 512

_SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
_DIMENSIONS = 64
_INNER = 64
_NEAR_ZERO = 0.01


def make_gguf(path: Path, words: Sequence[str] = WORDS) -> Path:
    """Write a model of at most 31 `words` in lower case; a plural has the vector of its word."""
    assert len(words) < _DIMENSIONS // 2, (
        "each word needs two dimensions, and unknown words need two"
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    writer = GGUFWriter(path, "bert")
    writer.add_name("tiny")
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(_DIMENSIONS)
    writer.add_feed_forward_length(_INNER)
    writer.add_block_count(1)
    writer.add_head_count(1)
    writer.add_layer_norm_eps(1e-12)
    writer.add_causal_attention(False)
    writer.add_pooling_type(PoolingType.MEAN)
    _add_tokens(writer, words)
    _add_tensors(writer, len(words))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def _add_tokens(writer: GGUFWriter, words: Sequence[str]) -> None:
    # A token at the start of a word has the prefix U+2581.
    tokens = [*_SPECIAL, *(f"▁{word}" for word in words), "s"]
    types = [TokenType.CONTROL] * len(_SPECIAL) + [TokenType.NORMAL] * (len(words) + 1)
    types[_SPECIAL.index("[UNK]")] = TokenType.UNKNOWN
    writer.add_tokenizer_model("bert")
    writer.add_tokenizer_pre("bert-bge")
    writer.add_token_list(tokens)
    writer.add_token_types(types)
    writer.add_token_type_count(2)
    writer.add_vocab_size(len(tokens))
    writer.add_bos_token_id(_SPECIAL.index("[CLS]"))
    writer.add_eos_token_id(_SPECIAL.index("[SEP]"))
    writer.add_unk_token_id(_SPECIAL.index("[UNK]"))
    writer.add_sep_token_id(_SPECIAL.index("[SEP]"))
    writer.add_pad_token_id(_SPECIAL.index("[PAD]"))
    writer.add_mask_token_id(_SPECIAL.index("[MASK]"))
    writer.add_add_bos_token(True)
    writer.add_add_eos_token(False)


def _add_tensors(writer: GGUFWriter, words: int) -> None:
    ones, zeros = _filled(1, _DIMENSIONS), _filled(0, _DIMENSIONS)
    # The pair (1, -1) has the mean 0, so that the normalisation of a layer keeps it.
    table = _filled(0, len(_SPECIAL) + words + 1, _DIMENSIONS)
    table[:, -2:] = (1, -1)
    for number in range(words):
        table[len(_SPECIAL) + number] = 0
        table[len(_SPECIAL) + number, 2 * number : 2 * number + 2] = (1, -1)
    last = ones.copy()
    last[-2:] = _NEAR_ZERO
    writer.add_tensor("token_embd.weight", table)
    writer.add_tensor("position_embd.weight", _filled(0, CONTEXT, _DIMENSIONS))
    writer.add_tensor("token_types.weight", _filled(0, 2, _DIMENSIONS))
    for norm, weight in (
        ("token_embd_norm", ones),
        ("blk.0.attn_output_norm", ones),
        ("blk.0.layer_output_norm", last),
    ):
        writer.add_tensor(f"{norm}.weight", weight)
        writer.add_tensor(f"{norm}.bias", zeros)
    for name in ("attn_q", "attn_k", "attn_v", "attn_output"):
        writer.add_tensor(f"blk.0.{name}.weight", _filled(0, _DIMENSIONS, _DIMENSIONS))
        writer.add_tensor(f"blk.0.{name}.bias", zeros)
    writer.add_tensor("blk.0.ffn_up.weight", _filled(0, _INNER, _DIMENSIONS))
    writer.add_tensor("blk.0.ffn_up.bias", _filled(0, _INNER))
    writer.add_tensor("blk.0.ffn_down.weight", _filled(0, _DIMENSIONS, _INNER))
    writer.add_tensor("blk.0.ffn_down.bias", zeros)


def _filled(value: float, *shape: int) -> numpy.ndarray:
    return numpy.full(shape, value, dtype=numpy.float32)
