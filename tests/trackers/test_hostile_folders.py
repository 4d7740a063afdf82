"""Links, odd ids, full disks: nothing is written elsewhere, and nothing is half written."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest

from sdd_hooks.errors import SddError, StorageError
from sdd_hooks.trackers.protocol import IssuePage
from sdd_hooks.trackers.store import IssueFolder, read_issue, read_issues
from sdd_hooks.trackers.sync import last_synced, sync
from tests.cli.mounts import read_only, small_disk
from tests.support.desk import NOW, Desk, fingerprint
from tests.support.tracker import START, NobodysTracker


@pytest.mark.parametrize("part", [".sdd", ".sdd/issues", ".sdd/issues/api"])
def test_a_folder_that_is_a_link_is_refused(desk: Desk, part: str) -> None:
    outside = desk.folder.root / "outside"
    outside.mkdir()
    link = desk.folder.root / part
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(outside)
    folder = IssueFolder(desk.folder.root, ".sdd/issues/api")
    with pytest.raises(StorageError, match="symbolic link"):
        desk.sync(folder)
    with pytest.raises(StorageError, match="symbolic link"):
        list(read_issues(folder))
    assert last_synced(folder) is None
    assert list(outside.iterdir()) == []


def test_a_folder_that_is_a_file_is_refused(desk: Desk) -> None:
    (desk.folder.root / ".sdd").mkdir()
    desk.folder.path.write_text("no folder")
    with pytest.raises(StorageError, match="issues"):
        desk.sync()


def test_a_file_that_is_a_link_is_replaced_and_not_followed(desk: Desk) -> None:
    outside = desk.folder.root / "outside.md"
    outside.write_text("---\ntracker: github\n---\nSecret\n")
    desk.folder.path.mkdir(parents=True)
    for name in ("3.md", "_meta.json", "99.md"):
        (desk.folder.path / name).symlink_to(outside)
    assert "could not be used" in desk.sync().warnings[0]
    assert not (desk.folder.path / "3.md").is_symlink()
    assert not (desk.folder.path / "_meta.json").is_symlink()
    assert (desk.folder.path / "99.md").is_symlink()
    assert read_issue(desk.folder, "99") is None
    assert outside.read_text() == "---\ntracker: github\n---\nSecret\n"


def test_a_lock_that_is_a_link_is_refused(desk: Desk) -> None:
    desk.folder.path.mkdir(parents=True)
    (desk.folder.path / ".lock").symlink_to(desk.folder.root / "elsewhere")
    with pytest.raises(StorageError, match=r"\.lock"):
        desk.sync()
    assert not (desk.folder.root / "elsewhere").exists()


def test_a_pipe_in_the_place_of_an_issue_makes_nobody_wait(desk: Desk) -> None:
    desk.folder.path.mkdir(parents=True)
    os.mkfifo(desk.folder.path / "3.md")
    os.mkfifo(desk.folder.path / ".sdd-half")
    desk.sync()
    desk.assert_as_synced_anew()


def test_ids_become_names_that_stay_in_the_folder(desk: Desk) -> None:
    odd = ["../up", "/etc/x", "a/b", "..", ".", "con", "a\nb", "\x1b[31m", "é", "a b", "-rf"]
    for id in odd:
        desk.backend.add(id)
    done = desk.sync()
    assert (done.added, done.failed) == (10 + len(odd), 0)
    assert {one.name for one in desk.folder.root.iterdir()} == {".sdd"}
    assert all(name.isascii() and name.isprintable() for name in desk.files())
    assert {one.id for one in read_issues(desk.folder)} >= set(odd)
    for id in odd:
        assert desk.issue(id).id == id
        desk.backend.delete(id)
    assert desk.sync(full=True).removed == len(odd)


def test_ids_that_differ_in_case_alone_have_files_of_their_own(desk: Desk) -> None:
    for id in ("abc-1", "ABC-1", "Abc-1"):
        desk.backend.add(id, f"Title of {id}")
    desk.sync()
    names = set(desk.files())
    assert len({name.lower() for name in names}) == len(names) == 13
    before = fingerprint(desk.folder.path)
    desk.sync(full=True)
    assert fingerprint(desk.folder.path) == before
    for id in ("abc-1", "ABC-1", "Abc-1"):
        assert desk.issue(id).title == f"Title of {id}"
    # Whichever goes, the others keep their files.
    desk.backend.delete("abc-1")
    assert desk.sync(full=True).removed == 1
    desk.backend.delete("ABC-1")
    assert desk.sync(full=True).removed == 1
    assert desk.issue("Abc-1").title == "Title of Abc-1"
    after = fingerprint(desk.folder.path)
    assert len(after) == 11
    assert after.items() <= before.items()


@pytest.mark.parametrize("id", ["", "x" * 300, "/" * 100, "\n" * 200])
def test_an_id_that_can_be_no_name_costs_that_issue_alone(desk: Desk, id: str) -> None:
    desk.backend.add(id)
    done = desk.sync()
    assert (done.added, done.failed) == (10, 1)
    (warning,) = done.warnings
    assert "is left out: its id cannot be the name of a file" in warning
    assert "\n" not in warning
    assert len(warning) < 400


def test_many_failures_are_counted(desk: Desk) -> None:
    for number in range(50):
        desk.backend.add("x" * (300 + number))
    done = desk.sync()
    assert done.failed == 50
    assert done.warnings[-1] == "47 more issues could not be written"
    assert len(done.warnings) == 4


def test_a_directory_in_the_way_is_named_and_the_issue_fetched_again(desk: Desk) -> None:
    (desk.folder.path / "3.md").mkdir(parents=True)
    done = desk.sync()
    assert (done.added, done.failed) == (9, 1)
    assert done.warnings == ("issue 3 is left out: .sdd/issues/3.md is a directory: remove it",)
    (desk.folder.path / "3.md").rmdir()
    assert desk.sync().added == 1
    desk.assert_as_synced_anew()


def test_a_megabyte_of_everything(desk: Desk) -> None:
    large = 'x\u2028"\\\n' * 200_000
    desk.backend.add("99", large, labels=(large,), author=large, body=large)
    desk.sync()
    found = desk.issue("99")
    assert (found.title, found.labels, found.author) == (large.strip(), (large,), large)
    before = fingerprint(desk.folder.path)
    desk.sync(full=True)
    assert fingerprint(desk.folder.path) == before


def test_a_tracker_that_breaks_says_so_and_leaves_no_thread(desk: Desk) -> None:
    class Broken(NobodysTracker):
        def fetch(self, since: Any, notes: Any) -> Iterator[IssuePage]:
            yield IssuePage((desk.backend.issues["1"],), START)
            raise SddError("the daemon died: start it")

    tracker = Broken(desk.server.url)
    with pytest.raises(SddError, match="the daemon died: start it"):
        sync(tracker, desk.folder, clock=lambda: NOW)
    tracker.disconnect()
    assert last_synced(desk.folder) is None


def test_a_full_disk_is_one_line_and_the_next_sync_goes_on(desk: Desk) -> None:
    for number in range(200):
        desk.backend.add(f"X-{number}", body="x" * 9000)
    disk = desk.folder.root / "disk"
    disk.mkdir()
    with small_disk(disk, 512):
        folder = IssueFolder(disk, ".sdd/issues")
        with pytest.raises(StorageError, match=r"issues/.*: the disk is full"):
            desk.sync(folder)
        assert not (folder.path / ".sdd-half").exists()
        there = list(read_issues(folder))
        assert 0 < len(there) < 210
        for id in list(desk.backend.issues):
            if id.startswith("X-") and id not in {"X-1", "X-2"}:
                desk.backend.delete(id)
        for path in folder.path.glob("X-*"):
            path.unlink()
        desk.sync(folder)
        desk.folder = folder
        desk.assert_as_synced_anew()


def test_a_read_only_file_system_is_one_line(desk: Desk) -> None:
    desk.sync()
    desk.backend.now += 5
    desk.backend.edit("3", title="Changed")
    with read_only(desk.folder.root), pytest.raises(StorageError):
        desk.sync()
