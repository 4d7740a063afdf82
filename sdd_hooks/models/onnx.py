"""Run a sentence model in ONNX on onnxruntime.

Pooling and normalisation are those of sentence-transformers: the mean over the attention mask, then
length 1. The inputs and outputs of the graph are checked.

On a CPU each text is a batch, and each core runs one at a time: there is no padding, no core waits
for another, and a vector does not depend on other texts. It would in a larger batch, where a
quantised graph scales its activations over all texts.
"""

# Governing: ADR-0011 (content-addressed vectors)

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

from sdd_hooks.errors import EngineUnavailable
from sdd_hooks.models.model_folder import TOKENIZER_FILE, require_weights
from sdd_hooks.system.detached import usable_cores

_Input = TypeVar("_Input")
_Output = TypeVar("_Output")

_MAX_TOKENS = 512
MAX_BATCH_TOKENS = 32 * _MAX_TOKENS
"""Tokens of a batch on a GPU, padding included."""
_PROVIDERS = {"CUDAExecutionProvider": "cuda", "CPUExecutionProvider": "cpu"}


def onnx_device() -> str:
    """Return where the installed onnxruntime runs a model: `cuda` or `cpu`.

    Raises EngineUnavailable when it is not installed.
    """
    onnxruntime = _runtime()[0]
    return next(_PROVIDERS[name] for name in _providers(onnxruntime))


def load_onnx_model(folder: Path, identity: str) -> OnnxModel:
    """Load the model in a folder, whose vectors are stored under `identity`.

    Raises:
        EngineUnavailable: something is missing, damaged, or not a sentence model.
    """
    weights = require_weights(folder)
    onnxruntime, tokenizers = _runtime()
    try:
        tokenizer = tokenizers.Tokenizer.from_file(str(folder / TOKENIZER_FILE))
        tokenizer.enable_truncation(max_length=_max_tokens(folder))
        padding = tokenizer.padding or {}
        tokenizer.enable_padding(
            pad_id=padding.get("pad_id", 0),
            pad_type_id=padding.get("pad_type_id", 0),
            pad_token=padding.get("pad_token", "[PAD]"),
        )
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4  # errors are raised, and need not be printed
        options.intra_op_num_threads = 1  # for each text: several texts run at a time
        session = onnxruntime.InferenceSession(
            str(weights), options, providers=_providers(onnxruntime)
        )
        return OnnxModel(identity, tokenizer, session)
    except EngineUnavailable:
        raise
    # The libraries raise exceptions of their C++ and Rust code, without a common class.
    except Exception as error:
        reason = str(error).partition("\n")[0][:200]
        raise EngineUnavailable(f"the model in {folder} cannot be loaded: {reason}") from error


class OnnxModel:
    """`EmbeddingModel` over one onnxruntime session."""

    def __init__(self, identity: str, tokenizer: Any, session: Any) -> None:
        self.id = identity
        self.device = _PROVIDERS.get(session.get_providers()[0], "cpu")
        self._tokenizer = tokenizer
        self._session = session
        self._inputs = {tensor.name for tensor in session.get_inputs()}
        if not {"input_ids", "attention_mask"} <= self._inputs:
            raise EngineUnavailable(
                f"{identity} is not a sentence model: its inputs are {sorted(self._inputs)}"
            )
        self.dimensions = len(self.embed(["dimensions"])[0]) // 4

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        """Return a float32 little-endian vector of length 1 for each text.

        Raises EngineUnavailable when the graph fails, or gives values that are not finite.
        """
        if not texts:
            return []
        try:
            if self.device == "cpu":
                return [
                    vector for (vector,) in _map_on_cores(self._embed, [[text] for text in texts])
                ]
            return self._embed(texts)
        except EngineUnavailable:
            raise
        # Without a common class, as above.
        except Exception as error:
            reason = str(error).partition("\n")[0][:200]
            raise EngineUnavailable(f"the model {self.id} failed: {reason}") from error

    def _embed(self, texts: Sequence[str]) -> list[bytes]:
        import numpy

        # The tokenizer rejects lone surrogates, which an undecodable argument contains.
        readable = [text.encode("utf-8", "replace").decode() for text in texts]
        encoded = self._tokenizer.encode_batch(readable)
        inputs = {
            "input_ids": numpy.array([text.ids for text in encoded], dtype=numpy.int64),
            "attention_mask": numpy.array([text.attention_mask for text in encoded], numpy.int64),
            "token_type_ids": numpy.array([text.type_ids for text in encoded], dtype=numpy.int64),
        }
        lengths = inputs["attention_mask"].sum(axis=1).tolist()
        return [
            vector
            for rows, longest in split_batches(lengths)
            for vector in self._run({name: value[rows, :longest] for name, value in inputs.items()})
        ]

    def _run(self, inputs: dict[str, Any]) -> list[bytes]:
        """Return the vectors of a batch, whose texts are padded to the same length."""
        import numpy

        feed = {name: value for name, value in inputs.items() if name in self._inputs}
        mask = inputs["attention_mask"]
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
            raise EngineUnavailable(f"the model {self.id} gives vectors that are not numbers")
        return [vector.tobytes() for vector in unit]


def split_batches(lengths: Sequence[int]) -> Iterator[tuple[slice, int]]:
    """Split texts of these lengths (in tokens) into batches, each with its greatest length."""
    start, longest = 0, 0
    for index, length in enumerate(lengths):
        if index > start and max(longest, length) * (index + 1 - start) > MAX_BATCH_TOKENS:
            yield slice(start, index), longest
            start, longest = index, 0
        longest = max(longest, length)
    yield slice(start, len(lengths)), longest


def _map_on_cores(function: Callable[[_Input], _Output], inputs: Sequence[_Input]) -> list[_Output]:
    """Map a function over the inputs, with one thread for each core."""
    workers = min(usable_cores(), len(inputs))
    if workers == 1:
        return [function(value) for value in inputs]
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(workers) as pool:
        return list(pool.map(function, inputs))


def _runtime() -> tuple[Any, Any]:
    try:
        import onnxruntime
        import tokenizers
    except ImportError as error:
        from sdd_hooks.system.installation import advise_extra

        raise EngineUnavailable(
            f"the local model needs {error.name}: {advise_extra('local')}"
        ) from error
    return onnxruntime, tokenizers


def _providers(onnxruntime: Any) -> list[str]:
    available = onnxruntime.get_available_providers()
    return [name for name in _PROVIDERS if name in available]


def _max_tokens(folder: Path) -> int:
    """Return the maximum number of tokens in the files of the model."""
    for name, key in (
        ("sentence_bert_config.json", "max_seq_length"),
        ("config.json", "max_position_embeddings"),
    ):
        try:
            value = json.loads((folder / name).read_bytes())[key]
        except (OSError, ValueError, KeyError, TypeError):
            continue
        if isinstance(value, int) and value > 0:
            return min(value, _MAX_TOKENS)
    return _MAX_TOKENS
