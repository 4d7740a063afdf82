"""Edits of files in the work tree, which can be shown first, and are applied all or not at all."""

# Governing: SPEC-0005 REQ "Initialisation"

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sdd_hooks.system.files import write_atomically


@dataclass(frozen=True)
class FileEdit:
    """A file to write. `name` is its path in the repository, `before` its content, None if new."""

    path: Path
    name: str
    before: bytes | None
    after: bytes

    @property
    def action(self) -> str:
        """`create` or `change`."""
        return "create" if self.before is None else "change"

    def diff(self) -> list[str]:
        """The changed lines, as a unified diff without its two header lines."""
        import difflib

        before, after = (
            (data or b"").decode("utf-8", "backslashreplace").splitlines()
            for data in (self.before, self.after)
        )
        return list(difflib.unified_diff(before, after, n=2, lineterm=""))[2:]


def apply_edits(edits: Sequence[FileEdit]) -> None:
    """Write every file. If one fails, restore those before it.

    Raises StorageError (disk full, read-only).
    """
    done: list[FileEdit] = []
    try:
        for edit in edits:
            write_atomically(edit.path, edit.after)
            done.append(edit)
    except BaseException:
        for edit in reversed(done):
            if edit.before is None:
                edit.path.unlink(missing_ok=True)
            else:
                write_atomically(edit.path, edit.before)
        raise
