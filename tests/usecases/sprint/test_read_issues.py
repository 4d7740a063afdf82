"""Issues are read from their files, or live from the tracker where a sync failed."""

from __future__ import annotations

from sdd_hooks.trackers.protocol import IssueFilter
from sdd_hooks.usecases.sprint.read_issues import EVERY_ISSUE, current_issue, current_issues
from sdd_hooks.usecases.upkeep.sync import DueSync
from tests.support.loopback import CannedResponse
from tests.usecases.shop import ISSUE, NOW, Shop

FRESH, DEGRADED = DueSync(), DueSync(degraded=True)


def read(shop: Shop, sync: DueSync, **wanted: object) -> tuple[list[str], bool]:
    filter = IssueFilter(**wanted)  # type: ignore[arg-type]
    found = current_issues(shop.source(), sync, NOW, filter, shop.callbacks)
    assert found.warnings == ()
    return [one.id for one in found.issues], found.live


def test_fresh_issues_are_read_from_their_files(shop: Shop) -> None:
    shop.backend.add("10", status="closed", labels=("Bug", "ui"))
    shop.backend.add("9", labels=("bug",))
    shop.backend.pull("4", "9", status="draft")
    assert read(shop, shop.sync_if_due()) == (["7", "9", "10"], False)
    shop.server.requests.clear()
    for wanted, ids in (
        ({"status": "open"}, ["7", "9"]),
        ({"status": "draft"}, ["9"]),
        ({"status": "closed"}, ["10"]),
        ({"status": "merged"}, []),
        ({"labels": ("bug",)}, ["9", "10"]),
        ({"labels": ("BUG", "UI")}, ["10"]),
    ):
        assert read(shop, FRESH, **wanted) == (ids, False)
    assert shop.server.requests == []


def test_after_a_failed_sync_the_tracker_is_queried(shop: Shop) -> None:
    shop.sync_if_due()
    shop.backend.now += 60
    shop.backend.add("8", labels=("ui",))
    shop.backend.edit("7", status="closed")
    assert read(shop, DEGRADED) == (["8", "7"], True)
    assert read(shop, DEGRADED, status="open") == (["8"], True)
    assert read(shop, DEGRADED, status="draft") == ([], True)
    assert read(shop, DEGRADED, status="closed") == (["7"], True)
    found = current_issue(shop.source(), DEGRADED, NOW, "8", shop.callbacks)
    assert [(one.id, one.path) for one in found.issues] == [("8", "")]
    gone = current_issue(shop.source(), DEGRADED, NOW, "99", shop.callbacks)
    assert (gone.issues, gone.live) == ((), True)
    assert gone.warnings == ("Fake has no issue 99",)


def test_a_failed_query_reads_the_files_with_a_warning_about_their_age(shop: Shop) -> None:
    shop.sync_if_due(NOW - 7200)
    shop.server.fail(*[CannedResponse(500)] * 100)
    for found in (
        current_issues(shop.source(), DEGRADED, NOW, EVERY_ISSUE, shop.callbacks),
        current_issue(shop.source(), DEGRADED, NOW, "7", shop.callbacks),
    ):
        assert [(one.id, one.path) for one in found.issues] == [("7", ISSUE)]
        assert not found.live
        (warning,) = found.warnings
        assert warning.startswith(
            "Fake cannot be queried, issues are those last synced, of 2 hours ago (Fake "
        )


def test_without_any_sync_a_failed_query_finds_no_issue(shop: Shop) -> None:
    shop.server.fail(*[CannedResponse(500)] * 4)
    found = current_issues(shop.source(), DEGRADED, NOW, EVERY_ISSUE, shop.callbacks)
    assert found.issues == ()
    (warning,) = found.warnings
    assert "issues are those last synced (Fake" in warning
