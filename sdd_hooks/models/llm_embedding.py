"""Embedding models of the library `llm`, with its installed plug-ins."""

from __future__ import annotations

import math
from array import array
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

from sdd_hooks.errors import EngineUnavailable
from sdd_hooks.models.consent import require_consent
from sdd_hooks.models.timeouts import call_with_timeout

_CONNECT_TIMEOUT = 4.0
_BATCH = 32
_GPU_BATCH = 256
"""Texts in one call of a model that does not declare its batch size."""


def load_llm_model(name: str, root: Path, environ: Mapping[str, str]) -> LlmModel:
    """Load the embedding model with the id or alias `name`, for the repository at `root`.

    Raises:
        EngineUnavailable: `llm` is not installed or has no such model.
        ModelNotAllowed: it is a service, and the user has not allowed it.
    """
    model = _find_model(name)
    # Only models that need a key are known to be services.
    if model.needs_key:
        require_consent((name, str(model.model_id)), root, environ)
    return LlmModel(name, model)


def llm_model_device(name: str) -> str:
    """Return where a model runs, as far as known without loading it.

    `remote` for a model that needs a key, else the device of PyTorch, else `cpu`. Raises
    EngineUnavailable like `load_llm_model`.
    """
    return _device(_find_model(name))


def require_llm(name: str) -> ModuleType:
    """Import `llm`, for the model `name`.

    Raises:
        EngineUnavailable: it is not installed.
    """
    try:
        import llm
    except ImportError as error:
        from sdd_hooks.system.installation import advise_extra

        raise EngineUnavailable(
            f"the model {name!r} needs {error.name}: {advise_extra('llm')}"
        ) from error
    return llm


def _find_model(name: str) -> Any:
    llm = require_llm(name)
    try:
        return llm.get_embedding_model(name)
    except llm.UnknownModelError as error:
        raise EngineUnavailable(
            f"llm knows no embedding model {name!r}: see `llm embed-models`"
        ) from error


def _device(model: Any) -> str:
    if model.needs_key:
        return "remote"
    try:
        import torch
    except ImportError:
        return "cpu"
    return "cuda" if torch.cuda.is_available() else "cpu"


class LlmModel:
    """`EmbeddingModel` over an embedding model of `llm`."""

    def __init__(self, name: str, model: Any) -> None:
        self.id = f"llm:{name}"
        self._name = name
        self._model = model
        self.device = _device(model)
        batch = _GPU_BATCH if self.device == "cuda" else _BATCH
        self._batch = getattr(model, "batch_size", None) or batch
        self.dimensions = 0
        embed_probe = partial(self.embed, ["dimensions"])
        # A model that needs a key is a service, whose client may wait for minutes. Other models may
        # take long to load.
        try:
            if model.needs_key:
                vectors = call_with_timeout(_CONNECT_TIMEOUT, embed_probe)
            else:
                vectors = embed_probe()
        except TimeoutError as error:
            raise EngineUnavailable(f"the model {name} could not be reached: {error}") from error
        self.dimensions = len(vectors[0]) // 4

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        """Return a float32 little-endian vector of length 1 for each text.

        Raises EngineUnavailable when the plug-in fails: without a key, a network or permission.
        """
        try:
            embedded = self._model.embed_multi(texts, batch_size=self._batch)
            vectors = [_normalise(list(values)) for values in embedded]
        # Plug-ins raise exceptions of any class.
        except Exception as error:
            reason = str(error).partition("\n")[0][:160] or type(error).__name__
            raise EngineUnavailable(f"the model {self._name} failed: {reason}") from error
        if len(vectors) != len(texts) or not all(vectors):
            raise EngineUnavailable(f"the model {self._name} did not give a vector for each text")
        if {len(one) for one in vectors} - {4 * self.dimensions or len(vectors[0])}:
            raise EngineUnavailable(f"the model {self._name} gave vectors of other sizes")
        return vectors


def _normalise(values: Sequence[float]) -> bytes:
    """Return the vector with length 1. Raises ValueError for values that are not finite."""
    length = math.hypot(*values)
    if not math.isfinite(length):
        raise ValueError("it gives vectors that are not numbers")
    return array("f", [value / (length or 1.0) for value in values]).tobytes()
