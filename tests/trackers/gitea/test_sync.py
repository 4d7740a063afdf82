"""Syncing a repository on Gitea to a folder of files, with concurrent changes on Gitea."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from sdd_hooks.trackers.gitea.vendor import VENDOR
from sdd_hooks.trackers.issue_file import StoredIssue
from sdd_hooks.trackers.protocol import TrackerLocation
from sdd_hooks.trackers.store import IssueFolder
from sdd_hooks.trackers.stored_issues import read_issues
from sdd_hooks.trackers.sync import SyncResult, sync
from tests.support.gitea import FakeGitea, serving_gitea
from tests.support.loopback import CannedResponse, Request, Server
from tests.support.machines import ClientFactory
from tests.support.sync_harness import DAY, files
from tests.trackers.fetching import NOW, START


@dataclass
class SyncedShop:
    """A repository on a fake Gitea, and the folder to which its issues are synced."""

    gitea: FakeGitea
    server: Server
    client_factory: ClientFactory
    root: Path

    @property
    def folder(self) -> IssueFolder:
        return IssueFolder(self.root, ".sdd/issues")

    def sync(self, folder: IssueFolder | None = None, *, full: bool = False) -> SyncResult:
        environment = self.client_factory.environment(VENDOR.label)
        tracker = VENDOR.open(TrackerLocation(self.server.url, "acme", "shop"), environment)
        now = self.gitea.now
        return sync(tracker, folder or self.folder, full=full, clock=lambda: now)

    def issues(self) -> dict[str, StoredIssue]:
        return {issue.id: issue for issue in read_issues(self.folder)}

    def assert_as_synced_anew(self) -> None:
        """The files are the same as after a sync into an empty folder."""
        self.server.faults.clear()
        clean = IssueFolder(self.root, "clean/issues")
        self.sync(clean)
        assert files(self.folder.path) == files(clean.path)


@pytest.fixture
def synced(tmp_path: Path) -> Iterator[SyncedShop]:
    gitea = FakeGitea(NOW)
    with serving_gitea(gitea) as server, ClientFactory(NOW) as client_factory:
        yield SyncedShop(gitea, server, client_factory, tmp_path)


def test_a_pull_request_changes_the_issue_that_it_closes(synced: SyncedShop) -> None:
    synced.gitea.add(at=START)
    pull = synced.gitea.add_pull(body="Closes #1", branch="feature/1", files=("a.py",), at=START)
    synced.sync()
    assert synced.issues()["1"].status == "open"
    before = synced.gitea.items[1].entry["updated_at"]
    synced.gitea.now += 60
    synced.gitea.merge(pull)
    assert synced.gitea.items[1].entry["updated_at"] == before
    assert synced.sync().changed == (".sdd/issues/1.md",)
    (shown,) = synced.issues()["1"].pulls
    assert (shown.status, shown.branch, shown.files) == ("merged", "feature/1", ("a.py",))
    synced.gitea.edit(1, state="closed")
    synced.sync()
    assert synced.issues()["1"].status == "merged"
    synced.assert_as_synced_anew()


def test_dependencies_that_are_disabled_later(synced: SyncedShop) -> None:
    synced.gitea.add(at=START)
    synced.gitea.add(at=START)
    synced.gitea.block(2, by=1, at=START)
    synced.sync()
    assert synced.issues()["1"].blocks == ("2",)
    synced.gitea.dependencies = False
    assert synced.sync(full=True).updated == 2
    assert synced.issues()["1"].blocks == ()


def test_a_sync_without_changes_makes_three_requests(synced: SyncedShop) -> None:
    """Also after a bulk creation: issues of the last second are not completed again each time."""
    for _ in range(20):
        synced.gitea.add(at=NOW)
    synced.gitea.add_pull(body="Closes #1", branch="b", files=("a.py",), at=NOW)
    synced.sync()
    synced.gitea.now += 60
    synced.sync()
    for _ in range(2):
        synced.gitea.now += 60
        synced.server.requests.clear()
        assert synced.sync().changed == ()
        paths = [path.rpartition("/shop")[2] for path in synced.server.paths()]
        assert sorted(paths) == ["", "/issues", "/pulls"]


def test_a_server_whose_clock_is_set_back(synced: SyncedShop) -> None:
    synced.gitea.add("Old", at=START)
    synced.sync()
    synced.gitea.now -= 3600
    synced.gitea.edit(1, at=synced.gitea.now, title="New")
    assert synced.sync().updated == 1


@pytest.mark.parametrize("kind", ["dependencies", "blocks"])
def test_an_edge_survives_a_404_of_one_call(synced: SyncedShop, kind: str) -> None:
    for _ in range(3):
        synced.gitea.add(at=START)
    synced.gitea.block(2, by=1, at=START)
    synced.gitea.block(3, by=2, at=START)
    synced.sync()
    before = files(synced.folder.path)
    missing = CannedResponse(404, {"message": "not found"})
    synced.server.fail(missing, when=lambda request: request.path.endswith(f"/issues/2/{kind}"))
    synced.sync(full=True)
    assert files(synced.folder.path) == before
    # A new edge that the call would have shown comes with the next sync.
    synced.server.fail(missing, when=lambda request: request.path.endswith(f"/issues/2/{kind}"))
    synced.gitea.add(at=START)
    synced.gitea.now += 60
    ends = (2, 4) if kind == "dependencies" else (4, 2)
    synced.gitea.block(ends[0], by=ends[1], at=synced.gitea.now)
    synced.sync()
    synced.gitea.now += 60
    synced.sync()
    synced.assert_as_synced_anew()


def test_an_edge_that_is_never_shown_is_not_asked_for_ever(synced: SyncedShop) -> None:
    for _ in range(2):
        synced.gitea.add(at=START)
    hidden = [CannedResponse(404, {"message": "not found"})] * 99
    synced.server.fail(*hidden, when=lambda request: request.path.endswith("/issues/2/blocks"))
    for _ in range(5):
        synced.sync()
        synced.gitea.now += 60
    synced.server.requests.clear()
    synced.sync()
    assert len(synced.server.requests) == 3


def test_a_total_of_nothing_beside_issues(synced: SyncedShop) -> None:
    for number in range(160):
        synced.gitea.add(at=START + number)

    def lie(request: Request) -> CannedResponse | None:
        if not request.path.endswith("/issues"):
            return None
        return replace(
            synced.gitea.answer(request),
            headers={**synced.gitea.answer(request).headers, "X-Total-Count": "0"},
        )

    synced.server.faults.append(lie)
    assert synced.sync().added == 160
    assert synced.sync(full=True).removed == 0


def test_names_of_labels_and_users_follow(synced: SyncedShop) -> None:
    """Renaming them does not update an issue."""
    for number in range(60):
        synced.gitea.add(at=START + number)
    for item in synced.gitea.items.values():
        item.entry["labels"] = [{"id": 1, "name": "bug"}]
        item.entry["user"] = {"login": "ada"}
    synced.gitea.block(2, by=1, at=START + 100)
    synced.gitea.add_pull(body="Closes #3", branch="b", files=("a.py",), at=START)
    synced.sync()
    for number in range(1, 61):
        synced.gitea.items[number].entry["labels"] = [{"id": 1, "name": "defect"}]
        synced.gitea.items[number].entry["user"] = {"login": "grace"}
    synced.gitea.now += DAY
    synced.server.requests.clear()
    assert synced.sync().updated == 60
    assert len(synced.server.requests) < 20
    synced.assert_as_synced_anew()
