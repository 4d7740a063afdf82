"""A database of an organisation, filled by SQL."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from sdd_hooks.engines.postgres.address import DSN, find_address
from sdd_hooks.engines.postgres.connection import connect
from tests.support.postgres_server import PostgresServer

if TYPE_CHECKING:
    from psycopg import Connection

PAYMENTS = "git.example/acme/payments"
HANDBOOK = "git.example/acme/handbook"
REPOSITORIES = (PAYMENTS, HANDBOOK)

ROLES: Mapping[str, tuple[str, Literal["read", "write"]]] = {
    "payments_ci": (PAYMENTS, "write"),
    "payments_dev": (PAYMENTS, "read"),
    "handbook_ci": (HANDBOOK, "write"),
    "handbook_dev": (HANDBOOK, "read"),
    "outsider": ("", "read"),
}


@dataclass(frozen=True)
class Organisation:
    """A database on a server. The role `admin` owns the tables and is no superuser."""

    server: PostgresServer
    database: str

    def environ(self, role: str) -> dict[str, str]:
        """The environment that reaches the database as that role."""
        return {DSN: self.server.dsn(self.database, role)}

    def connect(self, role: str) -> Connection:
        """A connection of that role, as the engine opens it."""
        return connect(find_address(self.environ(role)))

    def fill(self, connection: Connection, name: str) -> None:
        """Store a repository with one document, whose texts contain `SECRET OF` and its name."""
        secret = f"SECRET OF {name}"
        row = connection.execute(
            "INSERT INTO sdd.repositories(name) VALUES(%s) RETURNING id", (name,)
        ).fetchone()
        assert row
        number = row[0]
        connection.execute(
            "INSERT INTO sdd.collections(repository, name, kind, module, context)"
            " VALUES(%s, %s, 'adrs', '', %s)",
            (number, secret, secret),
        )
        connection.execute("INSERT INTO sdd.locks VALUES(%s, 'write')", (number,))
        document = connection.execute(
            "INSERT INTO sdd.documents(repository, collection, path, hash, title, chunks)"
            " VALUES(%s, %s, %s, 'same', %s, 1) RETURNING id",
            (number, secret, secret, secret),
        ).fetchone()
        assert document
        connection.execute(
            "INSERT INTO sdd.chunks(repository, document, collection, kind, anchor, section,"
            " first_line, last_line, hash, length, tokens, text, words)"
            " VALUES(%s, %s, %s, 'adrs', '', %s, 1, 2, 'same', 2, 2, %s,"
            " to_tsvector('simple', %s))",
            (number, document[0], secret, secret, secret, secret),
        )
        model = "INSERT INTO sdd.models(name, storage, dimensions) VALUES('m', 'int8', 3)"
        connection.execute(f"{model} ON CONFLICT DO NOTHING".encode())
        found = connection.execute("SELECT id FROM sdd.models WHERE name = 'm'").fetchone()
        assert found
        connection.execute(
            "INSERT INTO sdd.vectors(repository, model, hash, vector)"
            " VALUES(%s, %s, 'same', '[1,2,3]')",
            (number, found[0]),
        )
