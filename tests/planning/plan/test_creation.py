"""A creation that is stopped at any of its requests is completed by the next one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from sdd_hooks.errors import StorageError
from sdd_hooks.planning.plan.creation import (
    Creating,
    CreationEvents,
    JournalState,
    PlanJournal,
    create_issues,
    rehearse,
)
from sdd_hooks.planning.plan.story import Plan
from sdd_hooks.trackers.github.vendor import VENDOR
from sdd_hooks.trackers.issue import Issue, IssueDraft
from sdd_hooks.trackers.issue_file import StoredIssue, to_stored
from sdd_hooks.trackers.protocol import TrackerVendor
from tests.planning.plan.specs import SHARED, apart, make_plan

REQUIREMENTS = (*SHARED, *apart(("Exports", "It MUST follow the Session Store requirement.")))
NO_EVENTS = CreationEvents(lambda _keys: None, lambda _keys, _issue: None, lambda _issue: None)


class StoppedError(BaseException):
    """The process is killed."""


@dataclass
class MemoryTracker:
    """Issues in memory. The process is killed before or after the write number `stop`."""

    issues: dict[str, Issue] = field(default_factory=dict)
    drafts: dict[str, IssueDraft] = field(default_factory=dict)
    stop: int = -1
    after: bool = False
    writes: int = 0
    reads: int = 0

    def create(self, draft: IssueDraft) -> Issue:
        self._begin()
        id = str(len(self.issues) + 1)
        url = f"https://tracker.example/{id}"
        made = Issue(
            id, draft.title, "open", draft.labels, (), "", "", "", "", url, "fake", draft.body
        )
        self.issues[id] = made
        self.drafts[id] = draft
        self._end()
        return made

    def append(self, id: str, text: str) -> Issue:
        self._begin()
        issue = self.issues[id]
        self.issues[id] = replace(issue, body=f"{issue.body}\n\n{text}\n")
        self._end()
        return self.issues[id]

    def issue(self, id: str) -> Issue:
        self.reads += 1
        return self.issues[id]

    @property
    def stored(self) -> Sequence[StoredIssue]:
        return [to_stored(issue) for issue in self.issues.values()]

    def create_plan(self, vendor: TrackerVendor = VENDOR, **changes: Any) -> Plan:
        plan = make_plan(*REQUIREMENTS, issues=self.stored, **changes)
        bodies = {issue.id: issue.body for issue in self.stored}
        create_issues(plan, self, vendor, NO_EVENTS, bodies)
        return plan

    def _begin(self) -> None:
        self.writes += 1
        if self.writes == self.stop and not self.after:
            raise StoppedError

    def _end(self) -> None:
        if self.writes == self.stop and self.after:
            raise StoppedError


def edges(tracker: MemoryTracker) -> dict[str, tuple[tuple[str, ...], tuple[str, ...]]]:
    """What each issue blocks and is blocked by, by titles."""
    titles = {issue.id: issue.title for issue in tracker.stored}
    return {
        issue.title: (
            tuple(sorted(titles[id] for id in issue.blocks)),
            tuple(sorted(titles[id] for id in issue.blocked_by)),
        )
        for issue in tracker.stored
    }


def test_stories_are_created_below_an_epic_and_connected() -> None:
    tracker = MemoryTracker()
    tracker.create_plan()
    epic, *stories = tracker.stored
    assert (epic.title, epic.labels) == ("Implement SPEC-0003: Sessions", ("epic", "spec"))
    assert [one.title for one in stories] == [
        "Session Store", "Invoice Export", "Palette and Fonts", "Exports",
    ]  # fmt: skip
    assert stories[0].labels == ("story", "foundation")
    assert stories[1].labels == ("story",)
    assert {tracker.drafts[one.id].parent for one in stories} == {epic.id}
    assert edges(tracker)["Session Store"] == (("Exports", "Invoice Export"), ())
    assert edges(tracker)["Exports"] == ((), ("Session Store",))
    assert [f"- [ ] #{one.id}" in epic.body for one in stories] == [True] * 4


def test_a_second_creation_sends_nothing() -> None:
    tracker = MemoryTracker()
    tracker.create_plan()
    writes, tracker.reads = tracker.writes, 0
    tracker.create_plan()
    assert (tracker.writes, tracker.reads) == (writes, 0)


def complete() -> MemoryTracker:
    tracker = MemoryTracker()
    tracker.create_plan()
    return tracker


@pytest.mark.parametrize("after", [False, True])
def test_a_creation_that_was_stopped_anywhere_is_completed(after: bool) -> None:
    whole = complete()
    assert whole.writes >= 7
    for stop in range(1, whole.writes + 1):
        tracker = MemoryTracker(stop=stop, after=after)
        with pytest.raises(StoppedError):
            tracker.create_plan()
        tracker.create_plan()
        assert sorted(one.title for one in tracker.stored) == sorted(
            one.title for one in whole.stored
        ), stop
        assert edges(tracker) == edges(whole), stop
        writes = tracker.writes
        tracker.create_plan()
        assert tracker.writes == writes, stop


def test_edited_issues_are_found_again() -> None:
    tracker = complete()
    for id, issue in tracker.issues.items():
        body = f"Mine.\r\n\r\n{issue.body}".replace("### Requirements", "### What")
        tracker.issues[id] = replace(issue, title=f"Renamed {id}", body=body, labels=())
    writes = tracker.writes
    tracker.create_plan()
    assert tracker.writes == writes


def test_closed_issues_are_not_changed() -> None:
    tracker = MemoryTracker()
    tracker.create_plan()
    for id in ("1", "2"):
        body = tracker.issues[id].body.partition("### Dependencies")[0].partition("### Stories")[0]
        marker = tracker.issues[id].body.partition("<!--")[2].partition("-->")[0]
        tracker.issues[id] = replace(
            tracker.issues[id], status="closed", body=f"{body}\n<!--{marker}-->"
        )
    writes = tracker.writes
    tracker.create_plan()
    assert tracker.writes == writes


def test_a_plan_with_one_story_has_no_epic() -> None:
    tracker = MemoryTracker()
    plan = make_plan(SHARED[2])
    create_issues(plan, tracker, VENDOR, NO_EVENTS, {})
    assert [issue.title for issue in tracker.stored] == ["Palette"]
    assert tracker.drafts["1"].parent == ""


def test_a_tracker_without_labels_and_epics_gets_none() -> None:
    tracker = MemoryTracker()
    plan = make_plan(*REQUIREMENTS)
    create_issues(
        plan,
        tracker,
        replace(VENDOR, has_labels=False, has_epics=False, hides_comments=False),
        NO_EVENTS,
        {},
    )
    assert len(tracker.issues) == 4
    assert {issue.labels for issue in tracker.stored} == {()}
    assert all("`sdd-story: SPEC-0003 " in issue.body for issue in tracker.stored)


def test_a_rehearsal_shows_what_is_sent() -> None:
    tracker = MemoryTracker()
    plan = make_plan(*REQUIREMENTS)
    changes = rehearse(plan, VENDOR, tracker.issue, {})
    assert tracker.writes == 0
    tracker.create_plan()
    names = {one.id: f"{number}" for number, one in enumerate(changes.created, 1)}

    def named(text: str) -> str:
        for name, id in names.items():
            text = text.replace(name, f"#{id}")
        return text

    for planned, draft in zip(changes.created, tracker.drafts.values(), strict=True):
        assert planned.draft._replace(body=named(planned.draft.body), parent="") == (
            draft._replace(parent="")
        )
    for one in changes.changed:
        assert named(one.text) in tracker.issues[names[one.id]].body
    again = make_plan(*REQUIREMENTS, issues=tracker.stored)
    assert rehearse(again, VENDOR, tracker.issue, {}) == ((), ())


def journal(tmp_path: Path, spec: str = "SPEC-0003") -> PlanJournal:
    return PlanJournal(tmp_path, "github:github.com/acme/shop", spec)


def test_a_journal_keeps_what_was_created_and_what_is_being_created(tmp_path: Path) -> None:
    first = journal(tmp_path)
    first.begin(("aa", "bb"), 12.5)
    assert journal(tmp_path).state == JournalState({}, Creating(("aa", "bb"), 12.5))
    first.finish(("aa", "bb"), "7")
    first.begin(("cc",), 13.0)
    again = journal(tmp_path)
    assert again.state == JournalState({"aa": "7", "bb": "7"}, Creating(("cc",), 13.0))
    again.settle()
    again.finish(("cc",), "8")
    again.forget(["7"])
    assert journal(tmp_path).state == JournalState({"cc": "8"})
    assert journal(tmp_path, "SPEC-0004").state == JournalState({})


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b'{"issues": 3, "creating": null}', b"\xff", b"[" * 100_000]
)
def test_a_damaged_journal_is_an_empty_one(tmp_path: Path, content: bytes) -> None:
    journal(tmp_path).begin(("aa",), 1.0)
    (path,) = (tmp_path / "plans").glob("*.json")
    path.write_bytes(content)
    assert journal(tmp_path).state == JournalState({})


def test_a_link_in_place_of_the_directory_is_refused(tmp_path: Path) -> None:
    (tmp_path / "plans").symlink_to("/tmp")
    with pytest.raises(StorageError, match="symbolic link"):
        journal(tmp_path)
