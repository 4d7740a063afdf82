"""A folder of issues with a tracker on loopback."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sdd_hooks.trackers.store import IssueFolder
from tests.support.sync_harness import SyncHarness
from tests.support.tracker import TrackerBackend, tracking


@pytest.fixture
def harness(tmp_path: Path) -> Iterator[SyncHarness]:
    """Ten issues, three on a page, and a folder that does not exist."""
    backend = TrackerBackend(size=3)
    for number in range(1, 11):
        backend.add(str(number))
        backend.now += 10
    with tracking(backend) as server:
        yield SyncHarness(IssueFolder(tmp_path, ".sdd/issues"), backend, server)
