"""A team of Linear, against a server that checks every question with its own schema."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import pytest

from sdd_hooks.errors import Missing, RemoteError
from sdd_hooks.trackers.linear.tracker import PER_PAGE
from sdd_hooks.trackers.protocol import IssueFilter, Since
from tests.support.graphql import Schema
from tests.support.linear import (
    MOST_POINTS,
    SCHEMA,
    moment,
    points,
    rate_limited,
)
from tests.support.loopback import CannedResponse, Request
from tests.support.openapi import NEEDED
from tests.trackers.faults import START, FaultTable, Stand, fetched
from tests.trackers.linear.harness import PULL, Bench, opened


@pytest.fixture
def bench() -> Iterator[Bench]:
    with opened() as found:
        yield found


@pytest.fixture
def stand(bench: Bench) -> Stand:
    workspace, workplace = bench.workspace, bench.workplace
    workspace.now = workplace.now

    def is_listing(request: Request) -> bool:
        return b"issues(filter" in request.body

    return Stand(
        server=bench.server,
        answer=workspace.answer,
        workplace=workplace,
        open=bench.open,
        add=lambda at: workspace.add(created=float(at), updated=float(at)),
        edit=lambda id, at: workspace.edit(id, title="Edited", updated=float(at)),
        lists=is_listing,
        page=PER_PAGE,
        limited=lambda seconds: rate_limited(seconds, workplace.now),
    )


class TestFaults(FaultTable):
    """The fault table, against Linear."""

    def test_a_redirect_to_another_host(self, stand: Stand) -> None:
        """A question is sent once: only what asks to send the same elsewhere could be followed."""
        stand.fill(1)
        away = {"Location": "http://localhost.invalid/steal"}
        for status, told in ((302, "302"), (307, r"localhost\.invalid")):
            stand.server.fail(CannedResponse(status, None, away), when=stand.lists)
            with pytest.raises(RemoteError, match=told):
                fetched(stand.open())


def test_only_the_team_is_listed_by_key_in_any_case_and_by_uuid(bench: Bench) -> None:
    workspace = bench.workspace
    workspace.team("OPS")
    ours, _ = workspace.add(), workspace.add(team="OPS")
    assert list(fetched(bench.open("eng"))) == [ours]
    assert list(fetched(bench.open(workspace.teams[0]["id"]))) == [ours]


def test_a_team_that_is_not_there_is_no_team_without_issues(bench: Bench) -> None:
    bench.workspace.add()
    for team in ("NONE", "00000000-0000-4000-8000-000000000000"):
        with pytest.raises(Missing, match="Team ID"):
            fetched(bench.open(team))
        with pytest.raises(Missing):
            list(bench.open(team).inventory())


def test_edges(bench: Bench) -> None:
    workspace = bench.workspace
    one, two, three = (workspace.add() for _ in range(3))
    workspace.block(one, two)
    workspace.block(three, one)
    workspace.block(one, three, "related")
    found = fetched(bench.open())
    assert (found[one].blocks, found[one].blocked_by) == ((two,), (three,))
    assert (found[two].blocks, found[two].blocked_by) == ((), (one,))


def test_lists_that_go_on_are_followed(bench: Bench) -> None:
    workspace = bench.workspace
    one = workspace.add(labels=[f"label {number}" for number in range(230)])
    others = [workspace.add() for _ in range(7)]
    for other in others:
        workspace.block(one, other)
    found = fetched(bench.open())
    assert found[one].labels == tuple(f"label {number}" for number in range(230))
    assert found[one].blocks == tuple(others)
    # Labels 11 to 110, 111 to 210, 211 to 230, and relations.
    assert len(bench.server.asked) == 1 + 3 + 1


def test_a_page_costs_less_than_linear_allows(bench: Bench) -> None:
    bench.workspace.add()
    bench.workspace.block(bench.workspace.add(), "ENG-1")
    tracker = bench.open()
    fetched(tracker)
    list(tracker.inventory())
    list(tracker.query(IssueFilter("open", ("x",))))
    tracker.issue("ENG-1")
    assert max(bench.workspace.points) < 0.7 * MOST_POINTS


def test_what_a_question_costs() -> None:
    """The example of Linear's own page, and a list inside a list."""
    assert points({"query": "{ user { name } }"}) == 2
    listed = "{ issues(first: 10) { nodes { id labels { nodes { name } } } } }"
    assert points({"query": listed}) == math.ceil(10 * (1 + 0.1 + 50 * 1.1))


def test_nothing_changed_is_one_request(bench: Bench) -> None:
    bench.workspace.add()
    assert fetched(bench.open(), Since(START + 60.0, START + 60.0)) == {}
    assert len(bench.server.asked) == 1


def test_it_is_asked_from_the_second_on(bench: Bench) -> None:
    workspace = bench.workspace
    before, at, after = (workspace.add(updated=START + part) for part in (9.999, 10.0, 10.5))
    assert set(fetched(bench.open(), Since(START + 10.0))) == {at, after}
    assert before not in fetched(bench.open(), Since(START + 10.9))
    assert set(fetched(bench.open(), Since(START + 10.9))) == {at, after}


@pytest.mark.parametrize("decimals", [0.0, 0.123456, 0.999999])
def test_pages_meet(bench: Bench, decimals: float) -> None:
    """Nothing is lost between two pages, where Linear rounds what it tells of a time."""
    workspace = bench.workspace
    ids = [workspace.add(updated=START + number // 3 + decimals) for number in range(250)]
    assert sorted(fetched(bench.open())) == sorted(ids)
    assert len(bench.server.asked) == 3


def test_an_issue_deleted_while_pages_are_read_hides_no_other(bench: Bench) -> None:
    workspace = bench.workspace
    ids = [workspace.add(updated=float(START + number)) for number in range(250)]
    found = set()
    for count, page in enumerate(bench.open().fetch(Since(), {})):
        found |= {issue.id for issue in page.issues}
        if count == 0:
            # The last of the first page among them.
            for id in ids[-110:-90]:
                workspace.delete(id)
    assert found >= set(ids) - set(ids[-110:-90])


def test_the_time_of_a_fetch_is_that_of_its_newest_issue(bench: Bench) -> None:
    for number in range(150):
        bench.workspace.add(updated=START + number + 0.25)
    pages = list(bench.open().fetch(Since(), {}))
    assert [page.at for page in pages] == [START + 149.25] * 2
    (empty,) = bench.open().fetch(Since(START + 900.0), {})
    assert empty.at == START + 900.0


def test_the_total_is_known_from_the_start_of_a_whole_fetch(bench: Bench) -> None:
    for _ in range(3):
        bench.workspace.add()
    assert next(bench.open().fetch(Since(), {})).total == 3
    assert next(bench.open().fetch(Since(START + 0.0), {})).total is None


def test_a_pull_request_that_changes_brings_its_issue(bench: Bench) -> None:
    workspace = bench.workspace
    id, _ = workspace.add(), workspace.add()
    url = "https://github.com/acme/shop/pull/12"
    workspace.attach(id, url, "github", PULL)
    workspace.now += 60
    assert fetched(bench.open(), Since(workspace.now)) == {}
    workspace.attach(id, url, "github", {**PULL, "status": "merged"})
    found = fetched(bench.open(), Since(workspace.now))
    assert list(found) == [id]
    assert found[id].pulls[0].status == "merged"


def test_the_bin_is_gone_and_the_archive_is_not(bench: Bench) -> None:
    workspace = bench.workspace
    kept, trashed = workspace.add(), workspace.add(previousIdentifiers=["OLD-9"])
    workspace.trash(trashed)
    (page,) = bench.open().fetch(Since(), {})
    assert [issue.id for issue in page.issues] == [kept]
    assert page.deleted == (trashed, "OLD-9")
    assert list(bench.open().inventory()) == [kept]
    assert [issue.id for issue in bench.open().query(IssueFilter())] == [kept]
    with pytest.raises(Missing):
        bench.open().issue(trashed)


def test_an_issue_that_moves_to_another_team(bench: Bench) -> None:
    workspace = bench.workspace
    workspace.team("OPS")
    id = workspace.add()
    moved = workspace.transfer(id, "OPS")
    assert fetched(bench.open()) == {}
    assert list(bench.open().inventory()) == []
    (issue,) = fetched(bench.open("OPS")).values()
    assert (issue.id, issue.formerly) == (moved, (id,))
    with pytest.raises(Missing) as caught:
        bench.open().issue(id)
    assert caught.value.moved == moved
    assert fetched(bench.open("OPS"))[moved].id == bench.open("OPS").issue(moved).id


def test_one_issue_is_one_request(bench: Bench) -> None:
    id = bench.workspace.add("This one", labels=["a"])
    assert bench.open().issue(id) == bench.open().issue(id.lower())
    assert len(bench.server.asked) == 2
    with pytest.raises(Missing, match="ENG-999"):
        bench.open().issue("ENG-999")


def test_the_inventory_has_everything(bench: Bench) -> None:
    ids = [bench.workspace.add(created=float(START + number // 4)) for number in range(600)]
    assert sorted(set(bench.open().inventory())) == sorted(ids)
    assert len(bench.server.asked) == 3


def test_a_live_query(bench: Bench) -> None:
    workspace = bench.workspace
    bug = workspace.add(labels=["Bug", "ui"], updated=START + 3.0)
    done = workspace.add(labels=["bug"], state="completed", updated=START + 2.0)
    plain = workspace.add(updated=START + 1.0)
    tracker = bench.open()

    def ids(*filter: Any) -> list[str]:
        return [issue.id for issue in tracker.query(IssueFilter(*filter))]

    assert ids() == [bug, done, plain]
    assert ids("open") == [bug, plain]
    assert ids("closed") == ids("merged") == [done]
    assert ids(None, ("bug",)) == [bug, done]
    assert ids("open", ("bug", "UI")) == [bug]
    assert len(bench.server.asked) == 6


def test_a_live_query_is_as_lazy_as_its_pages(bench: Bench) -> None:
    for number in range(120):
        bench.workspace.add(updated=float(START + number))
    assert next(bench.open().query(IssueFilter())).id == "ENG-120"
    assert len(bench.server.asked) == 1


def test_a_list_of_an_issue_that_repeats_itself(bench: Bench) -> None:
    bench.workspace.add(labels=[str(number) for number in range(30)])

    def again(data: dict[str, Any]) -> object:
        if "issue" in data:
            data["issue"]["labels"]["pageInfo"] = {"hasNextPage": True, "endCursor": "10"}
        return data

    bench.workspace.spoil = again
    with pytest.raises(RemoteError, match="again and again"):
        fetched(bench.open())
    assert len(bench.server.asked) == 2


def test_an_issue_without_an_identifier_is_left_out_and_told(bench: Bench) -> None:
    bench.workspace.add()
    bench.workspace.add()

    def nameless(data: dict[str, Any]) -> object:
        data["issues"]["nodes"][0]["identifier"] = None
        return data

    bench.workspace.spoil = nameless
    (page,) = bench.open().fetch(Since(), {})
    assert len(page.issues) == 1
    assert page.warnings == ("Linear lists 1 issues without an identifier: left out",)


def test_its_properties(bench: Bench) -> None:
    tracker = bench.open("eng")
    host = bench.server.url.removeprefix("http://")
    assert (tracker.name, tracker.label) == ("linear", "Linear")
    assert tracker.identity == bench.open().identity == f"{host}/eng"
    assert tracker.web_url == "https://linear.app/acme/team/ENG"
    assert bench.open(owner="").web_url == "https://linear.app"
    assert bench.open("00000000-0000-4000-8000-000000000000").web_url == "https://linear.app"
    tracker.disconnect()
    with pytest.raises(RemoteError):
        fetched(tracker)


def test_the_server_is_as_strict_as_the_schema() -> None:
    schema = Schema.load(SCHEMA)
    if schema is None:
        pytest.skip(NEEDED)
    with opened() as bench:
        bench.workspace.add()
        fetched(bench.open())
        body: Any = bench.server.asked[0].json()
    for spoilt in (
        {**body, "query": body["query"].replace("trashed", "trash")},
        {**body, "variables": {**body["variables"], "first": "9"}},
        {**body, "variables": {**body["variables"], "filter": {"updated": {}}}},
        {**body, "variables": {**body["variables"], "more": 1}},
        {**body, "extra": 1},
    ):
        with pytest.raises(AssertionError):
            schema.request(spoilt)
    data = {"teams": {"nodes": []}, "issues": {"nodes": [], "pageInfo": {"hasNextPage": False}}}
    with pytest.raises(AssertionError, match="endCursor is missing"):
        schema.response(body["query"], data)


def test_moments() -> None:
    assert moment(1_777_640_000.123456) == "2026-05-01T12:53:20.123Z"
    assert moment(1_777_640_000.9999999) == "2026-05-01T12:53:21.000Z"
    assert moment(None) is None
