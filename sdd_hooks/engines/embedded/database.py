"""Open a SQLite file whose content is untrusted, create or migrate it, and translate errors.

There is one path of repair: a damaged file is marked, then set aside and replaced by an empty one.
Any process can find damage: a search, a hook, an embed. It leaves a mark beside the file, so that
the next process that may replace the file does so, even if it does not meet the same damage itself.

The checksums of its pages are those of SQLite's own extension `cksumvfs`, which the wheels of apsw
contain: eight bytes at the end of each page, written and verified by SQLite. An apsw that was built
without the extension reads the same files, and writes pages that count as changed where it exists.
"""

# Governing: ADR-0002 (embedded engine on apsw, FTS5 and sqlite-vec), ADR-0012 (untrusted input),
# ADR-0029 (damage is found when a page is read)

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote_from_bytes

import apsw

from sdd_hooks.engines.embedded.schema import Schema
from sdd_hooks.errors import IndexDamaged, StorageError
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.system.descriptors import open_unlinked
from sdd_hooks.system.files import is_regular_file

# A hook waits for another program's transaction, too.
_BUSY_MILLISECONDS = 1500

_FILE_SYSTEM = (
    apsw.ReadOnlyError,
    apsw.CantOpenError,
    apsw.PermissionsError,
    apsw.IOError,
    apsw.AuthError,
    apsw.NoLFSError,
)


MAX_ASIDE = 3
"""Damaged files of one name that are kept for inspection."""

_MAX_REASON_BYTES = 500

_EXTENSION = Path(apsw.__file__).parent / "sqlite_extra_binaries" / "cksumvfs"
_VFS = "cksmvfs"
_SHARED_BYTES = 32_768
"""The size of the file that connections share, which SQLite creates to read, too."""

_RESERVED_BYTES = 8
"""Bytes at the end of a page that the extension requires."""


@cache
def checksum_vfs() -> str | None:
    """Load the extension, once for the process. Returns its name as a VFS; None without it."""
    connection = apsw.Connection(":memory:")
    try:
        connection.enable_load_extension(True)
        connection.load_extension(str(_EXTENSION))
    except apsw.Error:
        return None
    finally:
        connection.close()
    return _VFS


def lacks_checksums(connection: apsw.Connection) -> bool:
    """Whether the pages of the file have no checksums although they can have them."""
    return (
        checksum_vfs() is not None
        and connection.reserve_bytes("main") != _RESERVED_BYTES
        and not connection.readonly("main")
    )


def add_checksums(connection: apsw.Connection) -> None:
    """Give every page a checksum. Rewrites a file that has content.

    Raises apsw.BusyError if another connection reads it.
    """
    connection.reserve_bytes("main", _RESERVED_BYTES)
    if connection.execute("SELECT count(*) FROM sqlite_schema").get:
        connection.execute("VACUUM")


def is_checksum_failure(error: BaseException) -> bool:
    """Whether SQLite read a page whose checksum is wrong."""
    return getattr(error, "extendedresult", 0) == apsw.SQLITE_IOERR_DATA


class OfAnotherProgram(IndexDamaged):
    """The file is whole, and no index of this program; it is replaced like a damaged one."""

    code = "storage"


class WrittenByNewer(OfAnotherProgram):
    """The file has a format of a newer version of this program."""


class ImpossibleValue(Exception):
    """The file holds a value that sdd never stores."""


@contextlib.contextmanager
def translate_errors(path: Path) -> Iterator[None]:
    """Translate the errors of SQLite inside the block into errors with advice.

    The statements of sdd are correct, so every error that does not come from the file system or
    another process comes from the content of the file: a missing table, a page with a wrong
    checksum, a length that needs too much memory, a text that is no UTF-8.

    Raises:
        IndexDamaged: the file is corrupt. It is marked, so that the next refresh replaces it.
        StorageError: the file is locked or read-only, or the disk is full.
    """
    try:
        yield
    except (apsw.BusyError, apsw.LockedError) as error:
        raise StorageError(
            f"{path} is locked by another process: try again when it has finished"
        ) from error
    except (apsw.Error, UnicodeDecodeError, ImpossibleValue) as error:
        if isinstance(error, apsw.FullError) or _is_disk_full(path, error):
            raise StorageError(
                f"no space left to write {path}: free some, then run `sdd index update`"
            ) from error
        if isinstance(error, _FILE_SYSTEM) and not is_checksum_failure(error):
            raise StorageError(f"cannot use {path} ({error}): check its directory") from error
        reason = "a page has changed on disk" if is_checksum_failure(error) else str(error)
        mark_damaged(path, reason)
        raise IndexDamaged(f"{path} is damaged ({reason}): run `sdd index update`") from error


def _is_disk_full(path: Path, error: BaseException) -> bool:
    """Whether SQLite failed because there is no space for a file beside its own, or no quota.

    It calls that an error of the disk.
    """
    if not isinstance(error, apsw.IOError | apsw.CantOpenError) or is_checksum_failure(error):
        return False
    probe = path.with_name(f"{path.name}-probe-{os.getpid()}")
    try:
        descriptor = open_unlinked(probe, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            os.write(descriptor, bytes(_SHARED_BYTES))
        finally:
            os.close(descriptor)
            probe.unlink(missing_ok=True)
    except OSError as refused:
        return refused.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
    return False


def typed(rows: Iterable[Any], *types: Any) -> Iterator[Any]:
    """Yield the rows, each of which has a value of each of these types, in order.

    Raises ImpossibleValue for another row: a damaged or hostile file has values of any type.
    """
    for row in rows:
        if not all(map(isinstance, row, types)):
            found = ", ".join(type(value).__name__ for value in row)
            raise ImpossibleValue(f"a row has the types {found}")
        yield row


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


class OpenedDatabase(NamedTuple):
    """An open file. `note` says that it replaces a damaged one, "" if it does not."""

    connection: apsw.Connection
    note: str


def open_or_replace(path: Path, schema: Schema) -> OpenedDatabase:
    """Open the file; one that is damaged, or was found damaged before, is set aside first.

    Raises:
        StorageError: it cannot be opened, written or renamed.
    """
    reason = f"{path} was damaged" if is_marked(path) else ""
    try:
        if not reason:
            return OpenedDatabase(open_database(path, schema), "")
    except IndexDamaged as error:
        reason = str(error).partition(": run")[0]
    note = replace_note(path, reason)
    return OpenedDatabase(open_database(path, schema), note)


def mark_damaged(path: Path, reason: str) -> None:
    """Leave a mark beside the file that the next `open_or_replace` finds. Raises nothing.

    In a directory that cannot be written, the file cannot be replaced either.
    """
    with contextlib.suppress(OSError):
        descriptor = open_unlinked(_mark(path), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        try:
            os.write(descriptor, os.fsencode(reason)[:_MAX_REASON_BYTES])
        finally:
            os.close(descriptor)


def is_marked(path: Path) -> bool:
    """Whether damage of the file was found since it was created."""
    return os.path.lexists(_mark(path))


def remove_mark(path: Path) -> None:
    """Remove the mark of a file whose damage turned out to be that of another."""
    _remove(_mark(path))


def set_aside(path: Path) -> Path:
    """Rename an unusable file, and its journal, and remove its mark. Returns the new path.

    At most MAX_ASIDE files are kept: a further one replaces the oldest.
    """
    names = [path.with_name(f"{path.name}.aside-{number}") for number in range(1, MAX_ASIDE + 1)]
    free = (name for name in names if not os.path.lexists(name))
    aside = next(free, None) or min(names, key=lambda name: name.lstat().st_mtime)
    for suffix in ("-wal", "-journal", ""):
        _remove(Path(f"{aside}{suffix}"))
    # The journal first: without the file it belongs to, SQLite would apply it to the next one.
    for suffix in ("-wal", "-shm", "-journal", ""):
        with contextlib.suppress(FileNotFoundError):
            Path(f"{path}{suffix}").replace(f"{aside}{suffix}")
    _remove(Path(f"{aside}-shm"))
    _remove(_mark(path))
    return aside


def _mark(path: Path) -> Path:
    return path.with_name(f"{path.name}.damaged")


def _remove(path: Path) -> None:
    """Remove a file. A directory that took its place is removed if it is empty."""
    try:
        path.unlink(missing_ok=True)
    except OSError:
        with contextlib.suppress(OSError):
            path.rmdir()


def replace_note(path: Path, reason: str) -> str:
    """Set the file aside. Returns a note with the reason. Raises StorageError."""
    try:
        return f"{reason}; set aside as {set_aside(path).name}"
    except OSError as error:
        raise StorageError(
            f"cannot rename {path}, which is damaged ({error.strerror}): remove it"
        ) from None


def open_database(path: Path, schema: Schema) -> apsw.Connection:
    """Open the file, and create or migrate it if needed.

    Raises:
        IndexDamaged: the file is corrupt, of another program, or of a newer version of this one.
        StorageError: it cannot be opened or written.
    """
    with translate_errors(path):
        _require_file(path)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            connection = _connect(path)
        except (OSError, apsw.CantOpenError, apsw.ReadOnlyError) as error:
            return _open_unwritable(path, schema, error)
        try:
            _harden(connection)
            version = _version(connection, path, schema)
            if version < len(schema.migrations) or lacks_checksums(connection):
                _migrate(connection, path, schema)
        except (apsw.ReadOnlyError, apsw.CantOpenError) as error:
            # On a read-only file system SQLite cannot create the index of the journal.
            connection.close()
            return _open_unwritable(path, schema, error)
        except BaseException as error:
            connection.close()
            if not _is_disk_full(path, error):
                raise
            return _open_alone(path, schema)
    return connection


def database_uri(path: Path, *, immutable: bool = False) -> str:
    """Return the URI of the file for SQLite. In a URI, a path may have bytes that are no UTF-8."""
    # `Path.as_uri` of Python 3.14 imports urllib.request, a tenth of a search.
    name = quote_from_bytes(os.fsencode(path.as_posix()), safe="/:")
    return (
        f"file://{'' if name.startswith('/') else '/'}{name}{'?immutable=1' if immutable else ''}"
    )


def open_without_checksums(path: Path) -> apsw.Connection:
    """Open an existing file without the checksums of its pages, to read what is left of it.

    Raises errors of SQLite.
    """
    flags = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_NOFOLLOW | apsw.SQLITE_OPEN_URI
    connection = apsw.Connection(database_uri(path), flags=flags)
    _harden(connection)
    return connection


def _require_file(path: Path) -> None:
    """Raise ImpossibleValue if something else is in the place of the file: a directory, a pipe, a
    hard link, through which another file would be written.

    SQLite refuses a link, and a missing file is created. Files beside it that SQLite would write
    through are removed: it creates them again.
    """
    for suffix in ("", "-wal", "-shm"):
        file = path.with_name(path.name + suffix)
        with contextlib.suppress(OSError):
            status = file.lstat()
            if stat.S_ISREG(status.st_mode) and status.st_nlink == 1:
                continue
            if suffix:
                file.unlink()
            elif not stat.S_ISLNK(status.st_mode):
                raise ImpossibleValue("not a regular file with one name")


def _connect(path: Path) -> apsw.Connection:
    flags = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE | apsw.SQLITE_OPEN_NOFOLLOW
    flags |= apsw.SQLITE_OPEN_URI
    return apsw.Connection(database_uri(path), flags=flags, vfs=checksum_vfs())


def _open_unwritable(path: Path, schema: Schema, reason: Exception) -> apsw.Connection:
    """Open a file of a read-only checkout for searches. It cannot change, so it needs no lock."""
    if not is_regular_file(path) or (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)):
        raise StorageError(f"cannot write {path} ({reason}): check its directory") from reason
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI | apsw.SQLITE_OPEN_NOFOLLOW
    connection = apsw.Connection(
        database_uri(path, immutable=True), flags=flags, vfs=checksum_vfs()
    )
    if _version(connection, path, schema) != len(schema.migrations):
        raise StorageError(f"cannot write {path} ({reason}): check its directory") from reason
    return connection


def _open_alone(path: Path, schema: Schema) -> apsw.Connection:
    """Open the file where the disk has no space for the one that connections share: no other
    process may open it meanwhile. Raises errors of SQLite."""
    connection = _connect(path)
    try:
        connection.execute("PRAGMA locking_mode=EXCLUSIVE")
        _harden(connection)
        if _version(connection, path, schema) < len(schema.migrations):
            _migrate(connection, path, schema)
    except BaseException:
        connection.close()
        raise
    return connection


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
    page_size, identity, version, encoding, names = connection.execute(
        "SELECT (SELECT page_size FROM pragma_page_size),"
        " (SELECT application_id FROM pragma_application_id),"
        " (SELECT user_version FROM pragma_user_version),"
        " (SELECT encoding FROM pragma_encoding),"
        " (SELECT group_concat(type || ' ' || name) FROM sqlite_schema WHERE sql IS NOT NULL)"
    ).get
    if not names and not version:
        return 0
    log = path.with_name(f"{path.name}-wal")
    if path.stat().st_size % page_size and not (log.exists() and log.stat().st_size):
        # SQLite fills it with zeros, and verifies no checksum.
        raise ImpossibleValue("its last page is cut off")
    objects = frozenset(str(names).split(","))
    if identity != schema.application_id:
        raise OfAnotherProgram(f"{path} is not an index of sdd: run `sdd index update`")
    if not 0 < version <= len(schema.migrations):
        # A newer version has other tables: with those of this one, the number is damaged.
        known = objects == schema.objects(len(schema.migrations))
        error = IndexDamaged if known else WrittenByNewer
        raise error(f"{path} was written by a newer sdd: run `sdd index update`")
    if encoding != "UTF-8" or objects != schema.objects(version):
        raise ImpossibleValue("its tables are not those of sdd")
    return int(version)


def _migrate(connection: apsw.Connection, path: Path, schema: Schema) -> None:
    if lacks_checksums(connection):
        # While another process reads the file, they have to wait for a later one.
        with contextlib.suppress(apsw.BusyError, apsw.LockedError):
            add_checksums(connection)
    if connection.execute("PRAGMA journal_mode").get != "wal":
        connection.execute("PRAGMA journal_mode=WAL")
    if _version(connection, path, schema) == len(schema.migrations):
        return
    with transaction(connection):
        # Read again under the lock: another process may have migrated the file meanwhile.
        for script in schema.migrations[_version(connection, path, schema) :]:
            connection.execute(script)
        connection.execute(f"PRAGMA application_id={schema.application_id}")
        connection.execute(f"PRAGMA user_version={len(schema.migrations)}")
