"""Two nodes of Citus in temporary directories, which talk through their sockets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields

import pytest

from tests.support.postgres_server import PostgresServer, installed_postgres, running_postgres

_SETTINGS = {
    "shared_preload_libraries": "citus",
    "wal_level": "logical",
    "max_prepared_transactions": "50",
    "citus.shard_count": "4",
}


@dataclass
class CitusServer(PostgresServer):
    """The coordinator, which has half of the rows, and a worker with the others.

    Roles of a database are created in it, from where Citus creates them on the worker.
    """

    worker: PostgresServer | None = None

    @property
    def nodes(self) -> tuple[PostgresServer, ...]:
        """The coordinator and the worker."""
        assert self.worker is not None
        return self, self.worker

    def database(self, template: str = "template0") -> str:
        """Create a database on both nodes, which know each other. Returns its name."""
        name = self.lone_database(template)
        self.join(name)
        return name

    def lone_database(self, template: str = "template0") -> str:
        """Create a database that is only on the coordinator, without Citus. Returns its name."""
        return super().database(template)

    def join(self, name: str) -> None:
        """Add the worker to a database of the coordinator."""
        assert self.worker is not None
        self.worker.sql(f"CREATE DATABASE {name}")
        for node in self.nodes:
            node.sql("CREATE EXTENSION citus", database=name)
        self.sql(
            f"SELECT citus_set_coordinator_host('{self.folder}', {self.port})",
            f"SELECT citus_add_node('{self.worker.folder}', {self.worker.port})",
            "SELECT citus_set_node_property(nodename, nodeport, 'shouldhaveshards', true)"
            " FROM pg_dist_node",
            database=name,
        )

    def owned_database(self, owner: str) -> str:
        """Create a database that belongs to a new role, with pgvector."""
        name = self.database()
        self.sql(
            f"CREATE ROLE {owner} LOGIN",
            f"GRANT CREATE ON DATABASE {name} TO {owner}",
            "CREATE EXTENSION vector",
            database=name,
        )
        return name

    def drop_database(self, name: str) -> None:
        """Remove a database from both nodes."""
        for node in reversed(self.nodes):
            node.sql(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture(scope="session")
def citus() -> Iterator[CitusServer]:
    """Debian's server with Citus on two nodes, started once."""
    installed = installed_postgres("debian")
    if "citus" not in installed.extensions:
        pytest.skip("needs Citus: scripts/install-postgres .cache/postgres")
    with (
        running_postgres(installed, _SETTINGS) as coordinator,
        running_postgres(installed, _SETTINGS) as worker,
    ):
        same = {one.name: getattr(coordinator, one.name) for one in fields(coordinator)}
        yield CitusServer(**same, worker=worker)
