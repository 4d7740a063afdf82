"""What a set-up would do to the work tree: shown first, then done to every file or to none."""

# Governing: SPEC-0005 REQ "Initialisation"

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sdd_hooks.system.files import write_atomically


@dataclass(frozen=True)
class Change:
    """One file to write. `name` is its path in the repository; `before` is None for a new one."""

    path: Path
    name: str
    before: bytes | None
    after: bytes

    @property
    def action(self) -> str:
        """`create` or `change`."""
        return "create" if self.before is None else "change"

    def diff(self) -> list[str]:
        """The lines that come and go, as a unified diff without its two header lines."""
        import difflib

        before, after = (
            (data or b"").decode("utf-8", "backslashreplace").splitlines()
            for data in (self.before, self.after)
        )
        return list(difflib.unified_diff(before, after, n=2, lineterm=""))[2:]


def apply(changes: Sequence[Change]) -> None:
    """Write every change. When one fails, those before it are taken back and its error is raised.

    Raises StorageError (disk full, read-only).
    """
    done: list[Change] = []
    try:
        for change in changes:
            write_atomically(change.path, change.after)
            done.append(change)
    except BaseException:
        for change in reversed(done):
            if change.before is None:
                change.path.unlink(missing_ok=True)
            else:
                write_atomically(change.path, change.before)
        raise
