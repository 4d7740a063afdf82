"""Every tracker is synced through a proxy that injects faults.

Whatever the faults, a sync ends within its waits, sends the token nowhere else, and removes no
issue that its tracker still has. Without faults, the next ones reach the state of the tracker.
"""

from __future__ import annotations

import random
from pathlib import Path
from tempfile import TemporaryDirectory

from sdd_hooks.errors import SddError
from sdd_hooks.remote.client import MAX_RETRIES, MAX_WAIT_SECONDS
from sdd_hooks.trackers.files import parse_id
from sdd_hooks.trackers.store import IssueFolder
from sdd_hooks.trackers.sync import SyncResult, sync
from tests.adversarial.conftest import Rounds
from tests.support.faulty_proxy import FaultyProxy
from tests.support.loopback import CannedResponse, Request, serving
from tests.support.machines import TOKEN
from tests.support.sync_harness import DAY, files
from tests.trackers.jira.harness import BASIC
from tests.trackers.sites import SITES, TrackerSite

# Some responses to these requests are documented to mean that nothing is shown, such as the files
# of a pull request without branches: what they would have shown comes with its next update.
PULL_DETAILS = ("/files", "/diffs", "/changes", "/closes_issues", "/closed_by")
PULLS = ("/pulls", "/merge_requests")
# No sign tells that such a list of edges is not the true one.
EDGES = ("/dependencies", "/blocks", "/blocking", "/blocked_by", "/links")
UNNOTICED = {
    "empty list",
    "empty list with its headers",
    "rows missing",
    "earlier response",
    "list of nothing",
}


def test_a_sync_survives_every_fault(rounds: Rounds) -> None:
    rounds.run(_case)


def _case(chance: random.Random) -> None:
    with (
        TemporaryDirectory() as place,
        chance.choice([*SITES.values()])() as site,
        serving(lambda _: CannedResponse(data=[])) as thief,
    ):
        root = Path(place)
        _set_up(site)
        folder = IssueFolder(root, ".sdd/issues")
        for number in range(chance.choice([1, 5, 30, 60, 130])):
            site.add(f"Issue {number}")
            site.fake.now += chance.choice([0, 0, 1, 30])
        _change(site, chance)
        site.factory.now = max(site.factory.now, site.fake.now)
        proxy = FaultyProxy(
            site.respond,
            chance.randrange(2**32),
            0.0,
            pass_time=site.factory.pass_time,
            spares=_is_spared,
            elsewhere=f"{thief.url}/steal",
        )
        site.server.faults.append(proxy)
        if chance.random() < 0.8:
            _sync(site, folder)
            _change(site, chance)
        for _ in range(chance.randrange(1, 4)):
            site.factory.now += chance.choice([0, 60, DAY])
            proxy.rate = chance.choice([0.03, 0.1, 0.3])
            _faulty_sync(site, folder, full=chance.random() < 0.2)
            proxy.rate = 0.0
            if chance.random() < 0.3:
                _damage(folder, chance)
            _change(site, chance)
        assert thief.requests == []
        for _ in range(2):
            site.factory.now += 2 * DAY
            done = _sync(site, folder)
        clean = IssueFolder(root, "clean/issues")
        _sync(site, clean)
        assert files(folder.path) == files(clean.path), (site.name, done, proxy.injected)
        assert {parse_id(name) for name in files(folder.path)} == site.ids()


def _set_up(site: TrackerSite) -> None:
    """Require the token, with small pages, and without the descriptions of the APIs."""
    for name, value in (
        ("token", TOKEN),
        ("authorization", BASIC),
        ("max_page_size", 20),
        ("checked", False),
    ):
        if hasattr(site.fake, name):
            setattr(site.fake, name, value)


def _is_spared(request: Request, fault: str) -> bool:
    return (
        request.path.endswith(PULL_DETAILS)
        or (request.path.endswith(PULLS) and fault in {"401", "403", "404", "410"})
        or (request.path.endswith(EDGES) and fault in UNNOTICED)
    )


def _sync(site: TrackerSite, folder: IssueFolder, *, full: bool = False) -> SyncResult:
    tracker = site.open()
    try:
        return sync(tracker, folder, full=full, clock=lambda: site.factory.now)
    finally:
        tracker.disconnect()


def _faulty_sync(site: TrackerSite, folder: IssueFolder, *, full: bool) -> None:
    """Sync, which may fail in one line. Issues that the tracker has keep their files."""
    before = {parse_id(name) for name in files(folder.path)} if folder.path.exists() else set()
    site.factory.waits.clear()
    site.server.requests.clear()
    done = None
    try:
        done = _sync(site, folder, full=full)
    except SddError as error:
        assert "\n" not in str(error)
    lost = {id for id in before & site.ids() if not (folder.path / f"{id}.md").exists()}
    assert not lost, (site.name, sorted(lost), done)
    assert sum(site.factory.waits) <= MAX_WAIT_SECONDS
    assert len(site.server.requests) <= (MAX_RETRIES + 1) * (50 + 12 * len(site.ids()))


def _change(site: TrackerSite, chance: random.Random) -> None:
    """Make random changes in the tracker."""
    site.fake.now = max(site.fake.now, site.factory.now) + chance.choice([0, 1, 30])
    for _ in range(chance.randrange(8)):
        ids = sorted(site.ids())
        choice = chance.random()
        if choice < 0.2 or len(ids) < 2:
            site.add("Another issue")
        elif choice < 0.4:
            site.edit(chance.choice(ids), f"Title {chance.randrange(99)}")
        elif choice < 0.55:
            site.relabel(chance.choice(ids), chance.choice(["bug", "ui", "defect"]))
        elif choice < 0.7:
            ends = chance.sample(ids, 2)
            site.block(*ends)
            site.edged.update(ends)
        elif choice < 0.8:
            site.pull(chance.choice(ids))
        else:
            plain = sorted(set(ids) - site.edged)
            for id in chance.sample(plain, min(chance.choice([1, 2, 40]), len(plain))):
                site.delete(id)
        site.fake.now += chance.choice([0, 0, 1, 30])
    site.factory.now = max(site.factory.now, site.fake.now)


def _damage(folder: IssueFolder, chance: random.Random) -> None:
    """Delete or cut a file on this machine."""
    paths = sorted(folder.path.glob("*.md")) if folder.path.exists() else []
    if paths:
        path = chance.choice(paths)
        if chance.random() < 0.5:
            path.unlink()
        else:
            path.write_bytes(path.read_bytes()[: chance.randrange(200)])
