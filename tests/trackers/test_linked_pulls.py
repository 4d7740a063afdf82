"""Pull requests are in the files of their issues, and have a separate cursor."""

from __future__ import annotations

from dataclasses import replace

from sdd_hooks.remote.json_fields import format_utc
from sdd_hooks.trackers.issue import LinkedPull
from tests.support.sync_harness import SyncHarness, fingerprint
from tests.support.tracker import START


def test_a_pull_request_is_in_the_files_of_its_issues(harness: SyncHarness) -> None:
    harness.backend.pull("100", "3", "5", files=("a.py",))
    harness.sync()
    assert harness.pulls("3") == harness.pulls("5") == ["100 open"]
    assert harness.issue("3").pulls[0].files == ("a.py",)
    assert harness.pulls("4") == []
    harness.assert_as_synced_anew()


def test_a_changed_pull_request_rewrites_its_unchanged_issues(harness: SyncHarness) -> None:
    harness.backend.edit("3", status="closed")
    harness.backend.pull("100", "3", "5")
    harness.sync()
    harness.backend.now += 60
    harness.backend.pull("100", "3", "5", status="merged")
    done = harness.sync()
    assert done.changed == (".sdd/issues/3.md", ".sdd/issues/5.md")
    assert (done.added, done.updated) == (0, 2)
    assert (harness.issue("3").status, harness.issue("5").status) == ("merged", "open")
    harness.assert_as_synced_anew()


def test_a_removed_link_is_removed_from_the_file(harness: SyncHarness) -> None:
    harness.backend.pull("100", "3", "5")
    harness.backend.pull("101", "5")
    harness.sync()
    harness.backend.now += 60
    harness.backend.pull("100", "5", "7")
    assert harness.sync().changed == (".sdd/issues/3.md", ".sdd/issues/5.md", ".sdd/issues/7.md")
    assert harness.pulls("3") == []
    assert harness.pulls("5") == ["100 open", "101 open"]
    harness.backend.now += 60
    harness.backend.pull("100")
    harness.sync()
    assert (harness.pulls("5"), harness.pulls("7")) == (["101 open"], [])
    harness.assert_as_synced_anew()


def test_a_changed_issue_keeps_its_pull_requests(harness: SyncHarness) -> None:
    harness.backend.pull("100", "3")
    harness.backend.now += 3600
    # Each sync fetches the newest one again, so another one is tested.
    harness.backend.pull("101", "5")
    harness.sync()
    harness.backend.now += 3600
    harness.backend.edit("3", title="Changed")
    assert harness.sync().changed == (".sdd/issues/3.md",)
    assert harness.pulls("3") == ["100 open"]
    harness.assert_as_synced_anew()


def test_a_pull_request_may_come_before_its_issue(harness: SyncHarness) -> None:
    harness.backend.size = 1
    harness.backend.pulls["100"] = LinkedPull(
        "100", "b", "open", (), format_utc(START - 50), ("3", "9", "elsewhere")
    )
    harness.sync()
    assert harness.pulls("3") == harness.pulls("9") == ["100 open"]
    harness.assert_as_synced_anew()


def test_a_full_fetch_removes_deleted_pull_requests(harness: SyncHarness) -> None:
    harness.backend.pull("100", "3")
    harness.backend.pull("101", "3", "4")
    harness.sync()
    before = fingerprint(harness.folder.path)
    del harness.backend.pulls["100"]
    assert harness.sync(full=True).changed == (".sdd/issues/3.md",)
    assert harness.pulls("3") == ["101 open"]
    after = fingerprint(harness.folder.path)
    assert [name for name in after if after[name] != before[name]] == ["3.md"]
    assert harness.cursor()["links"] == {"101": ["3", "4"]}


def test_without_stored_links_deleted_pull_requests_are_removed(harness: SyncHarness) -> None:
    harness.backend.pull("100", "3")
    harness.backend.pull("101", "3", "4")
    harness.sync()
    before = fingerprint(harness.folder.path)
    (harness.folder.path / "_meta.json").unlink()
    assert harness.sync().changed == ()
    assert fingerprint(harness.folder.path) == before
    (harness.folder.path / "_meta.json").unlink()
    del harness.backend.pulls["100"]
    assert harness.sync().changed == (".sdd/issues/3.md",)
    harness.assert_as_synced_anew()


def test_pull_requests_that_come_with_the_issue(harness: SyncHarness) -> None:
    shown = LinkedPull("7", "x", "draft", (), format_utc(START), ())
    harness.backend.edit("3", pulls=(shown,))
    harness.sync()
    assert (harness.pulls("3"), harness.issue("3").status) == (["7 draft"], "draft")
    harness.backend.now += 60
    harness.backend.edit("3", pulls=(replace(shown, status="merged"),))
    harness.sync()
    assert harness.pulls("3") == ["7 merged"]
    harness.backend.now += 60
    harness.backend.edit("3", pulls=())
    harness.sync()
    assert harness.pulls("3") == []
    harness.assert_as_synced_anew()


def test_the_newer_version_of_a_pull_request_counts(harness: SyncHarness) -> None:
    old = LinkedPull("100", "x", "open", (), format_utc(START), ("3",))
    harness.backend.now += 60
    harness.backend.edit("3", pulls=(old,))
    harness.backend.pull("100", "3", status="merged")
    harness.backend.now += 60
    harness.backend.pull("101", "5")
    harness.sync()
    assert harness.pulls("3") == ["100 merged"]
    harness.backend.now += 60
    harness.backend.edit("3", title="Changed")
    harness.sync()
    assert harness.pulls("3") == ["100 merged"]


def test_a_pull_request_does_not_restore_a_removed_issue(harness: SyncHarness) -> None:
    harness.backend.pull("100", "3")
    harness.sync()
    harness.backend.now += 60
    harness.backend.transfer("3")
    harness.backend.pull("100", "3", status="merged")
    harness.sync()
    assert "3.md" not in harness.files()
    harness.assert_as_synced_anew()


def test_pull_requests_have_a_separate_cursor(harness: SyncHarness) -> None:
    harness.backend.pull("100", "3")
    harness.sync()
    harness.queries()
    harness.backend.now += 60
    harness.backend.pull("100", "3", status="draft")
    harness.sync()
    harness.sync()
    first, second = harness.queries()
    assert first["issues"] == second["issues"]
    assert first["pulls"] < second["pulls"]
