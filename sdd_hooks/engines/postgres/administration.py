"""The state of the organisation's index, and its grants, for those who run it."""

# Governing: ADR-0060 (grants of the organisation's index),
# SPEC-0033 REQ "State of the organisation"

from __future__ import annotations

from collections.abc import Sequence

from sdd_hooks.engines.organisation import OrganisationGrant, RepositoryStatus
from sdd_hooks.engines.postgres import access
from sdd_hooks.engines.postgres.address import Address
from sdd_hooks.engines.postgres.connection import connect, translate_errors
from sdd_hooks.engines.postgres.schema import migrate, protect, require_schema
from sdd_hooks.engines.postgres.stored_text import original_text, stored_text
from sdd_hooks.engines.protocol import read_bookmark

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
