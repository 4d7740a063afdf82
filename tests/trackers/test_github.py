"""GitHub as a tracker, against a GitHub on loopback that knows its own API."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from sdd_hooks.trackers.github import VENDOR
from sdd_hooks.trackers.protocol import Page, Since, Tracker, Where
from tests.support.github import BASE, GitHub, limited, serving_github
from tests.support.loopback import Request, Server
from tests.support.machines import TOKEN, Workplace
from tests.trackers.faults import NOW, START, FaultTable, Stand

LISTING = f"{BASE}/repos/acme/shop/issues"


@dataclass
class Shop:
    """The repository acme/shop on a loopback GitHub, and a tracker of it."""

    github: GitHub
    server: Server
    workplace: Workplace

    def open(self, token: str | None = TOKEN) -> Tracker:
        """The tracker, connected anew."""
        machine = self.workplace.machine(VENDOR.label, token=token)
        return VENDOR.open(Where(self.server.url, "acme", "shop"), machine)

    def pages(self, since: Since | None = None, notes: dict[str, str] | None = None) -> list[Page]:
        """What a fetch brings."""
        return list(self.open().fetch(since or Since(), {} if notes is None else notes))


@pytest.fixture
def shop() -> Iterator[Shop]:
    github = GitHub(NOW)
    with serving_github(github) as server, Workplace(NOW) as workplace:
        yield Shop(github, server, workplace)


@pytest.fixture
def stand(shop: Shop) -> Stand:
    def lists(request: Request) -> bool:
        return request.method == "GET" and request.path.endswith("/issues")

    return Stand(
        server=shop.server,
        answer=shop.github.answer,
        workplace=shop.workplace,
        open=shop.open,
        add=lambda at: str(shop.github.add(at=at)),
        edit=lambda id, at: shop.github.edit(int(id), at=at, title="Edited"),
        lists=lists,
        page=100,
        limited=limited(shop.github),
    )


class TestFaults(FaultTable):
    """The faults that every tracker behind HTTP must survive."""


def test_an_issue_with_everything(shop: Shop) -> None:
    number = shop.github.add(
        " The cart forgets ",
        at=START,
        body="First\r\nsecond  \n",
        labels=("bug", "cart"),
        assignees=("bea", "cai"),
        state="closed",
        created_at="2026-04-30T10:00:00Z",
    )
    (page,) = shop.pages()
    (issue,) = page.issues
    assert page.at == NOW
    assert issue.id == str(number)
    assert issue.title == " The cart forgets "
    assert issue.status == "closed"
    assert issue.labels == ("bug", "cart")
    assert issue.assignees == ("bea", "cai")
    assert issue.author == "ana"
    assert issue.created == "2026-04-30T10:00:00Z"
    assert issue.updated == issue.closed == "2026-05-01T12:53:20Z"
    assert issue.url == f"{shop.server.url}/acme/shop/issues/{number}"
    assert issue.tracker == "github"
    assert issue.body == "First\r\nsecond  \n"
