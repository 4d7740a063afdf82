"""Linear, against a loopback server that checks every question and answer with its own schema."""

from __future__ import annotations

import copy
import json
import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdd_hooks.errors import AccessRefused, Missing, RemoteError, SddError
from sdd_hooks.project.settings import TrackerSettings
from sdd_hooks.remote.answer import Answer
from sdd_hooks.remote.credentials import Secret, find_secret
from sdd_hooks.trackers.issue import Draft, Edit, Issue, PullRequest
from sdd_hooks.trackers.linear import API, VENDOR, _sources, rate_limit
from sdd_hooks.trackers.linear_json import PAGE, WHOLE, issue_of, pull_of
from sdd_hooks.trackers.linear_team import PER_PAGE, Linear
from sdd_hooks.trackers.protocol import Around, Filter, Since, Where
from sdd_hooks.trackers.store import IssueFolder
from sdd_hooks.trackers.sync import Synced, sync
from tests.support.graphql import Schema
from tests.support.linear import (
    MOST_POINTS,
    SCHEMA,
    Workspace,
    linear,
    moment,
    points,
    rate_limited,
)
from tests.support.loopback import Request, Response, Server
from tests.support.machines import TOKEN, Workplace
from tests.support.openapi import NEEDED, damaged
from tests.trackers.faults import START, FaultTable, Stand, fetched

NOWHERE = Around(Path("/nonexistent"), (), None, {})


class Bench:
    """A workspace, its server, and the team ENG of it as a tracker."""

    def __init__(self, workspace: Workspace, server: Server) -> None:
        self.workspace, self.server = workspace, server
        self.workplace = Workplace(START + 86_400.0)
        workspace.now = float(START)
        workspace.key = f"Bearer {TOKEN}"

    def open(self, team: str = "ENG", owner: str = "acme") -> Linear:
        machine = self.workplace.machine("Linear")
        environ = {"LINEAR_API_URL": f"{self.server.url}/graphql"}
        machine = machine._replace(around=machine.around._replace(environ=environ))
        found = VENDOR.open(Where("https://linear.app", owner, team), machine)
        assert isinstance(found, Linear)
        return found

    def asked(self) -> list[Any]:
        """The variables of every question."""
        return [json.loads(request.body)["variables"] for request in self.server.asked]


@pytest.fixture
def bench() -> Iterator[Bench]:
    with opened() as found:
        yield found


@contextmanager
def opened() -> Iterator[Bench]:
    with linear() as (workspace, server):
        bench = Bench(workspace, server)
        with bench.workplace:
            yield bench


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
            stand.server.fail(Response(status, None, away), when=stand.lists)
            with pytest.raises(RemoteError, match=told):
                fetched(stand.open())


def test_an_issue_as_it_is(bench: Bench) -> None:
    person = {"displayName": "ada", "name": "Ada Lovelace"}
    workspace = bench.workspace
    id = workspace.add(
        "A title",
        description="A body\r\nwith two  \nlines",
        labels=["Bug", "epic"],
        assignee=person,
        creator={"displayName": "", "name": "Bob"},
        state="completed",
    )
    (issue,) = fetched(bench.open()).values()
    assert issue == Issue(
        id=id,
        title="A title",
        status="closed",
        labels=("Bug", "epic"),
        assignees=("ada",),
        author="Bob",
        created="2026-05-01T12:53:20Z",
        updated="2026-05-01T12:53:20Z",
        closed="2026-05-01T12:53:20Z",
        url="https://linear.app/acme/issue/ENG-1",
        tracker="linear",
        body="A body\r\nwith two  \nlines",
    )


@pytest.mark.parametrize(
    ("type", "status"),
    [
        ("triage", "open"),
        ("backlog", "open"),
        ("unstarted", "open"),
        ("started", "open"),
        ("completed", "closed"),
        ("canceled", "closed"),
        ("duplicate", "closed"),
    ],
)
def test_every_type_of_state(bench: Bench, type: str, status: str) -> None:
    id = bench.workspace.add(state=type)
    found = fetched(bench.open())[id]
    assert found.status == status
    assert bool(found.closed) == (status == "closed")


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
    list(tracker.query(Filter("open", ("x",))))
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


PULL = {
    "status": "open",
    "draft": False,
    "number": 12,
    "branch": "ada/eng-1-x",
    "updatedAt": "2026-05-02T10:00:00.000Z",
}


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({}, "open"),
        ({"draft": True}, "draft"),
        ({"status": "draft"}, "draft"),
        ({"status": "inReview"}, "open"),
        ({"status": "merged", "draft": True}, "merged"),
        ({"status": "closed"}, "closed"),
        ({"status": None, "mergedAt": "2026-05-02T10:00:00.000Z"}, "merged"),
        ({"status": None, "state": "opened"}, "open"),
    ],
)
def test_an_attached_pull_request(bench: Bench, changes: dict[str, Any], status: Any) -> None:
    id = bench.workspace.add()
    url = "https://github.com/acme/shop/pull/12"
    bench.workspace.attach(id, url, "github", {**PULL, **changes})
    (pull,) = fetched(bench.open())[id].pulls
    assert pull == PullRequest("12", "ada/eng-1-x", status, (), "2026-05-02T10:00:00Z")


def test_an_attached_merge_request(bench: Bench) -> None:
    id = bench.workspace.add()
    url = "https://gitlab.com/acme/tools/shop/-/merge_requests/7?tab=notes"
    bench.workspace.attach(id, url, "gitlab", {"state": "merged"})
    (pull,) = fetched(bench.open())[id].pulls
    assert (pull.number, pull.status, pull.updated) == ("7", "merged", "2026-05-01T12:53:20Z")


@pytest.mark.parametrize(
    ("url", "source", "metadata"),
    [
        ("https://github.com/acme/shop/pull/12", "github", {}),
        ("https://github.com/acme/shop/pull/12", "slack", PULL),
        ("https://github.com/acme/shop/pull/12", None, PULL),
        ("https://github.com/acme/shop/issues/12", "github", PULL),
        ("https://github.com/acme/shop/commit/12", "githubCommit", PULL),
    ],
)
def test_other_attachments_are_no_pull_requests(
    bench: Bench, url: str, source: str | None, metadata: dict[str, Any]
) -> None:
    id = bench.workspace.add()
    bench.workspace.attach(id, url, source, metadata)
    assert fetched(bench.open())[id].pulls == ()


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
    assert page.gone == (trashed, "OLD-9")
    assert list(bench.open().inventory()) == [kept]
    assert [issue.id for issue in bench.open().query(Filter())] == [kept]
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
        return [issue.id for issue in tracker.query(Filter(*filter))]

    assert ids() == [bug, done, plain]
    assert ids("open") == [bug, plain]
    assert ids("closed") == ids("merged") == [done]
    assert ids(None, ("bug",)) == [bug, done]
    assert ids("open", ("bug", "UI")) == [bug]
    assert len(bench.server.asked) == 6


def test_a_live_query_is_as_lazy_as_its_pages(bench: Bench) -> None:
    for number in range(120):
        bench.workspace.add(updated=float(START + number))
    assert next(bench.open().query(Filter())).id == "ENG-120"
    assert len(bench.server.asked) == 1


def test_writing(bench: Bench) -> None:
    workspace = bench.workspace
    workspace.label("Bug")
    tracker = bench.open()
    made = tracker.create(Draft("New", "Body", ("bug", "fresh"), "The epic"))
    assert (made.title, made.body, made.labels) == ("New", "Body", ("Bug", "fresh"))
    assert workspace.find(made.id)["project"]["name"] == "The epic"
    changed = tracker.edit(made.id, Edit(title="Newer", labels=()))
    assert (changed.title, changed.body, changed.labels) == ("Newer", "Body", ())
    assert tracker.edit(made.id, Edit(body="")).body == ""
    tracker.comment(made.id, "Said *so*")
    assert workspace.comments == [{"issue": made.id, "body": "Said *so*"}]
    other = tracker.create(Draft("Other"))
    tracker.group(other.id, "the EPIC")
    assert len(workspace.projects) == 1
    assert workspace.find(other.id)["project"] is workspace.projects[0]


def test_closing(bench: Bench) -> None:
    workspace = bench.workspace
    open_one, canceled = workspace.add(), workspace.add(state="canceled")
    tracker = bench.open()
    tracker.close(open_one)
    tracker.close(canceled)
    states = workspace.teams[0]["states"]
    assert workspace.find(open_one)["state"] is states[4], "the first that means completed"
    assert workspace.find(canceled)["state"]["type"] == "canceled"


def test_a_group_of_labels_is_no_label(bench: Bench) -> None:
    bench.workspace.label("Type")["isGroup"] = True
    made = bench.open().create(Draft("New", labels=("Bug",)))
    assert made.labels == ("Bug",)


@pytest.mark.parametrize(
    "write",
    [
        lambda tracker: tracker.edit("ENG-99", Edit(title="x")),
        lambda tracker: tracker.edit("ENG-99", Edit(labels=("x",))),
        lambda tracker: tracker.close("ENG-99"),
        lambda tracker: tracker.comment("ENG-99", "x"),
        lambda tracker: tracker.group("ENG-99", "x"),
    ],
)
def test_writing_to_what_is_not_there(bench: Bench, write: Any) -> None:
    with pytest.raises(Missing):
        write(bench.open())
    assert bench.workspace.projects == bench.workspace.labels == []


def test_what_was_not_done_is_told(bench: Bench) -> None:
    bench.workspace.add()
    bench.workspace.spoil = lambda _data: {"commentCreate": {"success": False}}
    with pytest.raises(RemoteError, match="did not do"):
        bench.open().comment("ENG-1", "x")


def test_answers_that_say_nothing(bench: Bench) -> None:
    bench.workspace.add()
    bench.workspace.spoil = lambda _data: {"issueUpdate": {"success": True, "issue": None}}
    with pytest.raises(RemoteError, match="which issue it wrote"):
        bench.open().edit("ENG-1", Edit(title="x"))
    bench.workspace.spoil = lambda data: data
    with pytest.raises(Missing, match="Team ID"):
        bench.open("NONE").create(Draft("New"))
    bench.workspace.teams[0]["states"] = bench.workspace.teams[0]["states"][:3]
    with pytest.raises(RemoteError, match="completed"):
        bench.open().close("ENG-1")


def test_a_write_is_done_once(bench: Bench) -> None:
    bench.workspace.add()
    bench.server.fail(Response(502, b""), when=lambda request: b"commentCreate" in request.body)
    with pytest.raises(RemoteError):
        bench.open().comment("ENG-1", "x")
    assert len(bench.server.asked) == 1


def test_any_field_may_be_null_or_missing(bench: Bench) -> None:
    workspace = bench.workspace
    if workspace.schema is None:
        pytest.skip(NEEDED)
    person = {"displayName": "ada", "name": "Ada"}
    for number in range(2):
        workspace.add(
            assignee=person, creator=person, labels=["a"], state=("started", "canceled")[number]
        )
    workspace.block("ENG-1", "ENG-2")
    workspace.attach("ENG-1", "https://github.com/acme/shop/pull/12", "github", PULL)
    whole: list[Any] = []
    workspace.spoil = lambda data: whole.append(copy.deepcopy(data)) or data
    fetched(bench.open())
    places = workspace.schema.optional(PAGE + WHOLE)
    assert ("issues", "nodes", "*", "assignee") in places
    spoilt = list(damaged(whole[0], places))
    tracker = bench.open()
    assert len(spoilt) > 15
    for what, data in spoilt:
        workspace.spoil = lambda _data, data=data: data
        try:
            found = fetched(tracker)
        except Missing as error:
            assert what.startswith("teams"), (what, error)
        else:
            assert set(found) <= {"ENG-1", "ENG-2"}, what


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=10,
)
NODE = st.dictionaries(
    st.sampled_from(
        [
            "identifier", "title", "previousIdentifiers", "description", "state", "assignee",
            "creator", "botActor", "labels", "relations", "inverseRelations", "attachments", "url",
            "createdAt", "updatedAt", "completedAt", "canceledAt", "trashed",
        ]
    ),
    JSON | st.fixed_dictionaries({"nodes": JSON | st.lists(JSON, max_size=3)}),
)  # fmt: skip


@given(node=NODE | JSON)
def test_whatever_linear_answers(node: object) -> None:
    found = issue_of(node)
    if found is not None:
        assert found.id
        assert found.status in {"open", "closed"}
        assert replace(found) == found


@given(attachment=st.dictionaries(st.sampled_from(["url", "sourceType", "metadata"]), JSON) | JSON)
def test_whatever_is_attached(attachment: object) -> None:
    assert pull_of(attachment) is None


@settings(max_examples=25)
@given(data=JSON)
def test_whatever_a_page_is(data: object) -> None:
    """A page of any JSON ends in issues or in one line."""
    with opened() as bench:
        bench.workspace.spoil = lambda _data: data
        try:
            fetched(bench.open())
        except SddError as error:
            assert "\n" not in str(error)


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


# As files.


def synced(bench: Bench, root: Path, **options: Any) -> Synced:
    now = bench.workspace.now
    return sync(bench.open(), IssueFolder(root, "issues"), clock=lambda: now, **options)


def stored(root: Path) -> dict[str, str]:
    return {path.stem: path.read_text() for path in (root / "issues").glob("*.md")}


def assert_as_synced_anew(bench: Bench, root: Path) -> None:
    (root / "clean").mkdir()
    synced(bench, root / "clean")
    assert stored(root) == stored(root / "clean")


def test_issues_as_files(bench: Bench, tmp_path: Path) -> None:
    workspace = bench.workspace
    workspace.team("OPS")
    ids = [workspace.add(f"Issue {n}", updated=float(START + n)) for n in range(PER_PAGE + 30)]
    url = "https://github.com/acme/shop/pull/12"
    workspace.attach(ids[4], url, "github", PULL)
    workspace.block(ids[0], ids[1])
    workspace.now += 3600
    assert synced(bench, tmp_path).added == len(ids)
    bench.server.asked.clear()
    assert synced(bench, tmp_path).changed == ()
    assert len(bench.server.asked) == 1
    workspace.now += 60
    workspace.edit(ids[3], title="Edited")
    workspace.attach(ids[4], url, "github", {**PULL, "status": "merged"})
    done = synced(bench, tmp_path)
    assert (done.added, done.updated, done.removed) == (0, 2, 0)
    assert f'blocks: ["{ids[1]}"]' in stored(tmp_path)[ids[0]]
    assert "**Status**: merged" in stored(tmp_path)[ids[4]]
    workspace.now += 60
    workspace.delete(ids[5])
    workspace.trash(ids[6])
    assert synced(bench, tmp_path).removed == 1
    workspace.transfer(ids[7], "OPS")
    assert synced(bench, tmp_path, full=True).removed == 2
    assert {*stored(tmp_path)} == {*ids} - {ids[5], ids[6], ids[7]}
    assert_as_synced_anew(bench, tmp_path)


def test_a_pull_request_that_changes_alone_is_one_request(bench: Bench, tmp_path: Path) -> None:
    workspace = bench.workspace
    id, _ = workspace.add(), workspace.add()
    workspace.now += 3600
    workspace.add()
    synced(bench, tmp_path)
    bench.server.asked.clear()
    workspace.now += 3600
    workspace.attach(id, "https://github.com/acme/shop/pull/12", "github", PULL)
    assert synced(bench, tmp_path).updated == 1
    assert synced(bench, tmp_path).changed == ()
    assert len(bench.server.asked) == 2
    assert "**PR**: #12" in stored(tmp_path)[id]


def test_an_issue_that_comes_back_leaves_no_file_of_its_other_name(
    bench: Bench, tmp_path: Path
) -> None:
    workspace = bench.workspace
    workspace.team("OPS")
    id = workspace.add()
    synced(bench, tmp_path)
    workspace.now += 60
    again = workspace.transfer(workspace.transfer(id, "OPS"), "ENG")
    synced(bench, tmp_path)
    assert list(stored(tmp_path)) == [again]


def test_edits_between_the_pages_of_a_sync(bench: Bench, tmp_path: Path) -> None:
    workspace = bench.workspace
    ids = [workspace.add(updated=float(START + n // 40)) for n in range(3 * PER_PAGE)]
    workspace.now += 3600

    def meanwhile(_request: Request) -> None:
        pages = len(bench.server.asked)
        if pages in {2, 3}:
            workspace.now += 0.3
            workspace.edit(ids[pages], title="Edited meanwhile")
            workspace.edit(ids[200 + pages], title="Edited meanwhile")
            ids.append(workspace.add("Added meanwhile"))

    bench.server.faults.append(meanwhile)
    synced(bench, tmp_path)
    workspace.now += 3600
    synced(bench, tmp_path)
    assert {*stored(tmp_path)} == {*ids}
    assert sum("meanwhile" in text for text in stored(tmp_path).values()) == 6
    assert_as_synced_anew(bench, tmp_path)


def test_a_sync_that_fails_on_its_second_page(bench: Bench, tmp_path: Path) -> None:
    ids = [bench.workspace.add(updated=float(START + n)) for n in range(PER_PAGE + 5)]
    bench.server.fail(*[Response(500, {})] * 4, when=lambda _: len(bench.server.asked) > 1)
    with pytest.raises(RemoteError):
        synced(bench, tmp_path)
    assert len(stored(tmp_path)) == PER_PAGE
    synced(bench, tmp_path)
    assert {*stored(tmp_path)} == {*ids}


def test_two_edits_in_one_second_as_files(bench: Bench, tmp_path: Path) -> None:
    workspace = bench.workspace
    one, two = workspace.add(), workspace.add()
    workspace.edit(one, title="First", updated=START + 5.25)
    synced(bench, tmp_path)
    workspace.edit(two, title="Second", updated=START + 5.75)
    assert synced(bench, tmp_path).updated == 1
    assert "Second" in stored(tmp_path)[two]


def test_its_properties(bench: Bench) -> None:
    tracker = bench.open("eng")
    host = bench.server.url.removeprefix("http://")
    assert (tracker.name, tracker.label) == ("linear", "Linear")
    assert tracker.place == bench.open().place == f"{host}/eng"
    assert tracker.web == "https://linear.app/acme/team/ENG"
    assert bench.open(owner="").web == "https://linear.app"
    assert bench.open("00000000-0000-4000-8000-000000000000").web == "https://linear.app"
    tracker.disconnect()
    with pytest.raises(RemoteError):
        fetched(tracker)


# Where it is, and who may ask.


def test_a_team_is_declared() -> None:
    assert VENDOR.declared(TrackerSettings("linear", team_id="ENG"), NOWHERE) == (
        "https://linear.app", "", "ENG",
    )  # fmt: skip
    settings = TrackerSettings("linear", team_id=" ENG ", url="https://linear.app/acme/team/ENG")
    assert VENDOR.declared(settings, NOWHERE) == ("https://linear.app", "acme", "ENG")
    settings = settings._replace(owner="others")
    assert VENDOR.declared(settings, NOWHERE).owner == "others"
    settings = settings._replace(owner="", url="http://[::1")
    assert VENDOR.declared(settings, NOWHERE).owner == ""


@pytest.mark.parametrize("team", ["", "a b", "../x", "ENG\n- **URL**: x", "x" * 65])
def test_a_team_that_is_none(team: str) -> None:
    with pytest.raises(SddError, match="Team ID") as caught:
        VENDOR.declared(TrackerSettings("linear", team_id=team), NOWHERE)
    assert "\n" not in str(caught.value)


def test_no_repository_is_recognised_as_linears() -> None:
    assert VENDOR.detected(NOWHERE) is None


def secret(api: str, **environ: str) -> Secret | None:
    return find_secret(
        _sources(), api, around_origin=None, root=Path("/nonexistent"), environ=environ
    )


def test_a_memory_file_does_not_say_where_the_key_goes() -> None:
    settings = TrackerSettings("linear", team_id="ENG", url="https://evil.example/graphql")
    where = VENDOR.declared(settings, NOWHERE)
    asked: list[str] = []

    def connect(api: str, *_args: object) -> Any:
        asked.append(api)

    VENDOR.open(where, Workplace(0.0).machine("Linear")._replace(connect=connect))
    assert asked == [API]
    assert secret(API, LINEAR_API_KEY="lin_api_x") is not None
    assert secret("https://evil.example/graphql", LINEAR_API_KEY="lin_api_x") is None


def test_the_environment_says_where_the_key_goes() -> None:
    proxy = "http://127.0.0.1:8080/graphql"
    found = {"LINEAR_API_KEY": "lin_api_x", "LINEAR_API_URL": proxy}
    assert secret(proxy, **found) is not None
    assert secret(API, **found) is None


def test_the_place_of_the_real_one() -> None:
    with Workplace(0.0) as workplace:
        tracker = VENDOR.open(Where("https://linear.app", "", "ENG"), workplace.machine("Linear"))
        assert tracker.place == "linear.app/eng"


def test_a_key_stands_alone_and_a_token_does_not() -> None:
    headers = _sources().headers
    assert headers(Secret("lin_api_x", "X")) == {"Authorization": "lin_api_x"}
    assert headers(Secret("lin_oauth_x", "X")) == {"Authorization": "Bearer lin_oauth_x"}


def test_no_key_and_a_wrong_one(bench: Bench) -> None:
    bench.workspace.key = "another"
    with pytest.raises(AccessRefused) as caught:
        fetched(bench.open())
    assert "LINEAR_API_KEY" in str(caught.value)
    assert TOKEN not in str(caught.value)


def failed(code: str, headers: dict[str, str], status: int = 400) -> Answer:
    body = json.dumps({"errors": [{"message": "x", "extensions": {"code": code}}]}).encode()
    return Answer(status, headers, body, API)


def test_a_limit_ends_with_the_last_budget_that_is_spent() -> None:
    spent = {
        "x-ratelimit-requests-remaining": "0",
        "x-ratelimit-requests-reset": "1777640010000",
        "x-ratelimit-complexity-remaining": "0",
        "x-ratelimit-complexity-reset": "1777640020500",
        "x-ratelimit-endpoint-requests-remaining": "5",
        "x-ratelimit-endpoint-requests-reset": "1777649999000",
    }
    found = rate_limit(failed("RATELIMITED", spent), 0.0)
    assert found is not None
    assert found.until == 1_777_640_020.5
    found = rate_limit(failed("RATELIMITED", {}), 0.0)
    assert found is not None
    assert found.until is None


def test_what_is_no_limit() -> None:
    assert rate_limit(failed("INPUT_ERROR", {}), 0.0) is None
    assert rate_limit(failed("RATELIMITED", {}, 200), 0.0) is None
    assert rate_limit(Answer(400, {}, b"RATELIMITED", API), 0.0) is None


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
