"""A folder of issues follows a Gitea on loopback, whatever happens there meanwhile."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from sdd_hooks.errors import RemoteError
from sdd_hooks.trackers.gitea.vendor import VENDOR
from sdd_hooks.trackers.issue_file import StoredIssue
from sdd_hooks.trackers.protocol import TrackerLocation
from sdd_hooks.trackers.store import IssueFolder, read_issues
from sdd_hooks.trackers.sync import SyncResult, sync
from tests.support.desk import DAY, files
from tests.support.gitea import Gitea, serving_gitea
from tests.support.loopback import CannedResponse, Request, Server
from tests.support.machines import Workplace
from tests.trackers.faults import NOW, START


@dataclass
class Office:
    """A shop on a Gitea, and a folder that follows it."""

    gitea: Gitea
    server: Server
    workplace: Workplace
    root: Path

    @property
    def folder(self) -> IssueFolder:
        return IssueFolder(self.root, ".sdd/issues")

    def sync(self, folder: IssueFolder | None = None, *, full: bool = False) -> SyncResult:
        machine = self.workplace.machine(VENDOR.label)
        tracker = VENDOR.open(TrackerLocation(self.server.url, "acme", "shop"), machine)
        now = self.gitea.now
        return sync(tracker, folder or self.folder, full=full, clock=lambda: now)

    def issues(self) -> dict[str, StoredIssue]:
        return {issue.id: issue for issue in read_issues(self.folder)}

    def assert_as_synced_anew(self) -> None:
        """The files are those of a sync into an empty folder."""
        self.server.faults.clear()
        clean = IssueFolder(self.root, "clean/issues")
        self.sync(clean)
        assert files(self.folder.path) == files(clean.path)


@pytest.fixture
def office(tmp_path: Path) -> Iterator[Office]:
    gitea = Gitea(NOW)
    with serving_gitea(gitea) as server, Workplace(NOW) as workplace:
        yield Office(gitea, server, workplace, tmp_path)


def _nth_page(office: Office, path: str, count: int) -> bool:
    """Whether the request that just came is the one for that page of a listing."""
    return sum(1 for request in office.server.asked if request.path.endswith(path)) == count


def test_a_first_sync_and_one_without_changes(office: Office) -> None:
    for number in range(7):
        office.gitea.add(at=START + number)
    office.gitea.block(2, by=1, at=START + 50)
    done = office.sync()
    assert (done.added, done.failed, done.warnings) == (7, 0, ())
    assert office.issues()["2"].blocked_by == ("1",)
    done = office.sync()
    assert done.changed == ()
    assert office.sync(full=True).changed == ()


def test_two_edits_in_one_second(office: Office) -> None:
    office.gitea.add("Old", at=START)
    office.gitea.add("Old", at=START)
    office.gitea.edit(1, at=NOW - 1, title="First")
    office.sync()
    office.gitea.edit(1, at=NOW - 1, title="Second")
    office.gitea.edit(2, at=NOW - 1, title="Third")
    assert office.sync().updated == 2
    assert [office.issues()[id].title for id in "12"] == ["Second", "Third"]


def test_a_pull_request_changes_the_issue_that_it_closes(office: Office) -> None:
    office.gitea.add(at=START)
    pull = office.gitea.add_pull(body="Closes #1", branch="feature/1", files=("a.py",), at=START)
    office.sync()
    assert office.issues()["1"].status == "open"
    before = office.gitea.items[1].entry["updated_at"]
    office.gitea.now += 60
    office.gitea.merge(pull)
    assert office.gitea.items[1].entry["updated_at"] == before
    assert office.sync().changed == (".sdd/issues/1.md",)
    (shown,) = office.issues()["1"].pulls
    assert (shown.status, shown.branch, shown.files) == ("merged", "feature/1", ("a.py",))
    office.gitea.edit(1, state="closed")
    office.sync()
    assert office.issues()["1"].status == "merged"
    office.assert_as_synced_anew()


def test_a_failure_on_the_second_page(office: Office) -> None:
    for number in range(120):
        office.gitea.add(at=START + number)
    broken = [CannedResponse(500, {"message": "no"})] * 9
    office.server.fail(*broken, when=lambda request: request.query.get("page") == "2")
    with pytest.raises(RemoteError):
        office.sync()
    assert len(office.issues()) == 50
    office.server.faults.clear()
    assert office.sync().added == 70
    office.assert_as_synced_anew()


def test_added_edited_and_deleted_while_pages_are_read(office: Office) -> None:
    for number in range(160):
        office.gitea.add(at=START + number)

    def meddle(request: Request) -> None:
        if request.path.endswith("/issues") and _nth_page(office, "/issues", 2):
            office.gitea.now += 5
            for number in (160, 159, 130, 1):
                office.gitea.delete(number)
            for number in (158, 100, 2):
                office.gitea.edit(number, title="Edited")
            office.gitea.add("New")

    office.server.faults.append(meddle)
    office.sync()
    office.gitea.now += DAY + 1
    office.sync()
    assert set(office.issues()) == set(map(str, office.gitea.items))
    assert {office.issues()[id].title for id in ("158", "100", "2")} == {"Edited"}
    office.assert_as_synced_anew()


def test_a_deleted_issue_is_removed_a_day_later(office: Office) -> None:
    for number in range(3):
        office.gitea.add(at=START + number)
    office.sync()
    office.gitea.delete(2)
    assert office.sync().removed == 0
    office.gitea.now += DAY
    done = office.sync()
    assert (done.removed, done.changed) == (1, (".sdd/issues/2.md",))
    assert office.gitea.items.keys() == {1, 3}
    office.assert_as_synced_anew()


def test_dependencies_that_are_switched_off_later(office: Office) -> None:
    office.gitea.add(at=START)
    office.gitea.add(at=START)
    office.gitea.block(2, by=1, at=START)
    office.sync()
    assert office.issues()["1"].blocks == ("2",)
    office.gitea.dependencies = False
    assert office.sync(full=True).updated == 2
    assert office.issues()["1"].blocks == ()
