"""A project on GitLab, against a server that is written by hand from GitLab's documentation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from sdd_hooks.errors import Missing, RateLimited, RemoteError
from sdd_hooks.trackers.gitlab import details as gitlab_details
from sdd_hooks.trackers.issue import Issue, IssueDraft, IssueEdit, LinkedPull
from sdd_hooks.trackers.protocol import IssueFilter, Since
from tests.support.gitlab import rate_limited
from tests.support.loopback import CannedResponse, Request
from tests.trackers.faults import START, FaultTable, Stand, fetched
from tests.trackers.gitlab.bench import HOME, PAGE, PROJECT, Bench, opened


@pytest.fixture
def bench() -> Iterator[Bench]:
    with opened() as found:
        yield found


@pytest.fixture
def stand(bench: Bench) -> Stand:
    there, workplace = bench.gitlab, bench.workplace
    there.now = workplace.now

    def lists(request: Request) -> bool:
        return request.method == "GET" and request.path == f"{PROJECT}/issues"

    return Stand(
        server=bench.server,
        answer=there.answer,
        workplace=workplace,
        open=bench.open,
        add=lambda at: there.add(created=float(at), updated=float(at)),
        edit=lambda id, at: there.edit(id, title="Edited", updated=float(at)),
        lists=lists,
        page=PAGE,
        limited=lambda seconds: rate_limited(seconds, workplace.now),
    )


class TestFaults(FaultTable):
    """The fault table, against GitLab."""


def test_an_issue_as_it_is(bench: Bench) -> None:
    id = bench.gitlab.add(
        " A title ",
        description="A body\r\nwith two  \nlines",
        labels=["Bug", "epic::shop"],
        assignees=[{"username": "bea"}, {"username": "cai"}],
        state="closed",
        closed=START + 1.9,
        updated=START + 2.5,
        confidential=True,
    )
    (issue,) = fetched(bench.open()).values()
    assert issue == Issue(
        id=id,
        title=" A title ",
        status="closed",
        labels=("Bug", "epic::shop"),
        assignees=("bea", "cai"),
        author="ana",
        created="2026-05-01T12:53:20Z",
        updated="2026-05-01T12:53:22Z",
        closed="2026-05-01T12:53:21Z",
        url=f"{bench.server.url}/{HOME}/-/issues/1",
        tracker="gitlab",
        body="A body\r\nwith two  \nlines",
    )


def test_the_project_is_named_by_its_full_path(bench: Bench) -> None:
    bench.gitlab.add()
    fetched(bench.open())
    assert bench.server.asked[0].path == f"{PROJECT}/issues"
    assert bench.server.asked[0].query["scope"] == "all"


def test_nothing_changed_is_two_requests(bench: Bench) -> None:
    bench.gitlab.add()
    bench.gitlab.merge()
    later = Since(START + 60.0, START + 60.0)
    assert [page.issues for page in bench.pages(later)] == [(), ()]
    assert bench.asked() == ["issues", "merge_requests"]


def test_what_did_not_change_is_not_sent_again(bench: Bench) -> None:
    one, two = bench.gitlab.add(), bench.gitlab.add()
    bench.gitlab.block(one, two)
    bench.gitlab.merge(f"Closes #{one}")
    notes: dict[str, str] = {}
    since = Since(START - 2.0, START - 2.0)
    bench.pages(since, notes)
    kept = dict(notes)
    bench.server.asked.clear()
    pages = bench.pages(since, notes)
    assert [(page.issues, page.pulls) for page in pages] == [((), ()), ((), ())]
    assert bench.asked() == ["issues", "merge_requests"]
    assert notes == kept, "the tag still holds"
    bench.gitlab.edit(one, title="Another")
    bench.gitlab.edit(one, updated=float(START))
    assert set(fetched(bench.open(), since, notes)) == {one, two}
    assert set(fetched(bench.open(), since._replace(issues=START - 1.0), notes)) == {one, two}


def test_a_listing_of_several_pages_has_no_tag(bench: Bench) -> None:
    for number in range(PAGE + 1):
        bench.gitlab.add(updated=float(START + number))
    notes: dict[str, str] = {}
    since = Since(START - 2.0, START - 2.0)
    bench.pages(since, notes)
    assert notes["issues tag"] == ""
    assert notes["merge_requests tag"] != ""
    assert len(fetched(bench.open(), since, notes)) == PAGE + 1


@pytest.mark.parametrize("counts", [True, False])
@pytest.mark.parametrize("decimals", [0.0, 0.123456, 0.999999])
def test_pages_meet(bench: Bench, decimals: float, counts: bool) -> None:
    """Nothing is lost between two pages, where GitLab tells less of a time than it knows."""
    bench.gitlab.headers = counts
    ids = [bench.gitlab.add(updated=START + number // 3 + decimals) for number in range(250)]
    assert sorted(fetched(bench.open())) == sorted(ids)
    assert bench.asked().count("issues") == 3


def test_an_issue_that_leaves_while_one_second_is_read_hides_no_other(bench: Bench) -> None:
    ids = [bench.gitlab.add() for _ in range(3 * PAGE)]
    found: set[str] = set()
    edited = []
    for page in bench.open().fetch(Since(), {}):
        found |= {issue.id for issue in page.issues}
        for id in ids[len(edited) : len(edited) + 3]:
            bench.gitlab.edit(id, updated=START + 500.0)
            edited.append(id)
    assert found == set(ids)


def test_the_clock_is_gitlabs(bench: Bench) -> None:
    bench.gitlab.add()
    bench.gitlab.now = START + 77.0
    assert [page.at for page in bench.pages()] == [START + 77.0] * 2


def test_the_total_is_told(bench: Bench) -> None:
    for number in range(PAGE + 1):
        bench.gitlab.add(updated=float(START + number))
    assert bench.pages()[0].total == PAGE + 1
    bench.gitlab.headers = False
    assert bench.pages()[0].total is None


def test_edges(bench: Bench) -> None:
    there = bench.gitlab
    one, two, three, four, plain = (there.add() for _ in range(5))
    there.block(one, two)
    there.block(three, one)
    there.block(one, "7", project="acme/other")
    there.block(four, "8", kind="is_blocked_by", project="acme/other")
    there.block(one, three, kind="relates_to")
    found = fetched(bench.open())
    assert (found[one].blocks, found[one].blocked_by) == ((two, "acme/other#7"), (three,))
    assert (found[two].blocks, found[two].blocked_by) == ((), (one,))
    assert found[four].blocked_by == ("acme/other#8",)
    assert (found[plain].blocks, found[plain].blocked_by) == ((), ())
    asked = bench.asked()
    assert f"issues/{plain}/links" not in asked
    assert asked.count("/api/graphql") == 1


def test_without_a_licence_nothing_is_asked_about_edges(bench: Bench) -> None:
    bench.gitlab.licence = False
    bench.gitlab.add()
    fetched(bench.open())
    assert bench.asked() == ["issues", "merge_requests"]


def test_where_graphql_does_not_count_the_listing_does(bench: Bench) -> None:
    there = bench.gitlab
    there.graphql = False
    one, two = there.add(), there.add()
    there.block(one, two)
    for number in range(PAGE):
        there.add(updated=START + number + 1.0)
    pages = bench.pages()
    found = {issue.id: issue for page in pages for issue in page.issues}
    assert found[one].blocks == (two,)
    assert found[two].blocked_by == ()
    warnings = [warning for page in pages for warning in page.warnings]
    assert len(warnings) == 1
    assert "blockedByCount" in warnings[0]
    assert bench.asked().count("/api/graphql") == 1


def test_a_limit_of_graphql_ends_it(bench: Bench) -> None:
    bench.gitlab.add()
    bench.server.fail(
        rate_limited(3000, bench.gitlab.now)[0],
        when=lambda request: request.path == "/api/graphql",
    )
    with pytest.raises(RateLimited):
        fetched(bench.open())


def test_links_that_are_hidden(bench: Bench) -> None:
    one, two = bench.gitlab.add(), bench.gitlab.add()
    bench.gitlab.block(one, two)
    bench.server.fail(
        CannedResponse(403, {"message": "403 Forbidden"}),
        when=lambda request: request.path.endswith(f"{one}/links"),
    )
    found = fetched(bench.open())
    assert found[one].blocks == ()
    assert found[two].blocked_by == (one,)


def test_merge_requests(bench: Bench) -> None:
    there = bench.gitlab
    ids = [there.add() for _ in range(5)]
    merges = [
        there.merge(f"Closes #{ids[0]}"),
        there.merge(f"Closes #{ids[1]}", draft=True, source_branch="feature/2"),
        there.merge(f"Closes #{ids[2]} and #{ids[3]}", state="merged", draft=True),
        there.merge(f"Closes #{ids[4]}", state="closed"),
        there.merge(f"Closes #{ids[4]}", state="locked"),
        there.merge("Nothing to close"),
    ]
    assert list(bench.pulls().values()) == [
        LinkedPull("6", "branch-6", "open", (), "2026-05-01T12:53:20Z", ()),
        LinkedPull("1", "branch-1", "open", ("src/1.py",), "2026-05-01T12:53:20Z", (ids[0],)),
        LinkedPull("2", "feature/2", "draft", ("src/2.py",), "2026-05-01T12:53:20Z", (ids[1],)),
        LinkedPull(
            "3", "branch-3", "merged", ("src/3.py",), "2026-05-01T12:53:20Z", tuple(ids[2:4])
        ),
        LinkedPull("4", "branch-4", "closed", ("src/4.py",), "2026-05-01T12:53:20Z", (ids[4],)),
        LinkedPull("5", "branch-5", "open", ("src/5.py",), "2026-05-01T12:53:20Z", (ids[4],)),
    ]
    asked = bench.asked()
    assert asked.count("merge_requests") == 1
    assert f"merge_requests/{merges[5]}/diffs" not in asked
    assert not [path for path in asked if "clos" in path]


def test_what_only_commits_close_is_found(bench: Bench) -> None:
    there = bench.gitlab
    one, two = there.add(), there.add()
    merge = there.merge("Refactor", closes=[int(one), int(two)])
    there.merge("Of a fork's own", closes=[int(one)], project="bea/shop")
    assert bench.pulls()[merge].closes == (one, two)
    there.edit_merge(merge, state="merged", updated=START + 9.0)
    found = bench.pulls(Since(START + 5.0, START + 5.0))
    assert found[merge].status == "merged"
    assert found[merge].closes == (one, two)


def test_a_link_that_was_taken_back(bench: Bench) -> None:
    one = bench.gitlab.add()
    merge = bench.gitlab.merge(f"Closes #{one}")
    bench.gitlab.edit_merge(merge, description="Nothing now", updated=START + 9.0)
    assert bench.pulls(Since(START + 5.0, START + 5.0))[merge].closes == ()


def test_a_merge_request_that_changes_between_two_pages(bench: Bench) -> None:
    """It comes twice, and counts as it came last."""
    one = bench.gitlab.add()
    first = bench.gitlab.merge(f"Closes #{one}")
    for number in range(PAGE + 5):
        bench.gitlab.merge(updated=START + number + 1.0)
    found: dict[str, LinkedPull] = {}
    for page in bench.open().fetch(Since(), {}):
        found |= {pull.number: pull for pull in page.pulls}
        if page.pulls:
            there = bench.gitlab.merges[int(first)]
            there.update(description="None", state="closed", updated=START + 900.0)
    assert (found[first].status, found[first].closes) == ("closed", ())


def test_files_of_a_gitlab_that_is_old(bench: Bench) -> None:
    bench.gitlab.diffs = False
    one = bench.gitlab.add()
    merges = [bench.gitlab.merge(f"Closes #{one}") for _ in range(30)]
    found = bench.pulls()
    assert [found[merge].files for merge in merges] == [(f"src/{merge}.py",) for merge in merges]
    assert sum(path.endswith("/diffs") for path in bench.asked()) < 30


def test_files_that_are_too_much_for_the_server(bench: Bench) -> None:
    one = bench.gitlab.add()
    bench.gitlab.merge(f"Closes #{one}")
    bench.server.fail(CannedResponse(500), when=lambda request: request.path.endswith("/diffs"))
    assert bench.pulls()["1"].files == ()
    assert bench.workplace.waits == []


def test_the_files_of_the_last_merge_requests(bench: Bench) -> None:
    there = bench.gitlab
    one = there.add()
    count = gitlab_details.MAX_DIFF_REQUESTS + 1
    for number in range(count):
        there.merge(f"Closes #{one}", updated=float(START + number))
    pages = bench.pages()
    found = {pull.number: pull for page in pages for pull in page.pulls}
    assert len(found) == count
    assert [number for number, pull in found.items() if not pull.files] == ["1"]
    assert [page.warnings for page in pages if page.warnings] == [
        ("the files of merge requests are known of the last 1,000 only",)
    ]


def test_a_project_without_merge_requests(bench: Bench) -> None:
    bench.gitlab.merge_requests = False
    id = bench.gitlab.add()
    pages = bench.pages()
    assert [issue.id for page in pages for issue in page.issues] == [id]
    (warning,) = pages[-1].warnings
    assert warning.startswith("merge requests are left out: ")


def test_an_issue_that_was_moved_is_gone(bench: Bench) -> None:
    kept, moved = bench.gitlab.add(), bench.gitlab.add()
    bench.gitlab.move(moved)
    page = bench.pages()[0]
    assert [issue.id for issue in page.issues] == [kept]
    assert page.gone == (moved,)
    assert list(bench.open().inventory()) == [kept]
    assert [issue.id for issue in bench.open().query(IssueFilter())] == [kept]
    with pytest.raises(Missing, match="moved to another project"):
        bench.open().issue(moved)


def test_a_project_that_was_renamed(bench: Bench) -> None:
    id = bench.gitlab.add()
    bench.gitlab.renamed = "acme/old"
    tracker = bench.open("acme", "old")
    assert list(fetched(tracker)) == [id]
    assert tracker.issue(id).id == id


def test_one_issue_is_one_request(bench: Bench) -> None:
    id = bench.gitlab.add("This one")
    assert bench.open().issue(id).title == "This one"
    assert bench.asked() == [f"issues/{id}"]
    with pytest.raises(Missing):
        bench.open().issue("999")


def test_the_inventory_has_everything(bench: Bench) -> None:
    ids = [bench.gitlab.add(created=float(START + number // 4)) for number in range(250)]
    listed = []
    for count, id in enumerate(bench.open().inventory()):
        listed.append(id)
        if count == 50:
            bench.gitlab.delete(ids[3])
    assert set(listed) == set(ids)


def test_a_live_query(bench: Bench) -> None:
    there = bench.gitlab
    bug = there.add(labels=["Bug", "ui"], updated=START + 3.0)
    done = there.add(labels=["Bug"], state="closed", updated=START + 2.0)
    plain = there.add(updated=START + 1.0)
    tracker = bench.open()

    def ids(*filter: Any) -> list[str]:
        return [issue.id for issue in tracker.query(IssueFilter(*filter))]

    assert ids() == [bug, done, plain]
    assert ids("open") == ids("draft") == [bug, plain]
    assert ids("closed") == ids("merged") == [done]
    assert ids(None, ("Bug",)) == [bug, done]
    assert ids("open", ("Bug", "ui")) == [bug]
    assert len(bench.server.asked) == 7


def test_a_live_query_is_as_lazy_as_its_pages(bench: Bench) -> None:
    ids = [bench.gitlab.add(updated=float(START + number)) for number in range(PAGE + 20)]
    found = bench.open().query(IssueFilter())
    assert next(found).id == ids[-1]
    assert len(bench.server.asked) == 1
    assert [issue.id for issue in found] == ids[-2::-1]
    assert len(bench.server.asked) == 2


def test_writing(bench: Bench) -> None:
    there = bench.gitlab
    tracker = bench.open()
    made = tracker.create(IssueDraft("New", "Body", ("bug", "fresh"), "The epic"))
    assert (made.title, made.body, made.labels) == ("New", "Body", ("bug", "fresh"))
    assert there.issues[int(made.id)]["milestone"]["title"] == "The epic"
    changed = tracker.edit(made.id, IssueEdit(title="Newer", labels=()))
    assert (changed.title, changed.body, changed.labels) == ("Newer", "Body", ())
    assert tracker.edit(made.id, IssueEdit(body="")).body == ""
    tracker.comment(made.id, "Said *so*")
    assert there.notes == [(int(made.id), "Said *so*")]
    other = tracker.create(IssueDraft("Other"))
    tracker.group(other.id, "The epic")
    assert len(there.milestones) == 1
    assert there.issues[int(other.id)]["milestone"] is there.milestones[0]
    tracker.close(other.id)
    tracker.close(other.id)
    assert there.issues[int(other.id)]["state"] == "closed"


def test_writing_to_what_is_not_there(bench: Bench) -> None:
    tracker = bench.open()
    for write in (
        lambda: tracker.edit("99", IssueEdit(title="x")),
        lambda: tracker.close("99"),
        lambda: tracker.comment("99", "x"),
    ):
        with pytest.raises(Missing):
            write()


def test_answers_that_say_nothing(bench: Bench) -> None:
    tracker = bench.open()

    def asked(method: str, end: str) -> Any:
        return lambda request: request.method == method and request.path.endswith(end)

    bench.server.fail(CannedResponse(200, {}), when=asked("GET", "/issues/1"))
    with pytest.raises(Missing, match="is no issue"):
        tracker.issue("1")
    bench.server.fail(CannedResponse(201, {}), when=asked("POST", "/issues"))
    with pytest.raises(RemoteError, match="which issue it wrote"):
        tracker.create(IssueDraft("New"))
    bench.server.fail(CannedResponse(201, {}), when=asked("POST", "/milestones"))
    with pytest.raises(RemoteError, match="which milestone it made"):
        tracker.group("1", "The epic")


def test_a_live_query_that_repeats_itself(bench: Bench) -> None:
    for _ in range(PAGE + 1):
        bench.gitlab.add()
    first = CannedResponse(
        200, [{"iid": 1}], {"Link": f'<{bench.server.url}{PROJECT}/issues?page=2>; rel="next"'}
    )
    bench.server.fail(*[first] * 5)
    with pytest.raises(RemoteError, match="again and again"):
        list(bench.open().query(IssueFilter()))
    assert len(bench.server.asked) == 2


def test_a_comment_is_made_once(bench: Bench) -> None:
    id = bench.gitlab.add()
    bench.server.fail(CannedResponse(502, b""), when=lambda request: request.method == "POST")
    with pytest.raises(RemoteError):
        bench.open().comment(id, "x")
    assert len(bench.server.asked) == 1


def test_its_properties(bench: Bench) -> None:
    tracker = bench.open("Acme/tools", "Shop")
    assert (tracker.name, tracker.label) == ("gitlab", "GitLab")
    assert tracker.place == f"{bench.server.url.removeprefix('http://')}/{HOME}"
    assert tracker.web == f"{bench.server.url}/Acme/tools/Shop"
    tracker.disconnect()
    with pytest.raises(RemoteError):
        fetched(tracker)
