"""Tier 4: the issues are as fresh as the tracker allows, and nothing waits for a broken one."""

from __future__ import annotations

import os

import pytest

from sdd_hooks.errors import SddError
from sdd_hooks.freshness.issues import IssuesFreshness, IssueSync, sync_issues
from sdd_hooks.freshness.refresh import refresh
from sdd_hooks.project.project import load_project
from tests.support.clock import look_at, looked_at
from tests.support.oracle import documents
from tests.support.repos import Repo

NOW = 1_800_000_000.0
ISSUE = ".sdd/issues/7.md"
WARNING = "Issues sync failed — degrading to live tracker queries for this run"


class Tracker:
    """A tracker with the issues it is given, which the next sync writes into the repository."""

    tracker = "GitHub"

    def __init__(self, repo: Repo, issues: dict[str, str], synced: float | None = None) -> None:
        self.repo = repo
        self.issues = issues
        self.last = synced
        self.known = True
        self.syncs = 0
        self.fault = ""

    def synced(self) -> float | None:
        if self.fault == "cursor":
            raise SddError("the cursor cannot be read")
        return self.last

    def expected(self) -> int | None:
        if self.fault == "count":
            raise SddError("no route to host")
        return len(self.issues) if self.known else None

    def sync(self) -> None:
        self.syncs += 1
        if self.fault == "limit":
            raise SddError("rate limit exceeded until 12:00")
        if self.fault == "interrupt":
            raise KeyboardInterrupt
        for path, content in self.issues.items():
            self.repo.write(path, content)


class Heard:
    """What a sync said to people and to the trace, with what became of it."""

    def __init__(self, repo: Repo, sync: IssueSync, now: float = NOW) -> None:
        self.said: list[str] = []
        self.traced: list[str] = []
        self.outcome = sync_issues(
            load_project(repo.root),
            sync,
            now,
            environ=os.environ,
            say=self.said.append,
            trace=self.traced.append,
        )


@pytest.fixture
def shop(repo: Repo) -> Repo:
    """A decision and an issue, indexed, last looked at NOW."""
    repo.commit("Start", {".gitignore": ".sdd/\n", "docs/adrs/ADR-0001-x.md": "# ADR-0001: X\n"})
    repo.write(ISSUE, "# Sessions expire\n\nstatus: open\n")
    project = load_project(repo.root)
    refresh(project, collections=project.collections)
    look_at(repo, NOW)
    return repo


def test_issues_are_fetched_and_indexed(shop: Repo) -> None:
    tracker = Tracker(shop, {ISSUE: "# Closed\n", ".sdd/issues/PROJ-8.md": "# New\n"}, NOW - 301)
    heard = Heard(shop, tracker)
    assert heard.outcome == IssuesFreshness(synced=True)
    assert heard.said == ["Syncing 2 issues from GitHub…"]
    assert heard.traced == []
    assert ".sdd/issues/PROJ-8.md" in documents(shop)


@pytest.mark.parametrize("age", [0.0, 30.0, 299.9, 300.0])
def test_issues_that_were_just_fetched_are_not_fetched_again(shop: Repo, age: float) -> None:
    tracker = Tracker(shop, {}, NOW - age)
    heard = Heard(shop, tracker)
    assert heard.outcome == IssuesFreshness()
    assert (tracker.syncs, heard.said) == (0, [])
    (line,) = heard.traced
    assert line.startswith("issues sync skipped: GitHub was synced ")


@pytest.mark.parametrize("synced", [None, NOW - 300.1, NOW + 5])
def test_else_they_are_however_fresh_the_index_is(shop: Repo, synced: float | None) -> None:
    tracker = Tracker(shop, {}, synced)
    assert Heard(shop, tracker).outcome.synced
    assert tracker.syncs == 1


def test_the_window_can_be_chosen(shop: Repo) -> None:
    shop.write("CLAUDE.md", "### SDD Configuration\n\n- **Issues Interval**: 1h\n")
    assert not Heard(shop, Tracker(shop, {}, NOW - 3600)).outcome.synced
    assert Heard(shop, Tracker(shop, {}, NOW - 3601)).outcome.synced


def test_a_number_that_is_not_known_is_left_out(shop: Repo) -> None:
    tracker = Tracker(shop, {})
    tracker.known = False
    assert Heard(shop, tracker).said == ["Syncing issues from GitHub…"]


def test_only_the_issues_are_looked_at(shop: Repo) -> None:
    """The other collections respect their threshold, and go on ageing."""
    shop.write("docs/adrs/ADR-0002-y.md", "# ADR-0002: Y\n")
    Heard(shop, Tracker(shop, {".sdd/issues/8.md": "# New\n"}))
    assert ".sdd/issues/8.md" in documents(shop)
    assert "docs/adrs/ADR-0002-y.md" not in documents(shop)
    assert looked_at(shop) == NOW


@pytest.mark.parametrize("fault", ["cursor", "count", "limit"])
def test_a_tracker_that_fails_degrades_the_run(shop: Repo, fault: str) -> None:
    tracker = Tracker(shop, {})
    tracker.fault = fault
    heard = Heard(shop, tracker)
    assert heard.outcome == IssuesFreshness(degraded=True, warnings=(WARNING,))
    (line,) = heard.traced
    assert line.startswith("issues sync failed: ")


def test_an_interruption_ends_the_run(shop: Repo) -> None:
    tracker = Tracker(shop, {})
    tracker.fault = "interrupt"
    with pytest.raises(KeyboardInterrupt):
        Heard(shop, tracker)


def test_issues_that_cannot_be_indexed_are_fetched_all_the_same(shop: Repo) -> None:
    lock = shop.root / ".sdd/search/lock"
    lock.unlink()
    lock.mkdir()
    heard = Heard(shop, Tracker(shop, {".sdd/issues/8.md": "# New\n"}))
    assert heard.outcome == IssuesFreshness(
        synced=True,
        warnings=("Index refresh failed for repo-issues — run `sdd index update` manually",),
    )
    assert (shop.root / ".sdd/issues/8.md").exists()


def test_without_an_index_issues_are_fetched_and_nothing_is_made(repo: Repo) -> None:
    repo.commit("Start", {".gitignore": ".sdd/\n"})
    assert Heard(repo, Tracker(repo, {ISSUE: "# New\n"})).outcome == IssuesFreshness(synced=True)
    assert not (repo.root / ".sdd/search").exists()
