"""Searches of Jira page by page, in Cloud and on a server."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from sdd_hooks.errors import AccessRefused, RemoteError
from sdd_hooks.trackers.jira.site import MAX_READS
from sdd_hooks.trackers.jira.tracker import PER_PAGE
from sdd_hooks.trackers.protocol import Since
from tests.support.jira import DESCRIPTIONS, FakeJira, serving_jira
from tests.support.loopback import CannedResponse
from tests.support.machines import TOKEN, ClientFactory
from tests.support.openapi import Description, damaged
from tests.trackers.fetching import NOW, START, fetched, listed
from tests.trackers.jira.harness import (
    BASIC,
    Shop,
    filled,
    is_search,
    jira_shop,
    places_of,
)


@pytest.fixture(params=[True, False], ids=["cloud", "server"])
def shop(request: pytest.FixtureRequest) -> Iterator[Shop]:
    with jira_shop(cloud=request.param) as shop:
        yield shop


@pytest.fixture
def cloud() -> Iterator[Shop]:
    with jira_shop(cloud=True) as shop:
        yield shop


@pytest.fixture
def server() -> Iterator[Shop]:
    with jira_shop(cloud=False) as shop:
        yield shop


def test_the_requests_of_a_fetch(shop: Shop) -> None:
    for number in range(PER_PAGE + 20):
        shop.jira.add(at=START + number)
    notes: dict[str, str] = {}
    assert [page.total for page in shop.pages(notes=notes)] == [PER_PAGE + 20] * 2
    asked = [one.query["jql"] for one in shop.searches()]
    last = (START + PER_PAGE - 1) * 1000
    assert asked == [
        'project = "SHOP" ORDER BY updated ASC, key ASC',
        f'project = "SHOP" AND updated >= {last} ORDER BY updated ASC, key ASC',
    ]
    # The deployment is requested once, and not again when it is cached.
    assert [one.path for one in shop.server.requests].count(
        f"{shop.jira.path}/rest/api/2/serverInfo"
    ) == 1
    assert notes == {"deployment": "cloud" if shop.jira.cloud else "server"}
    shop.server.requests.clear()
    (page,) = shop.pages(Since(NOW - 10.0), notes)
    assert page.issues == ()
    (request,) = shop.server.requests
    assert f"updated >= {NOW - 10}000 " in request.query["jql"]


def test_pages_smaller_than_requested(shop: Shop) -> None:
    shop.jira.max_page_size = 7
    keys = [shop.jira.add(at=START + number // 20) for number in range(50)]
    assert sorted(fetched(shop.open())) == sorted(keys)
    assert {*listed(shop.open())} == {*keys}


def test_inventory(shop: Shop) -> None:
    shop.jira.max_page_size = 10
    keys = [shop.jira.add(at=START + number) for number in range(35)]
    shop.jira.edit(keys[0], at=NOW)
    shop.jira.delete(keys[7])
    gone = shop.jira.transfer(keys[8], "ATTIC")
    shop.server.requests.clear()
    found = list(listed(shop.open()))
    assert {*found} == {*keys} - {keys[7], keys[8]}
    assert gone not in found


def test_an_issue_deleted_during_an_inventory(shop: Shop) -> None:
    shop.jira.max_page_size = 10
    keys = [shop.jira.add(at=START) for _ in range(35)]
    found = []
    for key in listed(shop.open()):
        if len(found) == 3:
            shop.jira.delete(keys[0])
        found.append(key)
    assert {*keys[1:]} <= {*found}


def test_an_issue_edited_between_pages_of_one_second(shop: Shop) -> None:
    shop.jira.max_page_size = 10
    keys = [shop.jira.add(at=START) for _ in range(35)]
    found = {}
    for count, page in enumerate(shop.open().fetch(Since(), {})):
        found |= {issue.id: issue for issue in page.issues}
        if count == 1:
            shop.jira.edit(keys[2], at=NOW)
    assert {*found} == {*keys}


def test_a_second_that_changes_on_every_read(server: Shop) -> None:
    server.jira.max_page_size = 10
    keys = [server.jira.add(at=START) for _ in range(35)]
    with pytest.raises(RemoteError, match="something else each time"):
        for page in server.open().fetch(Since(), {}):
            if page.issues[0].id == keys[0]:
                server.jira.delete(keys.pop(0))
    assert len(server.searches()) <= 2 * MAX_READS + 1


def test_the_headers_of_a_token(shop: Shop) -> None:
    shop.jira.add(at=START)
    shop.jira.authorization = BASIC
    assert len(shop.pages()[0].issues) == 1
    with pytest.raises(AccessRefused):
        list(shop.open(user="").fetch(Since(), {}))
    shop.jira.authorization = f"Bearer {TOKEN}"
    assert len(next(iter(shop.open(user="").fetch(Since(), {}))).issues) == 1


def test_an_expired_token(shop: Shop) -> None:
    """Cloud returns the public issues, which must not be taken for all issues."""
    shop.jira.add(at=START)
    shop.jira.expired = True
    for ask in (shop.pages, lambda: list(listed(shop.open()))):
        with pytest.raises(AccessRefused, match="AUTHENTICATED_FAILED") as caught:
            ask()
        assert TOKEN not in repr(caught.value)


def test_a_server_that_moved_to_cloud() -> None:
    """The cached deployment is outdated: the search of a server returns 410."""
    jira = FakeJira(NOW)
    with serving_jira(jira) as server, ClientFactory(NOW) as client_factory:
        shop = Shop(jira, server, client_factory)
        keys = [jira.add(at=START + number) for number in range(3)]
        notes = {"deployment": "server"}
        assert [issue.id for page in shop.pages(notes=notes) for issue in page.issues] == keys
        assert notes == {"deployment": "cloud"}
        assert [one.path for one in server.requests] == [
            "/rest/api/2/search",
            "/rest/api/3/search/jql",
        ]


def test_a_page_without_a_token_for_the_next(cloud: Shop) -> None:
    cloud.jira.add(at=START)
    cloud.server.fail(CannedResponse(200, {"issues": [], "isLast": False}), when=is_search)
    with pytest.raises(RemoteError, match="where its list goes on"):
        cloud.pages()
    cloud.server.fail(CannedResponse(200, {"isLast": True}), when=is_search)
    with pytest.raises(RemoteError, match="without a list"):
        cloud.pages()


def test_a_total_larger_than_the_listing(server: Shop) -> None:
    server.server.fail(
        CannedResponse(200, {"issues": [], "total": 9, "startAt": 0}), when=is_search
    )
    with pytest.raises(RemoteError, match="fewer issues than it has"):
        server.pages()


def test_every_field_of_a_search_is_optional(shop: Shop) -> None:
    keys = filled(shop)
    shop.pages()
    first = next(one for one in shop.searches() if "updated" in one.query["jql"])
    whole = shop.jira.answer(first).data
    places = list(dict.fromkeys(places_of(whole)))
    if shop.jira.cloud and (described := Description.load(*DESCRIPTIONS, base="")):
        places += described.optional("GET", "/rest/api/3/search/jql", 200)
    assert len(places) > 40
    refused = set()
    tracker = shop.open()
    for what, data in damaged(whole, list(dict.fromkeys(places))):
        shop.server.faults.clear()
        shop.server.fail(CannedResponse(200, data), when=is_search)
        try:
            found = fetched(tracker)
        except RemoteError:
            refused.add(what.partition(" ")[0])
            continue
        left_out = what.startswith(("issues.* ", "issues.*.key "))
        assert {*found} <= {*keys}, what
        assert {*found} == {*keys} or left_out, what
    assert refused <= {"issues", "issues.*", "nextPageToken", "total"}
