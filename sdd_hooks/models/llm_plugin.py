"""Register sdd's local model as an embedding model of `llm`: `llm embed -m sdd-local -c "text"`.

`llm` loads this module by its entry point; see `register_embedding_models` in its documentation.
"""

from __future__ import annotations

import os
from array import array
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import llm

from sdd_hooks.errors import EngineUnavailable
from sdd_hooks.models.embedding_model import EmbeddingModel, load_model

VARIABLE = "SDD_MODEL"
_BATCH = 32


class LocalModel(llm.EmbeddingModel):  # type: ignore[misc, name-defined]
    """The folder or model of the hub in `SDD_MODEL`, else sdd's default model."""

    model_id = "sdd-local"
    batch_size = _BATCH

    def __init__(self) -> None:
        self._loaded: EmbeddingModel | None = None

    def embed_batch(
        self,
        items: Iterable[str | bytes],
        *,
        key: str | None = None,  # noqa: ARG002 (part of the interface)
    ) -> Iterator[list[float]]:
        """Yield the vector of each text."""
        if self._loaded is None:
            try:
                name = os.environ.get(VARIABLE, "")
                self._loaded = load_model(name, Path.cwd(), os.environ)
            except EngineUnavailable as error:
                raise llm.ModelError(str(error)) from error
        texts = [item.decode() if isinstance(item, bytes) else item for item in items]
        for vector in self._loaded.embed(texts):
            yield list(array("f", vector))


@llm.hookimpl
def register_embedding_models(register: Callable[[LocalModel], None]) -> None:
    """Register the model with `llm`."""
    register(LocalModel())
