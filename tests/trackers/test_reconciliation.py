"""What is no longer in the tracker goes from the folder, and nothing else does."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from sdd_hooks.errors import RemoteError
from sdd_hooks.trackers.protocol import IssuePage
from sdd_hooks.trackers.sync import sync
from tests.support.desk import DAY, NOW, Desk, counts
from tests.support.loopback import CannedResponse
from tests.support.tracker import NobodysTracker


def test_what_was_deleted_goes_the_next_day(desk: Desk) -> None:
    desk.sync()
    desk.backend.delete("3")
    desk.backend.delete("4")
    assert desk.sync().removed == 0
    desk.now += DAY
    done = desk.sync()
    assert (done.removed, done.changed) == (2, (".sdd/issues/3.md", ".sdd/issues/4.md"))
    desk.assert_as_synced_anew()


def test_or_at_once_with_full(desk: Desk) -> None:
    desk.sync()
    desk.backend.delete("3")
    assert desk.sync(full=True).removed == 1
    desk.assert_as_synced_anew()


def test_a_tracker_without_an_inventory_is_fetched_whole(desk: Desk) -> None:
    desk.sync(lists=False)
    desk.backend.delete("3")
    desk.queries()
    desk.sync(lists=False)
    assert len(desk.queries()) == 1
    desk.now += DAY
    assert desk.sync(lists=False).removed == 1
    assert len(desk.queries()) == 3


def test_one_that_brings_everything_anyhow_is_believed_at_once(desk: Desk) -> None:
    class Everything(NobodysTracker):
        def fetch(self, since: Any, notes: Any) -> Iterator[IssuePage]:
            yield IssuePage(tuple(desk.backend.issues.values()), desk.backend.now, is_complete=True)

    for removed in (0, 1):
        tracker = Everything(desk.server.url)
        assert sync(tracker, desk.folder, clock=lambda: NOW).removed == removed
        tracker.disconnect()
        desk.backend.delete(str(3 + removed))


def test_an_incomplete_listing_removes_nothing(desk: Desk) -> None:
    desk.sync()
    before, cursor = desk.files(), desk.cursor()
    desk.backend.delete("3")
    desk.now += DAY
    desk.server.fail(*[CannedResponse(503)] * 4, when=lambda asked: asked.path == "/ids")
    with pytest.raises(RemoteError):
        desk.sync()
    assert (desk.files(), desk.cursor()) == (before, cursor)
    assert desk.sync().removed == 1


def test_an_issue_that_comes_during_it_stays(desk: Desk) -> None:
    desk.sync()
    desk.now += DAY
    desk.backend.now += 5
    desk.backend.add("77")
    desk.server.fail(
        CannedResponse(data={"ids": [str(n) for n in range(1, 11)]}),
        when=lambda asked: asked.path == "/ids",
    )
    done = desk.sync()
    assert (done.added, done.removed) == (1, 0)


def test_files_that_are_not_ours_stay(desk: Desk) -> None:
    desk.sync()
    path = desk.folder.path
    (path / "notes.md").write_text("# Notes\n\ntracker: none\n")
    (path / "77.md").write_text("---\ntitle: A draft of mine\n---\n")
    (path / "readme.txt").write_text("Text")
    (path / "api").mkdir()
    (path / "api.md").mkdir()
    desk.backend.delete("3")
    assert desk.sync(full=True).removed == 1
    left = {one.name for one in path.iterdir()}
    assert left >= {"notes.md", "77.md", "readme.txt", "api", "api.md"}


def test_an_issue_that_moves_away_goes_with_its_file(desk: Desk) -> None:
    desk.sync()
    desk.backend.now += 5
    desk.backend.transfer("3")
    done = desk.sync()
    assert (done.removed, done.changed) == (1, (".sdd/issues/3.md",))
    assert desk.sync().removed == 0
    desk.assert_as_synced_anew()


def test_an_issue_under_a_new_key_leaves_no_file_under_the_old(desk: Desk) -> None:
    desk.sync()
    desk.backend.now += 5
    desk.backend.rename("3", "OPS-1")
    assert counts(desk.sync())[:3] == (1, 0, 1)
    desk.backend.now += 5
    desk.backend.rename("OPS-1", "WEB-1")
    desk.backend.edit("WEB-1", formerly=("3", "OPS-1", "WEB-1", "../x", ""))
    desk.sync()
    assert not {"3.md", "OPS-1.md"} & set(desk.files())
    desk.assert_as_synced_anew()


def test_another_place_or_tracker_replaces_what_is_there(desk: Desk) -> None:
    desk.sync()
    desk.backend.issues.clear()
    desk.backend.add("3", "Another project's")
    desk.backend.add("20")
    done = desk.sync(place="tracker.example/acme/other")
    assert counts(done) == (1, 1, 9, 0, 0)
    assert done.since != ""
    assert list(desk.meta()["cursor"]) == ["nobodys|tracker.example/acme/other"]
    desk.assert_as_synced_anew()


def test_and_is_not_taken_for_it_when_that_is_cut_short(desk: Desk) -> None:
    desk.sync()
    ours = dict(desk.backend.issues)
    desk.backend.issues = {str(n): desk.backend.add(str(n), "Other's") for n in range(5, 15)}
    desk.server.fail(*[CannedResponse(500)] * 4, when=lambda asked: asked.query.get("page") == "2")
    with pytest.raises(RemoteError):
        desk.sync(place="tracker.example/acme/other")
    desk.backend.issues = ours
    desk.sync()
    desk.assert_as_synced_anew()


def test_a_file_that_a_power_cut_left_empty_is_fetched_again(desk: Desk) -> None:
    desk.sync()
    (desk.folder.path / "4.md").write_bytes(b"")
    desk.now += DAY
    desk.sync()
    desk.assert_as_synced_anew()
