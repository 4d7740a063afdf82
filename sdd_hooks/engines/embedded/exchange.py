"""The vectors of one model, for other machines and from them."""

# Governing: ADR-0011 (content-addressed vectors), ADR-0025 (vectors travel in a git ref)

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from pathlib import Path

import apsw

from sdd_hooks.engines.embedded import vectors
from sdd_hooks.engines.embedded.database import transaction, translated

_KEY = 32
"""Bytes of a key: what a hostile index calls a hash may be anything."""


@dataclass(frozen=True)
class Exchange:
    """`VectorExchange` over an index with its store attached; `path` is the store's file."""

    connection: apsw.Connection
    path: Path
    model: str
    storage: str
    dimensions: int

    def keys(self) -> Sequence[bytes]:
        """Of every text in the index, once, in order."""
        with translated(self.path):
            rows = self.connection.execute(
                "SELECT DISTINCT hash FROM chunks WHERE length(hash) = ? ORDER BY hash", (_KEY,)
            )
            return [row[0] for row in rows]

    def held(self) -> Set[bytes]:
        """Of every vector that is here and can be used."""
        with translated(self.path):
            where = vectors.space(self.connection, self.model, self.storage)
            if where is None:
                return frozenset()
            return vectors.keys(self.connection, where)

    def vectors(self, keys: Sequence[bytes]) -> Iterator[tuple[bytes, bytes]]:
        """Those of `keys` that have a vector here, each with it."""
        with translated(self.path):
            where = vectors.space(self.connection, self.model, self.storage)
            if where is not None:
                yield from vectors.read(self.connection, where, keys)

    def adopt(self, dimensions: int, made: Sequence[tuple[bytes, bytes]]) -> int:
        """Keep vectors made elsewhere, all of them or none. Returns how many are new here."""
        with translated(self.path), transaction(self.connection):
            where = vectors.create_space(self.connection, self.model, self.storage, dimensions)
            return vectors.adopt(self.connection, where, made)
