"""A repository with a fake tracker, which records the callbacks of use cases."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from sdd_hooks.engines.registry import open_engine
from sdd_hooks.trackers.protocol import Tracker
from sdd_hooks.trackers.source import TrackerSource
from sdd_hooks.trackers.sync import sync
from sdd_hooks.usecases.upkeep.sync import (
    DueSync,
    SourceSync,
    SyncCallbacks,
    SyncOptions,
    sync_and_index,
    sync_if_due,
)
from tests.support.loopback import Server
from tests.support.oracle import documents
from tests.support.repos import Repo
from tests.support.tracker import FakeTracker, TrackerBackend, source_of

NOW = 1_800_000_000.0
ISSUE = ".sdd/issues/7.md"


@dataclass
class Shop:
    """A repository with a tracker, and the notes and trace lines of its syncs."""

    repo: Repo
    backend: TrackerBackend
    server: Server
    opened: int = 0

    def __post_init__(self) -> None:
        self.notes: list[str] = []
        self.traced: list[str] = []
        self.failures: list[str] = []

    @property
    def callbacks(self) -> SyncCallbacks:
        return SyncCallbacks(self.notes.append, on_failure=self.failures.append)

    def open(self) -> Tracker:
        self.opened += 1
        return FakeTracker(self.server.url)

    def source(self, module: str = "", open: Callable[[], Tracker] | None = None) -> TrackerSource:
        return source_of(self.repo.project(), open or self.open, module)

    def sync_if_due(self, now: float = NOW, source: TrackerSource | None = None) -> DueSync:
        """Sync before a read. The line of the trace is in `traced`."""
        project = self.repo.project()
        done = sync_if_due(project, source or self.source(), now, self.callbacks)
        self.traced += [done.trace] if done.trace else []
        return replace(done, trace="")

    def sync(self, *, full: bool = False) -> SourceSync:
        """Sync on request."""
        project = self.repo.project()
        return sync_and_index(
            project, self.source(), lambda: NOW, self.callbacks, SyncOptions(full)
        )

    def was_synced(self, at: float) -> None:
        """Sync into files at a time, without the index."""
        tracker = FakeTracker(self.server.url)
        sync(tracker, self.source().folder, clock=lambda: at)
        tracker.disconnect()

    def indexed(self) -> list[str]:
        return [path for path in documents(self.repo) if path.startswith(".sdd/")]

    def bookmark(self) -> str | None:
        engine = open_engine(self.repo.project())
        try:
            found = engine.bookmarks()["repo-issues"]
        finally:
            engine.close()
        return found.head if found else None
