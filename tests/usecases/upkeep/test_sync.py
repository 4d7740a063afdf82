"""Tier 4: issues are synced before they are read, and no read waits for a broken tracker."""

from __future__ import annotations

import pytest

from sdd_hooks.engines.protocol import Counts
from sdd_hooks.errors import RemoteError, SddError
from sdd_hooks.freshness.refresh import RefreshOptions, refresh
from sdd_hooks.system.locks import hold_lock
from sdd_hooks.trackers.protocol import Tracker
from sdd_hooks.usecases.upkeep.sync import DueSync
from tests.support.clock import touched_at
from tests.support.loopback import CannedResponse
from tests.support.oracle import assert_index_matches_scratch, documents
from tests.support.repos import Repo
from tests.support.tracker import TrackerBackend, tracking
from tests.usecases.shop import ISSUE, NOW, Shop

WARNING = "Issues sync failed — degrading to live tracker queries for this run"


def test_issues_are_fetched_and_indexed(shop: Shop) -> None:
    shop.backend.add("PROJ-8")
    assert shop.sync_if_due() == DueSync(synced=True)
    assert shop.notes == ["Syncing 2 issues from Fake…"]
    assert shop.traced == []
    assert shop.indexed() == [ISSUE, ".sdd/issues/PROJ-8.md"]
    assert_index_matches_scratch(shop.repo)


@pytest.mark.parametrize("age", [0.0, 30.0, 299.0, 300.0])
def test_a_sync_within_the_interval_is_skipped(shop: Shop, age: float) -> None:
    shop.was_synced(NOW - age)
    shop.server.requests.clear()
    assert shop.sync_if_due() == DueSync()
    assert (shop.opened, shop.server.requests, shop.notes) == (0, [], [])
    (line,) = shop.traced
    assert line.startswith("issues sync skipped: Fake was synced ")


@pytest.mark.parametrize("synced", [None, NOW - 301, NOW + 5])
def test_a_sync_is_due_after_the_interval_for_any_age_of_the_index(
    shop: Shop, synced: float | None
) -> None:
    if synced is not None:
        shop.was_synced(synced)
    assert shop.sync_if_due().synced
    assert shop.opened == 1


def test_the_configuration_sets_the_issues_interval(shop: Shop) -> None:
    shop.repo.write("CLAUDE.md", "### SDD Configuration\n\n- **Issues Interval**: 1h\n")
    shop.was_synced(NOW - 3600)
    assert not shop.sync_if_due().synced
    assert shop.sync_if_due(NOW + 1).synced


def test_a_sync_refreshes_the_collection_of_issues_alone(shop: Shop) -> None:
    """The other collections are refreshed when their own threshold is due."""
    shop.repo.write("docs/adrs/ADR-0002-y.md", "# ADR-0002: Y\n")
    shop.sync_if_due()
    assert ISSUE in documents(shop.repo)
    assert "docs/adrs/ADR-0002-y.md" not in documents(shop.repo)
    assert touched_at(shop.repo) == NOW


def changed_by_sync(shop: Shop, *, full: bool = False) -> tuple[str, ...]:
    """The files that a sync changes, without a warning."""
    done = shop.sync(full=full)
    assert done.warnings == ()
    assert done.result is not None
    return done.result.changed


def test_the_refresh_compares_the_files_that_the_sync_changed(shop: Shop) -> None:
    shop.backend.add("8")
    changed_by_sync(shop)
    # A file of another program is found by a refresh of everything.
    shop.repo.write(".sdd/issues/foreign.md", "# Not of the tracker\n")
    shop.backend.edit("8", title="Changed")
    shop.backend.add("9")
    shop.backend.delete("7")
    assert changed_by_sync(shop) == (".sdd/issues/8.md", ".sdd/issues/9.md")
    assert shop.indexed() == [ISSUE, ".sdd/issues/8.md", ".sdd/issues/9.md"]
    assert changed_by_sync(shop, full=True) == (ISSUE,)
    assert shop.indexed() == [".sdd/issues/8.md", ".sdd/issues/9.md"]
    refresh(shop.repo.project())
    assert ".sdd/issues/foreign.md" in shop.indexed()
    assert_index_matches_scratch(shop.repo)


def test_an_index_of_an_older_state_compares_every_file(shop: Shop) -> None:
    changed_by_sync(shop)
    before = shop.bookmark()
    shop.backend.add("8")
    shop.was_synced(NOW)
    shop.backend.add("9")
    assert changed_by_sync(shop) == (".sdd/issues/9.md",)
    assert shop.indexed() == [ISSUE, ".sdd/issues/8.md", ".sdd/issues/9.md"]
    assert shop.bookmark() not in {before, "", None}


def test_after_a_sync_that_failed_midway_every_file_is_compared(shop: Shop) -> None:
    changed_by_sync(shop)
    shop.backend.size = 1
    shop.backend.now += 10
    shop.backend.add("8")
    shop.backend.add("9")
    shop.server.fail(*[CannedResponse(500)] * 4, when=lambda asked: asked.query.get("page") == "2")
    with pytest.raises(RemoteError):
        changed_by_sync(shop)
    assert shop.indexed() == [ISSUE]
    changed_by_sync(shop)
    assert shop.indexed() == [ISSUE, ".sdd/issues/8.md", ".sdd/issues/9.md"]
    assert_index_matches_scratch(shop.repo)


def test_a_sync_without_a_change_compares_no_file(shop: Shop) -> None:
    changed_by_sync(shop)
    state = shop.bookmark()
    assert changed_by_sync(shop) == ()
    assert shop.bookmark() == state
    result = shop.sync().result
    assert result is not None
    project = shop.repo.project()
    issues = project.select(("issues",))
    update = refresh(project, issues, RefreshOptions(synced={"repo-issues": result}))
    assert update.counts == {"repo-issues": Counts()}


def test_a_tracker_that_fails_degrades_the_read(shop: Shop) -> None:
    shop.server.fail(*[CannedResponse(500)] * 4)
    assert shop.sync_if_due() == DueSync(degraded=True, warnings=(WARNING,))
    (line,) = shop.traced
    assert line.startswith("issues sync failed: Fake answers 500")
    assert shop.notes == []


def test_a_tracker_that_cannot_be_opened_degrades_the_read(shop: Shop) -> None:
    def refuse() -> Tracker:
        raise SddError("no token: set FAKE_TOKEN")

    assert shop.sync_if_due(source=shop.source(open=refuse)).degraded
    assert shop.traced == ["issues sync failed: no token: set FAKE_TOKEN"]


def test_an_interruption_is_raised(shop: Shop) -> None:
    def interrupted() -> Tracker:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        shop.sync_if_due(source=shop.source(open=interrupted))


def test_a_running_sync_is_not_waited_for(shop: Shop) -> None:
    folder = shop.source().folder
    folder.path.mkdir(parents=True)
    with hold_lock(folder.path / ".lock", 0):
        assert shop.sync_if_due() == DueSync()
    assert shop.traced == ["issues sync skipped: another one is running"]


def test_a_refresh_that_fails_is_a_warning(shop: Shop) -> None:
    lock = shop.repo.root / ".sdd/search/lock"
    lock.unlink()
    lock.mkdir()
    assert shop.sync_if_due() == DueSync(
        synced=True,
        warnings=("Index refresh failed for repo-issues — run `sdd index update` manually",),
    )
    assert (shop.repo.root / ISSUE).exists()


def test_without_an_index_issues_are_fetched_and_none_is_created(repo: Repo) -> None:
    repo.commit("Start", {".gitignore": ".sdd/\n"})
    backend = TrackerBackend()
    backend.add("7")
    with tracking(backend) as server:
        assert Shop(repo, backend, server).sync_if_due() == DueSync(synced=True)
    assert (repo.root / ISSUE).exists()
    assert not (repo.root / ".sdd/search").exists()
