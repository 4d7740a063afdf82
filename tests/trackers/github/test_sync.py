"""A repository on GitHub becomes files, and stays in step with them whatever happens there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from sdd_hooks.errors import RemoteError
from sdd_hooks.trackers.store import IssueFolder
from sdd_hooks.trackers.sync import SyncResult, sync
from tests.support.github import GRAPHQL, Shop, open_shop
from tests.support.loopback import CannedResponse, Fault, Request
from tests.trackers.faults import NOW, START

DAY = 86_400


@dataclass
class Kept:
    """A shop and the folder that its issues are kept in."""

    shop: Shop
    folder: IssueFolder

    def sync(self, *, full: bool = False) -> SyncResult:
        """Bring them in step. The server's clock goes on by a minute before that."""
        self.shop.github.now += 60
        self.shop.server.asked.clear()
        now = self.shop.github.now
        return sync(self.shop.open(), self.folder, full=full, clock=lambda: now)

    def file(self, number: int) -> str:
        """The text of an issue."""
        return (self.folder.path / f"{number}.md").read_text(encoding="utf-8")

    def numbers(self) -> set[int]:
        """The issues that there are as files."""
        return {int(path.stem) for path in self.folder.path.glob("*.md")}


@pytest.fixture
def kept(tmp_path: Path) -> Iterator[Kept]:
    with open_shop(NOW) as shop:
        yield Kept(shop, IssueFolder(tmp_path, ".sdd/issues"))


def _counts(done: SyncResult) -> tuple[int, int, int]:
    return done.added, done.updated, done.removed


def test_everything_then_what_changed_then_nothing(kept: Kept) -> None:
    github = kept.shop.github
    for number in range(130):
        github.add(f"Issue {number}", at=START + number)
    assert _counts(kept.sync()) == (130, 0, 0)
    assert _counts(kept.sync()) == (0, 0, 0)
    assert _counts(kept.sync()) == (0, 0, 0)
    assert len(kept.shop.server.asked) == 1
    github.edit(3, title="Edited")
    github.add("New")
    done = kept.sync()
    assert _counts(done) == (1, 1, 0)
    assert done.changed == (".sdd/issues/131.md", ".sdd/issues/3.md")
    assert "# Edited" in kept.file(3)


def test_nothing_changed_is_one_request_with_pull_requests(kept: Kept) -> None:
    kept.shop.github.add(at=START)
    kept.shop.github.add_pull(at=START + 500, closes=(1,))
    kept.sync()
    kept.sync()
    kept.sync()
    assert len(kept.shop.server.asked) == 1


def test_two_edits_in_the_second_of_a_sync(kept: Kept) -> None:
    github = kept.shop.github
    for _ in range(2):
        github.add(at=START)
    github.edit(1, at=START + 9, title="First edit")
    kept.sync()
    github.edit(2, at=START + 9, title="In the same second")
    kept.sync()
    assert "In the same second" in kept.file(2)


def test_what_changes_while_pages_are_read(kept: Kept) -> None:
    github = kept.shop.github
    for number in range(330):
        github.add(f"Issue {number}", at=START + number)
    kept.shop.server.faults.append(_once(lambda: _turmoil(kept)))
    kept.sync()
    kept.sync()
    assert kept.numbers() == set(range(1, 332))
    assert all("Moved" in kept.file(number) for number in (5, 150, 329))
    assert "# Brand new" in kept.file(331)


def _turmoil(kept: Kept) -> None:
    github = kept.shop.github
    for number in (5, 150, 329):
        github.edit(number, at=github.now + 1, title="Moved")
    github.add("Brand new", at=github.now + 1)


def _once(act: Callable[[], None]) -> Fault:
    """Calls `act` before the second page is answered."""
    pages = 0

    def fault(request: Request) -> CannedResponse | None:
        nonlocal pages
        if request.path.endswith("/issues"):
            pages += 1
            if pages == 2:
                act()
        return None

    return fault


def test_a_failure_on_the_second_page(kept: Kept) -> None:
    github = kept.shop.github
    for number in range(150):
        github.add(at=START + number)
    kept.shop.server.fail(
        *[CannedResponse(500, {})] * 4, when=lambda request: "since" in request.query
    )
    with pytest.raises(RemoteError):
        kept.sync()
    assert _counts(kept.sync())[0] == 150 - 100
    assert kept.numbers() == set(range(1, 151))


def test_a_pull_request_is_merged(kept: Kept) -> None:
    github = kept.shop.github
    github.add("Cart", at=START)
    pull = github.add_pull(at=START, branch="feature/1-cart", closes=(1,), files=("cart.py",))
    kept.sync()
    assert "status: open" in kept.file(1)
    github.items[pull].entry["pull_request"]["merged_at"] = "2026-05-02T12:54:00Z"
    github.edit(pull, state="closed")
    github.edit(1, state="closed")
    kept.sync()
    text = kept.file(1)
    assert "status: merged" in text
    assert "- **Branch**: `feature/1-cart`" in text
    assert "- **Status**: merged" in text
    assert "- **Files modified**: `cart.py`" in text


def test_a_pull_request_changes_and_its_issue_does_not(kept: Kept) -> None:
    github = kept.shop.github
    github.add("Cart", at=START)
    pull = github.add_pull(at=START, branch="b", closes=(1,))
    kept.sync()
    github.edit_pull(pull, files=("new.py",))
    assert _counts(kept.sync()) == (0, 1, 0)
    assert "`new.py`" in kept.file(1)
    github.edit_pull(pull, closes=())
    assert _counts(kept.sync()) == (0, 1, 0)
    assert "Associated PR" not in kept.file(1)


def test_deleted_and_transferred_issues_are_removed(kept: Kept) -> None:
    github = kept.shop.github
    for number in range(5):
        github.add(at=START + number)
    kept.sync()
    github.delete(2)
    github.transfer(4)
    assert _counts(kept.sync()) == (0, 0, 0)
    assert _counts(kept.sync(full=True)) == (0, 0, 2)
    assert kept.numbers() == {1, 3, 5}


def test_after_a_day_they_are_removed_without_being_asked(kept: Kept) -> None:
    github = kept.shop.github
    for number in range(5):
        github.add(at=START + number)
    kept.sync()
    github.delete(2)
    github.now += DAY
    assert _counts(kept.sync()) == (0, 0, 1)


def test_a_repository_without_issues(kept: Kept) -> None:
    """Then pull requests alone say how far it was fetched."""
    for number in range(120):
        kept.shop.github.add_pull(at=START + number)
    kept.sync()
    kept.sync()
    kept.sync()
    assert len(kept.shop.server.asked) == 1
    assert not kept.shop.asked(GRAPHQL)


def test_a_repository_that_is_renamed(kept: Kept) -> None:
    github = kept.shop.github
    for number in range(3):
        github.add(at=START + 60 * number)
    kept.sync()
    github.rename("store")
    github.edit(2, title="Edited")
    done = kept.sync()
    assert ".sdd/issues/2.md" in done.changed
    assert "/acme/store/issues/2" in kept.file(2)
