"""Vectors as engines store them, and as machines exchange them."""

# Governing: ADR-0011 (content-addressed vectors), ADR-0025 (vectors travel in a git ref)

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence, Set
from typing import Protocol, runtime_checkable


def pack_vector(vector: bytes, storage: str) -> bytes:
    """Convert a float32 vector into the storage: `float32`, or `int8` scaled so that its largest
    component is 127.

    The cosine does not depend on the scale, so the scale is not stored.
    """
    if storage == "float32":
        return vector
    values = array("f", vector)
    largest = max(map(abs, values), default=0.0) or 1.0
    return array("b", (round(value / largest * 127) for value in values)).tobytes()


class VectorExchange(Protocol):
    """Reads and stores the vectors of one model, to exchange them with other machines.

    A key is the SHA-256 of the text that was embedded. `storage` is the format of a vector: `int8`
    with a largest component of 127, or `float32`, little-endian, of length 1. `dimensions` is 0
    while no vector of this model is stored. Methods raise StorageError.
    """

    @property
    def model(self) -> str:
        """The id of the model."""
        ...

    @property
    def storage(self) -> str:
        """The format of its vectors."""
        ...

    @property
    def dimensions(self) -> int:
        """How many components a vector has; 0 if unknown."""
        ...

    def keys(self) -> Sequence[bytes]:
        """Return the key of every text in the index, once, in order, embedded or not."""
        ...

    def held(self) -> Set[bytes]:
        """Return the key of every stored vector, whether its text is in the index or not."""
        ...

    def vectors(self, keys: Sequence[bytes]) -> Iterator[tuple[bytes, bytes]]:
        """Yield those of `keys` that have a stored vector, in the order of `keys`, each with it."""
        ...

    def adopt(self, dimensions: int, vectors: Sequence[tuple[bytes, bytes]]) -> int:
        """Store vectors of another machine, all of them or none. Returns how many are new.

        Existing vectors stay as they are. The caller has validated each vector. Raises
        EngineUnavailable if the stored vectors have other dimensions.
        """
        ...


@runtime_checkable
class ExchangesVectors(Protocol):
    """An engine whose vectors are valid on every machine that has the same model."""

    def exchange(self) -> VectorExchange:
        """Return access to the vectors of the configured model."""
        ...
