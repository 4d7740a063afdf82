"""Edits of several files of the work tree that are made together, or not at all."""

# Governing: ADR-0012 (no path leaves the repository)

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from sdd_hooks.errors import SddError, StorageError
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.system.files import read_inside, refuse_links, resolve_inside, write_atomically
from sdd_hooks.system.processes import exit_on_signals

MAX_BYTES = 8 << 20
"""A larger file is not edited."""


class FileNotEditable(SddError):
    """A file that cannot be edited without losing something. The message begins with its path."""

    code = "file"


class FileEdit(NamedTuple):
    """The content of a file before and after an edit. None: there is no such file.

    `path` is relative to the root of the repository, with `/`.
    """

    path: str
    before: bytes | None
    after: bytes | None

    @property
    def action(self) -> str:
        """`create`, `change` or `delete`."""
        if self.before is None:
            return "create"
        return "delete" if self.after is None else "change"

    def diff(self, context: int = 3) -> str:
        """The edit as a unified diff with so many lines of context; "" if nothing changes."""
        return "".join(_diff(self, context))


def apply_edits(root: Path, edits: Sequence[FileEdit]) -> None:
    """Make all edits. When one fails, or is interrupted, those before it are undone.

    Raises FileNotEditable for a file that has changed since its edit was made or that appeared
    meanwhile, PathRefused for a path outside `root`, and StorageError when nothing can be written.
    """
    done: list[FileEdit] = []
    created: list[Path] = []
    try:
        with exit_on_signals():
            for edit in edits:
                target = _target(root, edit)
                created += _create_directories(target.parent)
                done.append(edit)
                _make(target, edit)
    except BaseException:
        for edit in reversed(done):
            _undo(root, edit)
        for directory in reversed(created):
            with suppress(OSError):
                directory.rmdir()
        raise


def _target(root: Path, edit: FileEdit) -> Path:
    """The path to write. Raises if it leads elsewhere, or the file is not as it was."""
    resolve_inside(root, edit.path)
    target = root / edit.path
    refuse_links(target)
    try:
        present = read_inside(root, edit.path, MAX_BYTES)
    except FileNotFoundError:
        present = None
    if present != edit.before:
        raise FileNotEditable(f"{edit.path}: changed in the meantime: run the command again")
    return target


def _create_directories(directory: Path) -> list[Path]:
    """Create a directory and those above it. Returns those that were missing, the top one first."""
    missing: list[Path] = []
    while not directory.exists():
        missing.append(directory)
        directory = directory.parent
    for one in reversed(missing):
        try:
            one.mkdir()
        except OSError as error:
            raise StorageError(f"cannot create {one} ({error.strerror}): check it") from None
    return missing[::-1]


def _make(target: Path, edit: FileEdit) -> None:
    try:
        if edit.after is None:
            target.unlink()
        elif edit.before is None:
            # Another process may create the same file: only one of them does.
            with target.open("xb") as file:
                file.write(edit.after)
        else:
            write_atomically(target, edit.after)
    except FileExistsError:
        raise FileNotEditable(f"{edit.path}: exists already: run the command again") from None
    except OSError as error:
        raise StorageError(f"cannot write {target} ({error.strerror}): check it") from None


def _undo(root: Path, edit: FileEdit) -> None:
    target = root / edit.path
    with suppress(OSError, StorageError):
        if edit.before is not None:
            write_atomically(target, edit.before)
        elif edit.after is not None and edit.after.startswith(target.read_bytes()):
            target.unlink()


def _diff(edit: FileEdit, context: int) -> Iterator[str]:
    # The import is slow, and only a preview needs it.
    import difflib

    before, after = (_lines(data) for data in (edit.before, edit.after))
    old = "/dev/null" if edit.before is None else f"a/{edit.path}"
    new = "/dev/null" if edit.after is None else f"b/{edit.path}"
    for line in difflib.unified_diff(before, after, old, new, n=context):
        yield line
        if not line.endswith("\n"):
            yield "\n\\ No newline at end of file\n"


def _lines(data: bytes | None) -> list[str]:
    text = (data or b"").decode("utf-8", "backslashreplace")
    return [f"{line}\n" for line in text.split("\n")[:-1]] + [text.rpartition("\n")[2]] * (
        not text.endswith("\n") and bool(text)
    )
