"""Locks that a writer of a repository holds over several transactions.

A lock is the lock of a row of the repository, held by the open transaction of a connection that
does nothing else. Row-level security lets only those lock a row who may change it, whereas any role
could hold an advisory lock.
"""

# Governing: ADR-0058 (one writer for each repository), ADR-0060 (grants)

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from sdd_hooks.engines.postgres.address import Address
from sdd_hooks.engines.postgres.connection import connect

if TYPE_CHECKING:
    from psycopg import Connection

Purpose = Literal["write", "embed"]

LOCKS = """
    CREATE TABLE sdd.locks(
        repository integer NOT NULL,
        purpose text NOT NULL,
        PRIMARY KEY(repository, purpose)
    );
"""


def hold_lock(address: Address, repository: int, purpose: Purpose, wait: int) -> Connection:
    """Lock a repository. Returns the connection that holds the lock until it is closed.

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
