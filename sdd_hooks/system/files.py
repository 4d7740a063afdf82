"""Read and write files without leaving the repository and without leaving half a file behind."""

# Governing: ADR-0012 (no path leaves the repository)

from __future__ import annotations

import contextlib
import errno
import os
import stat
from contextlib import suppress
from itertools import islice
from pathlib import Path

from sdd_hooks.errors import SddError, StorageError
from sdd_hooks.system.descriptors import (
    DIRECTORY,
    IS_POSIX,
    NO_LINK,
    NO_WAIT,
    is_link,
    lock_now,
    open_unlinked,
)
from sdd_hooks.text.lazy_regex import lazy_regex

MAX_SNIFFED_BYTES = 8000
"""Bytes that decide whether a file is binary: as many as git reads for it."""

MAX_PATH_LENGTH = 4096
"""Longer paths, in characters, are refused. No operating system accepts them."""

_TEMPORARY = lazy_regex(r"\.sdd-([1-9][0-9]{0,9})-[0-9a-f]{8}")
_MAX_SCANNED = 1000

ERRNO_REASONS = {
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the disk quota is used up",
    errno.EROFS: "the file system is read-only",
    errno.EACCES: "permission denied",
    errno.EPERM: "permission denied",
    errno.EMFILE: "too many files are open",
    errno.ENFILE: "too many files are open",
    errno.EIO: "the disk reports an error",
}


class PathRefused(SddError):
    """The path is not a regular file of the repository, or may not be read."""

    code = "path"


class FileTooLarge(SddError):
    """The file is larger than the limit of the caller."""

    code = "file-too-large"


def read_inside(root: Path, relative: str, limit: int, *, follow: bool = True) -> bytes:
    """Read the file at `relative`, a `/`-separated path below `root`.

    Without `follow`, there is no file below a directory that is a symlink, as for git.

    Raises FileNotFoundError when there is no file, and FileTooLarge above `limit` bytes. Raises
    PathRefused for an absolute path, a path with `..`, a symlink, a directory, device or pipe, a
    directory whose real path is outside `root`, and a file without read permission.
    """
    parts = _parts(relative)
    try:
        descriptor = _open(root, parts)
        if descriptor is None and follow:
            descriptor = _open(root, _real(root, parts))
        if descriptor is None:
            raise _not_found(relative)
        try:
            return _read(descriptor, relative, limit)
        finally:
            os.close(descriptor)
    except FileNotFoundError:
        raise
    except (OSError, ValueError) as error:
        raise PathRefused(f"{_shown(relative)}: {_reason(error)}") from None


def read_or_leave_out(
    root: Path, relative: str, limit: int, left_out: list[str], *, follow: bool = True
) -> bytes | None:
    """Read a file as `read_inside` does; None when there is no file, or it is left out.

    A line that says why it is left out is added to `left_out`.
    """
    try:
        return read_inside(root, relative, limit, follow=follow)
    except FileNotFoundError:
        return None
    except (FileTooLarge, PathRefused) as error:
        left_out.append(f"left out {error}")
        return None


def read_start(root: Path, relative: str, size: int) -> bytes:
    """Read at most the first `size` bytes of a file, as `read_inside` does without `follow`.

    Raises FileNotFoundError and PathRefused.
    """
    parts = _parts(relative)
    try:
        descriptor = _open(root, parts)
        if descriptor is None:
            raise _not_found(relative)
        try:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise PathRefused(f"{_shown(relative)}: not a regular file")
            return os.read(descriptor, size)
        finally:
            os.close(descriptor)
    except FileNotFoundError:
        raise
    except (OSError, ValueError) as error:
        raise PathRefused(f"{_shown(relative)}: {_reason(error)}") from None


def resolve_inside(root: Path, relative: str) -> Path:
    """Return the real path of `relative`, with every symlink followed. It need not exist.

    Raises PathRefused when the real path is outside `root`.
    """
    if len(relative) > MAX_PATH_LENGTH:
        raise PathRefused("a path too long to be one")
    try:
        top = os.path.realpath(root)
        real = os.path.realpath(Path(top, relative))
    except (OSError, ValueError) as error:
        raise PathRefused(f"{_shown(relative)}: {_reason(error)}") from None
    if real != top and not real.startswith(os.path.join(top, "")):  # noqa: PTH118 (text)
        raise PathRefused(f"{_shown(relative)}: leaves the repository")
    return Path(real)


def refuse_links(*paths: Path) -> None:
    """Raise StorageError if a path is a symlink: a write through it could land anywhere."""
    for path in paths:
        if path.is_symlink():
            raise StorageError(f"{path} is a symbolic link: remove it, sdd writes only inside")


def state_directory(root: Path, *parts: str) -> Path:
    """The directory `root`/`parts` of state. It need not exist.

    Raises StorageError if a part is a symlink, which could lead out of the repository, or no
    directory.
    """
    path = root
    for part in parts:
        path /= part
        refuse_other_files(path)
    return path


def refuse_other_files(directory: Path) -> None:
    """Raise StorageError if the path of a directory is a symlink or another kind of file."""
    refuse_links(directory)
    if directory.exists() and not directory.is_dir():
        raise StorageError(f"{directory} is not a directory: remove it")


def open_state(path: Path, flags: int, mode: int = 0o666) -> int:
    """Open a state file, whose directory is a `state_directory`. Returns a descriptor.

    `flags` are those of `os.open`. It never waits, follows no symlink, and opens only a regular
    file; to write, only one with a single name, because a hard link may lead anywhere.

    Raises:
        FileNotFoundError: there is no such file, and `flags` do not create it.
        StorageError: it is another kind of file, or cannot be opened.
    """
    try:
        descriptor = open_unlinked(path, flags | NO_WAIT, mode)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise StorageError(f"{path} {_refusal(error)}") from None
    status = os.fstat(descriptor)
    problem = ""
    if not stat.S_ISREG(status.st_mode):
        problem = "is not a regular file: remove it"
    elif status.st_nlink > 1 and flags & (os.O_WRONLY | os.O_RDWR):
        problem = "is a hard link: remove it"
    if problem:
        os.close(descriptor)
        raise StorageError(f"{path} {problem}")
    return descriptor


def read_state(path: Path, limit: int) -> bytes:
    """Read a state file of at most `limit` bytes, as `open_state` opens it.

    Raises FileNotFoundError, and StorageError for another kind of file or a larger one.
    """
    descriptor = open_state(path, os.O_RDONLY)
    try:
        return _read(descriptor, str(path), limit)
    except FileTooLarge:
        raise StorageError(f"{path} is larger than {limit} bytes: remove it") from None
    except OSError as error:
        raise StorageError(f"cannot read {path}: {_reason(error)}") from None
    finally:
        os.close(descriptor)


def create_mark(path: Path) -> None:
    """Create an empty state file, whose existence is its meaning. Raises StorageError.

    A file that exists stays. A symlink or another kind of file is replaced.
    """
    with contextlib.suppress(FileNotFoundError, StorageError):
        os.close(open_state(path, os.O_RDONLY))
        return
    write_atomically(path, b"")


def write_atomically(path: Path, data: bytes, *, durable: bool = False) -> None:
    """Replace the file at `path` in one step: a reader sees the old or the new content.

    An existing file keeps its mode. A symlink is replaced, not followed. Temporary files of killed
    processes in the same directory are removed. A `durable` file survives a loss of power. Raises
    StorageError.
    """
    _remove_leftovers(path.parent)
    temporary = path.with_name(f".sdd-{os.getpid()}-{os.urandom(4).hex()}")
    try:
        descriptor = open_unlinked(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        try:
            with open(descriptor, "wb") as file:  # noqa: PTH123 (a descriptor, not a path)
                _lock(descriptor)
                mode = _mode(path)
                if mode is not None and IS_POSIX:
                    os.fchmod(descriptor, mode)
                file.write(data)
                if durable:
                    file.flush()
                    os.fsync(descriptor)
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise StorageError(f"cannot write {path}: {_reason(error)}") from None


def _remove_leftovers(directory: Path) -> None:
    """Remove temporary files whose process has ended. Raises nothing."""
    with suppress(OSError), os.scandir(directory) as entries:
        for entry in islice(entries, _MAX_SCANNED):
            match = _TEMPORARY.fullmatch(entry.name)
            if match and not _is_running(int(match[1])):
                _remove_unlocked(entry.path)


def _is_running(process: int) -> bool:
    if not IS_POSIX:
        # There `os.kill` ends a process; the lock of the file tells.
        return False
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        return True
    return True


def _remove_unlocked(path: str) -> None:
    """Remove a regular file that no process has locked: ids of processes differ in containers."""
    with suppress(OSError):
        descriptor = open_unlinked(path, os.O_RDONLY | NO_WAIT)
        try:
            is_left = stat.S_ISREG(os.fstat(descriptor).st_mode) and _lock(descriptor)
            if is_left and IS_POSIX:
                os.unlink(path)  # noqa: PTH108 (a name of `scandir`)
        finally:
            os.close(descriptor)
        # Windows removes no open file.
        if is_left and not IS_POSIX:
            os.unlink(path)  # noqa: PTH108


def _lock(descriptor: int) -> bool:
    """Lock an open file until it is closed. Returns whether that was possible."""
    try:
        return lock_now(descriptor)
    except OSError:
        return False


def is_binary(data: bytes) -> bool:
    """Whether git calls the data binary. UTF-16 with a byte order mark counts as text."""
    if data[:2] in {b"\xff\xfe", b"\xfe\xff"} and data[2:4] != b"\0\0":
        return False
    return b"\0" in data[:MAX_SNIFFED_BYTES]


def _parts(relative: str) -> list[str]:
    parts = relative.split("/")
    if relative.startswith("/"):
        raise PathRefused(f"{_shown(relative)}: an absolute path")
    if ".." in parts:
        raise PathRefused(f"{_shown(relative)}: leaves the repository")
    if not IS_POSIX and ("\\" in relative or ":" in relative):
        # Another separator, a drive, or a stream of a file.
        raise PathRefused(f"{_shown(relative)}: not a path on Windows")
    return [part for part in parts if part not in {"", "."}]


def _open(root: Path, parts: list[str]) -> int | None:
    """Open the file without following a symlink. None: a part of the path is not a directory.

    Opening each directory by the descriptor of its parent leaves no time between check and use.
    """
    if not parts:
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not IS_POSIX:
        return _open_by_path(root, parts)
    directory = os.open(root, os.O_RDONLY | DIRECTORY)
    try:
        for part in parts[:-1]:
            try:
                below = os.open(part, os.O_RDONLY | DIRECTORY | NO_LINK, dir_fd=directory)
            except OSError as error:
                if error.errno in {errno.ENOTDIR, errno.ELOOP}:
                    return None
                raise
            os.close(directory)
            directory = below
        # Opening a pipe would wait for a writer.
        return os.open(parts[-1], os.O_RDONLY | NO_LINK | NO_WAIT, dir_fd=directory)
    finally:
        os.close(directory)


def _open_by_path(root: Path, parts: list[str]) -> int | None:
    """Like `_open`, where no directory can be opened: a link of the last instant is followed."""
    path = root
    for part in parts[:-1]:
        path /= part
        if is_link(path) or path.is_file():
            return None
    return open_unlinked(path / parts[-1], os.O_RDONLY)


def _real(root: Path, parts: list[str]) -> list[str]:
    """Return the parts of the same path without symlinks in its directories, inside `root`."""
    top = os.path.realpath(root)
    parent = resolve_inside(root, "/".join(parts[:-1]))
    return [*parent.relative_to(top).parts, parts[-1]]


def _not_found(relative: str) -> FileNotFoundError:
    return FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), relative)


def _read(descriptor: int, relative: str, limit: int) -> bytes:
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        raise PathRefused(f"{_shown(relative)}: not a regular file")
    size = status.st_size
    chunks: list[bytes] = []
    total = 0
    while total <= limit:
        chunk = os.read(descriptor, min(max(size - total, 0), limit - total) + 1)
        if not chunk:
            return chunks[0] if len(chunks) == 1 else b"".join(chunks)
        if size > limit:
            break
        chunks.append(chunk)
        total += len(chunk)
    raise FileTooLarge(f"{_shown(relative)}: larger than {limit} bytes")


def _mode(path: Path) -> int | None:
    try:
        status = path.lstat()
    except FileNotFoundError:
        return None
    return stat.S_IMODE(status.st_mode) if stat.S_ISREG(status.st_mode) else None


def is_directory(path: Path) -> bool:
    """Whether this is a directory, or a link to one.

    Raises OSError if the system does not tell; from Python 3.14, `Path.is_dir` says no then.
    """
    mode = _followed_mode(path)
    return mode is not None and stat.S_ISDIR(mode)


def is_regular_file(path: Path) -> bool:
    """Whether this is a file, or a link to one. Raises OSError as `is_directory`."""
    mode = _followed_mode(path)
    return mode is not None and stat.S_ISREG(mode)


def _followed_mode(path: Path) -> int | None:
    try:
        return path.stat().st_mode
    except OSError as error:
        if error.errno in {errno.ENOENT, errno.ENOTDIR, errno.ELOOP}:
            return None
        raise


def refusal(error: Exception) -> StorageError | None:
    """The error when the system refused access or space; None for another error."""
    if not isinstance(error, OSError) or error.errno not in ERRNO_REASONS:
        return None
    where = os.fspath(error.filename) if error.filename else "the output"
    advice = ": check its permissions" if isinstance(error, PermissionError) else ""
    return StorageError(f"cannot use {where}: {ERRNO_REASONS[error.errno]}{advice}")


def _reason(error: OSError | ValueError) -> str:
    if not isinstance(error, OSError):
        return "not a path"
    if error.errno == errno.ELOOP:
        return "a symlink"
    return ERRNO_REASONS.get(error.errno or 0) or error.strerror or str(error)


def _refusal(error: OSError) -> str:
    if error.errno in {errno.ELOOP, errno.EMLINK}:
        return "is a symbolic link: remove it"
    if error.errno in {errno.ENXIO, errno.EISDIR, errno.ENODEV}:
        return "is not a regular file: remove it"
    return f"cannot be opened ({_reason(error)}): check its directory"


def _shown(path: str) -> str:
    """Return the path on one line, escaped if it has unprintable characters."""
    return path if path.isprintable() else ascii(path)
