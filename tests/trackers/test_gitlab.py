"""GitLab, against a loopback server that is written by hand from GitLab's documentation."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdd_hooks.errors import AccessRefused, Missing, RateLimited, RemoteError, SddError
from sdd_hooks.project.settings import TrackerSettings
from sdd_hooks.remote.connect import connect
from sdd_hooks.remote.credentials import Secret, advice, find_secret
from sdd_hooks.remote.urls import parse_remote
from sdd_hooks.trackers import gitlab_details
from sdd_hooks.trackers.gitlab import VENDOR, _sources, stored_by_glab
from sdd_hooks.trackers.gitlab_json import (
    closed_by_text,
    edges_of,
    files_of,
    issue_of,
    pull_of,
)
from sdd_hooks.trackers.gitlab_project import GitLab
from sdd_hooks.trackers.issue import Draft, Edit, Issue, PullRequest
from sdd_hooks.trackers.protocol import Around, Filter, Machine, Page, Since, Where
from sdd_hooks.trackers.store import IssueFolder
from sdd_hooks.trackers.sync import Synced, sync
from tests.support.gitlab import GitLab as LoopbackGitLab
from tests.support.gitlab import fields_of, gitlab, rate_limited
from tests.support.loopback import Request, Response, Server, serving
from tests.support.machines import TOKEN, Workplace
from tests.support.openapi import damaged
from tests.trackers.faults import START, FaultTable, Stand, fetched

PAGE = 100
PROJECT = "/api/v4/projects/acme%2Ftools%2Fshop"
HOME = "acme/tools/shop"


class Bench:
    """A GitLab, its server, and the project acme/tools/shop there as a tracker."""

    def __init__(self, there: LoopbackGitLab, server: Server) -> None:
        self.gitlab, self.server = there, server
        self.workplace = Workplace(START + 86_400.0)
        there.now = float(START)
        there.token = TOKEN

    def open(self, owner: str = "acme/tools", project: str = "shop") -> GitLab:
        machine = self.workplace.machine("GitLab")
        found = VENDOR.open(Where(self.server.url, owner, project), machine)
        assert isinstance(found, GitLab)
        return found

    def pages(self, since: Since | None = None, notes: dict[str, str] | None = None) -> list[Page]:
        return list(self.open().fetch(since or Since(), {} if notes is None else notes))

    def pulls(self, since: Since | None = None) -> dict[str, PullRequest]:
        """The merge requests that a fetch brings, as they came last."""
        return {pull.number: pull for page in self.pages(since) for pull in page.pulls}

    def asked(self) -> list[str]:
        """What was asked for, in the project."""
        paths = (request.path.removeprefix(f"{PROJECT}/") for request in self.server.asked)
        return sorted(paths)


@contextmanager
def opened() -> Iterator[Bench]:
    with gitlab() as (there, server):
        bench = Bench(there, server)
        with bench.workplace:
            yield bench


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
        Response(403, {"message": "403 Forbidden"}),
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
        PullRequest("6", "branch-6", "open", (), "2026-05-01T12:53:20Z", ()),
        PullRequest("1", "branch-1", "open", ("src/1.py",), "2026-05-01T12:53:20Z", (ids[0],)),
        PullRequest("2", "feature/2", "draft", ("src/2.py",), "2026-05-01T12:53:20Z", (ids[1],)),
        PullRequest(
            "3", "branch-3", "merged", ("src/3.py",), "2026-05-01T12:53:20Z", tuple(ids[2:4])
        ),
        PullRequest("4", "branch-4", "closed", ("src/4.py",), "2026-05-01T12:53:20Z", (ids[4],)),
        PullRequest("5", "branch-5", "open", ("src/5.py",), "2026-05-01T12:53:20Z", (ids[4],)),
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
    found: dict[str, PullRequest] = {}
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
    bench.server.fail(Response(500), when=lambda request: request.path.endswith("/diffs"))
    assert bench.pulls()["1"].files == ()
    assert bench.workplace.waits == []


def test_the_files_of_the_last_merge_requests(bench: Bench) -> None:
    there = bench.gitlab
    one = there.add()
    count = gitlab_details.MOST_DIFFS + 1
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
    assert [issue.id for issue in bench.open().query(Filter())] == [kept]
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
        return [issue.id for issue in tracker.query(Filter(*filter))]

    assert ids() == [bug, done, plain]
    assert ids("open") == ids("draft") == [bug, plain]
    assert ids("closed") == ids("merged") == [done]
    assert ids(None, ("Bug",)) == [bug, done]
    assert ids("open", ("Bug", "ui")) == [bug]
    assert len(bench.server.asked) == 7


def test_a_live_query_is_as_lazy_as_its_pages(bench: Bench) -> None:
    ids = [bench.gitlab.add(updated=float(START + number)) for number in range(PAGE + 20)]
    found = bench.open().query(Filter())
    assert next(found).id == ids[-1]
    assert len(bench.server.asked) == 1
    assert [issue.id for issue in found] == ids[-2::-1]
    assert len(bench.server.asked) == 2


def test_writing(bench: Bench) -> None:
    there = bench.gitlab
    tracker = bench.open()
    made = tracker.create(Draft("New", "Body", ("bug", "fresh"), "The epic"))
    assert (made.title, made.body, made.labels) == ("New", "Body", ("bug", "fresh"))
    assert there.issues[int(made.id)]["milestone"]["title"] == "The epic"
    changed = tracker.edit(made.id, Edit(title="Newer", labels=()))
    assert (changed.title, changed.body, changed.labels) == ("Newer", "Body", ())
    assert tracker.edit(made.id, Edit(body="")).body == ""
    tracker.comment(made.id, "Said *so*")
    assert there.notes == [(int(made.id), "Said *so*")]
    other = tracker.create(Draft("Other"))
    tracker.group(other.id, "The epic")
    assert len(there.milestones) == 1
    assert there.issues[int(other.id)]["milestone"] is there.milestones[0]
    tracker.close(other.id)
    tracker.close(other.id)
    assert there.issues[int(other.id)]["state"] == "closed"


def test_writing_to_what_is_not_there(bench: Bench) -> None:
    tracker = bench.open()
    for write in (
        lambda: tracker.edit("99", Edit(title="x")),
        lambda: tracker.close("99"),
        lambda: tracker.comment("99", "x"),
    ):
        with pytest.raises(Missing):
            write()


def test_answers_that_say_nothing(bench: Bench) -> None:
    tracker = bench.open()

    def asked(method: str, end: str) -> Any:
        return lambda request: request.method == method and request.path.endswith(end)

    bench.server.fail(Response(200, {}), when=asked("GET", "/issues/1"))
    with pytest.raises(Missing, match="is no issue"):
        tracker.issue("1")
    bench.server.fail(Response(201, {}), when=asked("POST", "/issues"))
    with pytest.raises(RemoteError, match="which issue it wrote"):
        tracker.create(Draft("New"))
    bench.server.fail(Response(201, {}), when=asked("POST", "/milestones"))
    with pytest.raises(RemoteError, match="which milestone it made"):
        tracker.group("1", "The epic")


def test_a_live_query_that_repeats_itself(bench: Bench) -> None:
    for _ in range(PAGE + 1):
        bench.gitlab.add()
    first = Response(
        200, [{"iid": 1}], {"Link": f'<{bench.server.url}{PROJECT}/issues?page=2>; rel="next"'}
    )
    bench.server.fail(*[first] * 5)
    with pytest.raises(RemoteError, match="again and again"):
        list(bench.open().query(Filter()))
    assert len(bench.server.asked) == 2


def test_a_comment_is_made_once(bench: Bench) -> None:
    id = bench.gitlab.add()
    bench.server.fail(Response(502, b""), when=lambda request: request.method == "POST")
    with pytest.raises(RemoteError):
        bench.open().comment(id, "x")
    assert len(bench.server.asked) == 1


def test_any_field_may_be_null_or_missing(bench: Bench) -> None:
    there = bench.gitlab
    one, two = (
        there.add(labels=["a"], assignees=[{"username": "bea"}], state="closed", closed=1.0)
        for _ in range(2)
    )
    there.block(one, two, kind="blocks")
    there.merge(f"Closes #{one}")
    since = Since(START - 2.0, START - 2.0)
    answers: dict[str, Any] = {}
    tracker = bench.open()

    def keep(path: str, data: Any) -> Any:
        answers[path] = copy.deepcopy(data)
        return data

    there.spoil = keep
    bench.pages(since)
    assert answers.keys() == {"issues", "merge_requests", "closes_issues", "diffs"}
    tried = 0
    for path, whole in answers.items():
        for what, data in damaged(whole, fields_of(whole[0])):
            there.spoil = lambda asked, sent, path=path, data=data: data if asked == path else sent
            pages = list(tracker.fetch(since, {}))
            ids = {issue.id for page in pages for issue in page.issues}
            assert ids <= {one, two}, what
            assert ids or path == "issues", (path, what)
            tried += 1
    assert tried > 120


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=10,
)
ENTRY = st.dictionaries(
    st.sampled_from(
        [
            "iid", "title", "description", "state", "labels", "assignees", "assignee", "author",
            "created_at", "updated_at", "closed_at", "web_url", "moved_to_id", "draft",
            "work_in_progress", "source_branch", "references", "project_id", "link_type",
            "old_path", "new_path", "changes",
        ]
    ),
    JSON,
)  # fmt: skip


@given(entry=ENTRY | JSON)
def test_whatever_gitlab_answers(entry: object) -> None:
    issue, pull = issue_of(entry), pull_of(entry, HOME)
    assert (issue is None) == (pull is None)
    assert issue is None or issue.id.isdecimal()
    assert all(isinstance(path, str) for path in files_of([entry]))
    assert all(isinstance(id, str) for ids in edges_of([entry], 1) for id in ids)


@settings(max_examples=25)
@given(data=JSON | st.lists(ENTRY, max_size=3))
def test_whatever_a_page_is(data: object) -> None:
    """A page of any JSON ends in issues or in one line."""
    with opened() as bench:
        bench.gitlab.spoil = lambda _path, _data: data
        try:
            fetched(bench.open())
        except SddError as error:
            assert "\n" not in str(error)


@pytest.mark.parametrize(
    ("description", "closes"),
    [
        ("Closes #4", ("4",)),
        ("fixes: #4, #6 and #7", ("4", "6", "7")),
        ("Implements issue #4 and issues #5", ("4", "5")),
        ("Resolving acme/tools/shop#4", ("4",)),
        ("Closes shop#4", ("4",)),
        ("Closes acme/other#4", ()),
        ("Closes https://gitlab.example/acme/tools/shop/-/issues/4", ("4",)),
        ("Closes https://gitlab.example/acme/tools/shop/issues/4 and #5", ("4", "5")),
        ("Closes https://gitlab.example/acme/other/-/work_items/4", ()),
        ("Closes #4. Closes #4 and fixes #5", ("4", "5")),
        ("Related to #4", ()),
        ("Encloses #4, discloses #5", ()),
        ("Closes 4, closes # 5, closes#6", ()),
        ("`Closes #4`\n```\nCloses #5\n```", ()),
        ("", ()),
    ],
)
def test_what_a_description_closes(description: str, closes: tuple[str, ...]) -> None:
    assert closed_by_text(description, HOME) == closes


@given(description=st.text(alphabet="closes fix#12,/-and:\n", max_size=60))
def test_any_description(description: str) -> None:
    assert all(id.isdecimal() for id in closed_by_text(description, HOME))


@pytest.mark.parametrize("part", ["closes ", "closes #1, ", "closes a/", "closes a", "fixes #"])
def test_a_long_description_takes_no_time(part: str) -> None:
    closed_by_text(part * 50_000, HOME)


# As files.


def synced(bench: Bench, root: Path, **options: Any) -> Synced:
    return sync(
        bench.open(), IssueFolder(root, "issues"), clock=lambda: bench.gitlab.now, **options
    )


def stored(root: Path) -> dict[str, str]:
    return {path.stem: path.read_text() for path in (root / "issues").glob("*.md")}


def assert_as_synced_anew(bench: Bench, root: Path) -> None:
    (root / "clean").mkdir()
    synced(bench, root / "clean")
    assert stored(root) == stored(root / "clean")


def test_issues_as_files(bench: Bench, tmp_path: Path) -> None:
    there = bench.gitlab
    ids = [there.add(f"Issue {n}", updated=float(START + n)) for n in range(PAGE + 30)]
    merge = there.merge(f"Closes #{ids[4]}", closes=[int(ids[5])])
    there.block(ids[0], ids[1])
    there.now += 3600
    assert synced(bench, tmp_path).added == len(ids)
    assert synced(bench, tmp_path).changed == ()
    bench.server.asked.clear()
    assert synced(bench, tmp_path).changed == ()
    assert bench.asked() == ["issues", "merge_requests"], "by then their tags are known"
    there.now += 60
    there.edit(ids[3], title="Edited")
    there.edit_merge(merge, state="merged")
    done = synced(bench, tmp_path)
    assert (done.added, done.updated, done.removed) == (0, 3, 0)
    assert "blocks: [2]" in stored(tmp_path)[ids[0]]
    assert all("status: merged" not in stored(tmp_path)[ids[n]] for n in (4, 5)), "both are open"
    assert all("**Status**: merged" in stored(tmp_path)[ids[n]] for n in (4, 5))
    there.now += 60
    there.delete(ids[6])
    there.move(ids[7])
    assert synced(bench, tmp_path).removed == 1
    assert synced(bench, tmp_path, full=True).removed == 1
    assert {*stored(tmp_path)} == {*ids} - {ids[6], ids[7]}
    assert_as_synced_anew(bench, tmp_path)


def test_edits_between_the_pages_of_a_sync(bench: Bench, tmp_path: Path) -> None:
    there = bench.gitlab
    ids = [there.add(updated=float(START + n // 40)) for n in range(3 * PAGE)]
    merge = there.merge(f"Closes #{ids[0]}")
    there.now += 3600
    pages = 0

    def meanwhile(request: Request) -> None:
        nonlocal pages
        if request.path.endswith("/issues"):
            pages += 1
            if pages in {2, 3}:
                there.now += 0.3
                there.edit(ids[pages], title="Edited meanwhile")
                there.edit(ids[200 + pages], title="Edited meanwhile")
                ids.append(there.add("Added meanwhile"))
                there.edit_merge(merge, description=f"Closes #{ids[pages]}")

    bench.server.faults.append(meanwhile)
    synced(bench, tmp_path)
    there.now += 3600
    synced(bench, tmp_path)
    assert {*stored(tmp_path)} == {*ids}
    assert sum("meanwhile" in text for text in stored(tmp_path).values()) == 6
    assert_as_synced_anew(bench, tmp_path)


def test_a_sync_that_fails_on_its_second_page(bench: Bench, tmp_path: Path) -> None:
    ids = [bench.gitlab.add(updated=float(START + n)) for n in range(PAGE + 5)]
    bench.server.fail(
        *[Response(500, {})] * 4, when=lambda request: "updated_after" in request.query
    )
    with pytest.raises(RemoteError):
        synced(bench, tmp_path)
    assert len(stored(tmp_path)) == PAGE
    synced(bench, tmp_path)
    assert {*stored(tmp_path)} == {*ids}


def test_two_edits_in_one_second_as_files(bench: Bench, tmp_path: Path) -> None:
    one, two = bench.gitlab.add(), bench.gitlab.add()
    bench.gitlab.edit(one, title="First", updated=START + 5.25)
    bench.gitlab.now = START + 5.5
    synced(bench, tmp_path)
    bench.gitlab.edit(two, title="Second", updated=START + 5.75)
    bench.gitlab.now = START + 5.9
    assert synced(bench, tmp_path).updated == 1
    assert "Second" in stored(tmp_path)[two]


def test_its_properties(bench: Bench) -> None:
    tracker = bench.open("Acme/tools", "Shop")
    assert (tracker.name, tracker.label) == ("gitlab", "GitLab")
    assert tracker.place == f"{bench.server.url.removeprefix('http://')}/{HOME}"
    assert tracker.web == f"{bench.server.url}/Acme/tools/Shop"
    tracker.disconnect()
    with pytest.raises(RemoteError):
        fetched(tracker)


# Where it is.


def around(origin: str = "", **environ: str) -> Around:
    return Around(Path("/nonexistent"), (), parse_remote(origin) if origin else None, environ)


@pytest.mark.parametrize(
    ("origin", "where"),
    [
        ("git@gitlab.com:acme/shop.git", ("https://gitlab.com", "acme", "shop")),
        ("https://gitlab.com/acme/tools/shop", ("https://gitlab.com", "acme/tools", "shop")),
        ("ssh://git@altssh.gitlab.com:443/acme/shop.git", ("https://gitlab.com", "acme", "shop")),
        ("git@gitlab.acme.example:a/b.git", ("https://gitlab.acme.example", "a", "b")),
        ("https://gitlab.example:8443/a/b", ("https://gitlab.example:8443", "a", "b")),
        ("http://gitlab.lan/a/b", ("http://gitlab.lan", "a", "b")),
        ("git@gitlab:a/b.git", None),
        ("git@notgitlab.example:a/b.git", None),
        ("https://example.com/gitlab/b", None),
        ("https://gitlab.com/alone", None),
        ("https://gitlab.com/a/../b", None),
        ("", None),
    ],
)
def test_a_project_is_recognised(origin: str, where: tuple[str, str, str] | None) -> None:
    assert VENDOR.detected(around(origin)) == where


@pytest.mark.parametrize(
    ("declared", "origin", "where"),
    [
        ({}, "git@gitlab.com:acme/shop.git", ("https://gitlab.com", "acme", "shop")),
        ({}, "git@git.acme.example:a/b/c.git", ("https://git.acme.example", "a/b", "c")),
        ({"owner": "x/y"}, "git@gitlab.com:a/b.git", ("https://gitlab.com", "x/y", "b")),
        ({"owner": "x", "repo": "y"}, "", ("https://gitlab.com", "x", "y")),
        ({"owner": "x", "repo": "y"}, "git@git.a.example:a/b", ("https://gitlab.com", "x", "y")),
        ({"url": "https://gitlab.com/a/b/c"}, "", ("https://gitlab.com", "a/b", "c")),
        ({"url": "https://gitlab.com/a/b.git"}, "", ("https://gitlab.com", "a", "b")),
        (
            {"url": "https://GITLAB.acme.example/"},
            "git@gitlab.acme.example:a/b",
            ("https://gitlab.acme.example", "a", "b"),
        ),
        (
            {"url": "https://acme.example/gitlab", "owner": "x", "repo": "y"},
            "",
            ("https://acme.example/gitlab", "x", "y"),
        ),
        (
            {"url": "https://gitlab.com/x/y", "owner": "x", "repo": "y"},
            "",
            ("https://gitlab.com", "x", "y"),
        ),
    ],
)
def test_a_project_is_declared(
    declared: dict[str, str], origin: str, where: tuple[str, str, str]
) -> None:
    assert VENDOR.declared(TrackerSettings("gitlab", **declared), around(origin)) == where


@pytest.mark.parametrize(
    ("declared", "named"),
    [
        ({}, "Owner"),
        ({"owner": "a"}, "Repo"),
        ({"repo": "b"}, "Owner"),
        ({"owner": "../..", "repo": "b"}, "Owner"),
        ({"owner": "a", "repo": ".."}, "Repo"),
        ({"owner": "a", "repo": "b/c"}, "Repo"),
        ({"owner": "a?b", "repo": "c"}, "Owner"),
        ({"url": "ftp://x"}, "URL"),
        ({"url": "https://user:pass@gitlab.com/a/b"}, "URL"),
        ({"url": "https://gitlab.com/a/../b"}, "URL"),
    ],
)
def test_a_declaration_that_does_not_say_where(declared: dict[str, str], named: str) -> None:
    with pytest.raises(SddError, match=named) as caught:
        VENDOR.declared(TrackerSettings("gitlab", **declared), around())
    assert "pass" not in str(caught.value)


def test_a_host_is_asked_whether_it_is_gitlab(bench: Bench) -> None:
    place = around(f"{bench.server.url}/acme/tools/shop.git")
    machine = bench.workplace.machine("GitLab")._replace(around=place)
    assert VENDOR.asked(place, machine) == (bench.server.url, "acme/tools", "shop")
    (request,) = bench.server.asked
    assert request.path == "/api/v4/version"
    assert request.headers.keys().isdisjoint({"private-token", "authorization"})


def test_an_origin_that_is_no_project_is_not_asked(bench: Bench) -> None:
    for origin in ("", f"{bench.server.url}/alone"):
        assert VENDOR.asked(around(origin), bench.workplace.machine("GitLab")) is None
    assert bench.server.asked == []


@pytest.mark.parametrize("status", [200, 401, 403, 404])
def test_a_host_that_is_no_gitlab(status: int) -> None:
    with serving(lambda _: Response(status, {})) as server, Workplace(0.0) as workplace:
        place = around(f"{server.url}/acme/shop.git")
        assert VENDOR.asked(place, workplace.machine("GitLab")) is None


# Who may ask.

API = "https://gitlab.com/api/v4"


def secret(api: str, tmp: Path, origin: str = "", **environ: str) -> Secret | None:
    place = around(origin)
    found = {"HOME": str(tmp), **environ}
    return find_secret(_sources(found), api, around_origin=place.origin, root=tmp, environ=found)


def test_a_token_belongs_to_one_host(tmp_path: Path) -> None:
    own = "https://gitlab.acme.example/api/v4"
    assert secret(API, tmp_path, GITLAB_TOKEN="t") is not None
    assert secret(own, tmp_path, GITLAB_TOKEN="t") is None
    assert secret(own, tmp_path, GITLAB_TOKEN="t", GITLAB_HOST="gitlab.acme.example") is not None
    assert secret(API, tmp_path, GITLAB_TOKEN="t", GITLAB_HOST="gitlab.acme.example") is None
    server = "https://gitlab.acme.example"
    assert secret(own, tmp_path, GITLAB_TOKEN="t", CI_SERVER_URL=server) is not None
    assert secret(own, tmp_path, origin=f"{server}/a/b", GITLAB_TOKEN="t") is None


def test_the_token_of_a_job_is_no_use(tmp_path: Path) -> None:
    environ = {"CI_JOB_TOKEN": "t", "CI_SERVER_URL": "https://gitlab.com"}
    assert secret(API, tmp_path, **environ) is None

    def advised(environ: dict[str, str]) -> str:
        return advice(_sources(environ), API, around_origin=None, environ=environ)

    assert "CI_JOB_TOKEN cannot read issues" in advised(environ)
    assert "CI_JOB_TOKEN" not in advised({**environ, "GITLAB_TOKEN": "t"})
    assert "glab auth login" in advised({})


def test_what_carries_a_token() -> None:
    headers = _sources({}).headers
    assert headers(Secret("t", "GITLAB_TOKEN")) == {"PRIVATE-TOKEN": "t"}
    assert headers(Secret("t", "git's credential helper", "ana")) == {"PRIVATE-TOKEN": "t"}
    bearer = {"Authorization": "Bearer t"}
    assert headers(Secret("t", "git's credential helper", "oauth2")) == bearer


def test_a_wrong_token_and_none(bench: Bench) -> None:
    bench.gitlab.token = "another"
    with pytest.raises(AccessRefused) as caught:
        fetched(bench.open())
    assert TOKEN not in str(caught.value)
    bench.gitlab.add()
    machine = bench.workplace.machine("GitLab", token=None)
    tracker = VENDOR.open(Where(bench.server.url, "acme/tools", "shop"), machine)
    assert len(fetched(tracker)) == 1
    bench.gitlab.public = False
    with pytest.raises(Missing):
        fetched(tracker)


STORE = """\
git_protocol: ssh
hosts:
    gitlab.com:
        token: !!null glpat-of-the-cloud
        api_protocol: https
        user: ana
    gitlab.acme.example:8443:
        token: opaque
        is_oauth2: "true"
    empty.example:
        token:
"""


def kept(tmp_path: Path, text: str = STORE) -> dict[str, str]:
    folder = tmp_path / "glab"
    folder.mkdir(exist_ok=True)
    (folder / "config.yml").write_text(text)
    return {"GLAB_CONFIG_DIR": str(folder)}


def test_what_glab_keeps(tmp_path: Path) -> None:
    environ = kept(tmp_path)
    assert stored_by_glab("gitlab.com", environ) == Secret("glpat-of-the-cloud", "glab")
    own = stored_by_glab("gitlab.acme.example:8443", environ)
    assert own == Secret("opaque", "glab", "oauth2")
    assert stored_by_glab("gitlab.acme.example", environ) is None
    assert stored_by_glab("empty.example", environ) is None
    found = secret(API, tmp_path, **environ)
    assert found is not None
    assert "glpat" not in repr(found)


@pytest.mark.parametrize(
    ("variable", "below"),
    [
        ("GLAB_CONFIG_DIR", ""),
        ("XDG_CONFIG_HOME", "glab-cli"),
        ("HOME", ".config/glab-cli"),
        ("HOME", "Library/Application Support/glab-cli"),
    ],
)
def test_where_glab_keeps_it(tmp_path: Path, variable: str, below: str) -> None:
    folder = tmp_path / below
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.yml").write_text(STORE)
    assert stored_by_glab("gitlab.com", {variable: str(tmp_path)}) is not None
    assert stored_by_glab("gitlab.com", {variable: "relative"}) is None
    assert stored_by_glab("gitlab.com", {}) is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "hosts",
        "hosts: [gitlab.com]",
        "hosts: {gitlab.com: glpat}",
        "hosts: {gitlab.com: {token: [x]}}",
        "hosts: {gitlab.com: {token: !!python/object/apply:os.getcwd []}}",
        "hosts: {gitlab.com: {token: x",
        "hosts: {gitlab.com: {token: '  '}}",
        "\0",
        "[" * 1_000,
        "#" * 100_001 + "\n" + STORE,
    ],
)
def test_a_store_that_is_none(tmp_path: Path, text: str) -> None:
    assert stored_by_glab("gitlab.com", kept(tmp_path, text)) is None


def test_a_store_that_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "config.yml").mkdir()
    assert stored_by_glab("gitlab.com", {"GLAB_CONFIG_DIR": str(tmp_path)}) is None


def test_a_memory_file_does_not_draw_a_token(bench: Bench, tmp_path: Path) -> None:
    """A declared address is asked, and gets nothing."""
    environ = {"GITLAB_TOKEN": "s3cret", "HOME": str(tmp_path), **kept(tmp_path)}
    where = VENDOR.declared(
        TrackerSettings("gitlab", owner="acme/tools", repo="shop", url=bench.server.url), around()
    )

    def connecting(api: str, sources: Any, limits: Any = None) -> Any:
        return connect(
            api, sources, limits, label="GitLab", around_origin=None, root=tmp_path, environ=environ
        )

    bench.gitlab.add()
    tracker = VENDOR.open(where, Machine(around(**environ), connecting))
    assert len(fetched(tracker)) == 1
    tracker.disconnect()
    for request in bench.server.asked:
        assert request.headers.keys().isdisjoint({"private-token", "authorization"})
