"""Reading the issues of a team on a fake Linear, which validates every query with its schema."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import pytest

from sdd_hooks.errors import Missing, RemoteError
from sdd_hooks.trackers.protocol import IssueFilter, Since
from tests.support.linear import (
    MAX_POINTS,
    moment,
    points,
)
from tests.trackers.fetching import START, fetched, listed
from tests.trackers.linear.harness import PULL, LinearHarness, open_harness


@pytest.fixture
def harness() -> Iterator[LinearHarness]:
    with open_harness() as found:
        yield found


def test_a_team_is_selected_by_its_key_in_any_case_and_by_its_uuid(harness: LinearHarness) -> None:
    workspace = harness.workspace
    workspace.team("OPS")
    eng, _ = workspace.add(), workspace.add(team="OPS")
    assert list(fetched(harness.open("eng"))) == [eng]
    assert list(fetched(harness.open(workspace.teams[0]["id"]))) == [eng]


def test_a_missing_team_is_an_error(harness: LinearHarness) -> None:
    harness.workspace.add()
    for team in ("NONE", "00000000-0000-4000-8000-000000000000"):
        with pytest.raises(Missing, match="Team ID"):
            fetched(harness.open(team))
        with pytest.raises(Missing):
            list(listed(harness.open(team)))


def test_dependencies(harness: LinearHarness) -> None:
    workspace = harness.workspace
    one, two, three = (workspace.add() for _ in range(3))
    workspace.block(one, two)
    workspace.block(three, one)
    workspace.block(one, three, "related")
    found = fetched(harness.open())
    assert (found[one].blocks, found[one].blocked_by) == ((two,), (three,))
    assert (found[two].blocks, found[two].blocked_by) == ((), (one,))


def test_further_pages_of_the_lists_of_an_issue(harness: LinearHarness) -> None:
    workspace = harness.workspace
    one = workspace.add(labels=[f"label {number}" for number in range(230)])
    others = [workspace.add() for _ in range(7)]
    for other in others:
        workspace.block(one, other)
    found = fetched(harness.open())
    assert found[one].labels == tuple(f"label {number}" for number in range(230))
    assert found[one].blocks == tuple(others)
    # Labels 11 to 110, 111 to 210, 211 to 230, and relations.
    assert len(harness.server.requests) == 1 + 3 + 1


def test_a_page_costs_less_than_linear_allows(harness: LinearHarness) -> None:
    harness.workspace.add()
    harness.workspace.block(harness.workspace.add(), "ENG-1")
    tracker = harness.open()
    fetched(tracker)
    list(listed(tracker))
    list(tracker.query(IssueFilter("open", ("x",))))
    tracker.issue("ENG-1")
    assert max(harness.workspace.points) < 0.7 * MAX_POINTS


def test_the_cost_of_a_query() -> None:
    """The example of Linear's documentation, and a nested list."""
    assert points({"query": "{ user { name } }"}) == 2
    listed = "{ issues(first: 10) { nodes { id labels { nodes { name } } } } }"
    assert points({"query": listed}) == math.ceil(10 * (1 + 0.1 + 50 * 1.1))


def test_since_is_inclusive_to_the_second(harness: LinearHarness) -> None:
    workspace = harness.workspace
    before, at, after = (workspace.add(updated=START + part) for part in (9.999, 10.0, 10.5))
    assert set(fetched(harness.open(), Since(START + 10.0))) == {at, after}
    assert before not in fetched(harness.open(), Since(START + 10.9))
    assert set(fetched(harness.open(), Since(START + 10.9))) == {at, after}


@pytest.mark.parametrize("decimals", [0.0, 0.123456, 0.999999])
def test_no_issue_is_missed_between_two_pages(harness: LinearHarness, decimals: float) -> None:
    """Linear rounds the times in its payloads."""
    workspace = harness.workspace
    ids = [workspace.add(updated=START + number // 3 + decimals) for number in range(250)]
    assert sorted(fetched(harness.open())) == sorted(ids)
    assert len(harness.server.requests) <= 13


def test_an_issue_deleted_between_pages_hides_no_other(harness: LinearHarness) -> None:
    workspace = harness.workspace
    ids = [workspace.add(updated=float(START + number)) for number in range(250)]
    found = set()
    for count, page in enumerate(harness.open().fetch(Since(), {})):
        found |= {issue.id for issue in page.issues}
        if count == 0:
            # Among them the last issue of the first page.
            for id in ids[-110:-90]:
                workspace.delete(id)
    assert found >= set(ids) - set(ids[-110:-90])


def test_the_time_of_a_fetch_is_the_time_of_its_newest_issue(harness: LinearHarness) -> None:
    for number in range(150):
        harness.workspace.add(updated=START + number + 0.25)
    pages = list(harness.open().fetch(Since(), {}))
    assert [page.at for page in pages] == [START + 149.25] * 2
    (empty,) = harness.open().fetch(Since(START + 900.0), {})
    assert empty.at == START + 900.0


def test_the_total_of_a_fetch_of_everything(harness: LinearHarness) -> None:
    for _ in range(3):
        harness.workspace.add()
    assert next(harness.open().fetch(Since(), {})).total == 3
    assert next(harness.open().fetch(Since(START + 0.0), {})).total is None


def test_a_changed_pull_request_fetches_its_issue(harness: LinearHarness) -> None:
    workspace = harness.workspace
    id, _ = workspace.add(), workspace.add()
    url = "https://github.com/acme/shop/pull/12"
    workspace.attach(id, url, "github", PULL)
    workspace.now += 60
    assert fetched(harness.open(), Since(workspace.now)) == {}
    workspace.attach(id, url, "github", {**PULL, "status": "merged"})
    found = fetched(harness.open(), Since(workspace.now))
    assert list(found) == [id]
    assert found[id].pulls[0].status == "merged"


def test_trashed_issues_are_gone_and_archived_ones_are_not(harness: LinearHarness) -> None:
    workspace = harness.workspace
    kept, trashed = workspace.add(), workspace.add(previousIdentifiers=["OLD-9"])
    workspace.trash(trashed)
    (page,) = harness.open().fetch(Since(), {})
    assert [issue.id for issue in page.issues] == [kept]
    assert page.deleted == (trashed, "OLD-9")
    assert list(listed(harness.open())) == [kept]
    assert [issue.id for issue in harness.open().query(IssueFilter())] == [kept]
    with pytest.raises(Missing):
        harness.open().issue(trashed)


def test_an_issue_that_moves_to_another_team(harness: LinearHarness) -> None:
    workspace = harness.workspace
    workspace.team("OPS")
    id = workspace.add()
    moved = workspace.transfer(id, "OPS")
    assert fetched(harness.open()) == {}
    assert list(listed(harness.open())) == []
    (issue,) = fetched(harness.open("OPS")).values()
    assert (issue.id, issue.formerly) == (moved, (id,))
    with pytest.raises(Missing) as caught:
        harness.open().issue(id)
    assert caught.value.moved == moved
    assert fetched(harness.open("OPS"))[moved].id == harness.open("OPS").issue(moved).id


def test_issue_takes_one_request(harness: LinearHarness) -> None:
    id = harness.workspace.add("This one", labels=["a"])
    assert harness.open().issue(id) == harness.open().issue(id.lower())
    assert len(harness.server.requests) == 2
    with pytest.raises(Missing, match="ENG-999"):
        harness.open().issue("ENG-999")


def test_a_repeated_page_of_a_list_of_an_issue(harness: LinearHarness) -> None:
    harness.workspace.add(labels=[str(number) for number in range(30)])

    def again(data: dict[str, Any]) -> object:
        if "issue" in data:
            data["issue"]["labels"]["pageInfo"] = {"hasNextPage": True, "endCursor": "10"}
        return data

    harness.workspace.spoil = again
    with pytest.raises(RemoteError, match="again and again"):
        fetched(harness.open())
    assert len(harness.server.requests) == 2


def test_an_issue_without_an_identifier_is_left_out_with_a_warning(harness: LinearHarness) -> None:
    harness.workspace.add()
    harness.workspace.add()

    def remove_identifier(data: dict[str, Any]) -> object:
        data["issues"]["nodes"][0]["identifier"] = None
        return data

    harness.workspace.spoil = remove_identifier
    (page,) = harness.open().fetch(Since(), {})
    assert len(page.issues) == 1
    assert page.warnings == ("Linear lists 1 issues without an identifier: left out",)


def test_name_label_and_addresses(harness: LinearHarness) -> None:
    tracker = harness.open("eng")
    host = harness.server.url.removeprefix("http://")
    assert (tracker.name, tracker.label) == ("linear", "Linear")
    assert tracker.identity == harness.open().identity == f"{host}/eng"
    assert tracker.web_url == "https://linear.app/acme/team/ENG"
    assert harness.open(owner="").web_url == "https://linear.app"
    assert harness.open("00000000-0000-4000-8000-000000000000").web_url == "https://linear.app"
    tracker.disconnect()
    with pytest.raises(RemoteError):
        fetched(tracker)


def test_the_format_of_times() -> None:
    assert moment(1_777_640_000.123456) == "2026-05-01T12:53:20.123Z"
    assert moment(1_777_640_000.9999999) == "2026-05-01T12:53:21.000Z"
    assert moment(None) is None
