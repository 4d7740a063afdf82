"""Sync a vendor's loopback into folders, and compare them."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol

from sdd_hooks.trackers.protocol import Tracker
from sdd_hooks.trackers.store import IssueFolder
from sdd_hooks.trackers.sync import SyncResult, sync


class Bench(Protocol):
    """A vendor's loopback, which can be opened as a tracker, and its clock."""

    @property
    def now(self) -> float: ...

    def open(self) -> Tracker: ...


def synced(bench: Bench, root: Path, **options: Any) -> SyncResult:
    """Sync into the folder `issues` below `root`."""
    return sync(bench.open(), IssueFolder(root, "issues"), clock=lambda: bench.now, **options)


def stored(root: Path) -> dict[str, str]:
    """The text of every issue there, by its id."""
    return {path.stem: path.read_text() for path in (root / "issues").glob("*.md")}


def assert_as_synced_anew(bench: Bench, root: Path) -> None:
    """The files are those of a sync into an empty folder."""
    (root / "clean").mkdir()
    synced(bench, root / "clean")
    assert stored(root) == stored(root / "clean")
