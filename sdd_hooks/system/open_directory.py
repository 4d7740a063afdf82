"""A directory that stays the same one while its files are read and written.

POSIX opens it, and every file by its descriptor. Windows opens no directory: there the names are
looked up again, and a link is refused by a check before.
"""

# Governing: ADR-0012 (no path leaves the repository), ADR-0063 (commands run on Windows)

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from sdd_hooks.system.descriptors import DIRECTORY, IS_POSIX, NO_LINK, is_link, open_unlinked


class OpenDirectory:
    """An open directory. Names are of entries directly in it; every method raises OSError."""

    def __init__(self, path: Path, descriptor: int | None) -> None:
        self._path = path
        self._descriptor = descriptor

    @property
    def descriptor(self) -> int | None:
        """Its descriptor, which another process can inherit; None on Windows."""
        return self._descriptor

    def close(self) -> None:
        """Close it. Other methods fail then."""
        if self._descriptor is not None:
            os.close(self._descriptor)

    def enter(self, name: str) -> OpenDirectory:
        """Open a directory in this one, which must be no link."""
        path = self._path / name
        if self._descriptor is not None:
            flags = os.O_RDONLY | DIRECTORY | NO_LINK
            return OpenDirectory(path, os.open(name, flags, dir_fd=self._descriptor))
        if is_link(path):
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
        return _without_descriptor(path)

    def create_directory(self, name: str) -> None:
        """Create a directory in this one."""
        if self._descriptor is None:
            (self._path / name).mkdir()
        else:
            os.mkdir(name, dir_fd=self._descriptor)

    def open_file(self, name: str, flags: int, mode: int = 0o666) -> int:
        """Open a file of bytes, which must be no link. Returns a descriptor."""
        if self._descriptor is None:
            return open_unlinked(self._path / name, flags, mode)
        return os.open(name, flags | NO_LINK, mode, dir_fd=self._descriptor)

    def write_whole(self, name: str, data: bytes, partial: str) -> int:
        """Create or replace a file in one step, which follows no link. Returns its time, in ns.

        Until it is whole it has the name `partial`, which no file has. A failure removes it.
        """
        descriptor = self.open_file(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
        try:
            try:
                view = memoryview(data)
                while view:
                    view = view[os.write(descriptor, view) :]
                modified = os.fstat(descriptor).st_mtime_ns
            finally:
                os.close(descriptor)
            self.rename(partial, name)
        except BaseException:
            with suppress(FileNotFoundError):
                self.remove(partial)
            raise
        return modified

    def rename(self, name: str, new_name: str) -> None:
        """Rename a file. One of the new name is replaced."""
        if self._descriptor is None:
            os.replace(self._path / name, self._path / new_name)  # noqa: PTH105
        else:
            at = self._descriptor
            os.rename(name, new_name, src_dir_fd=at, dst_dir_fd=at)

    def remove(self, name: str) -> None:
        """Remove a file."""
        if self._descriptor is None:
            (self._path / name).unlink()
        else:
            os.unlink(name, dir_fd=self._descriptor)

    def status(self, name: str) -> os.stat_result:
        """The status of an entry, of a link itself."""
        if self._descriptor is None:
            return (self._path / name).lstat()
        return os.stat(name, dir_fd=self._descriptor, follow_symlinks=False)

    @contextmanager
    def entries(self) -> Iterator[Iterator[os.DirEntry[str]]]:
        """List the entries inside the block."""
        where = self._path if self._descriptor is None else self._descriptor
        with os.scandir(where) as entries:
            yield entries


def open_directory(path: Path) -> OpenDirectory:
    """Open the directory at `path`, which may be a link. Raises OSError."""
    if IS_POSIX:
        return OpenDirectory(path, os.open(path, os.O_RDONLY | DIRECTORY))
    return _without_descriptor(path)


def _without_descriptor(path: Path) -> OpenDirectory:
    if not path.exists():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
    if not path.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(path))
    return OpenDirectory(path, None)
