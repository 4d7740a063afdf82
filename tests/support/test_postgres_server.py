"""The PostgreSQL servers of the tests."""

from __future__ import annotations

import os

import pytest

from tests.support.postgres_server import (
    PostgresServer,
    installed_postgres,
    running_postgres,
)


def test_a_server_has_vectors_and_its_roles_read_what_is_granted(postgres: PostgresServer) -> None:
    database = postgres.database()
    postgres.sql(
        "CREATE EXTENSION vector",
        "CREATE TABLE secret AS SELECT '[1,2]'::vector AS v",
        "CREATE ROLE stranger LOGIN",
        database=database,
    )
    assert postgres.sql("SELECT v FROM secret", database=database) == "[1,2]"
    with pytest.raises(AssertionError, match="permission denied for table secret"):
        postgres.sql("SELECT v FROM secret", database=database, user="stranger")
    postgres.sql("DROP ROLE stranger")


def test_a_server_ends_with_its_folder() -> None:
    with running_postgres(installed_postgres("pgserver")) as server:
        pid = int((server.folder / "data/postmaster.pid").read_text().split()[0])
        assert server.sql("SELECT 1") == "1"
    assert not server.folder.exists()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
