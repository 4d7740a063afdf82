"""Who reads and writes which repository: grants in a table, obeyed by row-level security.

A grant names a role of the server, and a repository by its name, or `*` for every one. A name may
be granted before its repository is indexed. Row-level security is forced: it holds for the owner of
the tables, too, who gets a grant of everything.
"""

# Governing: ADR-0060 (grants of the organisation's index), SPEC-0033 REQ "Access"

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sdd_hooks.engines.organisation import OrganisationGrant
from sdd_hooks.engines.postgres.nodes import is_distributed
from sdd_hooks.errors import EXIT_USAGE, SddError

if TYPE_CHECKING:
    from psycopg import Connection
    from psycopg.sql import Composable
    from typing_extensions import LiteralString

EVERY = "*"
"""The repository of a grant that is for every repository."""

FUNCTIONS = """
    CREATE TABLE sdd.grants(
        role text NOT NULL,
        repository text NOT NULL,
        writes boolean NOT NULL,
        PRIMARY KEY(role, repository)
    );
    INSERT INTO sdd.grants VALUES(current_user, '*', true);
    CREATE FUNCTION sdd.invoker() RETURNS text
        LANGUAGE sql STABLE SET search_path = pg_catalog AS $$
        SELECT CASE current_setting('role') WHEN 'none' THEN session_user::text
            ELSE current_setting('role') END $$;
    -- The server plans a function in SQL at each call, one in PL/pgSQL once for each connection.
    CREATE FUNCTION sdd.roles() RETURNS text[]
        LANGUAGE plpgsql STABLE SET search_path = pg_catalog AS $$
        DECLARE
            mine name := sdd.invoker();
        BEGIN
            RETURN ARRAY(SELECT rolname::text FROM pg_roles WHERE pg_has_role(mine, oid, 'USAGE'));
        END $$;
    CREATE FUNCTION sdd.granted(writing boolean) RETURNS text[]
        LANGUAGE plpgsql STABLE SET search_path = pg_catalog AS $$
        DECLARE
            mine text[] := sdd.roles();
        BEGIN
            RETURN ARRAY(SELECT DISTINCT g.repository FROM sdd.grants AS g
                WHERE g.role = ANY(mine) AND (g.writes OR NOT writing));
        END $$;
    CREATE FUNCTION sdd.permitted(writing boolean) RETURNS integer[]
        LANGUAGE plpgsql STABLE SET search_path = pg_catalog AS $$
        DECLARE
            names text[] := sdd.granted(writing);
        BEGIN
            IF '*' = ANY(names) THEN
                RETURN ARRAY(SELECT id FROM sdd.repositories);
            END IF;
            RETURN ARRAY(SELECT id FROM sdd.repositories WHERE name = ANY(names));
        END $$;
    REVOKE ALL ON FUNCTION sdd.invoker, sdd.roles, sdd.granted, sdd.permitted FROM PUBLIC;
"""
"""Each role of the server and each grant is looked at once for a statement's table."""

_DATA_TABLES = """
    SELECT relname FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
    WHERE relnamespace = 'sdd'::regnamespace AND relkind IN ('r', 'p')
        AND attname = 'repository' AND attnum > 0 AND relname <> 'grants' ORDER BY relname
"""


class UnknownRole(SddError):
    """A grant names a role that the server does not have."""

    exit_code = EXIT_USAGE
    code = "usage"


def secure(connection: Connection) -> None:
    """Enable and force row-level security on every table, and renew the rights of each role.

    Repeatable, and has to run after each migration. The caller opens the transaction.
    """
    from psycopg.sql import SQL, Identifier

    # A subquery runs once for each statement, and a function alone for each row. An array would be
    # looked up in an index, which is searched for each combination of a key and a repository.
    if is_distributed(connection):
        of_repository = "(repository + 0) = ANY(sdd.planned_repositories({}))"
        of_name = "'*' = ANY(sdd.planned_names({0})) OR name = ANY(sdd.planned_names({0}))"
        of_role = "role = ANY(sdd.planned_roles())"
    else:
        of_repository = "repository IN (SELECT unnest(sdd.permitted({})))"
        of_name = (
            "(SELECT '*' = ANY(sdd.granted({0}))) OR name IN (SELECT unnest(sdd.granted({0})))"
        )
        of_role = "role = ANY((SELECT sdd.roles())::text[])"
    _run(
        connection,
        "ALTER TABLE sdd.grants ENABLE ROW LEVEL SECURITY;"
        "DROP POLICY IF EXISTS reads ON sdd.grants;"
        "CREATE POLICY reads ON sdd.grants FOR SELECT USING ({})",
        SQL(of_role),
    )
    conditions = {"repositories": of_name}
    for table in data_tables(connection):
        conditions[table] = of_repository
    for table, condition in conditions.items():
        reads, writes = (condition.format(value) for value in ("false", "true"))
        # Not for all commands: a query would evaluate the policies of both.
        _run(
            connection,
            "ALTER TABLE sdd.{0} ENABLE ROW LEVEL SECURITY;"
            "ALTER TABLE sdd.{0} FORCE ROW LEVEL SECURITY;"
            "DROP POLICY IF EXISTS reads ON sdd.{0};"
            "DROP POLICY IF EXISTS inserts ON sdd.{0};"
            "DROP POLICY IF EXISTS updates ON sdd.{0};"
            "DROP POLICY IF EXISTS deletes ON sdd.{0};"
            "CREATE POLICY reads ON sdd.{0} FOR SELECT USING ({1});"
            "CREATE POLICY inserts ON sdd.{0} FOR INSERT WITH CHECK ({2});"
            "CREATE POLICY updates ON sdd.{0} FOR UPDATE USING ({2}) WITH CHECK ({2});"
            "CREATE POLICY deletes ON sdd.{0} FOR DELETE USING ({2})",
            Identifier(table),
            SQL(reads),
            SQL(writes),
        )
    # The functions that search all repositories run as the owner, and exclude rows themselves.
    _run(
        connection,
        "DROP POLICY IF EXISTS functions ON sdd.chunks;"
        "CREATE POLICY functions ON sdd.chunks FOR SELECT TO {} USING (true)",
        Identifier(_owner(connection)),
    )
    for role in _granted_roles(connection):
        _grant_tables(connection, role)


def data_tables(connection: Connection) -> list[str]:
    """Return the tables with rows of repositories, except the one of repositories."""
    return [str(name) for (name,) in connection.execute(_DATA_TABLES)]


def _owner(connection: Connection) -> str:
    row = connection.execute(
        "SELECT rolname FROM pg_class JOIN pg_roles ON pg_roles.oid = relowner"
        " WHERE pg_class.oid = 'sdd.chunks'::regclass"
    ).fetchone()
    return str(row[0]) if row else ""


def grant(connection: Connection, grant: OrganisationGrant) -> None:
    """Store a grant, in place of the role's former one for the repository.

    Raises UnknownRole.
    """
    with connection.transaction():
        _require_role(connection, grant.role)
        connection.execute(
            "INSERT INTO sdd.grants VALUES(%s, %s, %s)"
            " ON CONFLICT (role, repository) DO UPDATE SET writes = excluded.writes",
            (grant.role, grant.repository, grant.right == "write"),
        )
        _grant_tables(connection, grant.role)


def revoke(connection: Connection, role: str, repository: str) -> bool:
    """Remove the grant of a role for a repository. Returns whether there was one."""
    with connection.transaction():
        removed = connection.execute(
            "DELETE FROM sdd.grants WHERE role = %s AND repository = %s", (role, repository)
        ).rowcount
        if _role_exists(connection, role):
            _grant_tables(connection, role)
    return removed > 0


def read_grants(connection: Connection) -> list[OrganisationGrant]:
    """Return the grants that the role of the connection may see, by role and repository."""
    rows = connection.execute("SELECT role, repository, writes FROM sdd.grants ORDER BY 1, 2")
    return [
        OrganisationGrant(role, name, "write" if writes else "read") for role, name, writes in rows
    ]


def _granted_roles(connection: Connection) -> list[str]:
    # Two statements: Citus would read the roles from a table that only superusers read.
    granted = connection.execute("SELECT DISTINCT role FROM sdd.grants").fetchall()
    rows = connection.execute(
        "SELECT rolname FROM pg_roles WHERE rolname = ANY(%s) ORDER BY 1",
        ([role for (role,) in granted],),
    )
    return [str(name) for (name,) in rows]


def _grant_tables(connection: Connection, role: str) -> None:
    """Give a role the rights on tables that its grants need, and take its others."""
    from psycopg.sql import Identifier

    if role == _owner(connection):
        return
    row = connection.execute(
        "SELECT bool_or(writes) FROM sdd.grants WHERE role = %s", (role,)
    ).fetchone()
    writes = row[0] if row else None
    who = Identifier(role)
    _run(
        connection,
        "REVOKE ALL ON ALL TABLES IN SCHEMA sdd FROM {0};"
        "REVOKE ALL ON ALL FUNCTIONS IN SCHEMA sdd FROM {0};"
        "REVOKE ALL ON SCHEMA sdd FROM {0}",
        who,
    )
    if writes is None:
        return
    _run(
        connection,
        "GRANT USAGE ON SCHEMA sdd TO {0};"
        "GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA sdd TO {0};"
        "GRANT SELECT ON ALL TABLES IN SCHEMA sdd TO {0}",
        who,
    )
    if not writes:
        return
    for table in data_tables(connection):
        # By column: a right on the whole table is one to lock it, too.
        columns = _columns(connection, table, ())
        rights = "GRANT INSERT ({1}), UPDATE ({1}) ON sdd.{2} TO {0}"
        _run(connection, rights, who, columns, Identifier(table))
    # A function chooses the id, and no name changes: rows of a repository keep their owner.
    rights = "GRANT UPDATE ({1}) ON sdd.repositories TO {0}"
    _run(connection, rights, who, _columns(connection, "repositories", ("id", "name")))


def _columns(connection: Connection, table: str, without: Sequence[str]) -> Composable:
    """Return the names of the columns of a table, except some, between commas."""
    from psycopg.sql import SQL, Identifier

    rows = connection.execute(
        "SELECT attname FROM pg_attribute WHERE attrelid = ('sdd.' || %s)::regclass"
        " AND attnum > 0 AND NOT attisdropped AND NOT attname = ANY(%s) ORDER BY attnum",
        (table, list(without)),
    )
    return SQL(", ").join(Identifier(str(name)) for (name,) in rows)


def _run(connection: Connection, statements: LiteralString, *parts: Composable) -> None:
    """Run statements between semicolons, each alone: Citus sends each to its nodes."""
    from psycopg.sql import SQL

    for statement in statements.split(";"):
        connection.execute(SQL(statement).format(*parts))


def _require_role(connection: Connection, role: str) -> None:
    if not _role_exists(connection, role):
        raise UnknownRole(
            f"the server has no role {role!r}: create it with `CREATE ROLE … LOGIN` first"
        )


def _role_exists(connection: Connection, role: str) -> bool:
    found: Sequence[object] | None = connection.execute(
        "SELECT 1 FROM pg_roles WHERE rolname = %s", (role,)
    ).fetchone()
    return found is not None
