"""Links, unsafe ids and full disks: no write leaves the folder or is incomplete."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest

from sdd_hooks.errors import SddError, StorageError
from sdd_hooks.trackers.protocol import IssuePage
from sdd_hooks.trackers.store import IssueFolder
from sdd_hooks.trackers.stored_issues import read_issue, read_issues
from sdd_hooks.trackers.sync import last_synced, sync
from tests.cli.mounts import read_only, small_disk
from tests.support.sync_harness import NOW, SyncHarness, fingerprint
from tests.support.tracker import START, FakeTracker


@pytest.mark.parametrize("part", [".sdd", ".sdd/issues", ".sdd/issues/api"])
def test_a_folder_that_is_a_link_is_refused(harness: SyncHarness, part: str) -> None:
    outside = harness.folder.root / "outside"
    outside.mkdir()
    link = harness.folder.root / part
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(outside)
    folder = IssueFolder(harness.folder.root, ".sdd/issues/api")
    with pytest.raises(StorageError, match="symbolic link"):
        harness.sync(folder)
    with pytest.raises(StorageError, match="symbolic link"):
        list(read_issues(folder))
    assert last_synced(folder) is None
    assert list(outside.iterdir()) == []


def test_a_folder_that_is_a_file_is_refused(harness: SyncHarness) -> None:
    (harness.folder.root / ".sdd").mkdir()
    harness.folder.path.write_text("no folder")
    with pytest.raises(StorageError, match=r"issues is not a directory: remove it$"):
        harness.sync()


def test_a_file_that_is_a_link_is_replaced_and_not_followed(harness: SyncHarness) -> None:
    outside = harness.folder.root / "outside.md"
    outside.write_text("---\ntracker: github\n---\nSecret\n")
    harness.folder.path.mkdir(parents=True)
    for name in ("3.md", "_meta.json", "99.md"):
        (harness.folder.path / name).symlink_to(outside)
    assert "could not be used" in harness.sync().warnings[0]
    assert not (harness.folder.path / "3.md").is_symlink()
    assert not (harness.folder.path / "_meta.json").is_symlink()
    assert (harness.folder.path / "99.md").is_symlink()
    assert read_issue(harness.folder, "99") is None
    assert outside.read_text() == "---\ntracker: github\n---\nSecret\n"


def test_a_lock_that_is_a_link_is_refused(harness: SyncHarness) -> None:
    harness.folder.path.mkdir(parents=True)
    (harness.folder.path / ".lock").symlink_to(harness.folder.root / "elsewhere")
    with pytest.raises(StorageError, match=r"\.lock"):
        harness.sync()
    assert not (harness.folder.root / "elsewhere").exists()


def test_a_named_pipe_does_not_block_the_sync(harness: SyncHarness) -> None:
    harness.folder.path.mkdir(parents=True)
    os.mkfifo(harness.folder.path / "3.md")
    os.mkfifo(harness.folder.path / ".sdd-half")
    harness.sync()
    harness.assert_as_synced_anew()


def test_unsafe_ids_have_files_inside_the_folder(harness: SyncHarness) -> None:
    unsafe = ["../up", "/etc/x", "a/b", "..", ".", "con", "a\nb", "\x1b[31m", "é", "a b", "-rf"]
    for id in unsafe:
        harness.backend.add(id)
    done = harness.sync()
    assert (done.added, done.failed) == (10 + len(unsafe), 0)
    assert {one.name for one in harness.folder.root.iterdir()} == {".sdd"}
    assert all(name.isascii() and name.isprintable() for name in harness.files())
    assert {one.id for one in read_issues(harness.folder)} >= set(unsafe)
    for id in unsafe:
        assert harness.issue(id).id == id
        harness.backend.delete(id)
    assert harness.sync(full=True).removed == len(unsafe)


def test_ids_that_differ_in_case_have_separate_files(harness: SyncHarness) -> None:
    for id in ("abc-1", "ABC-1", "Abc-1"):
        harness.backend.add(id, f"Title of {id}")
    harness.sync()
    names = set(harness.files())
    assert len({name.lower() for name in names}) == len(names) == 13
    before = fingerprint(harness.folder.path)
    harness.sync(full=True)
    assert fingerprint(harness.folder.path) == before
    for id in ("abc-1", "ABC-1", "Abc-1"):
        assert harness.issue(id).title == f"Title of {id}"
    # When one is deleted, the others keep their files.
    harness.backend.delete("abc-1")
    assert harness.sync(full=True).removed == 1
    harness.backend.delete("ABC-1")
    assert harness.sync(full=True).removed == 1
    assert harness.issue("Abc-1").title == "Title of Abc-1"
    after = fingerprint(harness.folder.path)
    assert len(after) == 11
    assert after.items() <= before.items()


@pytest.mark.parametrize("id", ["", "x" * 300, "/" * 100, "\n" * 200])
def test_an_id_without_a_file_name_leaves_out_that_issue(harness: SyncHarness, id: str) -> None:
    harness.backend.add(id)
    done = harness.sync()
    assert (done.added, done.failed) == (10, 1)
    (warning,) = done.warnings
    assert "is left out: its id cannot be the name of a file" in warning
    assert "\n" not in warning
    assert len(warning) < 400


def test_many_failures_are_counted(harness: SyncHarness) -> None:
    for number in range(50):
        harness.backend.add("x" * (300 + number))
    done = harness.sync()
    assert done.failed == 50
    assert done.warnings[-1] == "47 more issues could not be written"
    assert len(done.warnings) == 4


def test_a_directory_with_the_name_of_an_issue_is_reported(harness: SyncHarness) -> None:
    (harness.folder.path / "3.md").mkdir(parents=True)
    done = harness.sync()
    assert (done.added, done.failed) == (9, 1)
    assert done.warnings == ("issue 3 is left out: .sdd/issues/3.md is a directory: remove it",)
    (harness.folder.path / "3.md").rmdir()
    assert harness.sync().added == 1
    harness.assert_as_synced_anew()


def test_very_long_fields_are_parsed_back(harness: SyncHarness) -> None:
    large = 'x\u2028"\\\n' * 50_000
    harness.backend.add("99", large, labels=(large,), author=large, body=large)
    harness.sync()
    found = harness.issue("99")
    assert (found.title, found.labels, found.author) == (large.strip(), (large,), large)
    before = fingerprint(harness.folder.path)
    harness.sync(full=True)
    assert fingerprint(harness.folder.path) == before


def test_an_error_of_the_tracker_is_raised(harness: SyncHarness) -> None:
    class Broken(FakeTracker):
        def fetch(self, since: Any, notes: Any) -> Iterator[IssuePage]:
            yield IssuePage((harness.backend.issues["1"],), START)
            raise SddError("the daemon died: start it")

    tracker = Broken(harness.server.url)
    with pytest.raises(SddError, match="the daemon died: start it"):
        sync(tracker, harness.folder, clock=lambda: NOW)
    tracker.disconnect()
    assert last_synced(harness.folder) is None


def test_a_full_disk_is_an_error_of_one_line(harness: SyncHarness) -> None:
    for number in range(200):
        harness.backend.add(f"X-{number}", body="x" * 9000)
    disk = harness.folder.root / "disk"
    disk.mkdir()
    with small_disk(disk, 512):
        folder = IssueFolder(disk, ".sdd/issues")
        with pytest.raises(StorageError, match=r"issues/.*: the disk is full"):
            harness.sync(folder)
        assert not (folder.path / ".sdd-half").exists()
        stored = list(read_issues(folder))
        assert 0 < len(stored) < 210
        for id in list(harness.backend.issues):
            if id.startswith("X-") and id not in {"X-1", "X-2"}:
                harness.backend.delete(id)
        for path in folder.path.glob("X-*"):
            path.unlink()
        harness.sync(folder)
        harness.folder = folder
        harness.assert_as_synced_anew()


def test_a_read_only_file_system_is_an_error(harness: SyncHarness) -> None:
    harness.sync()
    harness.backend.now += 5
    harness.backend.edit("3", title="Changed")
    with read_only(harness.folder.root), pytest.raises(StorageError):
        harness.sync()
