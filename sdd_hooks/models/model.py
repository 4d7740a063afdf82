"""An embedding model by the name the configuration gives it.

A name is a folder (`./models/x`, `/models/x`, `~/x`, or one that exists in the repository), a model
of the hub (`owner/name`), or any embedding model of `llm`; no name is the default model of the hub.
The first two run here, without importing `llm`. `llm:NAME` is one of `llm` whatever its name looks
like: its plug-ins call theirs `sentence-transformers/x`.
"""

# Governing: ADR-0011 (content-addressed vectors)

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Protocol

from sdd_hooks.errors import EngineUnavailable

DEFAULT = "Xenova/all-MiniLM-L6-v2"
"""Its quantised weights are one file of 23 MB, the same on every machine."""

WEIGHTS = ("model_quantized.onnx", "onnx/model_quantized.onnx", "model.onnx", "onnx/model.onnx")
"""Where a folder or a repository of the hub may keep its ONNX file, the wanted one first."""

_HUB_NAME = re.compile(r"[\w.-]+/[\w.-]+", re.ASCII)
_THROUGH_LLM = "llm:"
_BLOCK = 1 << 20


class EmbeddingModel(Protocol):
    """Texts to vectors. `id` is what its vectors are stored under, `device` where it runs."""

    id: str
    dimensions: int
    device: str

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        """One float32 little-endian vector of length 1 for each text."""
        ...


def load_model(name: str, root: Path, environ: Mapping[str, str]) -> EmbeddingModel:
    """Load the model called `name` in a repository whose top is `root`.

    The variables of `environ` tell where the hub's cache is.

    Raises:
        EngineUnavailable: it is not here and cannot be had within 5 seconds, or cannot run.
    """
    folder = local_folder(name, root)
    if folder is None and not _is_hub(name):
        from sdd_hooks.models.llm_embedding import load_through_llm

        return load_through_llm(name.removeprefix(_THROUGH_LLM))
    from sdd_hooks.models.onnx import load_folder

    if folder is None:
        from sdd_hooks.models.hub import hub_folder

        folder = hub_folder(name or DEFAULT, environ)
    return load_folder(folder, model_id(name, root))


def model_id(name: str, root: Path) -> str:
    """What the vectors of the model called `name` are stored under; nothing is loaded for it.

    Equal weights have equal ids on every machine: a folder's is made from the content of its file.
    """
    folder = local_folder(name, root)
    if folder is not None:
        weights = weights_of(folder)
        if weights is None:
            return f"local:{folder.name}"
        status = weights.stat()
        return f"local:{folder.name}:{_digest(weights, status.st_size, status.st_mtime_ns)}"
    if _is_hub(name):
        return f"hub:{name or DEFAULT}"
    return f"{_THROUGH_LLM}{name.removeprefix(_THROUGH_LLM)}"


def model_device(name: str, root: Path, environ: Mapping[str, str]) -> str:
    """Where the model called `name` would run: `cpu`, `cuda`, or `remote` for a service.

    Loads no model.

    Raises:
        EngineUnavailable: it is no model, or what downloads or runs it is not installed.
    """
    folder = local_folder(name, root)
    if folder is None and not _is_hub(name):
        from sdd_hooks.models.llm_embedding import device_of

        return device_of(name.removeprefix(_THROUGH_LLM))
    from sdd_hooks.models.onnx import device

    if folder is None:
        to_fetch(name, root, environ)
    else:
        require_model(folder)
    return device()


def to_fetch(name: str, root: Path, environ: Mapping[str, str]) -> str:
    """The model of the hub that loading `name` would download first; "" when there is none.

    Asks nobody and loads nothing.

    Raises:
        EngineUnavailable: what downloads models is not installed.
    """
    if local_folder(name, root) is not None or not _is_hub(name):
        return ""
    from sdd_hooks.models.hub import cached_folder, require_client

    wanted = name or DEFAULT
    if cached_folder(wanted, environ):
        return ""
    require_client(wanted)
    return wanted


def require_model(folder: Path) -> Path:
    """The ONNX file of a folder that holds a model.

    Raises:
        EngineUnavailable: the folder lacks something.
    """
    weights = weights_of(folder)
    if weights is None or not (folder / "tokenizer.json").is_file():
        raise EngineUnavailable(
            f"{folder} is not a model: it needs tokenizer.json and model_quantized.onnx or"
            " model.onnx; set `Embed Model` to one that has them"
        )
    return weights


def weights_of(folder: Path) -> Path | None:
    """The ONNX file of a model's folder, or None."""
    return next((folder / name for name in WEIGHTS if (folder / name).is_file()), None)


def local_folder(name: str, root: Path) -> Path | None:
    """The folder that `name` means, whether it is there or not; None for any other kind of name."""
    if name.startswith(("/", "./", "../", "~")) or name in {".", ".."}:
        try:
            return (root / Path(name).expanduser()).resolve()
        except RuntimeError as error:
            raise EngineUnavailable(f"Embed Model {name!r}: {error}") from error
    return (root / name).resolve() if name and (root / name).is_dir() else None


def _is_hub(name: str) -> bool:
    return not name or _HUB_NAME.fullmatch(name) is not None


@lru_cache(maxsize=8)
def _digest(path: Path, size: int, modified: int) -> str:  # noqa: ARG001 (they end a stale entry)
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()[:12]
