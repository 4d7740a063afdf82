"""The folder of issues: opened without following a link, written file by file in one step each."""

# Governing: ADR-0018 (tracker issues as files), ADR-0012 (no path leaves the repository)

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from sdd_hooks.errors import StorageError
from sdd_hooks.system.files import ERRNO_REASONS, refuse_links
from sdd_hooks.trackers.filenames import ENDING, ESCAPE, escaped_name, id_of, is_safe, plain_name
from sdd_hooks.trackers.issue_file import StoredIssue, is_ours, parse
from sdd_hooks.trackers.issue_references import natural

LARGEST = 50_000_000
"""Bytes of a file that are read."""

_HALF = ".sdd-half"
"""What a file is called while it is being written; only one is, at any time."""

_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# Opening a pipe for reading would wait for somebody to write into it.
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_WRITE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class IssueFolder(NamedTuple):
    """Where issues are kept: the root of the repository, and the folder relative to that."""

    root: Path
    relative: str

    @property
    def path(self) -> Path:
        """The folder."""
        return self.root / self.relative


class IssueStore:
    """An open folder. `names` are its issue files as they were when it was looked at."""

    def __init__(self, folder: IssueFolder, descriptor: int) -> None:
        self.folder = folder
        self._directory = descriptor
        self.look()

    def look(self) -> None:
        """See which files there are now."""
        with os.scandir(self._directory) as entries:
            self.names = frozenset(one.name for one in entries if one.name.endswith(ENDING))
        # What differs in case alone is one file on many systems.
        self._taken = {name.lower(): name for name in self.names}
        self._escaped = {name for name in self.names if name.startswith(ESCAPE)}

    def path(self, name: str) -> str:
        """The file's path relative to the repository's root."""
        return f"{self.folder.relative}/{name}"

    def clear(self) -> None:
        """Remove what a sync that was killed left half written."""
        with suppress(FileNotFoundError):
            os.unlink(_HALF, dir_fd=self._directory)

    def name(self, id: str) -> str | None:
        """The name of the file for an issue, there or not; None for an id that cannot have one."""
        if is_safe(id):
            plain = plain_name(id)
            free = self._taken.get(plain.lower(), plain) == plain
            # Once escaped, it stays so.
            if free and not (self._escaped and escaped_name(id) in self._escaped):
                return plain
        return escaped_name(id)

    def read(self, name: str) -> bytes | None:
        """The bytes of a regular file; None where there is none that can be read."""
        try:
            descriptor = os.open(name, _READ, dir_fd=self._directory)
        except OSError:
            return None
        try:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode) or status.st_size > LARGEST:
                return None
            data = os.read(descriptor, status.st_size + 1)
            while len(data) < status.st_size and (more := os.read(descriptor, LARGEST)):
                data += more
        except OSError:
            return None
        else:
            return data
        finally:
            os.close(descriptor)

    def write(self, name: str, data: bytes) -> None:
        """Put `data` there in one step, in place of what is there. Links are not followed.

        Raises:
            IsADirectoryError: a directory is in the way.
            StorageError: it cannot be written.
        """
        try:
            descriptor = os.open(_HALF, _WRITE, 0o666, dir_fd=self._directory)
            try:
                try:
                    view = memoryview(data)
                    while view:
                        view = view[os.write(descriptor, view) :]
                finally:
                    os.close(descriptor)
                os.rename(_HALF, name, src_dir_fd=self._directory, dst_dir_fd=self._directory)
            except BaseException:
                self.clear()
                raise
        except IsADirectoryError:
            raise
        except OSError as error:
            raise _failure(self.folder.path / name, error) from None
        self._taken[name.lower()] = name
        if name.startswith(ESCAPE):
            self._escaped.add(name)

    def remove(self, name: str) -> bool:
        """Remove a file of ours. Says whether it was there. Raises StorageError."""
        data = self.read(name)
        if data is None or not is_ours(data):
            return False
        try:
            os.unlink(name, dir_fd=self._directory)
        except FileNotFoundError:
            return False
        except OSError as error:
            raise _failure(self.folder.path / name, error) from None
        self._taken.pop(name.lower(), None)
        self._escaped.discard(name)
        return True

    def there(self, name: str) -> bool:
        """Whether anything is called that."""
        try:
            os.stat(name, dir_fd=self._directory, follow_symlinks=False)
        except OSError:
            return False
        return True

    def is_empty(self, name: str) -> bool:
        """Whether a file has no content, as one may after a power cut."""
        try:
            return os.stat(name, dir_fd=self._directory, follow_symlinks=False).st_size == 0
        except OSError:
            return False


@contextmanager
def opened(folder: IssueFolder, *, create: bool = False) -> Iterator[IssueStore | None]:
    """The folder, made with `create`; None where there is none.

    Raises StorageError for one that is a link or below one, and where it cannot be made.
    """
    descriptor = _descend(folder, create=create)
    if descriptor is None:
        yield None
        return
    try:
        yield IssueStore(folder, descriptor)
    finally:
        os.close(descriptor)


def read_issues(folder: IssueFolder) -> Iterator[StoredIssue]:
    """The issues that are stored, by id. Files that are none are left out.

    Raises StorageError for a folder that is a link.
    """
    with opened(folder) as store:
        if store is None:
            return
        for _, name in sorted((natural(id_of(name) or name), name) for name in store.names):
            data = store.read(name)
            found = parse(data, store.path(name)) if data is not None else None
            if found is not None:
                yield found


def read_issue(folder: IssueFolder, id: str) -> StoredIssue | None:
    """One stored issue; None where there is none of that id. Raises StorageError."""
    with opened(folder) as store:
        name = store.name(id) if store else None
        data = store.read(name) if store and name else None
        return parse(data, store.path(name)) if store and name and data is not None else None


def _descend(folder: IssueFolder, *, create: bool) -> int | None:
    way = folder.root
    descriptor = os.open(folder.root, _DIRECTORY & ~os.O_NOFOLLOW)
    try:
        for part in folder.relative.split("/"):
            way /= part
            refuse_links(way)
            if create:
                with suppress(FileExistsError):
                    os.mkdir(part, dir_fd=descriptor)
            below = os.open(part, _DIRECTORY, dir_fd=descriptor)
            os.close(descriptor)
            descriptor = below
    except FileNotFoundError:
        os.close(descriptor)
        return None
    except OSError as error:
        os.close(descriptor)
        raise _failure(way, error) from None
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def _failure(path: Path, error: OSError) -> StorageError:
    reason = ERRNO_REASONS.get(error.errno or 0) or error.strerror
    return StorageError(f"cannot write {path}: {reason}")
