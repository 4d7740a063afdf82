"""Issues are read from their files, or live from the tracker where a sync failed."""

from __future__ import annotations

from sdd_hooks.trackers.protocol import IssueFilter
from sdd_hooks.usecases.sprint.read_issues import EVERY_ISSUE, current_issues
from sdd_hooks.usecases.upkeep.sync import DueSync
from tests.support.loopback import CannedResponse
from tests.usecases.shop import NOW, Shop

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


def test_without_any_sync_a_failed_query_finds_no_issue(shop: Shop) -> None:
    shop.server.fail(*[CannedResponse(500)] * 4)
    found = current_issues(shop.source(), DEGRADED, NOW, EVERY_ISSUE, shop.callbacks)
    assert found.issues == ()
    (warning,) = found.warnings
    assert "issues are those last synced (Fake" in warning
