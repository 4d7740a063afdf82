"""Checksums of the pages of a SQLite file: reading a page that changed on disk is an error.

The checksums are those of SQLite's own extension `cksumvfs`, which the wheels of apsw contain:
eight bytes at the end of each page, written and verified by SQLite. An apsw that was built without
the extension reads the same files, and writes pages that count as changed where it exists.
"""

# Governing: ADR-0029 (damage is found when a page is read)

from __future__ import annotations

from functools import cache
from pathlib import Path

import apsw

_EXTENSION = Path(apsw.__file__).parent / "sqlite_extra_binaries" / "cksumvfs"
_VFS = "cksmvfs"
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
