"""Each fault of a proxy meets the listing of a daily comparison, once and always."""

from __future__ import annotations

from pathlib import Path

import pytest

from sdd_hooks.errors import SddError
from sdd_hooks.remote.client import MAX_WAIT_SECONDS
from sdd_hooks.trackers.gitea.vendor import VENDOR
from sdd_hooks.trackers.protocol import TrackerLocation
from sdd_hooks.trackers.store import IssueFolder
from sdd_hooks.trackers.sync import SyncResult, sync
from tests.support.faulty_proxy import FAULTS, FaultyProxy
from tests.support.gitea import FakeGitea, serving_gitea
from tests.support.loopback import CannedResponse, Request
from tests.support.machines import TOKEN, ClientFactory
from tests.support.sync_harness import DAY, files
from tests.trackers.fetching import NOW, START

COUNT = 6


# Statuses that differ in nothing but the number are tests of the client.
@pytest.mark.parametrize(
    "fault", ["401", "404", "500", *(name for name in FAULTS if not name.isdigit())]
)
def test_no_fault_of_a_listing_removes_an_issue(fault: str, tmp_path: Path) -> None:
    gitea = FakeGitea(NOW, token=TOKEN, max_page_size=4, checked=False)
    folder = IssueFolder(tmp_path, ".sdd/issues")
    with serving_gitea(gitea) as server, ClientFactory(NOW) as factory:

        def synced(*, full: bool = False) -> SyncResult:
            location = TrackerLocation(server.url, "acme", "shop")
            tracker = VENDOR.open(location, factory.environment(VENDOR.label))
            return sync(tracker, folder, full=full, clock=lambda: factory.now)

        for number in range(COUNT):
            gitea.add(at=START + 60 * number)
        synced()
        before = files(folder.path)
        proxy = FaultyProxy(gitea.answer, 1, 1.0, [fault], factory.pass_time)
        times = 1

        def meet(request: Request) -> CannedResponse | None:
            is_met = request.path.endswith("/issues") and len(proxy.injected) < times
            return proxy(request) if is_met else None

        server.faults.append(meet)
        for full, times in ((False, 1), (True, 99)):  # noqa: B007 (read by `meet`)
            factory.now += DAY
            gitea.now = factory.now
            proxy.injected.clear()
            factory.waits.clear()
            try:
                synced(full=full)
            except SddError as error:
                assert "\n" not in str(error)
            assert proxy.injected
            assert sum(factory.waits) <= MAX_WAIT_SECONDS
            assert files(folder.path) == before
        server.faults.clear()
        factory.now += DAY
        gitea.now = factory.now
        gitea.delete(5)
        gitea.edit(3, title="Edited")
        done = synced()
        assert (done.added, done.updated, done.removed, done.warnings) == (0, 1, 1, ())
