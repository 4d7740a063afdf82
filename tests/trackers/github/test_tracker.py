"""Reading and writing the issues of a repository on a fake GitHub."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import pytest

from sdd_hooks.errors import Missing, RateLimited
from sdd_hooks.trackers.issue import IssueDraft, LinkedPull
from sdd_hooks.trackers.protocol import IssueFilter, IssuePage, Since
from tests.support.github import GRAPHQL, Shop, open_shop
from tests.support.loopback import CannedResponse, Request
from tests.support.machines import TOKEN
from tests.trackers.fetching import NOW, START, listed


@pytest.fixture
def shop() -> Iterator[Shop]:
    with open_shop(NOW) as found:
        yield found


def _issues(pages: list[IssuePage]) -> list[str]:
    return [issue.id for page in pages for issue in page.issues]


def _pulls(pages: list[IssuePage]) -> dict[str, LinkedPull]:
    return {pull.number: pull for page in pages for pull in page.pulls}


def _warnings(pages: list[IssuePage]) -> list[str]:
    return [warning for page in pages for warning in page.warnings]


def test_an_issue_with_all_fields(shop: Shop) -> None:
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
    assert (page.at, page.total, page.warnings) == (NOW, 1, ())
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


def test_five_thousand_issues_take_fifty_one_requests(shop: Shop) -> None:
    shop.github.checked = False
    for number in range(5000):
        shop.github.add(at=START + number)
    pages = shop.pages()
    assert sorted(map(int, set(_issues(pages)))) == list(range(1, 5001))
    assert pages[0].total == 5000
    assert len(shop.requests("/issues")) == 51
    # The other request counts the issues.
    assert len(shop.server.requests) == 52


def test_an_unchanged_repository_takes_one_request(shop: Shop) -> None:
    shop.github.add(at=START)
    shop.github.add_pull(at=START + 5, closes=(1,))
    since, notes = Since(START + 3, START + 3), {"since": "", "etag": ""}
    assert _pulls(shop.pages(since, notes)).keys() == {"2"}
    shop.server.requests.clear()
    (page,) = shop.pages(since, notes)
    assert page == IssuePage((), NOW, total=0)
    assert len(shop.server.requests) == 1
    shop.github.edit(1, at=START + 60)
    assert _issues(shop.pages(since, notes)) == ["1"]
    shop.server.requests.clear()
    assert _issues(shop.pages(since, notes)) == []


def test_an_etag_is_valid_for_its_start_time_alone(shop: Shop) -> None:
    shop.github.add(at=START)
    notes: dict[str, str] = {}
    shop.pages(Since(START - 9, START - 9), notes)
    assert _issues(shop.pages(Since(START - 8, START - 8), notes)) == ["1"]


def test_the_etag_of_the_first_of_several_pages_is_not_stored(shop: Shop) -> None:
    for number in range(150):
        shop.github.add(at=START + number)
    notes: dict[str, str] = {}
    shop.pages(Since(START, START), notes)
    shop.github.edit(120, at=START + 500, title="Edited")
    assert "120" in _issues(shop.pages(Since(START, START), notes))


def test_after_a_fetch_of_both_the_later_cursor_counts(shop: Shop) -> None:
    shop.github.add(at=START)
    shop.github.add_pull(at=START + 900)
    notes: dict[str, str] = {}
    quiet = Since(START - 2, START + 898)
    # Without notes the last fetch may have been incomplete.
    assert _issues(shop.pages(quiet, notes)) == ["1"]
    assert _issues(shop.pages(quiet, notes)) == []
    assert _issues(shop.pages(Since(None, START), notes)) == ["1"]


def test_large_listings_have_cursors(shop: Shop) -> None:
    shop.github.large = True
    for _ in range(230):
        shop.github.add(at=START)
    assert sorted(map(int, set(_issues(shop.pages())))) == list(range(1, 231))
    assert any("after" in request.query for request in shop.server.requests)
    assert not any("page" in request.query for request in shop.server.requests)


def test_edits_during_a_second_with_more_than_a_page(shop: Shop) -> None:
    for _ in range(350):
        shop.github.add(at=START)
    fetch = shop.open().fetch(Since(), {})
    found = {issue.id for page in islice(fetch, 3) for issue in page.issues}
    for number in (3, 50, 101, 150):
        shop.github.edit(number, at=NOW + 1)
    found |= {issue.id for page in fetch for issue in page.issues}
    assert found == {str(number) for number in range(1, 351)}


def test_an_entry_without_a_number_is_left_out(shop: Shop) -> None:
    shop.server.fail(CannedResponse(200, [{"title": "What is this?"}, None, {"number": 7}]))
    (page,) = shop.pages()
    assert _issues([page]) == ["7"]
    assert page.warnings == ("GitHub lists an issue without a number: left out",)


def test_disabled_issues(shop: Shop) -> None:
    shop.server.fail(CannedResponse(410, {"message": "Issues are disabled for this repo"}))
    with pytest.raises(Missing, match="disabled"):
        shop.pages()


def test_inventory(shop: Shop) -> None:
    for number in range(130):
        shop.github.add(at=START + number)
    shop.github.add_pull(at=START + 200)
    shop.github.delete(7)
    tracker = shop.open()
    ids = {str(number) for number in range(1, 131)} - {"7"}
    assert set(listed(tracker)) == {issue.id for issue in tracker.query(IssueFilter())} == ids


def test_pull_requests_have_their_branch_files_and_issues(shop: Shop) -> None:
    for _ in range(3):
        shop.github.add(at=START)
    shop.github.add_pull(
        at=START + 60,
        branch="feature/1-cart",
        closes=(1, 3),
        files=("cart.py", "docs/ä b.md"),
        merged=True,
    )
    shop.github.add_pull(at=START, draft=True)
    shop.github.add_pull(at=START, state="closed", draft=True)
    shop.github.add_pull(at=START)
    pages = shop.pages()
    pulls = _pulls(pages)
    assert pulls["4"] == LinkedPull(
        number="4",
        branch="feature/1-cart",
        status="merged",
        files=("cart.py", "docs/ä b.md"),
        updated="2026-05-01T12:54:20Z",
        closes=("1", "3"),
    )
    assert [pulls[number].status for number in "567"] == ["draft", "closed", "open"]
    assert sorted(_issues(pages)) == ["1", "2", "3"]
    assert len(shop.requests(GRAPHQL)) == 1


def test_pull_requests_are_requested_in_batches(shop: Shop) -> None:
    for number in range(60):
        shop.github.add_pull(at=START + number, branch=f"b{number}")
    pulls = _pulls(shop.pages())
    assert {pull.branch for pull in pulls.values()} == {f"b{number}" for number in range(60)}
    assert len(shop.requests(GRAPHQL)) == 3


def test_closed_issues_of_other_repositories_are_left_out(shop: Shop) -> None:
    shop.github.add(at=START)
    shop.github.add_pull(at=START, closes=("acme/attic#1", 1))
    assert _pulls(shop.pages())["2"].closes == ("1",)


def test_a_removed_link_is_fetched(shop: Shop) -> None:
    shop.github.add(at=START)
    shop.github.add_pull(at=START, closes=(1,))
    shop.pages()
    shop.github.edit_pull(2, at=START + 60, closes=())
    assert _pulls(shop.pages(Since(START + 30, START + 30)))["2"].closes == ()


def test_a_pull_request_that_is_deleted_meanwhile(shop: Shop) -> None:
    for number in range(5):
        shop.github.add_pull(at=START + number, branch=f"b{number}")
    shop.github.items[3].pull = None
    pulls = _pulls(shop.pages())
    assert [pulls[str(number)].branch for number in range(1, 6)] == ["b0", "b1", "", "b3", "b4"]


def test_without_a_token_pull_requests_come_from_the_listing(shop: Shop) -> None:
    shop.github.add(at=START)
    shop.github.add(at=START)
    shop.github.add_pull(at=START + 1, body="Fixes #1, and mentions #2", merged=True)
    for number in range(120):
        shop.github.add_pull(at=START + 10 + number, draft=True)
    pages = shop.pages(token=None)
    pulls = _pulls(pages)
    assert len(pulls) == 121
    assert pulls["3"].closes == ("1",)
    assert pulls["3"].status == "merged"
    assert (pulls["3"].branch, pulls["3"].files) == ("", ())
    assert pulls["4"].status == "draft"
    (warning,) = _warnings(pages)
    assert "branches" in warning
    assert "GITHUB_TOKEN" in warning
    assert not shop.client_factory.waits


def test_waits_for_a_rate_limit_of_graphql(shop: Shop) -> None:
    shop.github.add_pull(at=START, branch="b")
    limit = {
        "Date": "Sat, 02 May 2026 12:53:20 GMT",
        "x-ratelimit-remaining": "0",
        "x-ratelimit-reset": str(NOW + 30),
    }
    errors = {"errors": [{"type": "RATE_LIMITED", "message": "API rate limit exceeded"}]}

    def is_graphql(request: Request) -> bool:
        return request.path == GRAPHQL

    shop.server.fail(CannedResponse(200, errors, limit), when=is_graphql)
    assert _pulls(shop.pages())["1"].branch == "b"
    assert shop.client_factory.waits == [pytest.approx(30, abs=1)]
    much_later = {**limit, "x-ratelimit-reset": str(NOW + 9000)}
    shop.server.fail(CannedResponse(200, errors, much_later), when=is_graphql)
    with pytest.raises(RateLimited):
        shop.pages()


def test_a_token_without_access_to_pull_requests(shop: Shop) -> None:
    shop.github.add_pull(at=START)
    forbidden = {"type": "FORBIDDEN", "message": f"Resource not accessible by {TOKEN}"}
    shop.server.fail(
        CannedResponse(200, {"data": None, "errors": [forbidden]}),
        when=lambda request: request.path == GRAPHQL,
    )
    pages = shop.pages()
    (warning,) = _warnings(pages)
    assert "Resource not accessible" in warning
    assert TOKEN not in warning
    assert _pulls(pages).keys() == {"1"}


def test_dependencies_are_requested_for_issues_that_count_some(shop: Shop) -> None:
    for number in range(6):
        shop.github.add(at=START + number)
    shop.github.block(2, by=1)
    shop.github.block(3, by=1)
    (page,) = shop.pages()
    edges = {issue.id: (issue.blocks, issue.blocked_by) for issue in page.issues}
    assert edges.pop("1") == (("2", "3"), ())
    assert edges.pop("2") == edges.pop("3") == ((), ("1",))
    assert set(edges.values()) == {((), ())}
    assert len(shop.server.requests) == 1 + 3


def test_a_dependency_on_a_closed_issue(shop: Shop) -> None:
    shop.github.add(at=START, state="closed")
    shop.github.add(at=START)
    shop.github.block(2, by=1)
    (page,) = shop.pages()
    assert [issue.blocked_by for issue in page.issues] == [(), ("1",)]


def test_a_dependency_in_another_repository(shop: Shop) -> None:
    shop.github.add(at=START)
    shop.github.add(at=START)
    shop.github.block(1, by=2)
    api = "https://api.github.com/repos/acme/attic"
    shop.server.fail(
        CannedResponse(200, [{"number": 2, "repository_url": api}, {"number": 9}, {}]),
        when=lambda request: request.path.endswith("/blocked_by"),
    )
    (page,) = shop.pages()
    assert page.issues[0].blocked_by == ("acme/attic#2", "9")


def test_a_server_without_dependencies(shop: Shop) -> None:
    shop.github.dependencies = False
    for number in range(120):
        shop.github.add(at=START + number)
    for number in (1, 2, 110):
        shop.github.block(number, by=3)
    pages = shop.pages()
    assert _warnings(pages) == ["GitHub does not show dependencies: those that are known stay"]
    assert len(shop.requests("/blocked_by")) == 2


def test_a_deleted_issue(shop: Shop) -> None:
    number = shop.github.add(at=START)
    shop.github.delete(number)
    with pytest.raises(Missing) as caught:
        shop.open().issue(str(number))
    assert caught.value.moved == ""


def test_a_transferred_issue(shop: Shop) -> None:
    shop.github.add(at=START)
    number = shop.github.add(at=START)
    new_number = shop.github.transfer(number)
    with pytest.raises(Missing, match="moved") as caught:
        shop.open().issue(str(number))
    assert caught.value.moved == f"{shop.server.url}/acme/attic/issues/{new_number}"


def test_a_transfer_of_the_last_issue(shop: Shop) -> None:
    number = shop.github.add(at=START)
    shop.github.transfer(number)
    with pytest.raises(Missing) as caught:
        shop.open().issue(str(number))
    assert "attic" in caught.value.moved


def test_a_pull_request_is_not_an_issue(shop: Shop) -> None:
    number = shop.github.add_pull(at=START)
    with pytest.raises(Missing, match="is not an issue"):
        shop.open().issue(str(number))


def test_a_renamed_repository(shop: Shop) -> None:
    shop.github.add("One", at=START)
    shop.github.add(at=START)
    shop.github.add_pull(at=START, closes=(1,), branch="b")
    shop.github.block(1, by=2)
    shop.github.rename("store")
    pages = shop.pages()
    assert _issues(pages) == ["1", "2"]
    assert pages[0].issues[0].blocked_by == ("2",)
    assert _pulls(pages)["3"].closes == ("1",)
    assert shop.open().issue("1").title == "One"


def test_labels_are_created_in_their_colours(shop: Shop) -> None:
    tracker = shop.open()
    tracker.create(IssueDraft("New", "Text", ("bug", "story")))
    tracker.create(IssueDraft("Next", labels=("story",)))
    assert shop.github.labels == {"bug": "cccccc", "story": "1d76db"}
    assert len(shop.server.paths("POST")) == 4
    tracker.close("1")
    assert shop.github.items[1].entry["state_reason"] == "completed"


def test_a_milestone_is_created_once(shop: Shop) -> None:
    tracker = shop.open()
    for number in range(120):
        tracker.group(tracker.create(IssueDraft(f"{number}")).id, f"Sprint {number // 60}")
    assert [one["title"] for one in shop.github.milestones] == ["Sprint 0", "Sprint 1"]
    for number in range(110):
        shop.github.add_milestone(f"More {number}")
    tracker.group("1", "More 105")
    assert tracker.group_of("1") == "More 105"
    assert tracker.append("1", "### A\n\nb").body == "### A\n\nb"
    assert shop.github.items[1].entry["milestone"]["title"] == "More 105"
    assert len(shop.github.milestones) == 112


def test_name_label_and_addresses(shop: Shop) -> None:
    tracker = shop.open()
    host = shop.server.url.removeprefix("http://")
    assert (tracker.name, tracker.label) == ("github", "GitHub")
    assert tracker.web_url == f"http://{host}/acme/shop"
    assert tracker.identity == f"{host}/acme/shop"
    tracker.disconnect()
