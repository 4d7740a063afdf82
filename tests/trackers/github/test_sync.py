"""Syncing a repository on GitHub to a folder of files, with concurrent changes on GitHub."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from sdd_hooks.trackers.store import IssueFolder
from sdd_hooks.trackers.sync import SyncResult, sync
from tests.support.github import GRAPHQL, Shop, open_shop
from tests.support.loopback import CannedResponse
from tests.trackers.fetching import NOW, START

DAY = 86_400


@dataclass
class SyncedShop:
    """A repository and the folder to which its issues are synced."""

    shop: Shop
    folder: IssueFolder

    def sync(self, *, full: bool = False) -> SyncResult:
        """Advance the server's clock by a minute, then sync."""
        self.shop.github.now += 60
        self.shop.server.requests.clear()
        now = self.shop.github.now
        return sync(self.shop.open(), self.folder, full=full, clock=lambda: now)

    def file(self, number: int) -> str:
        """The text of the file of an issue."""
        return (self.folder.path / f"{number}.md").read_text(encoding="utf-8")

    def numbers(self) -> set[int]:
        """The numbers of the issues with a file."""
        return {int(path.stem) for path in self.folder.path.glob("*.md")}


@pytest.fixture
def synced(tmp_path: Path) -> Iterator[SyncedShop]:
    with open_shop(NOW) as shop:
        yield SyncedShop(shop, IssueFolder(tmp_path, ".sdd/issues"))


def _counts(done: SyncResult) -> tuple[int, int, int]:
    return done.added, done.updated, done.removed


def test_an_unchanged_repository_with_pull_requests_takes_one_request(synced: SyncedShop) -> None:
    synced.shop.github.add(at=START)
    synced.shop.github.add_pull(at=START + 500, closes=(1,))
    synced.sync()
    synced.sync()
    synced.sync()
    assert len(synced.shop.server.requests) == 1


def test_a_merged_pull_request_changes_the_status(synced: SyncedShop) -> None:
    github = synced.shop.github
    github.add("Cart", at=START)
    pull = github.add_pull(at=START, branch="feature/1-cart", closes=(1,), files=("cart.py",))
    synced.sync()
    assert "status: open" in synced.file(1)
    github.items[pull].entry["pull_request"]["merged_at"] = "2026-05-02T12:54:00Z"
    github.edit(pull, state="closed")
    github.edit(1, state="closed")
    synced.sync()
    text = synced.file(1)
    assert "status: merged" in text
    assert "- **Branch**: `feature/1-cart`" in text
    assert "- **Status**: merged" in text
    assert "- **Files modified**: `cart.py`" in text


def test_a_changed_pull_request_rewrites_its_unchanged_issue(synced: SyncedShop) -> None:
    github = synced.shop.github
    github.add("Cart", at=START)
    pull = github.add_pull(at=START, branch="b", closes=(1,))
    synced.sync()
    github.edit_pull(pull, files=("new.py",))
    assert _counts(synced.sync()) == (0, 1, 0)
    assert "`new.py`" in synced.file(1)
    github.edit_pull(pull, closes=())
    assert _counts(synced.sync()) == (0, 1, 0)
    assert "Associated PR" not in synced.file(1)


def test_a_repository_without_issues(synced: SyncedShop) -> None:
    """The cursor is the time of the last pull request."""
    for number in range(120):
        synced.shop.github.add_pull(at=START + number)
    synced.sync()
    synced.sync()
    synced.sync()
    assert len(synced.shop.server.requests) == 1
    assert not synced.shop.requests(GRAPHQL)


def test_a_renamed_repository(synced: SyncedShop) -> None:
    github = synced.shop.github
    for number in range(3):
        github.add(at=START + 60 * number)
    synced.sync()
    github.rename("store")
    github.edit(2, title="Edited")
    done = synced.sync()
    assert ".sdd/issues/2.md" in done.changed
    assert "/acme/store/issues/2" in synced.file(2)


@pytest.mark.parametrize(
    "answer",
    [CannedResponse(404, {"message": "Not Found"}), CannedResponse(200, {"message": "error"})],
)
def test_an_edge_survives_one_wrong_response(synced: SyncedShop, answer: CannedResponse) -> None:
    github = synced.shop.github
    for number in range(4):
        github.add(f"Issue {number}", at=START + number)
    github.block(2, by=1)
    github.block(3, by=1)
    synced.sync()
    assert "blocked_by: [1]" in synced.file(2)
    synced.shop.server.fail(
        answer, when=lambda request: request.path.endswith("/issues/2/dependencies/blocked_by")
    )
    github.edit(2, title="Edited")
    github.block(2, by=4)
    synced.sync()
    assert "blocked_by: [1]" in synced.file(2)
    assert synced.sync().updated == 1
    assert "blocked_by: [1, 4]" in synced.file(2)


def test_a_renamed_label_follows_within_a_day(synced: SyncedShop) -> None:
    github = synced.shop.github
    for number in range(3):
        github.add(f"Issue {number}", at=START + 60 * number, labels=["bug"])
    synced.sync()
    for item in github.items.values():
        item.entry["labels"] = [{**item.entry["labels"][0], "name": "defect"}]
        item.content = b""
    github.now += DAY
    assert synced.sync().updated == 3
    assert all('labels: ["defect"]' in synced.file(number) for number in (1, 2, 3))
