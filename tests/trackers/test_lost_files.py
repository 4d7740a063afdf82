"""Files of issues that were deleted or damaged on this machine come back with the next sync."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from sdd_hooks.errors import RemoteError
from tests.support.loopback import CannedResponse
from tests.support.sync_harness import DAY, SyncHarness, fingerprint


def _touch_back(path: Path, data: bytes) -> None:
    """Write a file of the same size."""
    assert path.stat().st_size == len(data)
    path.write_bytes(data)


DAMAGES: dict[str, Callable[[Path], object]] = {
    "deleted": lambda path: path.unlink(),
    "emptied": lambda path: path.write_bytes(b""),
    "cut": lambda path: path.write_bytes(path.read_bytes()[:40]),
    "flipped": lambda path: _touch_back(path, path.read_bytes().replace(b"body", b"bodx")),
    "appended": lambda path: path.write_bytes(path.read_bytes() + b"\n- more\n"),
    "not frontmatter": lambda path: path.write_bytes(b"\xff" * 99),
    "another issue": lambda path: path.write_bytes(path.with_name("5.md").read_bytes()),
    "a link": lambda path: (path.unlink(), path.symlink_to("5.md")),
    "a pipe": lambda path: (path.unlink(), os.mkfifo(path)),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_the_next_sync_restores_a_file(harness: SyncHarness, damage: str) -> None:
    harness.backend.pull("90", "4", files=("a.py",))
    harness.sync()
    harness.sync()
    DAMAGES[damage](harness.folder.path / "4.md")
    done = harness.sync()
    assert done.changed == (".sdd/issues/4.md",)
    harness.assert_as_synced_anew()
    harness.queries()
    assert harness.sync().changed == ()
    assert len(harness.queries()) == 1


def test_a_whole_folder_comes_back(harness: SyncHarness) -> None:
    harness.sync()
    for path in harness.folder.path.glob("*.md"):
        path.unlink()
    assert harness.sync().added == 10
    harness.assert_as_synced_anew()


def test_a_copy_of_the_folder_is_not_fetched_again(harness: SyncHarness) -> None:
    """A cache of CI restores the files with other times."""
    harness.sync()
    away = harness.folder.path.with_name("away")
    shutil.copytree(harness.folder.path, away, copy_function=shutil.copyfile)
    shutil.rmtree(harness.folder.path)
    away.rename(harness.folder.path)
    harness.queries()
    before = fingerprint(harness.folder.path)
    assert harness.sync().changed == ()
    assert len(harness.queries()) == 1
    assert fingerprint(harness.folder.path) == before


def fail_sync(harness: SyncHarness, page: str) -> None:
    """Edit eight issues, and sync while the server fails for one page of the list."""
    harness.backend.now += 60
    for number in range(1, 9):
        harness.backend.edit(str(number), title="Edited")
    harness.server.fail(
        *[CannedResponse(500)] * 4, when=lambda request: request.query.get("page") == page
    )
    with pytest.raises(RemoteError):
        harness.sync()


def test_a_sync_that_failed_halfway_causes_no_complete_fetch(harness: SyncHarness) -> None:
    harness.sync()
    fail_sync(harness, page="2")
    harness.queries()
    assert harness.sync().updated + harness.sync().unchanged > 0
    assert all("issues" in query for query in harness.queries())
    harness.assert_as_synced_anew()


def test_a_file_of_an_earlier_version_has_no_mark(harness: SyncHarness) -> None:
    harness.sync()
    meta = harness.meta()
    del meta["files"]
    (harness.folder.path / "_meta.json").write_text(json.dumps(meta))
    harness.sync()
    assert set(harness.meta()["files"]) == set(harness.files())


def test_an_issue_without_a_file_is_fetched_when_all_are_compared(harness: SyncHarness) -> None:
    """As after a listing that was cut without a sign of it."""
    total = len(harness.backend.issues)
    kept = dict(harness.backend.issues)
    del harness.backend.issues["2"]
    harness.sync()
    harness.backend.issues = kept
    assert harness.sync().added == 0
    harness.now += DAY
    assert harness.sync().added == 1
    assert len(harness.files()) == total


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_of_a_deleted_issue_is_removed(harness: SyncHarness, damage: str) -> None:
    harness.sync()
    DAMAGES[damage](harness.folder.path / "4.md")
    harness.backend.delete("4")
    harness.now += DAY
    harness.sync()
    harness.assert_as_synced_anew()


def test_a_damaged_file_is_remembered_while_its_deletion_is_not_certain(
    harness: SyncHarness,
) -> None:
    harness.sync()
    DAMAGES["cut"](harness.folder.path / "4.md")
    harness.backend.delete("4")
    harness.now += DAY
    refused = CannedResponse(401, {"message": "no"})
    harness.server.fail(refused, when=lambda request: request.path.startswith("/issues/"))
    assert harness.sync().removed == 0
    harness.now += DAY
    harness.sync()
    harness.assert_as_synced_anew()


def test_a_damaged_file_stays_lost_when_its_sync_fails(harness: SyncHarness) -> None:
    harness.backend.pull("90", "4", files=("a.py",))
    harness.sync()
    DAMAGES["cut"](harness.folder.path / "4.md")
    fail_sync(harness, page="3")
    harness.sync()
    harness.assert_as_synced_anew()
