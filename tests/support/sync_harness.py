"""Sync a fake tracker into a folder of issues, with a clock that the test sets."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sdd_hooks.trackers.issue_file import StoredIssue
from sdd_hooks.trackers.store import IssueFolder
from sdd_hooks.trackers.stored_issues import read_issue
from sdd_hooks.trackers.sync import SyncResult, sync
from tests.support.loopback import Server
from tests.support.tracker import FakeTracker, TrackerBackend

NOW = 1_800_000_000.0
"""The time of a sync."""
DAY = 86_400.0


@dataclass
class SyncHarness:
    """A folder of issues, and the fake tracker that is synced into it."""

    folder: IssueFolder
    backend: TrackerBackend
    server: Server
    now: float = NOW

    def sync(self, folder: IssueFolder | None = None, **options: Any) -> SyncResult:
        place = options.pop("place", "tracker.example/acme/shop")
        lists = options.pop("lists", True)
        tracker = FakeTracker(self.server.url, place, lists=lists)
        try:
            return sync(tracker, folder or self.folder, clock=lambda: self.now, **options)
        finally:
            tracker.disconnect()

    def files(self, folder: IssueFolder | None = None) -> dict[str, bytes]:
        return files((folder or self.folder).path)

    def assert_as_synced_anew(self) -> None:
        """The files are the same as after a sync into an empty folder."""
        clean = IssueFolder(self.folder.root, "clean/issues")
        remove(clean.path)
        self.sync(clean)
        assert self.files() == self.files(clean)

    def meta(self) -> Any:
        return json.loads((self.folder.path / "_meta.json").read_bytes())

    def cursor(self) -> Any:
        (cursor,) = self.meta()["cursor"].values()
        return cursor

    def queries(self) -> list[Mapping[str, str]]:
        """The queries for pages since the last call."""
        queries = [request.query for request in self.server.requests if request.path == "/all"]
        self.server.requests.clear()
        return queries

    def issue(self, id: str) -> StoredIssue:
        issue = read_issue(self.folder, id)
        assert issue is not None, id
        return issue

    def pulls(self, id: str) -> list[str]:
        return [f"{pull.number} {pull.status}" for pull in self.issue(id).pulls]


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.suffix == ".md"}


def remove(folder: Path) -> None:
    for path in folder.iterdir() if folder.exists() else ():
        path.unlink()


def counts(done: SyncResult) -> tuple[int, int, int, int, int]:
    return done.added, done.updated, done.removed, done.unchanged, done.failed


def fingerprint(folder: Path) -> dict[str, tuple[int, int, int]]:
    stats = {path.name: path.stat() for path in folder.glob("*.md")}
    return {name: (s.st_ino, s.st_mtime_ns, s.st_ctime_ns) for name, s in stats.items()}
