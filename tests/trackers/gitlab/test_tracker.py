"""Reading and writing the issues of a project on a fake GitLab."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from sdd_hooks.errors import Missing, RateLimited, RemoteError
from sdd_hooks.trackers.gitlab import details as gitlab_details
from sdd_hooks.trackers.issue import Issue, IssueDraft, LinkedPull
from sdd_hooks.trackers.protocol import IssueFilter, Since
from tests.support.gitlab import rate_limited
from tests.support.loopback import CannedResponse
from tests.trackers.fetching import START, fetched, listed
from tests.trackers.gitlab.harness import HOME, PAGE, PROJECT, GitLabHarness, open_harness


@pytest.fixture
def harness() -> Iterator[GitLabHarness]:
    with open_harness() as found:
        yield found


def test_an_issue_with_all_fields(harness: GitLabHarness) -> None:
    id = harness.gitlab.add(
        " A title ",
        description="A body\r\nwith two  \nlines",
        labels=["Bug", "epic::shop"],
        assignees=[{"username": "bea"}, {"username": "cai"}],
        state="closed",
        closed=START + 1.9,
        updated=START + 2.5,
        confidential=True,
    )
    (issue,) = fetched(harness.open()).values()
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
        url=f"{harness.server.url}/{HOME}/-/issues/1",
        tracker="gitlab",
        body="A body\r\nwith two  \nlines",
    )


def test_requests_have_the_full_path_of_the_project(harness: GitLabHarness) -> None:
    harness.gitlab.add()
    fetched(harness.open())
    assert harness.server.requests[0].path == f"{PROJECT}/issues"
    assert harness.server.requests[0].query["scope"] == "all"


def test_an_unchanged_listing_is_answered_with_304(harness: GitLabHarness) -> None:
    one, two = harness.gitlab.add(), harness.gitlab.add()
    harness.gitlab.block(one, two)
    harness.gitlab.merge(f"Closes #{one}")
    notes: dict[str, str] = {}
    since = Since(START - 2.0, START - 2.0)
    harness.pages(since, notes)
    kept = dict(notes)
    harness.server.requests.clear()
    pages = harness.pages(since, notes)
    assert [(page.issues, page.pulls) for page in pages] == [((), ()), ((), ())]
    assert harness.requested_paths() == ["issues", "merge_requests"]
    assert notes == kept, "the tag still holds"
    harness.gitlab.edit(one, title="Another")
    harness.gitlab.edit(one, updated=float(START))
    assert set(fetched(harness.open(), since, notes)) == {one, two}
    assert set(fetched(harness.open(), since._replace(issues=START - 1.0), notes)) == {one, two}


def test_the_etag_of_several_pages_is_not_stored(harness: GitLabHarness) -> None:
    for number in range(PAGE + 1):
        harness.gitlab.add(updated=float(START + number))
    notes: dict[str, str] = {}
    since = Since(START - 2.0, START - 2.0)
    harness.pages(since, notes)
    assert notes["issues tag"] == ""
    assert notes["merge_requests tag"] != ""
    assert len(fetched(harness.open(), since, notes)) == PAGE + 1


@pytest.mark.parametrize("counts", [True, False])
@pytest.mark.parametrize("decimals", [0.0, 0.123456, 0.999999])
def test_no_issue_is_missed_between_two_pages(
    harness: GitLabHarness, decimals: float, counts: bool
) -> None:
    """GitLab's internal times are more precise than its payloads."""
    harness.gitlab.headers = counts
    ids = [harness.gitlab.add(updated=START + number // 3 + decimals) for number in range(250)]
    assert sorted(fetched(harness.open())) == sorted(ids)
    assert harness.requested_paths().count("issues") == 3


def test_an_issue_deleted_between_pages_of_one_second_hides_no_other(
    harness: GitLabHarness,
) -> None:
    ids = [harness.gitlab.add() for _ in range(3 * PAGE)]
    found: set[str] = set()
    edited = []
    for page in harness.open().fetch(Since(), {}):
        found |= {issue.id for issue in page.issues}
        for id in ids[len(edited) : len(edited) + 3]:
            harness.gitlab.edit(id, updated=START + 500.0)
            edited.append(id)
    assert found == set(ids)


def test_the_time_of_a_page_is_the_servers(harness: GitLabHarness) -> None:
    harness.gitlab.add()
    harness.gitlab.now = START + 77.0
    assert [page.at for page in harness.pages()] == [START + 77.0] * 2


def test_the_total_of_the_first_page(harness: GitLabHarness) -> None:
    for number in range(PAGE + 1):
        harness.gitlab.add(updated=float(START + number))
    assert harness.pages()[0].total == PAGE + 1
    harness.gitlab.headers = False
    assert harness.pages()[0].total is None


def test_links(harness: GitLabHarness) -> None:
    gitlab = harness.gitlab
    one, two, three, four, plain = (gitlab.add() for _ in range(5))
    gitlab.block(one, two)
    gitlab.block(three, one)
    gitlab.block(one, "7", project="acme/other")
    gitlab.block(four, "8", kind="is_blocked_by", project="acme/other")
    gitlab.block(one, three, kind="relates_to")
    found = fetched(harness.open())
    assert (found[one].blocks, found[one].blocked_by) == ((two, "acme/other#7"), (three,))
    assert (found[two].blocks, found[two].blocked_by) == ((), (one,))
    assert found[four].blocked_by == ("acme/other#8",)
    assert (found[plain].blocks, found[plain].blocked_by) == ((), ())
    asked = harness.requested_paths()
    assert f"issues/{plain}/links" not in asked
    assert asked.count("/api/graphql") == 1


def test_links_are_not_requested_without_a_licence(harness: GitLabHarness) -> None:
    harness.gitlab.licence = False
    harness.gitlab.add()
    fetched(harness.open())
    assert harness.requested_paths() == ["issues", "merge_requests"]


def test_without_graphql_the_counts_of_the_listing_are_used(harness: GitLabHarness) -> None:
    gitlab = harness.gitlab
    gitlab.graphql = False
    one, two = gitlab.add(), gitlab.add()
    gitlab.block(one, two)
    for number in range(PAGE):
        gitlab.add(updated=START + number + 1.0)
    pages = harness.pages()
    found = {issue.id: issue for page in pages for issue in page.issues}
    assert found[one].blocks == (two,)
    assert found[two].blocked_by == ()
    warnings = [warning for page in pages for warning in page.warnings]
    assert len(warnings) == 1
    assert "blockedByCount" in warnings[0]
    assert harness.requested_paths().count("/api/graphql") == 1


def test_a_rate_limit_of_graphql_ends_the_fetch(harness: GitLabHarness) -> None:
    harness.gitlab.add()
    harness.server.fail(
        rate_limited(3000, harness.gitlab.now)[0],
        when=lambda request: request.path == "/api/graphql",
    )
    with pytest.raises(RateLimited):
        fetched(harness.open())


def test_hidden_links(harness: GitLabHarness) -> None:
    one, two = harness.gitlab.add(), harness.gitlab.add()
    harness.gitlab.block(one, two)
    harness.server.fail(
        CannedResponse(403, {"message": "403 Forbidden"}),
        when=lambda request: request.path.endswith(f"{one}/links"),
    )
    found = fetched(harness.open())
    assert found[one].blocks == ()
    assert found[two].blocked_by == (one,)


def test_merge_requests(harness: GitLabHarness) -> None:
    gitlab = harness.gitlab
    ids = [gitlab.add() for _ in range(5)]
    merges = [
        gitlab.merge(f"Closes #{ids[0]}"),
        gitlab.merge(f"Closes #{ids[1]}", draft=True, source_branch="feature/2"),
        gitlab.merge(f"Closes #{ids[2]} and #{ids[3]}", state="merged", draft=True),
        gitlab.merge(f"Closes #{ids[4]}", state="closed"),
        gitlab.merge(f"Closes #{ids[4]}", state="locked"),
        gitlab.merge("Nothing to close"),
    ]
    assert list(harness.pulls().values()) == [
        LinkedPull("6", "branch-6", "open", (), "2026-05-01T12:53:20Z", ()),
        LinkedPull("1", "branch-1", "open", ("src/1.py",), "2026-05-01T12:53:20Z", (ids[0],)),
        LinkedPull("2", "feature/2", "draft", ("src/2.py",), "2026-05-01T12:53:20Z", (ids[1],)),
        LinkedPull(
            "3", "branch-3", "merged", ("src/3.py",), "2026-05-01T12:53:20Z", tuple(ids[2:4])
        ),
        LinkedPull("4", "branch-4", "closed", ("src/4.py",), "2026-05-01T12:53:20Z", (ids[4],)),
        LinkedPull("5", "branch-5", "open", ("src/5.py",), "2026-05-01T12:53:20Z", (ids[4],)),
    ]
    asked = harness.requested_paths()
    assert asked.count("merge_requests") == 1
    assert f"merge_requests/{merges[5]}/diffs" not in asked
    assert not [path for path in asked if "clos" in path]


def test_issues_closed_by_commits_alone(harness: GitLabHarness) -> None:
    gitlab = harness.gitlab
    one, two = gitlab.add(), gitlab.add()
    merge = gitlab.merge("Refactor", closes=[int(one), int(two)])
    gitlab.merge("Of a fork's own", closes=[int(one)], project="bea/shop")
    assert harness.pulls()[merge].closes == (one, two)
    gitlab.edit_merge(merge, state="merged", updated=START + 9.0)
    found = harness.pulls(Since(START + 5.0, START + 5.0))
    assert found[merge].status == "merged"
    assert found[merge].closes == (one, two)


def test_a_removed_link(harness: GitLabHarness) -> None:
    one = harness.gitlab.add()
    merge = harness.gitlab.merge(f"Closes #{one}")
    harness.gitlab.edit_merge(merge, description="Nothing now", updated=START + 9.0)
    assert harness.pulls(Since(START + 5.0, START + 5.0))[merge].closes == ()


def test_a_merge_request_changed_between_two_pages(harness: GitLabHarness) -> None:
    """It is on both pages, and its last occurrence counts."""
    one = harness.gitlab.add()
    first = harness.gitlab.merge(f"Closes #{one}")
    for number in range(PAGE + 5):
        harness.gitlab.merge(updated=START + number + 1.0)
    found: dict[str, LinkedPull] = {}
    for page in harness.open().fetch(Since(), {}):
        found |= {pull.number: pull for pull in page.pulls}
        if page.pulls:
            gitlab = harness.gitlab.merges[int(first)]
            gitlab.update(description="None", state="closed", updated=START + 900.0)
    assert (found[first].status, found[first].closes) == ("closed", ())


def test_files_from_an_old_version(harness: GitLabHarness) -> None:
    harness.gitlab.diffs = False
    one = harness.gitlab.add()
    merges = [harness.gitlab.merge(f"Closes #{one}") for _ in range(30)]
    found = harness.pulls()
    assert [found[merge].files for merge in merges] == [(f"src/{merge}.py",) for merge in merges]
    assert sum(path.endswith("/diffs") for path in harness.requested_paths()) < 30


def test_files_that_the_server_fails_to_return(harness: GitLabHarness) -> None:
    one = harness.gitlab.add()
    harness.gitlab.merge(f"Closes #{one}")
    harness.server.fail(CannedResponse(500), when=lambda request: request.path.endswith("/diffs"))
    assert harness.pulls()["1"].files == ()
    assert harness.client_factory.waits == []


def test_the_maximal_number_of_requests_for_files(harness: GitLabHarness) -> None:
    gitlab = harness.gitlab
    one = gitlab.add()
    count = gitlab_details.MAX_DIFF_REQUESTS + 1
    for number in range(count):
        gitlab.merge(f"Closes #{one}", updated=float(START + number))
    pages = harness.pages()
    found = {pull.number: pull for page in pages for pull in page.pulls}
    assert len(found) == count
    assert [number for number, pull in found.items() if not pull.files] == ["1"]
    assert [page.warnings for page in pages if page.warnings] == [
        ("the files of merge requests are known of the last 1,000 only",)
    ]


def test_a_project_without_merge_requests(harness: GitLabHarness) -> None:
    harness.gitlab.merge_requests = False
    id = harness.gitlab.add()
    pages = harness.pages()
    assert [issue.id for page in pages for issue in page.issues] == [id]
    (warning,) = pages[-1].warnings
    assert warning.startswith("merge requests are left out: ")


def test_a_moved_issue_is_gone(harness: GitLabHarness) -> None:
    kept, moved = harness.gitlab.add(), harness.gitlab.add()
    harness.gitlab.move(moved)
    page = harness.pages()[0]
    assert [issue.id for issue in page.issues] == [kept]
    assert page.deleted == (moved,)
    assert list(listed(harness.open())) == [kept]
    assert [issue.id for issue in harness.open().query(IssueFilter())] == [kept]
    with pytest.raises(Missing, match="moved to another project"):
        harness.open().issue(moved)


def test_a_renamed_project(harness: GitLabHarness) -> None:
    id = harness.gitlab.add()
    harness.gitlab.renamed = "acme/old"
    tracker = harness.open("acme", "old")
    assert list(fetched(tracker)) == [id]
    assert tracker.issue(id).id == id


def test_issue_takes_one_request(harness: GitLabHarness) -> None:
    id = harness.gitlab.add("This one")
    assert harness.open().issue(id).title == "This one"
    assert harness.requested_paths() == [f"issues/{id}"]
    with pytest.raises(Missing):
        harness.open().issue("999")


def test_labels_and_milestones(harness: GitLabHarness) -> None:
    gitlab = harness.gitlab
    tracker = harness.open()
    tracker.create(IssueDraft("New", "Body", ("bug", "epic")))
    assert gitlab.colours == {"bug": "#CCCCCC", "epic": "#6E40C9"}
    other = tracker.create(IssueDraft("Other"))
    assert tracker.group_of(other.id) == ""
    for _ in range(2):
        tracker.group(other.id, "The epic")
        assert tracker.group_of(other.id) == "The epic"
    assert len(gitlab.milestones) == 1
    assert gitlab.issues[int(other.id)]["milestone"] is gitlab.milestones[0]


def test_writes_with_an_empty_response(harness: GitLabHarness) -> None:
    tracker = harness.open()

    def asked(method: str, end: str) -> Any:
        return lambda request: request.method == method and request.path.endswith(end)

    harness.server.fail(CannedResponse(200, {}), when=asked("GET", "/issues/1"))
    with pytest.raises(Missing, match="is not an issue"):
        tracker.issue("1")
    harness.server.fail(CannedResponse(201, {}), when=asked("POST", "/issues"))
    with pytest.raises(RemoteError, match="which issue it wrote"):
        tracker.create(IssueDraft("New"))
    harness.server.fail(CannedResponse(201, {}), when=asked("POST", "/milestones"))
    with pytest.raises(RemoteError, match="which milestone it made"):
        tracker.group("1", "The epic")


def test_a_query_with_a_repeated_page(harness: GitLabHarness) -> None:
    for _ in range(PAGE + 1):
        harness.gitlab.add()
    first = CannedResponse(
        200, [{"iid": 1}], {"Link": f'<{harness.server.url}{PROJECT}/issues?page=2>; rel="next"'}
    )
    harness.server.fail(*[first] * 5)
    with pytest.raises(RemoteError, match="again and again"):
        list(harness.open().query(IssueFilter()))
    assert len(harness.server.requests) == 2


def test_name_label_and_addresses(harness: GitLabHarness) -> None:
    tracker = harness.open("Acme/tools", "Shop")
    assert (tracker.name, tracker.label) == ("gitlab", "GitLab")
    assert tracker.identity == f"{harness.server.url.removeprefix('http://')}/{HOME}"
    assert tracker.web_url == f"{harness.server.url}/Acme/tools/Shop"
    tracker.disconnect()
    with pytest.raises(RemoteError):
        fetched(tracker)
