"""A database with the schema, and roles that read or write one repository each."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from sdd_hooks.engines.organisation import OrganisationGrant
from sdd_hooks.engines.postgres.access import grant
from sdd_hooks.engines.postgres.address import find_address
from sdd_hooks.engines.postgres.connection import connect
from sdd_hooks.engines.postgres.schema import migrate
from tests.engines.postgres.organisation import REPOSITORIES, ROLES, Organisation
from tests.support.postgres_server import NAMES, PostgresServer


@pytest.fixture(scope="session", params=[*NAMES, "citus"])
def organisation(request: pytest.FixtureRequest) -> Iterator[Organisation]:
    """Two repositories with secrets, a reader and a writer of each, and an outsider."""
    fixture = "debian_postgres" if request.param == "debian" else request.param
    server: PostgresServer = request.getfixturevalue(fixture)
    database = server.database()
    server.sql(
        "CREATE ROLE admin CREATEROLE LOGIN",
        f"GRANT CREATE ON DATABASE {database} TO admin",
        "CREATE EXTENSION vector",
        *(f"CREATE ROLE {role} LOGIN" for role in ROLES),
        database=database,
    )
    made = Organisation(server, database)
    with connect(find_address(made.environ("admin"))) as connection:
        migrate(connection)
        for role, (name, right) in ROLES.items():
            if name:
                grant(connection, OrganisationGrant(role, name, right))
        for name in REPOSITORIES:
            made.fill(connection, name)
    yield made
    server.drop_database(database)
    for role in (*ROLES, "admin"):
        server.sql(f"DROP ROLE {role}")
