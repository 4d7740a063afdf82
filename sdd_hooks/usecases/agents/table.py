"""The table from which a coding agent's hook answers, and whether it is still that of the files.

It lies in the git directory, which no clone brings along: `sdd/agents/table`.
"""

# Governing: ADR-0056 (agents are handed the deciding sentence), ADR-0006 (derived state)

from __future__ import annotations

import mmap
import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.repository import Repository
from sdd_hooks.text.sorted_rows import find_row

if TYPE_CHECKING:
    from sdd_hooks.artifacts.identifiers import ArtifactKind

TABLE = "table"
"""The name of the table in the folder of agents."""
STATED = "stated"
"""The key of the row of what artifacts say about the files that they govern."""
STAMPS = "stamps"
"""The key of the row with the stamps of the files that the table was made from."""

Stamp = tuple[str, int, int]
"""A file relative to the root, its size, and the time of its last change in nanoseconds."""


class StatedRule(NamedTuple):
    """A rule of a record for certain files: as it is shown, its globs, and its line."""

    shown: str
    within: Sequence[str]
    outside: Sequence[str]
    line: int


class StatedArtifact(NamedTuple):
    """What an artifact says about the files that it governs.

    `successors` are the paths of the records in force instead of a replaced one. `globs` and
    `symbols` are pairs of what is written and its line. `named` are the files and folders that its
    text names where it decides, each with its line and the sentence.
    """

    path: str
    id: str
    kind: ArtifactKind
    in_force: bool
    successors: Sequence[str]
    globs: Sequence[tuple[str, int]]
    symbols: Sequence[tuple[str, int]]
    rules: Sequence[Sequence[Any]]
    named: Sequence[tuple[str, int, str]] = ()


class AgentTable:
    """An opened table."""

    def __init__(self, data: mmap.mmap) -> None:
        self._data = data

    def row(self, key: str) -> Any:
        """The value of a row; None for none."""
        return find_row(self._data, key)  # type: ignore[arg-type]

    def is_current(self, root: Path) -> bool:
        """Whether no file that the table was made from has changed since."""
        stamps = self.row(STAMPS)
        if not isinstance(stamps, list):
            return False
        return all(stamp_of(root, one[0]) == tuple(one) for one in stamps)

    def close(self) -> None:
        """Release the file."""
        self._data.close()


def agent_folder(repository: Repository) -> Path:
    """The folder of the state of agents. Raises StorageError if it is a symlink, or in one."""
    from sdd_hooks.system.files import state_directory

    return state_directory(repository.git_dir, "sdd", "agents")


def open_table(repository: Repository) -> AgentTable | None:
    """Open the table of a work tree; None when there is none. Raises StorageError, OSError."""
    from sdd_hooks.system.files import open_state

    try:
        descriptor = open_state(agent_folder(repository) / TABLE, os.O_RDONLY)
    except FileNotFoundError:
        return None
    try:
        return AgentTable(mmap.mmap(descriptor, 0, access=mmap.ACCESS_READ))
    except ValueError:
        # An empty file cannot be mapped.
        return None
    finally:
        os.close(descriptor)


def stamp_files(root: Path, git_dir: Path, common_dir: Path, paths: Iterable[str]) -> list[Stamp]:
    """The stamps of artifacts, of their directories, and of what tells another HEAD."""
    directories = {os.path.dirname(path) for path in paths}  # noqa: PTH120 (a path of git)
    head = git_dir / "HEAD"
    files = [str(head), str(common_dir / "packed-refs")]
    try:
        reference = head.read_text(errors="replace").partition("ref: ")[2].strip()
    except OSError:
        reference = ""
    if reference.startswith("refs/") and ".." not in reference:
        files.append(str(common_dir / reference))
    return [stamp_of(root, name) for name in sorted({*paths, *directories, *files})]


def stamp_of(root: Path, name: str) -> Stamp:
    """The stamp of a file, relative to `root` or absolute; of -1 for none."""
    try:
        # 300 of these must take a millisecond.
        status = os.stat(os.path.join(root, name))  # noqa: PTH116, PTH118
    except (OSError, ValueError):
        return name, -1, -1
    return name, status.st_size, status.st_mtime_ns


def start_preparing(repository: Repository) -> None:
    """Start to make the table of a work tree in a background process.

    A failure to start is ignored: nothing depends on it. A second process ends at once while the
    first one runs.
    """
    from sdd_hooks.system.detached import start_detached

    with suppress(OSError):
        start_detached(
            "sdd_hooks.usecases.agents.prepare", [str(repository.root)], repository.environ
        )
