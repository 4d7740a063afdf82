"""A sentence model in ONNX, on onnxruntime: tokens in, the mean of their vectors out.

Pooling and normalisation are those of sentence-transformers: the mean over the attention mask, then
length 1. What the graph takes and gives is asked, not assumed.

On a processor every text runs alone, as many at a time as there are cores: nothing is padding, no
core waits for another, and a vector does not depend on its neighbours. It would in a batch: a
quantised graph scales its activations over all of it.
"""

# Governing: ADR-0011 (content-addressed vectors)

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

from sdd_hooks.errors import EngineUnavailable
from sdd_hooks.models.model import require_model

_Given = TypeVar("_Given")
_Made = TypeVar("_Made")

_MOST_TOKENS = 512
TOKENS_AT_ONCE = 32 * _MOST_TOKENS
"""Tokens that a GPU reads at a time, with those that are padding."""
_PROVIDERS = {"CUDAExecutionProvider": "cuda", "CPUExecutionProvider": "cpu"}


def device() -> str:
    """Where onnxruntime, as it is installed, runs a model: `cuda` or `cpu`.

    Raises EngineUnavailable when it is not installed.
    """
    onnxruntime = _runtime()[0]
    return next(_PROVIDERS[name] for name in _providers(onnxruntime))


def load_folder(folder: Path, identity: str) -> OnnxModel:
    """Load the model in a folder that holds an ONNX file and `tokenizer.json`.

    Raises:
        EngineUnavailable: something is missing, damaged, or not a sentence model.
    """
    weights = require_model(folder)
    onnxruntime, tokenizers = _runtime()
    try:
        tokenizer = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
        tokenizer.enable_truncation(max_length=_longest(folder))
        padding = tokenizer.padding or {}
        tokenizer.enable_padding(
            pad_id=padding.get("pad_id", 0),
            pad_type_id=padding.get("pad_type_id", 0),
            pad_token=padding.get("pad_token", "[PAD]"),
        )
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4  # its failures are raised, not printed as well
        options.intra_op_num_threads = 1  # of one text: texts share the cores between them
        session = onnxruntime.InferenceSession(
            str(weights), options, providers=_providers(onnxruntime)
        )
        return OnnxModel(identity, tokenizer, session)
    except EngineUnavailable:
        raise
    # The libraries raise whatever their C++ and Rust parts raise, of no common class.
    except Exception as error:
        reason = str(error).partition("\n")[0][:200]
        raise EngineUnavailable(f"the model in {folder} cannot be loaded: {reason}") from error


class OnnxModel:
    """An `EmbeddingModel` over one onnxruntime session."""

    def __init__(self, identity: str, tokenizer: Any, session: Any) -> None:
        self.id = identity
        self.device = _PROVIDERS.get(session.get_providers()[0], "cpu")
        self._tokenizer = tokenizer
        self._session = session
        self._inputs = {one.name for one in session.get_inputs()}
        if not {"input_ids", "attention_mask"} <= self._inputs:
            raise EngineUnavailable(
                f"{identity} is not a sentence model: its inputs are {sorted(self._inputs)}"
            )
        self.dimensions = len(self.embed(["dimensions"])[0]) // 4

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        """One float32 little-endian vector of length 1 for each text.

        Raises EngineUnavailable when the graph cannot run on them, or gives no numbers.
        """
        if not texts:
            return []
        try:
            if self.device == "cpu":
                return [vector for (vector,) in _at_once(self._embed, [[text] for text in texts])]
            return self._embed(texts)
        except EngineUnavailable:
            raise
        # As when loading: of no common class.
        except Exception as error:
            reason = str(error).partition("\n")[0][:200]
            raise EngineUnavailable(f"the model {self.id} failed: {reason}") from error

    def _embed(self, texts: Sequence[str]) -> list[bytes]:
        import numpy

        # The tokenizer takes no lone surrogates, as an undecodable argument has them.
        readable = [text.encode("utf-8", "replace").decode() for text in texts]
        encoded = self._tokenizer.encode_batch(readable)
        given = {
            "input_ids": numpy.array([one.ids for one in encoded], dtype=numpy.int64),
            "attention_mask": numpy.array([one.attention_mask for one in encoded], numpy.int64),
            "token_type_ids": numpy.array([one.type_ids for one in encoded], dtype=numpy.int64),
        }
        lengths = given["attention_mask"].sum(axis=1).tolist()
        return [
            vector
            for rows, longest in shares(lengths)
            for vector in self._run({name: value[rows, :longest] for name, value in given.items()})
        ]

    def _run(self, given: dict[str, Any]) -> list[bytes]:
        """The vectors of texts that are tokens, all padded to the same length."""
        import numpy

        feed = {name: value for name, value in given.items() if name in self._inputs}
        mask = given["attention_mask"]
        tokens = self._session.run(None, feed)[0]
        if tokens.ndim != 3 or tokens.shape[:2] != mask.shape:
            raise EngineUnavailable(
                f"{self.id} is not a sentence model: it gives {tokens.shape} for {mask.shape}"
            )
        weights = mask[..., None].astype(numpy.float32)
        pooled = (tokens * weights).sum(axis=1) / numpy.maximum(weights.sum(axis=1), 1e-9)
        lengths = numpy.linalg.norm(pooled, axis=1, keepdims=True)
        unit = (pooled / numpy.maximum(lengths, 1e-12)).astype("<f4")
        if not numpy.isfinite(unit).all():
            raise EngineUnavailable(f"the model {self.id} gives vectors that are no numbers")
        return [vector.tobytes() for vector in unit]


def shares(lengths: Sequence[int]) -> Iterator[tuple[slice, int]]:
    """Texts of so many tokens in shares that a GPU reads at once, each with its longest."""
    start, longest = 0, 0
    for at, length in enumerate(lengths):
        if at > start and max(longest, length) * (at + 1 - start) > TOKENS_AT_ONCE:
            yield slice(start, at), longest
            start, longest = at, 0
        longest = max(longest, length)
    yield slice(start, len(lengths)), longest


def _at_once(work: Callable[[_Given], _Made], parts: Sequence[_Given]) -> list[_Made]:
    """What `work` makes of each part, one part to a core at a time."""
    workers = min(_cores(), len(parts))
    if workers == 1:
        return [work(part) for part in parts]
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(workers) as pool:
        return list(pool.map(work, parts))


def _runtime() -> tuple[Any, Any]:
    try:
        import onnxruntime
        import tokenizers
    except ImportError as error:
        raise EngineUnavailable(
            f"the local model needs {error.name}: pip install 'sdd-hooks[local]'"
        ) from error
    return onnxruntime, tokenizers


def _providers(onnxruntime: Any) -> list[str]:
    available = onnxruntime.get_available_providers()
    return [name for name in _PROVIDERS if name in available]


def _cores() -> int:
    """The cores this process may use; never more than that, whatever the machine has."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _longest(folder: Path) -> int:
    """How many tokens the model reads at most, as its files say."""
    for name, key in (
        ("sentence_bert_config.json", "max_seq_length"),
        ("config.json", "max_position_embeddings"),
    ):
        try:
            value = json.loads((folder / name).read_bytes())[key]
        except (OSError, ValueError, KeyError, TypeError):
            continue
        if isinstance(value, int) and value > 0:
            return min(value, _MOST_TOKENS)
    return _MOST_TOKENS
