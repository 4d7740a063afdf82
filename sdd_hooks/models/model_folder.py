"""The files of a sentence model in a folder: ONNX weights and a tokenizer."""

from __future__ import annotations

from pathlib import Path

from sdd_hooks.errors import EngineUnavailable

WEIGHTS_FILES = (
    "model_quantized.onnx",
    "onnx/model_quantized.onnx",
    "model.onnx",
    "onnx/model.onnx",
)
"""Where a folder or a repository of the hub may have its weights, in the order of preference."""

TOKENIZER_FILE = "tokenizer.json"


def find_weights(folder: Path) -> Path | None:
    """Return the file with the weights; None if there is none."""
    return next((folder / name for name in WEIGHTS_FILES if (folder / name).is_file()), None)


def is_complete(folder: Path) -> bool:
    """Whether the folder has weights and a tokenizer."""
    return find_weights(folder) is not None and (folder / TOKENIZER_FILE).is_file()


def require_weights(folder: Path) -> Path:
    """Return the file with the weights of a model that has a tokenizer, too.

    Raises:
        EngineUnavailable: one of them is missing.
    """
    weights = find_weights(folder)
    if weights is None or not (folder / TOKENIZER_FILE).is_file():
        raise EngineUnavailable(
            f"{folder} is not a model: it needs tokenizer.json and model_quantized.onnx or"
            " model.onnx; set `Embed Model` to one that has them"
        )
    return weights
