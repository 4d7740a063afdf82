"""Reading a project in Jira, and syncing it to files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sdd_hooks.errors import Missing, RemoteError
from sdd_hooks.trackers.jira.tracker import INDEXING_SECONDS, PER_PAGE
from sdd_hooks.trackers.protocol import IssueFilter, Since
from sdd_hooks.trackers.store import IssueFolder
from sdd_hooks.trackers.sync import SyncResult, sync
from tests.support.loopback import CannedResponse
from tests.trackers.fetching import NOW, START
from tests.trackers.jira.harness import (
    Shop,
    is_search,
    jira_shop,
)


@pytest.fixture(params=[True, False], ids=["cloud", "server"])
def shop(request: pytest.FixtureRequest) -> Iterator[Shop]:
    with jira_shop(cloud=request.param) as shop:
        yield shop


def test_the_time_of_a_page_allows_for_indexing(shop: Shop) -> None:
    shop.jira.add(at=START)
    (page,) = shop.pages()
    assert page.at == NOW - INDEXING_SECONDS


def test_a_moved_issue(shop: Shop) -> None:
    key, other = shop.jira.add(at=START), shop.jira.add(at=START)
    gone = shop.jira.transfer(key, "ATTIC")
    with pytest.raises(Missing, match=gone) as caught:
        shop.open().issue(key)
    assert caught.value.moved == gone
    back = shop.jira.transfer(gone, "SHOP")
    shop.jira.former[key] = shop.jira.former[gone]
    found = shop.open().issue(key)
    assert (found.id, found.formerly) == (back, (key,))
    shop.jira.delete(other)
    with pytest.raises(Missing):
        shop.open().issue(other)


def test_an_archived_issue_keeps_its_file(shop: Shop, tmp_path: Path) -> None:
    key, deleted = shop.jira.add(at=START), shop.jira.add(at=START)
    shop.jira.add(at=START)
    folder = IssueFolder(tmp_path, ".sdd/issues")
    sync(shop.open(), folder, clock=lambda: NOW)
    shop.jira.edit(key, at=START, archiveddate=shop.jira.time(NOW))
    shop.jira.delete(deleted)
    assert [issue.id for page in shop.pages() for issue in page.issues] == ["SHOP-3"]
    assert shop.open().issue(key).archived
    assert not shop.open().issue("SHOP-3").archived
    done = sync(shop.open(), folder, clock=lambda: NOW, full=True)
    assert (done.removed, done.warnings) == (1, ())
    assert sorted(path.stem for path in folder.path.glob("*.md")) == [key, "SHOP-3"]


def test_a_project_with_a_new_key(shop: Shop) -> None:
    shop.jira.add(at=START)
    shop.jira.add(at=START)
    shop.jira.rename("STORE")
    (page,) = shop.pages()
    assert [issue.id for issue in page.issues] == ["STORE-1", "STORE-2"]
    assert page.warnings == ("Jira calls the project SHOP STORE now: correct Project Key",)


def test_a_missing_project(shop: Shop) -> None:
    shop.jira.project = "OTHER"
    with pytest.raises(RemoteError, match="does not exist for the field 'project'"):
        shop.pages()


@pytest.mark.parametrize(
    ("filter", "expected"),
    [
        (IssueFilter(), ["SHOP-4", "SHOP-3", "SHOP-2", "SHOP-1"]),
        (IssueFilter("open"), ["SHOP-4", "SHOP-1"]),
        (IssueFilter("closed"), ["SHOP-3", "SHOP-2"]),
        (IssueFilter("closed", ("bug",)), ["SHOP-2"]),
        (IssueFilter(None, ('say-"hi"\\',)), ["SHOP-4"]),
        (IssueFilter(None, ("a\nb",)), []),
        (IssueFilter("merged"), []),
        (IssueFilter("draft"), []),
    ],
)
def test_query(shop: Shop, filter: IssueFilter, expected: list[str]) -> None:
    done = shop.jira.status("Done")
    shop.jira.add(at=START, labels=["bug"])
    shop.jira.add(at=START + 1, labels=["bug", "cart"], status=done)
    shop.jira.add(at=START + 2, status=done)
    shop.jira.add(at=START + 3, labels=['say-"hi"\\'])
    shop.jira.max_page_size = 3
    assert [issue.id for issue in shop.open().query(filter)] == expected


def _synced(shop: Shop, root: Path, **options: Any) -> SyncResult:
    return sync(shop.open(), IssueFolder(root, ".sdd/issues"), clock=lambda: NOW, **options)


def _stored(root: Path) -> dict[str, str]:
    folder = root / ".sdd/issues"
    return {path.stem: path.read_text(encoding="utf-8") for path in folder.glob("SHOP-*.md")}


def test_a_sync_that_fails_on_its_second_page(shop: Shop, tmp_path: Path) -> None:
    keys = [shop.jira.add(at=START + n) for n in range(PER_PAGE + 5)]
    stand_in = [CannedResponse(500, {})] * 4
    shop.server.fail(*stand_in, when=lambda one: is_search(one) and len(shop.searches()) > 1)
    with pytest.raises(RemoteError):
        _synced(shop, tmp_path)
    _synced(shop, tmp_path)
    assert {*_stored(tmp_path)} == {*keys}


def test_a_change_that_is_indexed_late(shop: Shop, tmp_path: Path) -> None:
    first, late = shop.jira.add(at=NOW - 300), shop.jira.add(at=NOW - 300)
    _synced(shop, tmp_path)
    shop.jira.edit(first, at=NOW + 30, summary="Soon")
    shop.jira.now = NOW + 31
    _synced(shop, tmp_path)
    shop.jira.edit(late, at=NOW + 25, summary="Late")
    shop.jira.now = NOW + 40
    _synced(shop, tmp_path)
    assert "Late" in _stored(tmp_path)[late]


def test_a_cursor_at_the_epoch_is_no_bound(shop: Shop) -> None:
    """A response with a date of 1970 leaves such a cursor."""
    key = shop.jira.add(at=START)
    assert [issue.id for page in shop.pages(Since(0.0, 0.0)) for issue in page.issues] == [key]
    assert "updated >=" not in shop.searches()[-1].query["jql"]
