"""The order in which an embed takes the texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from sdd_hooks.engines.embedding import StoredChunk, embed_missing, text_hash, text_to_embed

TEXTS = ["x" * size for size in range(1, 1_001)]


class Store:
    """The keys of `TEXTS`, the short texts first."""

    def __init__(self) -> None:
        self.texts = {text_hash(text_to_embed("", "", text)): text for text in TEXTS}
        self.vectors: dict[bytes, bytes] = {}

    def missing(self) -> Sequence[bytes]:
        return [key for key in self.texts if key not in self.vectors]

    def chunks(self, keys: Sequence[bytes]) -> Mapping[bytes, StoredChunk]:
        return {key: StoredChunk("a.md#b", "", "", self.texts[key]) for key in keys}

    def is_empty(self) -> bool:
        return not self.vectors

    def store(self, vectors_by_key: Mapping[bytes, bytes]) -> None:
        self.vectors.update(vectors_by_key)

    def count_pending(self) -> int:
        return len(self.missing())


class Model:
    """A model that takes a second for each character."""

    id = "model"
    dimensions = 1
    device = "cpu"

    def __init__(self) -> None:
        self.seconds = 0
        self.batches: list[list[int]] = []

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        self.seconds += sum(map(len, texts))
        self.batches.append([len(text) for text in texts])
        return [bytes(4)] * len(texts)


def test_the_rate_of_the_first_texts_is_that_of_all() -> None:
    """The time that is left is estimated from it, and long texts take longer."""
    model = Model()
    total = sum(len(text_to_embed("", "", text)) for text in TEXTS)
    estimates: list[float] = []

    def progress(_step: str, done: int, wanted: int) -> bool:
        if 0 < done < wanted:
            estimates.append(model.seconds / done * wanted)
        return True

    counts = embed_missing(Store(), model, progress=progress, clock=lambda: 0.0)
    assert counts.embedded == len(TEXTS)
    assert estimates
    assert estimates == pytest.approx([total] * len(estimates), rel=0.1)
    # A batch is padded to its longest text.
    assert all(batch == sorted(batch) for batch in model.batches)
