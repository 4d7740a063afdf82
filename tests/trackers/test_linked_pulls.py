"""Pull requests show in the issues that they are linked with, and follow their own cursor."""

from __future__ import annotations

from dataclasses import replace

from sdd_hooks.remote.json_fields import format_utc
from sdd_hooks.trackers.issue import LinkedPull
from tests.support.desk import Desk, fingerprint
from tests.support.tracker import START


def test_a_pull_request_shows_in_the_issues_it_is_linked_with(desk: Desk) -> None:
    desk.backend.pull("100", "3", "5", files=("a.py",))
    desk.sync()
    assert desk.pulls("3") == desk.pulls("5") == ["100 open"]
    assert desk.issue("3").pulls[0].files == ("a.py",)
    assert desk.pulls("4") == []
    desk.assert_as_synced_anew()


def test_it_changes_without_its_issues_and_rewrites_them(desk: Desk) -> None:
    desk.backend.edit("3", status="closed")
    desk.backend.pull("100", "3", "5")
    desk.sync()
    desk.backend.now += 60
    desk.backend.pull("100", "3", "5", status="merged")
    done = desk.sync()
    assert done.changed == (".sdd/issues/3.md", ".sdd/issues/5.md")
    assert (done.added, done.updated) == (0, 2)
    assert (desk.issue("3").status, desk.issue("5").status) == ("merged", "open")
    desk.assert_as_synced_anew()


def test_what_it_is_no_longer_linked_with_forgets_it(desk: Desk) -> None:
    desk.backend.pull("100", "3", "5")
    desk.backend.pull("101", "5")
    desk.sync()
    desk.backend.now += 60
    desk.backend.pull("100", "5", "7")
    assert desk.sync().changed == (".sdd/issues/3.md", ".sdd/issues/5.md", ".sdd/issues/7.md")
    assert desk.pulls("3") == []
    assert desk.pulls("5") == ["100 open", "101 open"]
    desk.backend.now += 60
    desk.backend.pull("100")
    desk.sync()
    assert (desk.pulls("5"), desk.pulls("7")) == (["101 open"], [])
    desk.assert_as_synced_anew()


def test_an_issue_that_changes_keeps_its_pull_requests(desk: Desk) -> None:
    desk.backend.pull("100", "3")
    desk.backend.now += 3600
    # The newest is fetched each time, so that it is not the one in question.
    desk.backend.pull("101", "5")
    desk.sync()
    desk.backend.now += 3600
    desk.backend.edit("3", title="Changed")
    assert desk.sync().changed == (".sdd/issues/3.md",)
    assert desk.pulls("3") == ["100 open"]
    desk.assert_as_synced_anew()


def test_a_pull_request_may_come_before_its_issue(desk: Desk) -> None:
    desk.backend.size = 1
    desk.backend.pulls["100"] = LinkedPull(
        "100", "b", "open", (), format_utc(START - 50), ("3", "9", "elsewhere")
    )
    desk.sync()
    assert desk.pulls("3") == desk.pulls("9") == ["100 open"]
    desk.assert_as_synced_anew()


def test_everything_fetched_again_forgets_what_is_no_more(desk: Desk) -> None:
    desk.backend.pull("100", "3")
    desk.backend.pull("101", "3", "4")
    desk.sync()
    before = fingerprint(desk.folder.path)
    del desk.backend.pulls["100"]
    assert desk.sync(full=True).changed == (".sdd/issues/3.md",)
    assert desk.pulls("3") == ["101 open"]
    after = fingerprint(desk.folder.path)
    assert [name for name in after if after[name] != before[name]] == ["3.md"]
    assert desk.cursor()["links"] == {"101": ["3", "4"]}


def test_without_what_was_known_of_them_as_well(desk: Desk) -> None:
    desk.backend.pull("100", "3")
    desk.backend.pull("101", "3", "4")
    desk.sync()
    before = fingerprint(desk.folder.path)
    (desk.folder.path / "_meta.json").unlink()
    assert desk.sync().changed == ()
    assert fingerprint(desk.folder.path) == before
    (desk.folder.path / "_meta.json").unlink()
    del desk.backend.pulls["100"]
    assert desk.sync().changed == (".sdd/issues/3.md",)
    desk.assert_as_synced_anew()


def test_a_tracker_may_give_them_with_the_issue(desk: Desk) -> None:
    shown = LinkedPull("7", "x", "draft", (), format_utc(START), ())
    desk.backend.edit("3", pulls=(shown,))
    desk.sync()
    assert (desk.pulls("3"), desk.issue("3").status) == (["7 draft"], "draft")
    desk.backend.now += 60
    desk.backend.edit("3", pulls=(replace(shown, status="merged"),))
    desk.sync()
    assert desk.pulls("3") == ["7 merged"]
    desk.backend.now += 60
    desk.backend.edit("3", pulls=())
    desk.sync()
    assert desk.pulls("3") == []
    desk.assert_as_synced_anew()


def test_the_newer_of_two_accounts_counts(desk: Desk) -> None:
    old = LinkedPull("100", "x", "open", (), format_utc(START), ("3",))
    desk.backend.now += 60
    desk.backend.edit("3", pulls=(old,))
    desk.backend.pull("100", "3", status="merged")
    desk.backend.now += 60
    desk.backend.pull("101", "5")
    desk.sync()
    assert desk.pulls("3") == ["100 merged"]
    desk.backend.now += 60
    desk.backend.edit("3", title="Changed")
    desk.sync()
    assert desk.pulls("3") == ["100 merged"]


def test_a_pull_request_cannot_bring_back_an_issue_that_is_gone(desk: Desk) -> None:
    desk.backend.pull("100", "3")
    desk.sync()
    desk.backend.now += 60
    desk.backend.transfer("3")
    desk.backend.pull("100", "3", status="merged")
    desk.sync()
    assert "3.md" not in desk.files()
    desk.assert_as_synced_anew()


def test_they_have_a_cursor_of_their_own(desk: Desk) -> None:
    desk.backend.pull("100", "3")
    desk.sync()
    desk.queries()
    desk.backend.now += 60
    desk.backend.pull("100", "3", status="draft")
    desk.sync()
    desk.sync()
    first, second = desk.queries()
    assert first["issues"] == second["issues"]
    assert first["pulls"] < second["pulls"]
