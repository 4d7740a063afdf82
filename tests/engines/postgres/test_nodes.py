"""An index that Citus distributes: where its rows are, and what a role reads and writes there."""

# Governing: ADR-0058 (the organisation's index is on PostgreSQL), ADR-0060 (grants)

from __future__ import annotations

from contextlib import closing

import pytest

from sdd_hooks.engines.organisation import OrganisationGrant
from sdd_hooks.engines.postgres.access import data_tables, grant
from sdd_hooks.engines.postgres.address import DSN, find_address
from sdd_hooks.engines.postgres.connection import connect
from sdd_hooks.engines.postgres.nodes import is_distributed
from sdd_hooks.engines.postgres.organisation import PostgresAdministration
from sdd_hooks.engines.postgres.schema import migrate
from tests.engines.postgres.organisation import HANDBOOK, PAYMENTS, ROLES, Organisation
from tests.support.citus_server import CitusServer

pytest.importorskip("psycopg")


@pytest.fixture
def distributed(citus: CitusServer, request: pytest.FixtureRequest) -> Organisation:
    """Two repositories, indexed on one server, to which a second node was added afterwards."""
    database = citus.lone_database()
    roles = {role: f"{role}_{database}" for role in (*ROLES, "admin")}
    request.addfinalizer(lambda: citus.drop_database(database))
    citus.sql(
        *(f"CREATE ROLE {role} LOGIN" for role in roles.values()),
        f"GRANT CREATE ON DATABASE {database} TO {roles['admin']}",
        "CREATE EXTENSION vector",
        database=database,
    )
    made = _Suffixed(citus, database)
    address = find_address(made.environ("admin"))
    with connect(address) as connection:
        migrate(connection)
        assert not is_distributed(connection)
        for role, (name, right) in ROLES.items():
            if name:
                grant(connection, OrganisationGrant(roles[role], name, right))
        for number in range(6):
            made.fill(connection, f"git.example/acme/other{number}")
        # Their numbers are 7 and 8.
        for name in (PAYMENTS, HANDBOOK):
            made.fill(connection, name)
    citus.join(database)
    with closing(PostgresAdministration(address)) as administration:
        administration.prepare()
    return made


class _Suffixed(Organisation):
    """An organisation whose roles are of its database: all databases of a server share them."""

    def environ(self, role: str) -> dict[str, str]:
        return {DSN: self.server.dsn(self.database, f"{role}_{self.database}")}


def test_an_index_is_distributed_by_its_repositories(
    citus: CitusServer, distributed: Organisation
) -> None:
    with distributed.connect("admin") as connection:
        assert is_distributed(connection)
        tables = len(data_tables(connection))
        assert connection.execute("SELECT count(*) FROM sdd.chunks").fetchone() == (8,)
        (constant,) = {
            line.strip()
            for (line,) in connection.execute("EXPLAIN SELECT FROM sdd.documents")
            if "Filter" in line
        }
    assert "ANY ('{1,2,3,4,5,6,7,8}'::integer[])" in constant
    placed = (
        "SELECT count(DISTINCT nodename), count(DISTINCT table_name), count(DISTINCT colocation_id)"
        " FROM citus_shards WHERE citus_table_type = 'distributed'"
    )
    assert citus.sql(placed, database=distributed.database) == f"2|{tables}|1"
    for node in citus.nodes:
        # Each node has the rows of some repositories.
        parts = node.sql(
            "SELECT string_agg(format('SELECT repository FROM %s', shard_name), ' UNION ALL ')"
            " FROM citus_shards JOIN pg_dist_local_group ON true JOIN pg_dist_node"
            " USING (groupid, nodename) WHERE table_name = 'sdd.chunks'::regclass",
            database=distributed.database,
        )
        assert 0 < len(node.sql(parts, database=distributed.database).split()) < 8


@pytest.mark.parametrize("role", ["payments_dev", "payments_ci"])
def test_a_role_reads_its_repository_only_on_each_node_and_by_the_name_of_each_part(
    citus: CitusServer, distributed: Organisation, role: str
) -> None:
    user = f"{role}_{distributed.database}"
    names = (
        "SELECT relname FROM pg_class WHERE relnamespace = 'sdd'::regnamespace AND relkind = 'r'"
        " AND relname ~ '_[0-9]+$'"
    )
    read = []
    for node in citus.nodes:
        found = node.sql("SELECT text FROM sdd.chunks", database=distributed.database, user=user)
        assert found == f"SECRET OF {PAYMENTS}"
        shown = "SET citus.override_table_visibility = off"
        parts = node.sql(shown, names, database=distributed.database, user=user).split()
        assert len(parts) > 10
        for part in parts:
            text = f"SELECT t::text FROM sdd.{part} AS t"
            read.append(node.sql(text, database=distributed.database, user=user))
    assert PAYMENTS in str(read)
    assert HANDBOOK not in str(read)
    assert "acme/other" not in str(read)


def test_a_writer_changes_rows_of_others_on_no_node(
    citus: CitusServer, distributed: Organisation
) -> None:
    user = f"payments_ci_{distributed.database}"
    for node in citus.nodes:
        for number in (*range(1, 7), 8):
            for statement in (
                "INSERT INTO sdd.locks(repository, purpose)"
                f" SELECT {number}, n::text FROM generate_series(1, 2) AS n",
                f"INSERT INTO sdd.locks(repository, purpose) VALUES({number}, 'x')",
            ):
                with pytest.raises(AssertionError, match=r"row-level security|check constraint"):
                    node.sql(statement, database=distributed.database, user=user)
            node.sql(
                f"SELECT sdd.delete_documents({number}, ARRAY(SELECT generate_series(1, 99)))",
                database=distributed.database,
                user=user,
            )
    with distributed.connect("admin") as connection:
        assert connection.execute("SELECT count(*) FROM sdd.documents").fetchone() == (8,)
        assert connection.execute("SELECT count(*) FROM sdd.locks").fetchone() == (8,)
