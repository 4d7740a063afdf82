"""Which chunks a search is about: repositories, and their collections."""

# Governing: ADR-0058 (the organisation's index is on PostgreSQL)

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sdd_hooks.named_tuple import NamedTuple

if TYPE_CHECKING:
    from psycopg import Connection

_FEW_CHUNKS = 20_000
"""Up to so many chunks, each one that contains a word is scored, and each vector compared."""


_COUNTED_CHUNKS = 200_000
_COUNTED_REPOSITORIES = 5
"""Up to so many repositories, the index of words finds those of their chunks by themselves."""


class OrganisationScope(NamedTuple):
    """The repositories of a search, by their ids, and what is known about them.

    `repositories` None stands for all that the role may read. `collections` and `kinds` limit the
    chunks; None for no limit. The numbers are those of the repositories, whatever the limits are.
    """

    repositories: tuple[int, ...] | None
    collections: tuple[str, ...] | None
    kinds: tuple[str, ...] | None
    documents: int
    chunks: int
    length: float
    tokens: int

    @property
    def is_small(self) -> bool:
        """Whether each chunk of the repositories can be looked at in a search."""
        return self.repositories is not None and self.chunks <= _FEW_CHUNKS

    @property
    def is_counted(self) -> bool:
        """Whether the chunks that contain a word can be counted in a search."""
        if self.repositories is None or len(self.repositories) > _COUNTED_REPOSITORIES:
            return self.is_small
        return self.chunks <= _COUNTED_CHUNKS

    @property
    def average(self) -> float:
        """The average length of a chunk, above 0."""
        return self.length / self.chunks if self.chunks and self.length > 0 else 1.0

    @property
    def average_tokens(self) -> float:
        """The average number of words of a chunk, above 0."""
        return self.tokens / self.chunks if self.chunks and self.tokens else 1.0

    @property
    def conditions(self) -> str:
        """The limits as conditions on `c`, a row of `sdd.chunks`, for `values`; begins with AND."""
        conditions = [
            (self.repositories, "c.repository = ANY(%(repositories)s)"),
            (self.collections, "c.collection = ANY(%(collections)s)"),
            (self.kinds, "c.kind = ANY(%(kinds)s)"),
        ]
        return "".join(f" AND {text}" for value, text in conditions if value is not None)

    @property
    def values(self) -> dict[str, object]:
        """The values of the conditions."""
        return {
            "repositories": None if self.repositories is None else list(self.repositories),
            "collections": None if self.collections is None else list(self.collections),
            "kinds": None if self.kinds is None else list(self.kinds),
        }


def find_scope(
    connection: Connection,
    repositories: Sequence[int] | None,
    collections: Sequence[str] = (),
    kinds: Sequence[str] = (),
) -> OrganisationScope:
    """Return the scope of a search; no collections or kinds mean all of them.

    Without `repositories`, the search is about all that the role may read.
    """
    where = "" if repositories is None else " WHERE id = ANY(%s)"
    row = connection.execute(
        "SELECT coalesce(sum(documents), 0)::bigint, coalesce(sum(chunks), 0)::bigint,"
        " coalesce(sum(length), 0)::float8, coalesce(sum(tokens), 0)::bigint, array_agg(id)"
        f" FROM sdd.repositories{where}".encode(),
        None if repositories is None else (list(repositories),),
    ).fetchone()
    documents, chunks, length, tokens, found = row or (0, 0, 0.0, 0, None)
    few = repositories is not None or chunks <= _FEW_CHUNKS
    return OrganisationScope(
        tuple(found or ()) if few else None,
        tuple(collections) or None,
        tuple(kinds) or None,
        documents,
        chunks,
        length,
        tokens,
    )
