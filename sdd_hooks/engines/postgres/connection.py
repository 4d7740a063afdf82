"""Connect to the server, hold its locks, and translate its errors into errors with advice."""

# Governing: ADR-0058 (one writer for each repository), ADR-0060 (grants),
# SPEC-0032 REQ "Two writers"

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

from sdd_hooks.engines.postgres.address import Address, import_driver
from sdd_hooks.errors import EngineUnavailable, StorageBusy, StorageError
from sdd_hooks.text.display import printable_line

if TYPE_CHECKING:
    import psycopg

Purpose = Literal["write", "embed"]


def connect(address: Address) -> psycopg.Connection:
    """Open a connection in autocommit mode. The caller closes it. Raises EngineUnavailable.

    It resolves no name through the search path of the role, and reads numbers and bytes in the
    formats that this program expects, whatever the settings of the role are. It waits 30 seconds
    for a lock of a table, as of a `REINDEX`.
    """
    import_driver()
    import psycopg

    try:
        connection = psycopg.connect(**address.parameters, autocommit=True)  # type: ignore[arg-type]
    except psycopg.Error as error:
        raise EngineUnavailable(
            f"cannot connect to {address.place} ({_reason(error, address)}): check the address,"
            " the network and the role"
        ) from None
    try:
        # `public`: where most servers have the types of pgvector. Citus sends what `SET LOCAL` sets
        # to its nodes; without it, that is a variable that is never read.
        connection.execute(
            "SET search_path = pg_catalog, public; SET jit = off; SET lock_timeout = '30s';"
            " SET citus.propagate_set_commands = 'local'"
        )
    except psycopg.Error as error:
        connection.close()
        raise EngineUnavailable(f"cannot use {address.place} ({_reason(error, address)})") from None
    return connection


@contextlib.contextmanager
def snapshot(connection: psycopg.Connection) -> Iterator[None]:
    """Let all queries inside the block see the same state of the index, and write nothing."""
    with connection.transaction():
        connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        yield


@contextlib.contextmanager
def translate_errors(address: Address) -> Iterator[None]:
    """Translate the errors of the server inside the block into StorageError, and StorageBusy."""
    import psycopg
    from psycopg import errors

    try:
        yield
    except errors.InsufficientPrivilege as error:
        raise StorageError(
            f"{address.place} refuses this role ({_reason(error, address)}):"
            " ask for the role that may do this"
        ) from None
    except (errors.LockNotAvailable, errors.DeadlockDetected) as error:
        raise StorageBusy(
            f"another job uses {address.place} ({_reason(error, address)}): try again"
        ) from None
    except errors.QueryCanceled as error:
        raise StorageBusy(
            f"{address.place} takes too long ({_reason(error, address)}): try again"
        ) from None
    except errors.ReadOnlySqlTransaction as error:
        raise StorageError(
            f"{address.place} is read-only ({_reason(error, address)}): it may be a replica, so"
            " write to the primary server"
        ) from None
    except errors.DiskFull as error:
        raise StorageError(
            f"no space left on {address.place} ({_reason(error, address)})"
        ) from None
    except psycopg.Error as error:
        raise StorageError(f"{address.place} failed ({_reason(error, address)})") from None


def hold_lock(address: Address, repository: int, purpose: Purpose, wait: int) -> psycopg.Connection:
    """Lock a repository. Returns the connection that holds the lock until it is closed.

    It is the lock of a row of the repository, held by an open transaction: row-level security lets
    only those lock a row who may change it, whereas any role could hold an advisory lock.

    `wait` is how many seconds to wait for another holder; 0 for not at all. Raises
    psycopg.errors.LockNotAvailable after it, EngineUnavailable, and other errors of psycopg.
    """
    connection = connect(address)
    try:
        connection.execute(
            "INSERT INTO sdd.locks(repository, purpose) VALUES(%s, %s) ON CONFLICT DO NOTHING",
            (repository, purpose),
        )
        # The transaction stays idle for as long as the holder works.
        connection.execute("SET idle_in_transaction_session_timeout = 0")
        connection.execute(f"SET lock_timeout = '{wait}s'".encode())
        connection.autocommit = False
        connection.execute(
            "SELECT FROM sdd.locks WHERE repository = %s AND purpose = %s FOR UPDATE"
            + ("" if wait else " NOWAIT"),
            (repository, purpose),
        )
    except BaseException:
        connection.close()
        raise
    return connection


def _reason(error: psycopg.Error, address: Address) -> str:
    """Return the first line of an error, without the password."""
    diagnostic = error.diag.message_primary if error.diag else None
    line = (diagnostic or str(error)).strip().partition("\n")[0]
    password = address.parameters.get("password")
    return printable_line(line.replace(password, "***") if password else line)
