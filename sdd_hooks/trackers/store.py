"""The folder of issues: opened without following links, each file written in one step."""

# Governing: ADR-0018 (tracker issues as files), ADR-0012 (no path leaves the repository)

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from sdd_hooks.errors import StorageError
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.repository import ignore_derived_state
from sdd_hooks.system.descriptors import NO_WAIT
from sdd_hooks.system.files import ERRNO_REASONS, refuse_other_files
from sdd_hooks.system.open_directory import OpenDirectory, open_directory
from sdd_hooks.trackers.files import (
    ESCAPE,
    EXTENSION,
    FileMark,
    digest_of,
    escaped_name,
    is_safe,
    plain_name,
)
from sdd_hooks.trackers.issue_file import is_issue_file
from sdd_hooks.trackers.writing_process import PARTIAL as PARTIAL_BESIDE
from sdd_hooks.trackers.writing_process import WritingProcess

LOCK = ".lock"
ASIDE = ".aside"
"""What a file that damage has changed has after its name."""
MAX_FILE_BYTES = 50_000_000
"""Bytes of a file that are read."""

_PARTIAL = ".sdd-half"
"""The name of a file while this process writes it, one file at a time."""

# Opening a named pipe would wait for a writer.
_READ = os.O_RDONLY | NO_WAIT


class IssueFolder(NamedTuple):
    """The root of the repository, and the folder of issues relative to it."""

    root: Path
    relative: str

    @property
    def path(self) -> Path:
        """The path of the folder."""
        return self.root / self.relative


class IssueStore:
    """An open folder. `names` are its issue files at the time of the last scan."""

    def __init__(self, folder: IssueFolder, directory: OpenDirectory) -> None:
        self.folder = folder
        self._directory = directory
        self._beside: WritingProcess | None = None
        self.scan()

    def scan(self) -> None:
        """List the files again."""
        with self._directory.entries() as entries:
            self.names = frozenset(
                entry.name for entry in entries if entry.name.endswith(EXTENSION)
            )
        # Names that differ in case alone are one file on many systems.
        self._taken = {name.lower(): name for name in self.names}
        self._escaped = {name for name in self.names if name.startswith(ESCAPE)}

    def path(self, name: str) -> str:
        """The file's path relative to the repository's root."""
        return f"{self.folder.relative}/{name}"

    def remove_partial_files(self) -> None:
        """Remove the half-written files of a sync that was killed. Raises StorageError."""
        for name in (_PARTIAL, PARTIAL_BESIDE):
            try:
                self._directory.remove(name)
            except FileNotFoundError:
                pass
            except OSError as error:
                raise _storage_error(self.folder.path / name, error) from None

    def file_name(self, id: str) -> str | None:
        """The name of an issue's file, which may not exist; None if the id cannot have one."""
        if is_safe(id):
            plain = plain_name(id)
            is_free = self._taken.get(plain.lower(), plain) == plain
            # An issue with an escaped file keeps it.
            if is_free and not (self._escaped and escaped_name(id) in self._escaped):
                return plain
        return escaped_name(id)

    def read(self, name: str) -> bytes | None:
        """The bytes of a regular file; None if there is none, or if it cannot be read."""
        if (queued := self._queued(name)) is not None:
            return queued
        try:
            descriptor = self._directory.open_file(name, _READ)
        except OSError:
            return None
        try:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_FILE_BYTES:
                return None
            data = os.read(descriptor, status.st_size + 1)
            while len(data) < status.st_size and (more := os.read(descriptor, MAX_FILE_BYTES)):
                data += more
        except OSError:
            return None
        else:
            return data
        finally:
            os.close(descriptor)

    def write(self, name: str, data: bytes) -> FileMark:
        """Create or replace a file in one step, without following a link. Returns its mark.

        Raises:
            IsADirectoryError: a directory has this name.
            StorageError: the file cannot be written.
        """
        try:
            modified = self._directory.write_whole(name, data, _PARTIAL)
        except IsADirectoryError:
            raise
        except OSError as error:
            raise _storage_error(self.folder.path / name, error) from None
        self._take(name)
        return FileMark(len(data), modified, digest_of(data))

    @contextmanager
    def writing_beside(self, lock: int, environ: Mapping[str, str]) -> Iterator[None]:
        """In this block a second process may write the files of `write_later`.

        It inherits `lock`, the descriptor of the lock of the folder, and `environ`.
        """
        self._beside = WritingProcess(self._directory, self._write_queued, lock, environ)
        try:
            yield
        finally:
            self._beside.end()
            self._beside = None

    def write_later(self, name: str, data: bytes) -> FileMark | None:
        """Create or replace a file as `write` does, at the latest in `finish`.

        Returns its mark, None if that is one of those that `take_marks` returns. Raises what
        `write` raises.
        """
        # The second process cannot tell which issue is left out because of a directory.
        if self._beside is None or name in self.names:
            return self.write(name, data)
        self._take(name)
        return self._beside.write(name, data)

    def finish(self) -> None:
        """Wait until the files of `write_later` are written. Raises StorageError."""
        if self._beside is not None:
            self._beside.finish()

    def take_marks(self) -> dict[str, FileMark]:
        """The marks of the files that were written later, since the last call."""
        return self._beside.take_marks() if self._beside is not None else {}

    def remove(self, name: str, *, is_known: bool = False) -> bool:
        """Remove the file of an issue, damaged or not if it `is_known` to be one.

        Returns False if it is no such file. Raises StorageError.
        """
        if not is_known and not self.is_issue(name):
            return False
        if self._queued(name) is not None:
            self.finish()
        try:
            self._directory.remove(name)
        except (FileNotFoundError, IsADirectoryError):
            return False
        except OSError as error:
            raise _storage_error(self.folder.path / name, error) from None
        self._taken.pop(name.lower(), None)
        self._escaped.discard(name)
        if self._beside is not None:
            self._beside.forget(name)
        return True

    def set_aside(self, name: str) -> None:
        """Rename a damaged file, in place of an earlier one of that name. Raises OSError."""
        self._directory.rename(name, f"{name}{ASIDE}")

    def exists(self, name: str) -> bool:
        """Whether the folder has an entry of this name."""
        try:
            self._directory.status(name)
        except OSError:
            return False
        return True

    def version(self, name: str) -> tuple[int, ...] | None:
        """What tells that a file was replaced since; None for no regular file."""
        status = self._status(name)
        return (status.st_ino, status.st_size, status.st_mtime_ns) if status else None

    def is_issue(self, name: str) -> bool:
        """Whether a file is that of an issue, which a sync may remove."""
        data = self.read(name)
        return data is not None and is_issue_file(data)

    def mark(self, name: str, data: bytes) -> FileMark | None:
        """The mark of a file with the content `data`.

        None if it is no regular file, and if it is written later.
        """
        status = self._status(name) if self._queued(name) is None else None
        return FileMark(status.st_size, status.st_mtime_ns, digest_of(data)) if status else None

    def current_mark(self, name: str, mark: FileMark) -> FileMark | None:
        """The mark of a file whose content has not changed since `mark`; None for another."""
        status = self._status(name)
        if status is None:
            return None
        if (status.st_size, status.st_mtime_ns) == (mark.size, mark.modified):
            return mark
        # A restored copy of the folder has other times.
        data = self.read(name) if status.st_size == mark.size else None
        if not mark.is_of(data):
            return None
        return mark._replace(modified=status.st_mtime_ns)

    def _take(self, name: str) -> None:
        """Note that there is a file of this name."""
        self._taken[name.lower()] = name
        if name.startswith(ESCAPE):
            self._escaped.add(name)

    def _queued(self, name: str) -> bytes | None:
        return self._beside.queued(name) if self._beside is not None else None

    def _write_queued(self, name: str, data: bytes) -> FileMark:
        """Write a file of `write_later` here. Raises StorageError."""
        try:
            return self.write(name, data)
        except IsADirectoryError as error:
            raise _storage_error(self.folder.path / name, error) from None

    def _status(self, name: str) -> os.stat_result | None:
        try:
            status = self._directory.status(name)
        except OSError:
            return None
        return status if stat.S_ISREG(status.st_mode) else None


@contextmanager
def open_store(folder: IssueFolder, *, create: bool = False) -> Iterator[IssueStore | None]:
    """Open the folder, which `create` makes; None if it does not exist.

    Raises StorageError for a folder that is a link or below one, and if it cannot be created.
    """
    directory = _open_directory(folder, create=create)
    if directory is None:
        yield None
        return
    try:
        yield IssueStore(folder, directory)
    finally:
        directory.close()


def _open_directory(folder: IssueFolder, *, create: bool) -> OpenDirectory | None:
    """The folder, opened one directory after the other; None if one is missing."""
    path = folder.root
    directory = open_directory(path)
    try:
        for part in folder.relative.split("/"):
            path /= part
            refuse_other_files(path)
            if create:
                with suppress(FileExistsError):
                    directory.create_directory(part)
            below = directory.enter(part)
            directory.close()
            directory = below
        if create:
            ignore_derived_state(folder.root)
    except FileNotFoundError:
        directory.close()
        return None
    except OSError as error:
        directory.close()
        raise _storage_error(path, error) from None
    except BaseException:
        directory.close()
        raise
    return directory


def _storage_error(path: Path, error: OSError) -> StorageError:
    reason = ERRNO_REASONS.get(error.errno or 0) or error.strerror
    return StorageError(f"cannot write {path}: {reason}")
