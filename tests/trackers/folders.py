"""Sync the fake of a vendor into folders, and compare them."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol

from sdd_hooks.trackers.protocol import Tracker
from sdd_hooks.trackers.store import IssueFolder
from sdd_hooks.trackers.sync import SyncResult, sync


class TrackerHarness(Protocol):
    """The fake of a vendor, which can be opened as a tracker, and its clock."""

    @property
    def now(self) -> float: ...

    def open(self) -> Tracker: ...


def synced(harness: TrackerHarness, root: Path, **options: Any) -> SyncResult:
    """Sync into the folder `issues` below `root`."""
    return sync(harness.open(), IssueFolder(root, "issues"), clock=lambda: harness.now, **options)


def stored(root: Path) -> dict[str, str]:
    """The text of every issue in the folder, by its id."""
    return {path.stem: path.read_text() for path in (root / "issues").glob("*.md")}


def assert_as_synced_anew(harness: TrackerHarness, root: Path) -> None:
    """The files are the same as after a sync into an empty folder."""
    (root / "clean").mkdir()
    synced(harness, root / "clean")
    assert stored(root) == stored(root / "clean")
