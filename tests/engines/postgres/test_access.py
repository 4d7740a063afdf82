"""A role reads and writes the repositories that are granted to it, and no others, by any SQL."""

# Governing: ADR-0060 (grants of the organisation's index), SPEC-0033 REQ "Access"

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from sdd_hooks.config.settings import SearchSettings
from sdd_hooks.engines.organisation import OrganisationGrant
from sdd_hooks.engines.postgres.access import UnknownRole, data_tables, grant, revoke, secure
from sdd_hooks.engines.postgres.address import find_address
from sdd_hooks.engines.postgres.connection import hold_lock
from sdd_hooks.engines.postgres.organisation import PostgresOrganisation
from tests.engines.postgres.organisation import HANDBOOK, PAYMENTS, ROLES, Organisation
from tests.support.citus_server import CitusServer

psycopg = pytest.importorskip("psycopg")

REFUSED = (psycopg.errors.InsufficientPrivilege, psycopg.errors.FeatureNotSupported)
TABLES = ("repositories", "collections", "documents", "chunks", "vectors", "locks")


@pytest.fixture
def writer(organisation: Organisation) -> Iterator[psycopg.Connection]:
    """A connection of the job of `payments`, whose changes are undone."""
    with organisation.connect("payments_ci") as connection:
        connection.autocommit = False
        yield connection
        connection.rollback()


def number_of(organisation: Organisation, name: str) -> int:
    with organisation.connect("admin") as connection:
        row = connection.execute("SELECT id FROM sdd.repositories WHERE name = %s", (name,))
        found = row.fetchone()
        assert found
        return int(found[0])


def test_each_table_of_the_schema_is_tested(organisation: Organisation) -> None:
    with organisation.connect("admin") as connection:
        assert {*data_tables(connection), "repositories"} == {*TABLES}
        rows = connection.execute(
            "SELECT relname FROM pg_class WHERE relnamespace = 'sdd'::regnamespace"
            " AND relkind = 'r' AND NOT (relrowsecurity AND relforcerowsecurity)"
        )
        assert {name for (name,) in rows} == {"version", "models", "grants"}


@pytest.mark.parametrize("role", ["payments_ci", "payments_dev"])
def test_a_role_reads_its_repository_only(organisation: Organisation, role: str) -> None:
    own = number_of(organisation, PAYMENTS)
    with organisation.connect(role) as connection:
        for table in TABLES:
            key = "id" if table == "repositories" else "repository"
            rows = connection.execute(f"SELECT {key}, one::text FROM sdd.{table} AS one").fetchall()
            assert [number for number, _ in rows] == [own], table
            assert HANDBOOK not in str(rows)


def test_a_role_without_a_grant_reads_nothing(organisation: Organisation) -> None:
    with organisation.connect("outsider") as connection:
        for table in (*TABLES, "grants", "models", "version"):
            with (
                pytest.raises(psycopg.errors.InsufficientPrivilege, match="schema sdd"),
                connection.transaction(),
            ):
                connection.execute(f"SELECT * FROM sdd.{table}")


def test_a_function_of_the_role_sees_no_row_of_others(organisation: Organisation) -> None:
    """A cheap function in a condition runs after the policy only."""
    if isinstance(organisation.server, CitusServer):
        pytest.skip("other nodes do not have the function")
    with organisation.connect("payments_dev") as connection:
        seen: list[str] = []
        connection.add_notice_handler(lambda notice: seen.append(notice.message_primary or ""))
        connection.execute(
            "CREATE FUNCTION pg_temp.leak(text) RETURNS boolean LANGUAGE plpgsql COST 0.0000001"
            " AS $$ BEGIN RAISE NOTICE '%', $1; RETURN true; END $$"
        )
        for column in ("title", "path"):
            connection.execute(f"SELECT 1 FROM sdd.documents WHERE pg_temp.leak({column})")
        connection.execute("SELECT 1 FROM sdd.chunks WHERE pg_temp.leak(text)")
        division = "SELECT 1 FROM sdd.documents WHERE 1 / (length(path) - %s) > 0"
        connection.execute(division, (len(f"SECRET OF {HANDBOOK}") + 1,))
    assert len(seen) == 3
    assert HANDBOOK not in str(seen)


def test_statistics_show_no_text_of_others(organisation: Organisation) -> None:
    organisation.server.sql("ANALYZE", database=organisation.database)
    with organisation.connect("payments_dev") as connection:
        statistics = connection.execute("SELECT * FROM pg_stats WHERE schemaname = 'sdd'")
        words = connection.execute("SELECT word FROM ts_stat('SELECT words FROM sdd.chunks')")
        assert HANDBOOK not in str(statistics.fetchall()) + str(words.fetchall())
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute("SELECT * FROM pg_statistic")
        plans = {
            name: connection.execute(
                "EXPLAIN (COSTS) SELECT 1 FROM sdd.documents WHERE path = %s", (name,)
            ).fetchall()
            for name in (f"SECRET OF {HANDBOOK}", f"SECRET OF {PAYMENTS}".replace("pay", "pax"))
        }
    known, unknown = (str(plan).replace(path, "") for path, plan in plans.items())
    assert known == unknown


@pytest.mark.parametrize("table", TABLES)
def test_a_reader_writes_nothing(organisation: Organisation, table: str) -> None:
    with organisation.connect("payments_dev") as connection:
        for statement in (
            f"DELETE FROM sdd.{table}",
            f"TRUNCATE sdd.{table}",
            f"INSERT INTO sdd.{table} SELECT * FROM sdd.{table}",
            f"DROP TABLE sdd.{table}",
            f"ALTER TABLE sdd.{table} DISABLE ROW LEVEL SECURITY",
            f"CREATE POLICY mine ON sdd.{table} USING (true)",
        ):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute(statement)


@pytest.mark.parametrize("role", ["payments_ci", "payments_dev", "outsider"])
def test_a_role_grants_itself_nothing(organisation: Organisation, role: str) -> None:
    with organisation.connect(role) as connection:
        for statement in (
            f"INSERT INTO sdd.grants VALUES('{role}', '*', true)",
            "UPDATE sdd.grants SET repository = '*'",
            "DELETE FROM sdd.grants",
            "SET ROLE admin",
            "SET SESSION AUTHORIZATION admin",
            "CREATE OR REPLACE FUNCTION sdd.roles() RETURNS text[] LANGUAGE sql"
            " AS $$ SELECT '{admin}'::text[] $$",
        ):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute(statement)
    assert read_everything(organisation, "payments_dev") == 1


def read_everything(organisation: Organisation, role: str) -> int:
    with organisation.connect(role) as connection:
        row = connection.execute("SELECT count(*) FROM sdd.chunks").fetchone()
        assert row
        return int(row[0])


@pytest.mark.parametrize("setting", ["SET row_security = off", "SET search_path = public, sdd"])
def test_no_setting_of_the_session_shows_more(organisation: Organisation, setting: str) -> None:
    with organisation.connect("payments_dev") as connection:
        connection.execute(setting)
        try:
            rows = connection.execute("SELECT text FROM sdd.chunks").fetchall()
        except psycopg.errors.InsufficientPrivilege:
            return
    assert [text for (text,) in rows] == [f"SECRET OF {PAYMENTS}"]


def test_a_role_sees_its_own_grants_only(organisation: Organisation) -> None:
    with organisation.connect("payments_dev") as connection:
        rows = connection.execute("SELECT role, repository FROM sdd.grants").fetchall()
    assert rows == [("payments_dev", PAYMENTS)]


@pytest.mark.parametrize("table", TABLES[1:])
def test_a_writer_changes_no_other_repository(
    organisation: Organisation, writer: psycopg.Connection, table: str
) -> None:
    other = number_of(organisation, HANDBOOK)
    for statement in (
        f"DELETE FROM sdd.{table} WHERE repository = {other}",
        f"UPDATE sdd.{table} SET repository = {other}",
        f"TRUNCATE sdd.{table}",
    ):
        with pytest.raises(REFUSED), writer.transaction():
            writer.execute(statement)


def test_a_writer_stores_no_selected_row_in_another_repository(
    organisation: Organisation, writer: psycopg.Connection
) -> None:
    """Citus copies such rows; those of some numbers are on the node that the role asks."""
    own = number_of(organisation, PAYMENTS)
    for other in {*range(1, 12)} - {own}:
        with pytest.raises((*REFUSED, psycopg.errors.CheckViolation)), writer.transaction():
            writer.execute(
                "INSERT INTO sdd.documents(repository, collection, path, hash, title, chunks)"
                " SELECT %s, 'c', n::text, 'h', 't', 1 FROM generate_series(1, 2) AS n",
                (other,),
            )
        with (
            pytest.raises((*REFUSED, psycopg.errors.CheckViolation)),
            organisation.connect("payments_ci") as connection,
            connection.cursor() as cursor,
            cursor.copy("COPY sdd.locks(repository, purpose) FROM STDIN") as copy,
        ):
            copy.write_row((other, "write"))


def test_a_writer_deletes_no_rows_of_another_repository(
    organisation: Organisation, writer: psycopg.Connection
) -> None:
    """The functions that delete run as the owner of the tables."""
    own, other = (number_of(organisation, name) for name in (PAYMENTS, HANDBOOK))
    with organisation.connect("admin") as admin:
        documents = [row[0] for row in admin.execute("SELECT id FROM sdd.documents")]
        for repository, deleted in ((other, 0), (own, 1)):
            row = writer.execute("SELECT * FROM sdd.delete_chunks(%s, %s)", (repository, documents))
            assert row.fetchone() == (deleted, 2.0 * deleted, 2 * deleted)
            writer.execute("SELECT sdd.delete_documents(%s, %s)", (repository, documents))
            name = f"SECRET OF {HANDBOOK if repository == other else PAYMENTS}"
            writer.execute("SELECT sdd.delete_collection(%s, %s)", (repository, name))
        writer.commit()
        left = [
            admin.execute(f"SELECT repository FROM sdd.{table}").fetchall()
            for table in ("chunks", "documents", "collections")
        ]
        admin.execute("DELETE FROM sdd.repositories WHERE id = %s", (own,))
        for table in ("vectors", "locks"):
            admin.execute(f"DELETE FROM sdd.{table} WHERE repository = %s", (own,))
        organisation.fill(admin, PAYMENTS)
    assert left == [[(other,)]] * 3


@pytest.mark.parametrize("role", ["payments_ci", "payments_dev"])
def test_no_role_but_the_owner_locks_a_table(organisation: Organisation, role: str) -> None:
    """A lock of the whole table would stop the readers or writers of all repositories."""
    modes = ("SHARE", "SHARE UPDATE EXCLUSIVE", "EXCLUSIVE", "ACCESS EXCLUSIVE")
    tables = (*TABLES, "grants", "models", "version")
    with organisation.connect(role) as connection:
        for table, mode in itertools.product(tables, modes):
            with pytest.raises(psycopg.errors.InsufficientPrivilege), connection.transaction():
                connection.execute(f"LOCK TABLE sdd.{table} IN {mode} MODE")


def test_no_role_locks_another_repository(organisation: Organisation) -> None:
    """Whatever rows they lock, a writer of the other repository writes."""
    other = number_of(organisation, HANDBOOK)
    own = number_of(organisation, PAYMENTS)
    lock = "SELECT repository FROM sdd.locks WHERE repository = {} FOR UPDATE"
    with (
        organisation.connect("payments_ci") as hostile,
        organisation.connect("payments_dev") as reader,
    ):
        hostile.autocommit = reader.autocommit = False
        with pytest.raises(psycopg.errors.InsufficientPrivilege), reader.transaction():
            reader.execute(lock.format(own))
        assert hostile.execute(lock.format(other)).fetchall() == []
        assert hostile.execute(lock.format(own)).fetchall() == [(own,)]
        hostile.execute("SELECT FROM sdd.repositories FOR UPDATE")
        address = find_address(organisation.environ("handbook_ci"))
        with closing(hold_lock(address, other, "write", 0)):
            pass
        address = find_address(organisation.environ("payments_ci"))
        with pytest.raises(psycopg.errors.LockNotAvailable):
            hold_lock(address, own, "write", 0)


def test_a_writer_adds_nothing_to_another_repository(
    organisation: Organisation, writer: psycopg.Connection
) -> None:
    other = number_of(organisation, HANDBOOK)
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match="row-level security"):
        writer.execute(
            "INSERT INTO sdd.documents(repository, collection, path, hash, title, chunks)"
            " VALUES(%s, 'c', 'p', 'h', 't', 1)",
            (other,),
        )


def test_a_writer_takes_the_place_of_no_repository(
    organisation: Organisation, writer: psycopg.Connection
) -> None:
    """The answers do not tell whether a repository exists, either.

    Scenario "A writer claims the name of another repository" of SPEC-0005.
    """
    answers = []
    for name in (HANDBOOK, "git.example/acme/unknown"):
        for conflict in ("", " ON CONFLICT (name) DO NOTHING"):
            with (
                pytest.raises(psycopg.errors.InsufficientPrivilege) as caught,
                writer.transaction(),
            ):
                writer.execute(f"INSERT INTO sdd.repositories(name) VALUES('{name}'){conflict}")
            answers.append(str(caught.value))
    assert len({*answers}) == 1
    other = number_of(organisation, HANDBOOK)
    for statement in (
        f"UPDATE sdd.repositories SET name = '{HANDBOOK}'",
        f"UPDATE sdd.repositories SET id = {other}",
        f"INSERT INTO sdd.repositories(id, name) VALUES({other + 100}, '{PAYMENTS}2')",
    ):
        with pytest.raises(psycopg.errors.InsufficientPrivilege), writer.transaction():
            writer.execute(statement)


def test_equal_texts_are_visible_through_a_granted_repository_only(
    organisation: Organisation,
) -> None:
    """Both repositories have a chunk and a vector of one hash.

    Scenario "Two repositories have the same text" of SPEC-0005.
    """
    for role in ("payments_dev", "handbook_dev"):
        with organisation.connect(role) as connection:
            for table in ("chunks", "vectors"):
                found = connection.execute(
                    f"SELECT repository FROM sdd.{table} WHERE hash = 'same'"
                ).fetchall()
                assert found == [(number_of(organisation, ROLES[role][0]),)]


def test_the_owner_is_subject_to_row_level_security(organisation: Organisation) -> None:
    with organisation.connect("admin") as connection:
        assert connection.execute("SELECT count(*) FROM sdd.documents").fetchone() == (2,)
        connection.execute("DELETE FROM sdd.grants WHERE role = 'admin'")
        try:
            assert connection.execute("SELECT count(*) FROM sdd.documents").fetchone() == (0,)
        finally:
            connection.execute("INSERT INTO sdd.grants VALUES('admin', '*', true)")


def test_a_grant_of_every_repository_and_its_end(organisation: Organisation) -> None:
    with organisation.connect("admin") as connection:
        grant(connection, OrganisationGrant("outsider", "*", "read"))
        assert read_everything(organisation, "outsider") == 2
        secure(connection)
        assert read_everything(organisation, "outsider") == 2
        assert revoke(connection, "outsider", "*")
        assert not revoke(connection, "outsider", "*")
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        read_everything(organisation, "outsider")


def test_members_of_a_granted_role_read(organisation: Organisation) -> None:
    organisation.server.sql(
        "CREATE ROLE team", "GRANT team TO outsider", database=organisation.database
    )
    try:
        with organisation.connect("admin") as connection:
            grant(connection, OrganisationGrant("team", HANDBOOK, "read"))
            assert read_everything(organisation, "outsider") == 1
            revoke(connection, "team", HANDBOOK)
    finally:
        organisation.server.sql("DROP ROLE team", database=organisation.database)


def test_a_role_that_was_dropped_fails_no_query(organisation: Organisation) -> None:
    organisation.server.sql("CREATE ROLE brief", database=organisation.database)
    with organisation.connect("admin") as connection:
        grant(connection, OrganisationGrant("brief", PAYMENTS, "read"))
        organisation.server.sql("DROP OWNED BY brief", database=organisation.database)
        organisation.server.sql("DROP ROLE brief", database=organisation.database)
        assert read_everything(organisation, "payments_dev") == 1
        secure(connection)
        assert revoke(connection, "brief", PAYMENTS)


def test_a_grant_names_an_existing_role(organisation: Organisation) -> None:
    with organisation.connect("admin") as connection, pytest.raises(UnknownRole, match="'ghost'"):
        grant(connection, OrganisationGrant("ghost", PAYMENTS, "read"))


def test_the_functions_of_the_owner_use_the_index_of_words(organisation: Organisation) -> None:
    """Row-level security would keep the match of a `tsquery` from using it."""
    with organisation.connect("admin") as connection, connection.transaction():
        connection.execute("SET LOCAL enable_seqscan = off")
        plan = connection.execute("EXPLAIN SELECT FROM sdd.chunks WHERE words @@ 'secret'")
        assert "chunks_by_words" in str(plan.fetchall())
        of_repository = connection.execute(
            "EXPLAIN SELECT FROM sdd.chunks WHERE words @@ 'secret' AND ARRAY[repository] && '{1}'"
        )
        (condition,) = [line for (line,) in of_repository if "Index Cond" in line]
        assert "ARRAY[repository]" in condition
        assert "words" in condition


def test_a_row_is_looked_up_once_however_many_repositories_are_readable(
    organisation: Organisation,
) -> None:
    """A policy that compares with an array would be a condition of each look-up in an index."""
    if isinstance(organisation.server, CitusServer):
        pytest.skip("the policies of several nodes have no subquery")
    with organisation.connect("payments_dev") as connection:
        connection.execute("SET enable_seqscan = off")
        rows = connection.execute("EXPLAIN SELECT FROM sdd.chunks WHERE id = ANY('{1,2,3}')")
        plan = [line for (line,) in rows]
    (condition,) = [line for line in plan if "Index Cond" in line]
    assert "repository" not in condition
    assert any("hashed SubPlan" in line for line in plan)


def test_a_query_reads_the_grants_of_others_once(organisation: Organisation) -> None:
    """However many grants there are, each function runs once for a table of a statement."""
    calls = "SELECT coalesce(pg_stat_get_xact_function_calls('sdd.roles()'::regprocedure), 0)"
    with organisation.connect("admin") as admin:
        organisation.server.sql("ALTER ROLE payments_dev SET track_functions = 'all'")
        counted = []
        for number in (1, 40):
            for index in range(number):
                admin.execute(
                    "INSERT INTO sdd.grants VALUES('other', %s, false) ON CONFLICT DO NOTHING",
                    (f"git.example/other/{index}",),
                )
            with organisation.connect("payments_dev") as one, one.transaction():
                one.execute("SELECT count(*) FROM sdd.chunks")
                row = one.execute(calls).fetchone()
                assert row
                counted.append(row[0])
        admin.execute("DELETE FROM sdd.grants WHERE role = 'other'")
    organisation.server.sql("ALTER ROLE payments_dev RESET track_functions")
    assert counted[0] == counted[1] > 0


def test_a_text_that_is_too_long_stays_on_the_server(organisation: Organisation) -> None:
    secret = f"SECRET OF {PAYMENTS}"
    environ = organisation.environ("payments_dev")
    index = PostgresOrganisation(find_address(environ), Path(), environ, SearchSettings())
    with closing(index):
        place = (PAYMENTS, secret, secret)
        for longest, texts in ((None, [secret]), (len(secret), [secret]), (len(secret) - 1, [])):
            assert [one.text for one in index.texts([place], longest)] == texts
        assert index.texts([(HANDBOOK, f"SECRET OF {HANDBOOK}", f"SECRET OF {HANDBOOK}")], 99) == []
