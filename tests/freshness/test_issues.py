"""Tier 4: the issues are as fresh as the tracker allows, and nothing waits for a broken one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest

from sdd_hooks.engines.protocol import Counts
from sdd_hooks.engines.registry import open_engine
from sdd_hooks.errors import RemoteError, SddError
from sdd_hooks.freshness.issues import (
    IssuesFreshness,
    IssueSource,
    bring_in,
    issue_folder,
    issue_now,
    issues_now,
    sync_issues,
)
from sdd_hooks.freshness.refresh import refresh
from sdd_hooks.system.locks import hold_lock
from sdd_hooks.trackers.protocol import IssueFilter, Tracker
from sdd_hooks.trackers.sync import sync
from tests.support.clock import set_touched, touched_at
from tests.support.loopback import CannedResponse, Server
from tests.support.oracle import assert_index_matches_scratch, documents
from tests.support.repos import Repo
from tests.support.tracker import FakeTracker, TrackerBackend, tracking

NOW = 1_800_000_000.0
ISSUE = ".sdd/issues/7.md"
WARNING = "Issues sync failed — degrading to live tracker queries for this run"


@dataclass
class Shop:
    """A repository with a tracker, and what a run in it says."""

    repo: Repo
    backend: TrackerBackend
    server: Server
    opened: int = 0

    def __post_init__(self) -> None:
        self.said: list[str] = []
        self.traced: list[str] = []

    def open(self) -> Tracker:
        self.opened += 1
        return FakeTracker(self.server.url)

    def source(self, module: str = "", open: Callable[[], Tracker] | None = None) -> IssueSource:
        return IssueSource("Fake", open or self.open, module)

    def sync(self, now: float = NOW, source: IssueSource | None = None) -> IssuesFreshness:
        return sync_issues(
            self.repo.project(),
            source or self.source(),
            now,
            say=self.said.append,
            trace=self.traced.append,
        )

    def was_synced(self, at: float) -> None:
        """Sync without a word."""
        with_tracker = FakeTracker(self.server.url)
        sync(with_tracker, issue_folder(self.repo.project()), clock=lambda: at)
        with_tracker.disconnect()

    def indexed(self) -> list[str]:
        return [path for path in documents(self.repo) if path.startswith(".sdd/")]

    def bookmark(self) -> str | None:
        engine = open_engine(self.repo.project())
        try:
            found = engine.bookmarks()["repo-issues"]
        finally:
            engine.close()
        return found.head if found else None


@pytest.fixture
def shop(repo: Repo) -> Iterator[Shop]:
    """A decision and no issue yet, indexed, last looked at NOW, and a tracker with issue 7."""
    repo.commit("Start", {".gitignore": ".sdd/\n", "docs/adrs/ADR-0001-x.md": "# ADR-0001: X\n"})
    project = repo.project()
    refresh(project, collections=project.collections)
    set_touched(repo, NOW)
    backend = TrackerBackend()
    backend.add("7", "Sessions expire")
    with tracking(backend) as server:
        yield Shop(repo, backend, server)


def test_issues_are_fetched_and_indexed(shop: Shop) -> None:
    shop.backend.add("PROJ-8")
    assert shop.sync() == IssuesFreshness(synced=True)
    assert shop.said == ["Syncing 2 issues from Fake…"]
    assert shop.traced == []
    assert shop.indexed() == [ISSUE, ".sdd/issues/PROJ-8.md"]
    assert_index_matches_scratch(shop.repo)


@pytest.mark.parametrize("age", [0.0, 30.0, 299.0, 300.0])
def test_issues_that_were_just_fetched_are_not_fetched_again(shop: Shop, age: float) -> None:
    shop.was_synced(NOW - age)
    shop.server.asked.clear()
    assert shop.sync() == IssuesFreshness()
    assert (shop.opened, shop.server.asked, shop.said) == (0, [], [])
    (line,) = shop.traced
    assert line.startswith("issues sync skipped: Fake was synced ")


@pytest.mark.parametrize("synced", [None, NOW - 301, NOW + 5])
def test_else_they_are_however_fresh_the_index_is(shop: Shop, synced: float | None) -> None:
    if synced is not None:
        shop.was_synced(synced)
    assert shop.sync().synced
    assert shop.opened == 1


def test_the_window_can_be_chosen(shop: Shop) -> None:
    shop.repo.write("CLAUDE.md", "### SDD Configuration\n\n- **Issues Interval**: 1h\n")
    shop.was_synced(NOW - 3600)
    assert not shop.sync().synced
    assert shop.sync(NOW + 1).synced


def test_only_the_issues_are_looked_at(shop: Shop) -> None:
    """The other collections respect their threshold, and go on ageing."""
    shop.repo.write("docs/adrs/ADR-0002-y.md", "# ADR-0002: Y\n")
    shop.sync()
    assert ISSUE in documents(shop.repo)
    assert "docs/adrs/ADR-0002-y.md" not in documents(shop.repo)
    assert touched_at(shop.repo) == NOW


def bring(shop: Shop, *, full: bool = False) -> tuple[str, ...]:
    project = shop.repo.project()
    tracker = shop.open()
    try:
        done, warnings = bring_in(project, tracker, now=NOW, full=full)
    finally:
        tracker.disconnect()
    assert warnings == ()
    return done.changed


def test_the_index_looks_at_exactly_what_a_sync_changed(shop: Shop) -> None:
    shop.backend.add("8")
    bring(shop)
    # What somebody else wrote meanwhile is for a look at everything.
    shop.repo.write(".sdd/issues/foreign.md", "# Not of the tracker\n")
    shop.backend.edit("8", title="Changed")
    shop.backend.add("9")
    shop.backend.delete("7")
    assert bring(shop) == (".sdd/issues/8.md", ".sdd/issues/9.md")
    assert shop.indexed() == [ISSUE, ".sdd/issues/8.md", ".sdd/issues/9.md"]
    assert bring(shop, full=True) == (ISSUE,)
    assert shop.indexed() == [".sdd/issues/8.md", ".sdd/issues/9.md"]
    refresh(shop.repo.project())
    assert ".sdd/issues/foreign.md" in shop.indexed()
    assert_index_matches_scratch(shop.repo)


def test_an_index_of_an_older_state_looks_at_everything(shop: Shop) -> None:
    bring(shop)
    before = shop.bookmark()
    shop.backend.add("8")
    shop.was_synced(NOW)
    shop.backend.add("9")
    assert bring(shop) == (".sdd/issues/9.md",)
    assert shop.indexed() == [ISSUE, ".sdd/issues/8.md", ".sdd/issues/9.md"]
    assert shop.bookmark() not in {before, "", None}


def test_after_a_sync_that_failed_half_way_everything_is_looked_at(shop: Shop) -> None:
    bring(shop)
    shop.backend.size = 1
    shop.backend.now += 10
    shop.backend.add("8")
    shop.backend.add("9")
    shop.server.fail(*[CannedResponse(500)] * 4, when=lambda asked: asked.query.get("page") == "2")
    with pytest.raises(RemoteError):
        bring(shop)
    assert shop.indexed() == [ISSUE]
    bring(shop)
    assert shop.indexed() == [ISSUE, ".sdd/issues/8.md", ".sdd/issues/9.md"]
    assert_index_matches_scratch(shop.repo)


def test_what_nothing_changed_is_not_looked_at(shop: Shop) -> None:
    bring(shop)
    state = shop.bookmark()
    assert bring(shop) == ()
    assert shop.bookmark() == state
    project = shop.repo.project()
    tracker = shop.open()
    done, _ = bring_in(project, tracker, now=NOW)
    tracker.disconnect()
    issues = project.select(("issues",))
    update = refresh(project, collections=issues, synced={"repo-issues": done})
    assert update.counts == {"repo-issues": Counts()}


def test_a_tracker_that_fails_degrades_the_run(shop: Shop) -> None:
    shop.server.fail(*[CannedResponse(500)] * 4)
    assert shop.sync() == IssuesFreshness(degraded=True, warnings=(WARNING,))
    (line,) = shop.traced
    assert line.startswith("issues sync failed: Fake answers 500")
    assert shop.said == []


def test_a_tracker_that_cannot_be_opened_does_so_too(shop: Shop) -> None:
    def refuse() -> Tracker:
        raise SddError("no token: set FAKE_TOKEN")

    assert shop.sync(source=shop.source(open=refuse)).degraded
    assert shop.traced == ["issues sync failed: no token: set FAKE_TOKEN"]


def test_an_interruption_ends_the_run(shop: Shop) -> None:
    def interrupted() -> Tracker:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        shop.sync(source=shop.source(open=interrupted))


def test_a_sync_that_goes_on_is_left_to_it(shop: Shop) -> None:
    folder = issue_folder(shop.repo.project())
    folder.path.mkdir(parents=True)
    with hold_lock(folder.path / ".lock", 0):
        assert shop.sync() == IssuesFreshness()
    assert shop.traced == ["issues sync skipped: another one is at work"]


def test_issues_that_cannot_be_indexed_are_fetched_all_the_same(shop: Shop) -> None:
    lock = shop.repo.root / ".sdd/search/lock"
    lock.unlink()
    lock.mkdir()
    assert shop.sync() == IssuesFreshness(
        synced=True,
        warnings=("Index refresh failed for repo-issues — run `sdd index update` manually",),
    )
    assert (shop.repo.root / ISSUE).exists()


def test_without_an_index_issues_are_fetched_and_nothing_is_made(repo: Repo) -> None:
    repo.commit("Start", {".gitignore": ".sdd/\n"})
    backend = TrackerBackend()
    backend.add("7")
    with tracking(backend) as server:
        assert Shop(repo, backend, server).sync() == IssuesFreshness(synced=True)
    assert (repo.root / ISSUE).exists()
    assert not (repo.root / ".sdd/search").exists()


def test_a_module_has_a_folder_and_a_tracker_of_its_own(shop: Shop) -> None:
    table = "### Workspace Modules\n\n| Module | Root |\n|---|---|\n| Api | services/api |\n"
    shop.repo.write("CLAUDE.md", f"## Architecture Context\n\n{table}")
    shop.repo.write("services/api/x.py", "x = 1\n")
    shop.sync(source=shop.source("Api"))
    assert (shop.repo.root / ".sdd/issues/api/7.md").exists()
    assert not (shop.repo.root / ISSUE).exists()


DEGRADED = IssuesFreshness(degraded=True)


def now(shop: Shop, freshness: IssuesFreshness, **wanted: object) -> tuple[list[str], bool]:
    project = shop.repo.project()
    found = issues_now(project, shop.source(), freshness, NOW, IssueFilter(**wanted))  # type: ignore[arg-type]
    assert found.warnings == ()
    return [one.id for one in found.issues], found.live


def test_fresh_issues_are_read_from_their_files(shop: Shop) -> None:
    shop.backend.add("10", status="closed", labels=("Bug", "ui"))
    shop.backend.add("9", labels=("bug",))
    shop.backend.pull("4", "9", status="draft")
    assert now(shop, shop.sync()) == (["7", "9", "10"], False)
    shop.server.asked.clear()
    for wanted, ids in (
        ({"status": "open"}, ["7", "9"]),
        ({"status": "draft"}, ["9"]),
        ({"status": "closed"}, ["10"]),
        ({"status": "merged"}, []),
        ({"labels": ("bug",)}, ["9", "10"]),
        ({"labels": ("BUG", "UI")}, ["10"]),
    ):
        assert now(shop, IssuesFreshness(), **wanted) == (ids, False)
    assert shop.server.asked == []


def test_when_the_sync_failed_the_tracker_is_asked(shop: Shop) -> None:
    shop.sync()
    shop.backend.now += 60
    shop.backend.add("8", labels=("ui",))
    shop.backend.edit("7", status="closed")
    assert now(shop, DEGRADED) == (["8", "7"], True)
    assert now(shop, DEGRADED, status="open") == (["8"], True)
    assert now(shop, DEGRADED, status="draft") == ([], True)
    assert now(shop, DEGRADED, status="closed") == (["7"], True)
    project = shop.repo.project()
    found = issue_now(project, shop.source(), DEGRADED, NOW, "8")
    assert [(one.id, one.path) for one in found.issues] == [("8", "")]
    gone = issue_now(project, shop.source(), DEGRADED, NOW, "99")
    assert (gone.issues, gone.live) == ((), True)
    assert gone.warnings == ("Fake has no issue 99",)


def test_when_it_cannot_be_asked_either_their_age_is_said(shop: Shop) -> None:
    shop.sync(NOW - 7200)
    project = shop.repo.project()
    shop.server.fail(*[CannedResponse(500)] * 100)
    for found in (
        issues_now(project, shop.source(), DEGRADED, NOW),
        issue_now(project, shop.source(), DEGRADED, NOW, "7"),
    ):
        assert [(one.id, one.path) for one in found.issues] == [("7", ISSUE)]
        assert not found.live
        (warning,) = found.warnings
        assert warning.startswith(
            "Fake cannot be asked, issues are those last synced, of 2 hours ago (Fake "
        )


def test_where_nothing_was_ever_synced_there_is_nothing_to_read(shop: Shop) -> None:
    shop.server.fail(*[CannedResponse(500)] * 4)
    found = issues_now(shop.repo.project(), shop.source(), DEGRADED, NOW)
    assert found.issues == ()
    (warning,) = found.warnings
    assert "issues are those last synced (Fake" in warning
