"""Read and write files without leaving the repository and without leaving half a file behind."""

# Governing: ADR-0012 (no path leaves the repository)

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

from sdd_hooks.errors import SddError, StorageError

# As much as git looks at.
SNIFFED_BYTES = 8000

# Longer than any path that an operating system takes.
LONGEST = 4096

REASONS = {
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the disk quota is used up",
    errno.EROFS: "the file system is read-only",
    errno.EACCES: "permission denied",
    errno.EPERM: "permission denied",
}


class PathRefused(SddError):
    """The path is not a regular file of the repository, or may not be read."""

    code = "path"


class FileTooLarge(SddError):
    """The file is larger than the caller is ready for."""

    code = "file-too-large"


def read_inside(root: Path, relative: str, limit: int) -> bytes:
    """The bytes of the file at `relative`, a `/`-separated path below `root`.

    Raises FileNotFoundError when it is gone, FileTooLarge above `limit` bytes, and PathRefused for
    an absolute path, one with `..`, a symlink, a directory, device or pipe, for a file below a
    directory that really is outside `root`, and for one that may not be read.
    """
    parts = _parts(relative)
    try:
        descriptor = _open(root, parts)
        if descriptor is None:
            descriptor = _open(root, _real(root, parts))
        if descriptor is None:
            raise _gone(relative)
        try:
            return _read(descriptor, relative, limit)
        finally:
            os.close(descriptor)
    except FileNotFoundError:
        raise
    except (OSError, ValueError) as error:
        raise PathRefused(f"{_shown(relative)}: {_reason(error)}") from None


def resolve_inside(root: Path, relative: str) -> Path:
    """Where `relative` really is, every symlink followed. It need not exist.

    Raises PathRefused when that is outside `root`.
    """
    if len(relative) > LONGEST:
        raise PathRefused("a path too long to be one")
    try:
        top = os.path.realpath(root)
        real = os.path.realpath(Path(top, relative))
    except (OSError, ValueError) as error:
        raise PathRefused(f"{_shown(relative)}: {_reason(error)}") from None
    if real != top and not real.startswith(top.rstrip("/") + "/"):
        raise PathRefused(f"{_shown(relative)}: leaves the repository")
    return Path(real)


def refuse_links(*paths: Path) -> None:
    """Make sure that none of these is a symlink, which would lead our writing elsewhere.

    Raises StorageError.
    """
    for path in paths:
        if path.is_symlink():
            raise StorageError(f"{path} is a symbolic link: remove it, sdd writes only inside")


def write_atomically(path: Path, data: bytes) -> None:
    """Put `data` at `path` in one step: readers see the old file or the new one.

    An existing file keeps its mode; a symlink is replaced, not followed. Raises StorageError.
    """
    temporary = path.with_name(f".sdd-{os.getpid()}-{os.urandom(4).hex()}")
    try:
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
        try:
            with open(descriptor, "wb") as file:  # noqa: PTH123 (a descriptor, not a path)
                mode = _mode(path)
                if mode is not None:
                    os.fchmod(descriptor, mode)
                file.write(data)
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise StorageError(f"cannot write {path}: {_reason(error)}") from None


def is_binary(data: bytes) -> bool:
    """Whether git would call this binary; UTF-16 with a byte order mark is text here."""
    if data[:2] in {b"\xff\xfe", b"\xfe\xff"} and data[2:4] != b"\0\0":
        return False
    return b"\0" in data[:SNIFFED_BYTES]


def _parts(relative: str) -> list[str]:
    parts = relative.split("/")
    if relative.startswith("/"):
        raise PathRefused(f"{_shown(relative)}: an absolute path")
    if ".." in parts:
        raise PathRefused(f"{_shown(relative)}: leaves the repository")
    return [part for part in parts if part not in {"", "."}]


def _open(root: Path, parts: list[str]) -> int | None:
    """A descriptor of the file, no symlink followed. None: something on the way is no directory.

    Going down by descriptors leaves no moment between the check and the use.
    """
    if not parts:
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    directory = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for part in parts[:-1]:
            flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
            try:
                below = os.open(part, flags, dir_fd=directory)
            except OSError as error:
                if error.errno in {errno.ENOTDIR, errno.ELOOP}:
                    return None
                raise
            os.close(directory)
            directory = below
        # O_NONBLOCK: opening a pipe would wait for somebody to write into it.
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        return os.open(parts[-1], flags, dir_fd=directory)
    finally:
        os.close(directory)


def _real(root: Path, parts: list[str]) -> list[str]:
    """The same file by a way without symlinks, when that stays inside `root`."""
    top = os.path.realpath(root)
    parent = resolve_inside(root, "/".join(parts[:-1]))
    return [*os.path.relpath(parent, top).split("/"), parts[-1]]


def _gone(relative: str) -> FileNotFoundError:
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


def _reason(error: OSError | ValueError) -> str:
    if not isinstance(error, OSError):
        return "not a path"
    if error.errno == errno.ELOOP:
        return "a symlink"
    return REASONS.get(error.errno or 0) or error.strerror or str(error)


def _shown(path: str) -> str:
    """The path as one line, whatever is in it."""
    return path if path.isprintable() else ascii(path)
