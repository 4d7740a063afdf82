"""Find the text that is nearest to a query in meaning, with the model of the index."""

# Governing: SPEC-0005 REQ "Excerpts"

from __future__ import annotations

from array import array
from collections.abc import Sequence

from sdd_hooks.models.embedding_model import EmbeddingModel


def nearest_text(model: EmbeddingModel, query: str, texts: Sequence[str]) -> int:
    """Return the index of the text with the greatest cosine to the query; 0 for no text.

    Raises EngineUnavailable if the model fails.
    """
    wanted, *others = (_components(vector) for vector in model.embed([query, *texts]))
    cosines = [sum(map(float.__mul__, wanted, other)) for other in others]
    return cosines.index(max(cosines)) if cosines else 0


def _components(vector: bytes) -> list[float]:
    """Return the components of a little-endian vector of float32, whose length is 1."""
    components = array("f", vector)
    return components.tolist()
