"""The folder of qmd's index in a work tree: its files, and whether they are safe to use."""

# Governing: ADR-0012 (untrusted input never leaves the repository), ADR-0014 (the qmd engine),
# SPEC-0006 REQ "A foreign index"

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from sdd_hooks.errors import StorageError
from sdd_hooks.project.repository import Repository
from sdd_hooks.system.files import open_state, refuse_links
from sdd_hooks.system.git import Git

_SQLITE_HEADER = b"SQLite format 3\0"
_MAX_FAULTS = 20


@dataclass(frozen=True)
class IndexFolder:
    """The folder at `path` in the work tree whose top is `root`."""

    root: Path
    path: Path

    @property
    def config(self) -> Path:
        """qmd's configuration, which declares the collections and the models."""
        return self.path / "index.yml"

    @property
    def database(self) -> Path:
        """qmd's index."""
        return self.path / "index.sqlite"

    @property
    def state(self) -> Path:
        """What sdd records about the index."""
        return self.path / "state.json"


def index_folder(repository: Repository) -> IndexFolder:
    """Return the folder of the index of a work tree."""
    return IndexFolder(repository.root, repository.search_dir / "qmd")


def require_own_folder(git: Git, folder: IndexFolder) -> None:
    """Make sure that no file of the folder is a link or came with a clone.

    qmd runs the commands in its configuration, loads the models that it names, and deletes files
    that are no models: a committed configuration would be as dangerous as a program.

    Raises:
        StorageError: a part of the path is a symbolic link, or git tracks a file in the folder.
    """
    directory = folder.path
    parents = (directory.parent.parent, directory.parent, directory)
    refuse_links(*parents, folder.config, folder.database, folder.state)
    if not directory.is_dir():
        return
    relative = directory.relative_to(folder.root).as_posix()
    if git.try_output("ls-files", "-z", "--", f":(literal){relative}"):
        raise StorageError(
            f"git tracks files in {relative}, which is not for committing:"
            f" run `git rm -r --cached {relative}`, delete it and run `sdd index`"
        )


def create_folder(folder: IndexFolder) -> None:
    """Create the folder if it is missing. Raises StorageError."""
    try:
        folder.path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StorageError(f"cannot write {folder.path} ({error.strerror}): check it") from error


def may_be_database(path: Path) -> bool:
    """Whether a file begins like SQLite's, is empty, or is missing. Raises StorageError."""
    try:
        descriptor = open_state(path, os.O_RDONLY)
    except FileNotFoundError:
        return True
    try:
        return os.read(descriptor, len(_SQLITE_HEADER)) in {b"", _SQLITE_HEADER}
    except OSError as error:
        raise StorageError(f"cannot use {path} ({error.strerror}): check it") from error
    finally:
        os.close(descriptor)


def set_aside(path: Path) -> Path:
    """Rename a file or folder that cannot be used. Returns the new path."""
    number = 1
    while (aside := path.with_name(f"{path.name}.aside-{number}")).exists():
        number += 1
    path.replace(aside)
    return aside


def find_faults(folder: IndexFolder) -> list[str]:
    """Return the faults that SQLite finds in the index, at most 20 lines; none if it is sound.

    The content is not checked: its format belongs to qmd.
    """
    import apsw

    if not folder.database.exists():
        return [f"{folder.database} is missing"]
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_NOFOLLOW
    try:
        connection = apsw.Connection(str(folder.database), flags=flags)
        try:
            rows = connection.execute(f"PRAGMA quick_check({_MAX_FAULTS})").fetchall()
        finally:
            connection.close()
    except apsw.Error as error:
        return [f"{folder.database}: {error}"]
    return [str(row[0]) for row in rows if row[0] != "ok"]
