"""Random changes of a tracker between syncs, during syncs, and with failed syncs."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from sdd_hooks.errors import RemoteError
from sdd_hooks.trackers.store import IssueFolder
from tests.support.loopback import CannedResponse
from tests.support.sync_harness import DAY, SyncHarness
from tests.support.tracker import TrackerBackend, happen, tracking


@pytest.mark.parametrize("seed", range(4))
def test_a_random_history_ends_as_a_clean_sync(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    backend = TrackerBackend(size=chance.choice([1, 2, 5, 100]))
    for number in range(12):
        backend.add(str(number))
        backend.now += chance.choice([0, 1, 30])

    def meanwhile(_page: int) -> None:
        if chance.random() < 0.2:
            happen(backend, chance)

    with tracking(backend) as server:
        harness = SyncHarness(IssueFolder(tmp_path, ".sdd/issues"), backend, server)
        for _ in range(15):
            for _ in range(chance.randrange(6)):
                happen(backend, chance)
            fails = chance.random() < 0.3
            if fails:
                page = str(chance.randrange(1, 4))
                server.fail(
                    *[CannedResponse(500)] * 4,
                    when=lambda request: request.query.get("page") == page,  # noqa: B023
                )
            backend.hook = meanwhile
            harness.now += chance.choice([60.0, 60.0, DAY])
            try:
                harness.sync(full=chance.random() < 0.1, lists=chance.random() < 0.8)
            except RemoteError:
                assert fails
            server.faults.clear()
            backend.hook = lambda _page: None
            # Without further changes the folder has everything; only deletions may be missing.
            harness.sync()
            clean = IssueFolder(tmp_path, "clean")
            harness.sync(clean, full=True)
            files = harness.files()
            expected = harness.files(clean)
            assert {name: files.get(name) for name in expected} == expected
        harness.sync(full=True)
        harness.assert_as_synced_anew()
        harness.now += 2 * DAY
        assert harness.sync().changed == ()
