"""Open files and lock them, by what the operating system has for it.

POSIX refuses a link, and does not wait for a pipe, in the call that opens a file. Windows has no
such flags: `open_unlinked` checks before it opens. Its locks are those of portalocker.
"""

# Governing: ADR-0063 (commands run on Windows, hooks do not), ADR-0012 (no path leaves the
# repository)

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import Final

try:
    import fcntl
except ImportError:  # Windows
    IS_POSIX = False
else:
    IS_POSIX = True
"""Whether there are locks of the kernel, process groups, and descriptors of directories."""

NO_WAIT: Final[int] = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)
"""Opening a pipe or a terminal does not wait, and takes no terminal. 0 on Windows."""

NO_LINK: Final[int] = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
"""A link is not followed; on Windows `open_unlinked` checks for it. Bytes are not translated."""

DIRECTORY: Final[int] = getattr(os, "O_DIRECTORY", 0)
"""Only a directory is opened. 0 on Windows, which opens none."""


def open_unlinked(path: str | Path, flags: int, mode: int = 0o777) -> int:
    """Like `os.open`, but a link raises OSError (ELOOP), and the descriptor is of bytes.

    A directory raises IsADirectoryError if `flags` write, and on Windows always.
    """
    if not IS_POSIX:
        _refuse_link(path)
    return os.open(path, flags | NO_LINK, mode)


def lock_now(descriptor: int) -> bool:
    """Lock an open file until it is closed, unless another process has. Returns whether it did.

    Raises OSError where the file system has no locks.
    """
    if not IS_POSIX:
        return _portable_lock(descriptor)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def is_locked(descriptor: int) -> bool:
    """Whether another process has a lock of the open file. May lock it until it is closed."""
    if not IS_POSIX:
        return not _portable_lock(descriptor)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    return False


def is_link(path: str | Path) -> bool:
    """Whether this is a symbolic link, or a junction of Windows, which leads elsewhere as well."""
    try:
        status = os.lstat(path)
    except (OSError, ValueError):
        return False
    return stat.S_ISLNK(status.st_mode) or getattr(status, "st_reparse_tag", 0) == _JUNCTION


_JUNCTION: Final = 0xA0000003


def _refuse_link(path: str | Path) -> None:
    if is_link(path):
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
    if os.path.isdir(path):  # noqa: PTH112 (a path as text)
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))


def _portable_lock(descriptor: int) -> bool:
    """As `lock_now`, with portalocker."""
    import portalocker

    flags = portalocker.LockFlags.EXCLUSIVE | portalocker.LockFlags.NON_BLOCKING
    try:
        portalocker.lock(descriptor, flags)
    except portalocker.AlreadyLocked:
        return False
    except portalocker.LockException as error:
        raise OSError(errno.ENOLCK, f"no lock: {error}") from None
    return True
