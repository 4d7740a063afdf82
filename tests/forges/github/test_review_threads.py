"""Comments on lines of a pull request on GitHub, and the threads that they begin."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from sdd_hooks.errors import RateLimited, RemoteError
from sdd_hooks.forges.comments import RESOLVED_LINE, is_marked_resolved
from sdd_hooks.forges.github.review_threads import MAX_REVIEWS
from sdd_hooks.forges.protocol import LineComment, ReviewThread, WriteDenied
from tests.forges.github.harness import GitHubHarness, github_harness
from tests.support.github_forge import FORK, JOB, PERSONAL
from tests.support.loopback import CannedResponse, Request

HEAD = "2" * 40
JOBS_OWN = "github-actions[bot]"
LOST = CannedResponse(502, {"message": "Server Error"})


@pytest.fixture
def harness() -> Iterator[GitHubHarness]:
    with github_harness() as made:
        yield made


def comment(line: int) -> LineComment:
    return LineComment("src/app.py", line, f"<!-- sdd-review: f{line} -->\nFinding {line}.\n")


def publish(
    harness: GitHubHarness,
    comments: list[LineComment],
    resolve: tuple[ReviewThread, ...] = (),
    token: str = JOB,
) -> tuple[LineComment, ...]:
    return harness.open(token).publish_review(harness.number, HEAD, comments, resolve)


def reviews(request: Request) -> bool:
    return request.path.endswith("/reviews")


def graphql(request: Request) -> bool:
    return request.path.endswith("/graphql")


def lines(harness: GitHubHarness) -> list[int]:
    return sorted(line for _, line, _ in harness.forge.lines(harness.number))


def test_comments_are_posted_as_one_review_without_a_verdict(harness: GitHubHarness) -> None:
    wanted = [comment(line) for line in (3, 5, 8)]
    assert publish(harness, wanted) == ()
    (review,) = harness.forge.reviews[harness.number]
    assert (review["state"], review["commit_id"]) == ("COMMENTED", HEAD)
    assert harness.forge.lines(harness.number) == [(one.path, one.line, one.body) for one in wanted]


def test_no_comments_make_no_review(harness: GitHubHarness) -> None:
    assert publish(harness, []) == ()
    assert not harness.forge.server.requests


@pytest.mark.parametrize("hidden", [{1}, {3}, {5}, {2, 4}, {1, 2, 3, 4}])
def test_a_refused_line_does_not_block_the_others(harness: GitHubHarness, hidden: set[int]) -> None:
    harness.forge.is_shown = lambda _path, line: line not in hidden
    left = publish(harness, [comment(line) for line in range(1, 6)])
    assert {one.line for one in left} == hidden
    assert lines(harness) == sorted({1, 2, 3, 4, 5} - hidden)


def test_all_comments_are_returned_when_no_line_is_shown(harness: GitHubHarness) -> None:
    harness.forge.is_shown = lambda _path, _line: False
    wanted = [comment(line) for line in range(50)]
    assert publish(harness, wanted) == tuple(wanted)
    assert len(harness.forge.server.requests) == MAX_REVIEWS


def test_most_comments_are_posted_within_the_limit(harness: GitHubHarness) -> None:
    harness.forge.is_shown = lambda _path, line: line % 16 != 0
    wanted = [comment(line) for line in range(50)]
    left = publish(harness, wanted)
    assert {0, 16, 32, 48} <= {one.line for one in left}
    assert len(left) + len(lines(harness)) == 50
    assert len(left) < 10
    assert len(harness.forge.server.requests) <= MAX_REVIEWS


def test_the_larger_parts_are_posted_first(harness: GitHubHarness) -> None:
    harness.forge.is_shown = lambda _path, line: line < 25
    left = publish(harness, [comment(line) for line in range(50)])
    assert [one.line for one in left] == list(range(25, 50))


def test_a_review_whose_response_was_lost_is_not_posted_again(harness: GitHubHarness) -> None:
    left = [LOST]

    def fault(request: Request) -> CannedResponse | None:
        if not reviews(request) or not left:
            return None
        harness.forge.answer(request)
        return left.pop()

    harness.forge.server.faults.append(fault)
    assert publish(harness, [comment(1), comment(2)]) == ()
    assert lines(harness) == [1, 2]


def test_a_failed_review_is_sent_once_more(harness: GitHubHarness) -> None:
    # An equal comment exists whose thread is resolved: it is not the posted one.
    harness.forge.add_thread(
        harness.number, comment(1).body, JOBS_OWN, program=True
    ).resolved = True
    harness.forge.add_thread(harness.number, comment(1).body, "mallory")
    harness.forge.server.fail(LOST, when=reviews)
    assert publish(harness, [comment(1)]) == ()
    assert len(harness.forge.reviews[harness.number]) == 1


def test_a_failed_review_is_not_sent_a_third_time(harness: GitHubHarness) -> None:
    harness.forge.server.fail(*[LOST] * 5, when=reviews)
    with pytest.raises(RemoteError, match="502"):
        publish(harness, [comment(1)])
    assert sum(map(reviews, harness.forge.server.requests)) == 2


@pytest.mark.parametrize("status", [401, 403, 404, 410])
def test_a_denied_review(harness: GitHubHarness, status: int) -> None:
    harness.forge.server.fail(CannedResponse(status, {"message": "No"}), when=reviews)
    with pytest.raises(WriteDenied):
        publish(harness, [comment(1)])
    assert sum(map(reviews, harness.forge.server.requests)) == 1


def test_a_token_of_a_fork(harness: GitHubHarness) -> None:
    with pytest.raises(WriteDenied, match="not accessible"):
        publish(harness, [comment(1)], token=FORK)


@pytest.mark.parametrize("api", ["graphql", "rest"])
@pytest.mark.parametrize("token", [JOB, PERSONAL])
def test_threads_of_the_own_account(harness: GitHubHarness, token: str, api: str) -> None:
    harness.forge.graphql = api == "graphql"
    publish(harness, [comment(1)], token=token)
    harness.forge.add_thread(harness.number, comment(1).body, "mallory")
    harness.forge.add_thread(harness.number, comment(1).body, "github-actions")
    found = harness.open(token).threads(harness.number)
    assert [one.is_own for one in found] == [True, False, False]
    assert not any(one.is_resolved for one in found)
    assert [one.body for one in found] == [comment(1).body] * 3
    assert len({one.id for one in found}) == 3


@pytest.mark.parametrize("knows", [True, False])
def test_a_job_is_distinguished_from_other_programs(harness: GitHubHarness, knows: bool) -> None:
    harness.forge.tells_authorship = knows
    publish(harness, [comment(1)])
    harness.forge.add_thread(harness.number, comment(1).body, "dependabot[bot]", program=True)
    assert [one.is_own for one in harness.open().threads(harness.number)] == [True, False]


def test_a_resolution_by_a_job_is_not_that_of_a_person(harness: GitHubHarness) -> None:
    harness.forge.add_thread(
        harness.number, comment(1).body, JOBS_OWN, program=True
    ).resolved = True
    assert [one.is_own_resolution for one in harness.open(JOB).threads(harness.number)] == [True]
    assert [one.is_own_resolution for one in harness.open(PERSONAL).threads(harness.number)] == [
        False
    ]


def test_the_resolver_of_a_thread(harness: GitHubHarness) -> None:
    unresolved = harness.forge.add_thread(harness.number, comment(1).body, "robin")
    by_viewer = harness.forge.add_thread(harness.number, comment(2).body, "robin")
    by_person = harness.forge.add_thread(harness.number, comment(3).body, "robin")
    by_viewer.resolved, by_viewer.resolver = True, "robin"
    by_person.resolved, by_person.resolver = True, "ana"
    found = harness.open(PERSONAL).threads(harness.number)
    assert [(one.is_resolved, one.is_own_resolution) for one in found] == [
        (False, False),
        (True, True),
        (True, False),
    ]
    assert not unresolved.resolved


def test_all_pages_of_threads_are_read(harness: GitHubHarness) -> None:
    for number in range(205):
        harness.forge.add_thread(harness.number, f"Comment {number}")
    assert len(harness.open().threads(harness.number)) == 205
    harness.forge.graphql = False
    assert len(harness.open().threads(harness.number)) == 205


def test_replies_begin_no_thread(harness: GitHubHarness) -> None:
    thread = harness.forge.add_thread(harness.number, "A question")
    reply = dict(thread.comments[0], id=99, in_reply_to_id=thread.comments[0]["id"])
    thread.comments.append(reply)
    for harness.forge.graphql in (True, False):
        assert [one.body for one in harness.open().threads(harness.number)] == ["A question"]


def test_a_thread_is_resolved(harness: GitHubHarness) -> None:
    publish(harness, [comment(1)], token=PERSONAL)
    publish(harness, [], harness.open(PERSONAL).threads(harness.number), PERSONAL)
    (thread,) = harness.open(PERSONAL).threads(harness.number)
    assert (thread.is_resolved, thread.is_own_resolution) == (True, True)
    assert thread.body == comment(1).body


@pytest.mark.parametrize("api", ["graphql", "rest"])
def test_a_job_that_may_not_resolve_marks_the_comment(harness: GitHubHarness, api: str) -> None:
    publish(harness, [comment(1), comment(2)])
    harness.forge.graphql = api == "graphql"
    publish(harness, [], harness.open().threads(harness.number))
    mutations = [
        one for one in harness.forge.server.requests if graphql(one) and b"mutation" in one.body
    ]
    # After a refusal the mutation is not sent again.
    assert len(mutations) == (1 if api == "graphql" else 0)
    found = harness.open().threads(harness.number)
    assert [(one.is_resolved, one.is_own_resolution) for one in found] == [(True, True)] * 2
    assert found[0].body == f"<!-- sdd-review: f1 -->\n{RESOLVED_LINE}\n\nFinding 1.\n"
    assert not any(one.resolved for one in harness.forge.threads)


def test_the_mark_of_another_account_does_not_count(harness: GitHubHarness) -> None:
    publish(harness, [comment(1)])
    publish(harness, [], harness.open().threads(harness.number))
    harness.forge.add_thread(
        harness.number, harness.forge.threads[0].comments[0]["body"], "mallory"
    )
    own, other = harness.open().threads(harness.number)
    assert (own.is_resolved, other.is_resolved) == (True, False)


def test_the_mark_is_recognised_with_other_line_ends(harness: GitHubHarness) -> None:
    harness.forge.stored_text = lambda text: text.replace("\n", "\r\n")
    publish(harness, [comment(1)])
    publish(harness, [], harness.open().threads(harness.number))
    (thread,) = harness.open().threads(harness.number)
    assert is_marked_resolved(thread.body)
    assert thread.is_own_resolution


def test_a_denied_resolution(harness: GitHubHarness) -> None:
    publish(harness, [comment(1)])
    threads = harness.open().threads(harness.number)
    with pytest.raises(WriteDenied):
        publish(harness, [], threads, FORK)
    assert not is_marked_resolved(harness.forge.threads[0].comments[0]["body"])


NONSENSE = [
    {"data": None},
    {"data": {"repository": None}},
    {"data": {"repository": {"pullRequest": {"reviewThreads": {"pageInfo": None, "nodes": 3}}}}},
    {"errors": [{"message": "Field 'fullDatabaseId' doesn't exist on type"}]},
    {"errors": "no"},
    [],
]


@pytest.mark.parametrize("data", NONSENSE, ids=str)
def test_invalid_graphql_data_loses_no_thread(harness: GitHubHarness, data: object) -> None:
    publish(harness, [comment(1)])
    harness.forge.server.fail(CannedResponse(200, data), when=graphql)
    assert [one.body for one in harness.open().threads(harness.number)] == [comment(1).body]


def test_a_repeated_cursor_ends_the_listing(harness: GitHubHarness) -> None:
    harness.forge.add_thread(harness.number, "A question")
    page = {"hasNextPage": True, "endCursor": "x"}
    data = {"repository": {"pullRequest": {"reviewThreads": {"pageInfo": page, "nodes": []}}}}
    harness.forge.server.fail(*[CannedResponse(200, {"data": data})] * 9, when=graphql)
    assert [one.body for one in harness.open().threads(harness.number)] == ["A question"]
    assert sum(map(graphql, harness.forge.server.requests)) == 2


def test_a_rate_limit_of_graphql_is_waited_for(harness: GitHubHarness) -> None:
    limit = {"data": None, "errors": [{"type": "RATE_LIMITED", "message": "API rate limit"}]}
    harness.forge.add_thread(harness.number, "A question")
    harness.forge.server.fail(CannedResponse(200, limit), when=graphql)
    assert len(harness.open().threads(harness.number)) == 1
    assert harness.client_factory.waits
    threads = harness.open().threads(harness.number)
    far = {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1999999999"}
    harness.forge.server.fail(CannedResponse(200, limit, far), when=graphql)
    with pytest.raises(RateLimited):
        harness.open().threads(harness.number)
    harness.forge.server.fail(CannedResponse(200, limit, far), when=graphql)
    with pytest.raises(RateLimited):
        publish(harness, [], threads)
    assert harness.forge.writes == 0
