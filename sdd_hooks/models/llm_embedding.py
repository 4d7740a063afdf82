"""Any embedding model of `llm`, with whatever plug-ins are installed."""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence
from functools import partial
from types import ModuleType
from typing import Any

from sdd_hooks.errors import EngineUnavailable
from sdd_hooks.models.timeouts import within

_REACHABLE_WITHIN = 4.0
_AT_ONCE = 32
_AT_ONCE_ON_A_GPU = 256
"""Texts of one call to a model that does not say how many it takes."""


def load_through_llm(name: str) -> LlmModel:
    """The embedding model that `llm` knows as `name`.

    Raises:
        EngineUnavailable: `llm` is not installed or knows no such model.
    """
    return LlmModel(name, _known(name))


def device_of(name: str) -> str:
    """Where the model that `llm` knows as `name` runs, as far as it can be told without loading it:
    `remote` for one that wants a key, else where PyTorch runs, else `cpu`.

    Raises EngineUnavailable like `load_through_llm`.
    """
    return _device(_known(name))


def require_llm(name: str) -> ModuleType:
    """`llm` itself, for the model called `name`.

    Raises:
        EngineUnavailable: it is not installed.
    """
    try:
        import llm
    except ImportError as error:
        raise EngineUnavailable(
            f"the model {name!r} needs {error.name}: pip install 'sdd-hooks[llm]'"
        ) from error
    return llm


def _known(name: str) -> Any:
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
    """An `EmbeddingModel` over one of `llm`."""

    def __init__(self, name: str, model: Any) -> None:
        self.id = f"llm:{name}"
        self._name = name
        self._model = model
        self.device = _device(model)
        at_once = _AT_ONCE_ON_A_GPU if self.device == "cuda" else _AT_ONCE
        self._at_once = getattr(model, "batch_size", None) or at_once
        probe = partial(self.embed, ["dimensions"])
        # A model that needs a key is elsewhere, and its client may wait for minutes; one that
        # needs none may well take its time to load.
        try:
            first = within(_REACHABLE_WITHIN, probe) if model.needs_key else probe()
        except TimeoutError as error:
            raise EngineUnavailable(f"the model {name} could not be reached: {error}") from error
        self.dimensions = len(first[0]) // 4

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        """One float32 little-endian vector of length 1 for each text.

        Raises EngineUnavailable when the model's plug-in fails: no key, no network, a refusal.
        """
        try:
            found = self._model.embed_multi(texts, batch_size=self._at_once)
            vectors = [_unit(list(one)) for one in found]
        # A plug-in raises what it likes.
        except Exception as error:
            reason = str(error).partition("\n")[0][:160] or type(error).__name__
            raise EngineUnavailable(f"the model {self._name} failed: {reason}") from error
        if len(vectors) != len(texts) or any(not one for one in vectors):
            raise EngineUnavailable(f"the model {self._name} did not give a vector for each text")
        return vectors


def _unit(values: Sequence[float]) -> bytes:
    """The vector of length 1 in that direction. Raises ValueError for one that is no numbers."""
    length = math.hypot(*values)
    if not math.isfinite(length):
        raise ValueError("it gives vectors that are no numbers")
    return array("f", [value / (length or 1.0) for value in values]).tobytes()
