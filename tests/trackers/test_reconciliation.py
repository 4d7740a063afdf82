"""Issues that the tracker does not have any more are removed, and no other file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from sdd_hooks.errors import RemoteError
from sdd_hooks.trackers.protocol import IssuePage
from sdd_hooks.trackers.sync import sync
from tests.support.loopback import CannedResponse
from tests.support.sync_harness import DAY, NOW, SyncHarness, counts
from tests.support.tracker import FakeTracker


def test_a_tracker_without_an_inventory_is_fetched_in_full(harness: SyncHarness) -> None:
    harness.sync(lists=False)
    harness.backend.delete("3")
    harness.queries()
    harness.sync(lists=False)
    assert len(harness.queries()) == 1
    harness.now += DAY
    assert harness.sync(lists=False).removed == 1
    assert len(harness.queries()) == 3


def test_a_complete_fetch_removes_the_other_issues(harness: SyncHarness) -> None:
    class Everything(FakeTracker):
        def fetch(self, since: Any, notes: Any) -> Iterator[IssuePage]:
            yield IssuePage(
                tuple(harness.backend.issues.values()), harness.backend.now, is_complete=True
            )

    for removed in (0, 1):
        tracker = Everything(harness.server.url)
        assert sync(tracker, harness.folder, clock=lambda: NOW).removed == removed
        tracker.disconnect()
        harness.backend.delete(str(3 + removed))


def test_an_incomplete_listing_removes_nothing(harness: SyncHarness) -> None:
    harness.sync()
    before, cursor = harness.files(), harness.cursor()
    harness.backend.delete("3")
    harness.now += DAY
    harness.server.fail(*[CannedResponse(503)] * 4, when=lambda request: request.path == "/ids")
    with pytest.raises(RemoteError):
        harness.sync()
    assert (harness.files(), harness.cursor()) == (before, cursor)
    assert harness.sync().removed == 1


def test_an_issue_created_during_the_inventory_stays(harness: SyncHarness) -> None:
    harness.sync()
    harness.now += DAY
    harness.backend.now += 5
    harness.backend.add("77")
    harness.server.fail(
        CannedResponse(data={"ids": [str(n) for n in range(1, 11)]}),
        when=lambda request: request.path == "/ids",
    )
    done = harness.sync()
    assert (done.added, done.removed) == (1, 0)


def test_files_without_an_issue_stay(harness: SyncHarness) -> None:
    harness.sync()
    path = harness.folder.path
    (path / "notes.md").write_text("# Notes\n\ntracker: none\n")
    (path / "77.md").write_text("---\ntitle: A draft\n---\n")
    (path / "readme.txt").write_text("Text")
    (path / "api").mkdir()
    (path / "api.md").mkdir()
    harness.backend.delete("3")
    assert harness.sync(full=True).removed == 1
    names = {one.name for one in path.iterdir()}
    assert names >= {"notes.md", "77.md", "readme.txt", "api", "api.md"}


def test_the_file_of_a_transferred_issue_is_removed(harness: SyncHarness) -> None:
    harness.sync()
    harness.backend.now += 5
    harness.backend.transfer("3")
    done = harness.sync()
    assert (done.removed, done.changed) == (1, (".sdd/issues/3.md",))
    assert harness.sync().removed == 0
    harness.assert_as_synced_anew()


def test_an_issue_with_a_new_key_has_no_file_under_the_old_key(harness: SyncHarness) -> None:
    harness.sync()
    harness.backend.now += 5
    harness.backend.rename("3", "OPS-1")
    assert counts(harness.sync())[:3] == (1, 0, 1)
    harness.backend.now += 5
    harness.backend.rename("OPS-1", "WEB-1")
    harness.backend.edit("WEB-1", formerly=("3", "OPS-1", "WEB-1", "../x", ""))
    harness.sync()
    assert not {"3.md", "OPS-1.md"} & set(harness.files())
    harness.assert_as_synced_anew()


def test_another_project_replaces_the_issues(harness: SyncHarness) -> None:
    harness.sync()
    harness.backend.issues.clear()
    harness.backend.add("3", "Another project's")
    harness.backend.add("20")
    done = harness.sync(place="tracker.example/acme/other")
    assert counts(done) == (1, 1, 9, 0, 0)
    assert done.since != ""
    assert list(harness.meta()["cursor"]) == ["fake|tracker.example/acme/other"]
    harness.assert_as_synced_anew()


def test_an_interrupted_change_of_the_project_loses_nothing(harness: SyncHarness) -> None:
    harness.sync()
    issues = dict(harness.backend.issues)
    harness.backend.issues = {str(n): harness.backend.add(str(n), "Other's") for n in range(5, 15)}
    harness.server.fail(
        *[CannedResponse(500)] * 4, when=lambda request: request.query.get("page") == "2"
    )
    with pytest.raises(RemoteError):
        harness.sync(place="tracker.example/acme/other")
    harness.backend.issues = issues
    harness.sync()
    harness.assert_as_synced_anew()


def test_an_empty_file_after_a_power_cut_is_fetched_again(harness: SyncHarness) -> None:
    harness.sync()
    (harness.folder.path / "4.md").write_bytes(b"")
    harness.now += DAY
    harness.sync()
    harness.assert_as_synced_anew()
