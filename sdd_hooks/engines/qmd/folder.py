"""The folder of qmd's index: ours, or not touched at all."""

# Governing: ADR-0012 (untrusted input never leaves the repository), ADR-0014 (the qmd engine),
# SPEC-0006 REQ "A foreign index"

from __future__ import annotations

from pathlib import Path

from sdd_hooks.engines.qmd.process import Place
from sdd_hooks.errors import StorageError
from sdd_hooks.system.files import refuse_links
from sdd_hooks.system.git import Git

_MAGIC = b"SQLite format 3\0"


def require_ours(git: Git, place: Place) -> None:
    """Make sure that nothing in the folder leads elsewhere or came with a clone.

    qmd runs the commands in its configuration, loads the models that it names and deletes those
    that are none: one that somebody committed is as good as a program.

    Raises:
        StorageError: a part of it is a symbolic link, or git tracks a file in it.
    """
    directory = place.directory
    parents = (directory.parent.parent, directory.parent, directory)
    refuse_links(*parents, place.config, place.database, place.directory / "state.json")
    if not directory.is_dir():
        return
    inside = directory.relative_to(place.root).as_posix()
    if git.try_output("ls-files", "-z", "--", f":(literal){inside}"):
        raise StorageError(
            f"git tracks files in {inside}, which is not for committing:"
            f" run `git rm -r --cached {inside}`, delete it and run `sdd index`"
        )


def make(place: Place) -> None:
    """Create the folder where it is missing. Raises StorageError."""
    try:
        place.directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StorageError(
            f"cannot write {place.directory} ({error.strerror}): check it"
        ) from error


def is_database(path: Path) -> bool:
    """Whether the file begins as SQLite's do; one that is missing or empty may become one."""
    try:
        with path.open("rb") as file:
            return file.read(len(_MAGIC)) in {b"", _MAGIC}
    except FileNotFoundError:
        return True
    except OSError as error:
        raise StorageError(f"cannot use {path} ({error.strerror}): check it") from error


def set_aside(directory: Path) -> Path:
    """Move a folder that cannot be used out of the way. Returns its new path."""
    number = 1
    while (aside := directory.with_name(f"{directory.name}.aside-{number}")).exists():
        number += 1
    directory.replace(aside)
    return aside
