"""The organisation's index: every repository that the role of the connection may read."""

# Governing: ADR-0060 (grants of the organisation's index), SPEC-0033 REQ "Search everywhere"

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from sdd_hooks.config.settings import SearchSettings
from sdd_hooks.engines.organisation import (
    OrganisationGrant,
    OrganisationResult,
    OrganisationText,
    RepositoryStatus,
)
from sdd_hooks.engines.postgres import access
from sdd_hooks.engines.postgres.address import Address
from sdd_hooks.engines.postgres.connection import connect, snapshot, translate_errors
from sdd_hooks.engines.postgres.schema import migrate, protect, require_schema
from sdd_hooks.engines.postgres.values import original_text, stored_text
from sdd_hooks.engines.protocol import Query, read_bookmark
from sdd_hooks.models.embedding_model import ConfiguredModel

if TYPE_CHECKING:
    from psycopg import Connection

_TEXT_COLUMNS = "SELECT r.name, d.collection, k.kind, k.module, d.path, c.text"
_TEXTS = (
    " FROM sdd.documents AS d JOIN sdd.repositories AS r ON r.id = d.repository"
    " JOIN sdd.collections AS k ON k.repository = d.repository AND k.name = d.collection"
    " JOIN sdd.chunks AS c ON c.repository = d.repository AND c.document = d.id"
)
_THESE = (
    " WHERE (r.name, d.collection, d.path) IN"
    " (SELECT * FROM unnest(%s::text[], %s::text[], %s::text[]))"
)
_ORDER = ' ORDER BY r.name COLLATE "C", d.path COLLATE "C", d.collection, c.first_line, c.id'
_LIMITS = "SET lock_timeout = '5s'; SET statement_timeout = '60s'"
"""Another job may lock tables for minutes, and a reader waits."""
_HEAD = "file"
"""The anchor of the first chunk of a document."""

_STATE = """
    SELECT r.name, r.touched, r.documents, r.chunks, coalesce(c.pending, 0),
        coalesce(c.bytes, 0) + coalesce(v.bytes, 0), k.names, k.bookmarks
    FROM sdd.repositories AS r
    LEFT JOIN (
        SELECT c.repository, sum(pg_column_size(c.text)) AS bytes,
            count(*) FILTER (WHERE NOT EXISTS (SELECT FROM sdd.vectors AS v
                WHERE v.repository = c.repository AND v.hash = c.hash)) AS pending
        FROM sdd.chunks AS c GROUP BY c.repository
    ) AS c ON c.repository = r.id
    LEFT JOIN (
        SELECT repository, sum(pg_column_size(vector)) AS bytes FROM sdd.vectors GROUP BY repository
    ) AS v ON v.repository = r.id
    LEFT JOIN (
        SELECT repository, array_agg(name ORDER BY name) AS names,
            array_agg(bookmark ORDER BY name) AS bookmarks
        FROM sdd.collections GROUP BY repository
    ) AS k ON k.repository = r.id
    ORDER BY r.name COLLATE "C"
"""


class PostgresOrganisation:
    """`Organisation` over PostgreSQL."""

    def __init__(
        self,
        address: Address,
        root: Path,
        environ: Mapping[str, str],
        settings: SearchSettings,
    ) -> None:
        self._address = address
        self._model = ConfiguredModel(settings.embed_model, root, environ)
        self._storage = settings.vector_storage
        self._connection: Connection = connect(address)
        try:
            with translate_errors(address):
                self._connection.execute(_LIMITS)
                require_schema(self._connection)
        except BaseException:
            self._connection.close()
            raise

    def touched(self) -> Mapping[str, float | None]:
        """Return when each repository was last checked for changes (seconds since the epoch)."""
        with translate_errors(self._address):
            rows = self._connection.execute("SELECT name, touched FROM sdd.repositories")
            return {original_text(name): touched for name, touched in rows}

    def search(
        self, query: Query, kinds: Sequence[str], repositories: Sequence[str] | None = None
    ) -> OrganisationResult:
        """Search by words, and by meaning where vectors of the configured model are."""
        from sdd_hooks.engines.postgres import vectors
        from sdd_hooks.engines.postgres.scope import find_scope
        from sdd_hooks.engines.postgres.search import embed_query, search

        with translate_errors(self._address), snapshot(self._connection):
            by_meaning = any(part.type != "lex" for part in query.searches)
            wanted = (self._connection, self._model.id, self._storage)
            space = vectors.find_space(*wanted) if by_meaning else None
            notes: tuple[str, ...] = ()
            if space is None and by_meaning:
                notes = (f"searched by words only: no repository has vectors of {self._model.id}",)
            query_vectors = embed_query(query, space, self._model.load)
            scope = find_scope(self._connection, self._ids(repositories), (), kinds)
            found = search(self._connection, scope, query, space, query_vectors)
        return OrganisationResult(found, (*notes, *query_vectors.notes))

    def heads(self, kinds: Sequence[str]) -> Sequence[OrganisationText]:
        """Return the head of each document of these kinds, by repository and path."""
        condition = " WHERE k.kind = ANY(%s) AND c.anchor = %s"
        return self._read(condition, (list(kinds), _HEAD))

    def texts(
        self, documents: Sequence[tuple[str, str, str]], longest: int | None = None
    ) -> Sequence[OrganisationText]:
        """Return the documents with these repositories, collections and paths, without those that
        have more than `longest` characters, whose texts stay on the server."""
        if longest is not None and documents:
            documents = self._short(documents, longest)
        if not documents:
            return []
        return self._read(_THESE, _columns(documents))

    def _short(
        self, documents: Sequence[tuple[str, str, str]], longest: int
    ) -> list[tuple[str, str, str]]:
        """Return those of the documents that have at most so many characters."""
        with translate_errors(self._address):
            rows = self._connection.execute(
                f"SELECT r.name, d.collection, d.path{_TEXTS}{_THESE}"
                " GROUP BY r.name, d.collection, d.path HAVING sum(length(c.text)) <= %s".encode(),
                (*_columns(documents), longest),
            )
            return [(original_text(a), original_text(b), original_text(c)) for a, b, c in rows]

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def _ids(self, repositories: Sequence[str] | None) -> list[int] | None:
        """Return the ids of these repositories, as far as the role may read them."""
        if repositories is None:
            return None
        find = "SELECT id FROM sdd.repositories WHERE name = ANY(%s)"
        rows = self._connection.execute(find, ([*map(stored_text, repositories)],))
        return [int(id) for (id,) in rows]

    def _read(self, condition: str, values: Sequence[object]) -> list[OrganisationText]:
        """Return the documents of these rows of chunks, whose texts are joined."""
        found: dict[tuple[str, str, str, str, str], list[str]] = {}
        with translate_errors(self._address):
            rows = self._connection.execute(
                f"{_TEXT_COLUMNS}{_TEXTS}{condition}{_ORDER}".encode(), tuple(values)
            )
            for row in rows:
                repository, collection, kind, module, path, text = map(original_text, row)
                key = repository, collection, kind, module, path
                found.setdefault(key, []).append(text.rstrip("\n"))
        return [OrganisationText(*key, "\n\n".join(parts)) for key, parts in found.items()]


def _columns(documents: Sequence[tuple[str, str, str]]) -> tuple[list[str], ...]:
    """Return the values of `_THESE`."""
    columns = zip(*documents, strict=True)
    return tuple([stored_text(part) for part in column] for column in columns)


class PostgresAdministration:
    """`OrganisationAdministration` over PostgreSQL."""

    def __init__(self, address: Address) -> None:
        self._address = address
        self._connection = connect(address)

    @property
    def place(self) -> str:
        """The server and the database, for messages."""
        return self._address.place

    def prepare(self) -> int:
        """Create the index or bring it to this version, and renew the rights of each role."""
        with translate_errors(self._address):
            steps = migrate(self._connection)
            if not steps:
                protect(self._connection)
            return steps

    def repositories(self) -> Sequence[RepositoryStatus]:
        """Return the repositories that the role may read, by name."""
        with translate_errors(self._address):
            require_schema(self._connection)
            rows = self._connection.execute(_STATE.encode()).fetchall()
        return [_read_status(*row) for row in rows]

    def grants(self) -> Sequence[OrganisationGrant]:
        """Return the grants that the role may see, by role and repository."""
        with translate_errors(self._address):
            return [
                one._replace(repository=original_text(one.repository))
                for one in access.read_grants(self._connection)
            ]

    def grant(self, grant: OrganisationGrant) -> None:
        """Store a grant. Raises UnknownRole."""
        with translate_errors(self._address):
            require_schema(self._connection)
            stored = grant._replace(repository=stored_text(grant.repository.lower()))
            access.grant(self._connection, stored)

    def revoke(self, role: str, repository: str) -> bool:
        """Remove the grant of a role for a repository. Returns whether there was one."""
        with translate_errors(self._address):
            require_schema(self._connection)
            return access.revoke(self._connection, role, stored_text(repository.lower()))

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()


def _read_status(
    name: str, touched: float | None, documents: int, chunks: int, *rest: object
) -> RepositoryStatus:
    pending, size, names, bookmarks = rest
    collections = dict(zip(_texts(names), _texts(bookmarks), strict=True))
    heads = [
        bookmark.head
        for text in collections.values()
        if text and (bookmark := read_bookmark(original_text(text))) and bookmark.head
    ]
    return RepositoryStatus(
        original_text(name),
        touched,
        max(heads, key=heads.count, default=""),
        documents,
        chunks,
        int(str(pending)),
        int(str(size)),
        tuple(original_text(one) for one, text in collections.items() if text is None),
    )


def _texts(column: object) -> list[str]:
    return list(column) if isinstance(column, list) else []
