"""Several nodes: Citus keeps all rows of a repository on one of them, and few tables on each.

A policy on a node may have no subquery, and a function in it may read no table of Citus. It calls
functions that the planner evaluates once for each statement, as if they were immutable. They read
the copies of the tables of grants and repositories that each node has.
"""

# Governing: ADR-0058 (the organisation's index is on PostgreSQL), ADR-0060 (grants),
# SPEC-0032 REQ "Several nodes"

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from psycopg import Connection

FUNCTION = """
    CREATE FUNCTION sdd.is_distributed() RETURNS boolean
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog
    AS $$
    BEGIN
        IF to_regclass('pg_catalog.pg_dist_partition') IS NULL THEN
            RETURN false;
        END IF;
        RETURN EXISTS (
            SELECT FROM pg_dist_partition WHERE logicalrelid = to_regclass('sdd.chunks')
        );
    END $$;
    REVOKE ALL ON FUNCTION sdd.is_distributed FROM PUBLIC;
"""

_ON_EACH_NODE = ("grants", "repositories", "models")

# Citus sends each statement to its nodes, so that each is alone.
_FUNCTIONS = (
    # Planned at each call: a plan of the connection could have the policies of another role.
    """
    CREATE OR REPLACE FUNCTION sdd.granted(writing boolean) RETURNS text[]
        LANGUAGE plpgsql STABLE SET search_path = pg_catalog AS $$
        DECLARE
            names text[];
        BEGIN
            EXECUTE 'SELECT ARRAY(SELECT DISTINCT repository FROM {grants}'
                ' WHERE role = ANY($1) AND (writes OR NOT $2))'
                INTO names USING sdd.roles(), writing;
            RETURN names;
        END $$
    """,
    """
    CREATE OR REPLACE FUNCTION sdd.permitted(writing boolean) RETURNS integer[]
        LANGUAGE plpgsql STABLE SET search_path = pg_catalog AS $$
        DECLARE
            ids integer[];
        BEGIN
            EXECUTE 'SELECT ARRAY(SELECT id FROM {repositories}'
                ' WHERE ''*'' = ANY($1) OR name = ANY($1))'
                INTO ids USING sdd.granted(writing);
            RETURN ids;
        END $$
    """,
    """
    CREATE FUNCTION sdd.planned_roles() RETURNS text[]
        LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog AS $$
        BEGIN RETURN sdd.roles(); END $$
    """,
    """
    CREATE FUNCTION sdd.planned_names(writing boolean) RETURNS text[]
        LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog AS $$
        BEGIN RETURN sdd.granted(writing); END $$
    """,
    """
    CREATE FUNCTION sdd.planned_repositories(writing boolean) RETURNS integer[]
        LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog AS $$
        BEGIN RETURN sdd.permitted(writing); END $$
    """,
    "REVOKE ALL ON FUNCTION sdd.planned_roles, sdd.planned_names, sdd.planned_repositories"
    " FROM PUBLIC",
)


def is_distributed(connection: Connection) -> bool:
    """Whether Citus distributes the tables."""
    row = connection.execute("SELECT sdd.is_distributed()").fetchone()
    return bool(row and row[0])


def distribute(connection: Connection, tables: Sequence[str]) -> None:
    """Distribute these tables by their repository, if the database has Citus.

    Repeatable. It ends row-level security, so that the caller has to secure the tables again, in
    the same transaction.
    """
    has_citus = "SELECT 1 FROM pg_extension WHERE extname = 'citus'"
    if connection.execute(has_citus).fetchone() is None or is_distributed(connection):
        return
    # One statement after another: some depend on what is not committed yet.
    connection.execute("SET LOCAL citus.multi_shard_modify_mode = 'sequential'")
    policies = "SELECT tablename, policyname FROM pg_policies WHERE schemaname = 'sdd'"
    for table, policy in connection.execute(policies).fetchall():
        connection.execute(f"DROP POLICY {policy} ON sdd.{table}".encode())
    # Rows move by COPY, which row-level security refuses.
    for table in (*_ON_EACH_NODE, *tables):
        connection.execute(f"ALTER TABLE sdd.{table} DISABLE ROW LEVEL SECURITY".encode())
    copies = {}
    for table in _ON_EACH_NODE:
        connection.execute("SELECT create_reference_table(%s)", (f"sdd.{table}",))
        row = connection.execute(
            "SELECT shard_name(logicalrelid, shardid) FROM pg_dist_shard"
            " WHERE logicalrelid = %s::regclass",
            (f"sdd.{table}",),
        ).fetchone()
        copies[table] = str(row[0]) if row else ""
    for table in tables:
        connection.execute(
            "SELECT create_distributed_table(%s, 'repository', colocate_with => %s)",
            (f"sdd.{table}", "none" if table == tables[0] else f"sdd.{tables[0]}"),
        )
    for statement in _FUNCTIONS:
        connection.execute(statement.format_map(copies).encode())
    # Those that were there before Citus are on this node only.
    connection.execute(
        "SELECT create_distributed_function(oid::regprocedure) FROM pg_proc"
        " WHERE pronamespace = 'sdd'::regnamespace"
    )
    for table in tables:
        # Citus copies selected rows into the tables of this node without a look at policies.
        connection.execute(
            f"ALTER TABLE sdd.{table} ADD CONSTRAINT {table}_written"
            " CHECK ((repository + 0) = ANY(sdd.planned_repositories(true))) NOT VALID".encode()
        )
