"""Open a SQLite file whose content is untrusted, create or migrate it, and translate errors."""

# Governing: ADR-0002 (embedded engine on apsw, FTS5 and sqlite-vec), ADR-0012 (untrusted input)

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

import apsw

from sdd_hooks.engines.embedded.schema import Schema
from sdd_hooks.errors import IndexDamaged, StorageError

_BUSY_MILLISECONDS = 5000

# A damaged length makes SQLite allocate too much memory, a damaged type violates a constraint, and
# SQLite returns a damaged text undecoded.
_DAMAGE = (
    apsw.CorruptError,
    apsw.NotADBError,
    apsw.NoMemError,
    apsw.ConstraintError,
    UnicodeDecodeError,
)


@contextlib.contextmanager
def translate_errors(path: Path) -> Iterator[None]:
    """Translate the errors of SQLite inside the block into errors with advice.

    Raises:
        IndexDamaged: the file is corrupt.
        StorageError: the file is locked or read-only, or the disk is full.
    """
    try:
        yield
    except _DAMAGE as error:
        raise IndexDamaged(f"{path} is damaged ({error}): run `sdd index update`") from error
    except apsw.BusyError as error:
        raise StorageError(
            f"{path} is locked by another process: try again when it has finished"
        ) from error
    except apsw.FullError as error:
        raise StorageError(
            f"no space left to write {path}: free some, then run `sdd index update`"
        ) from error
    except (apsw.ReadOnlyError, apsw.CantOpenError, apsw.PermissionsError, apsw.IOError) as error:
        raise StorageError(f"cannot use {path} ({error}): check its directory") from error


@contextlib.contextmanager
def transaction(connection: apsw.Connection, kind: str = "IMMEDIATE") -> Iterator[None]:
    """Run the block in a transaction. `DEFERRED` is for blocks that only read one snapshot."""
    connection.execute(f"BEGIN {kind}")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        # On a full disk and on some damage SQLite has already rolled back.
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def open_database(path: Path, schema: Schema) -> apsw.Connection:
    """Open the file, and create or migrate it if needed.

    Raises:
        IndexDamaged: the file is corrupt, of another program, or of a newer version of this one.
        StorageError: it cannot be opened or written.
    """
    with translate_errors(path):
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            connection = _connect(path)
        except (OSError, apsw.CantOpenError, apsw.ReadOnlyError) as error:
            return _open_unwritable(path, schema, error)
        try:
            if _prepare(connection, path, schema) < len(schema.migrations):
                _migrate(connection, path, schema)
        except (apsw.ReadOnlyError, apsw.CantOpenError) as error:
            # On a read-only file system SQLite cannot create the index of the journal.
            connection.close()
            return _open_unwritable(path, schema, error)
        except BaseException:
            connection.close()
            raise
    return connection


def set_aside(path: Path) -> Path:
    """Rename an unusable file, and its journal. Returns the new path."""
    number = 1
    while (aside := path.with_name(f"{path.name}.aside-{number}")).exists():
        number += 1
    journal = Path(f"{path}-wal")
    if journal.exists():
        journal.replace(f"{aside}-wal")
    Path(f"{path}-shm").unlink(missing_ok=True)
    path.replace(aside)
    return aside


def _connect(path: Path) -> apsw.Connection:
    flags = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE | apsw.SQLITE_OPEN_NOFOLLOW
    flags |= apsw.SQLITE_OPEN_URI
    return apsw.Connection(str(path), flags=flags)


def _open_unwritable(path: Path, schema: Schema, reason: Exception) -> apsw.Connection:
    """Open a file of a read-only checkout for searches. It cannot change, so it needs no lock."""
    if not path.is_file() or (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)):
        raise StorageError(f"cannot write {path} ({reason}): check its directory") from reason
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI | apsw.SQLITE_OPEN_NOFOLLOW
    connection = apsw.Connection(f"{path.as_uri()}?immutable=1", flags=flags)
    if _version(connection, path, schema) != len(schema.migrations):
        raise StorageError(f"cannot write {path} ({reason}): check its directory") from reason
    return connection


def _prepare(connection: apsw.Connection, path: Path, schema: Schema) -> int:
    """Harden the connection. Returns the version of the file."""
    try:
        _harden(connection)
        return _version(connection, path, schema)
    except apsw.SQLError as error:
        # SQLite takes a damaged header for a newer file format.
        raise IndexDamaged(f"{path} is damaged ({error}): run `sdd index update`") from error


def _harden(connection: apsw.Connection) -> None:
    connection.set_busy_timeout(_BUSY_MILLISECONDS)
    for switch, value in (
        (apsw.SQLITE_DBCONFIG_DEFENSIVE, 1),
        (apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0),
        (apsw.SQLITE_DBCONFIG_ENABLE_TRIGGER, 0),
        (apsw.SQLITE_DBCONFIG_ENABLE_VIEW, 0),
    ):
        connection.config(switch, value)
    connection.execute("PRAGMA synchronous=NORMAL; PRAGMA temp_store=MEMORY")


def _version(connection: apsw.Connection, path: Path, schema: Schema) -> int:
    identity, version, tables = connection.execute(
        "SELECT (SELECT application_id FROM pragma_application_id),"
        " (SELECT user_version FROM pragma_user_version), count(*) FROM sqlite_schema"
    ).get
    if not tables and not version:
        return 0
    if identity != schema.application_id:
        raise IndexDamaged(f"{path} is not an index of sdd: run `sdd index update`")
    if not 0 < version <= len(schema.migrations):
        raise IndexDamaged(f"{path} was written by a newer sdd: run `sdd index update`")
    return int(version)


def _migrate(connection: apsw.Connection, path: Path, schema: Schema) -> None:
    connection.execute("PRAGMA journal_mode=WAL")
    with transaction(connection):
        # Read again under the lock: another process may have migrated the file meanwhile.
        for script in schema.migrations[_version(connection, path, schema) :]:
            connection.execute(script)
        connection.execute(f"PRAGMA application_id={schema.application_id}")
        connection.execute(f"PRAGMA user_version={len(schema.migrations)}")
