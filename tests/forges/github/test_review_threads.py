"""Comments on lines of a pull request on GitHub, and the threads that they begin."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from sdd_hooks.errors import RateLimited, RemoteError
from sdd_hooks.forges.comments import RESOLVED_LINE, is_marked_resolved
from sdd_hooks.forges.github.review_threads import MAX_REVIEWS
from sdd_hooks.forges.protocol import LineComment, ReviewThread, WriteDenied
from tests.forges.github.desk import Desk, desk
from tests.support.github_forge import FORK, JOB, PERSONAL
from tests.support.loopback import CannedResponse, Request

HEAD = "2" * 40
JOBS_OWN = "github-actions[bot]"
LOST = CannedResponse(502, {"message": "Server Error"})


@pytest.fixture
def here() -> Iterator[Desk]:
    with desk() as made:
        yield made


def comment(line: int) -> LineComment:
    return LineComment("src/app.py", line, f"<!-- sdd-review: f{line} -->\nFinding {line}.\n")


def publish(
    here: Desk,
    comments: list[LineComment],
    resolve: tuple[ReviewThread, ...] = (),
    token: str = JOB,
) -> tuple[LineComment, ...]:
    return here.open(token).publish_review(here.number, HEAD, comments, resolve)


def reviews(request: Request) -> bool:
    return request.path.endswith("/reviews")


def graphql(request: Request) -> bool:
    return request.path.endswith("/graphql")


def lines(here: Desk) -> list[int]:
    return sorted(line for _, line, _ in here.forge.lines(here.number))


def test_they_are_one_review_without_a_verdict(here: Desk) -> None:
    wanted = [comment(line) for line in (3, 5, 8)]
    assert publish(here, wanted) == ()
    (review,) = here.forge.reviews[here.number]
    assert (review["state"], review["commit_id"]) == ("COMMENTED", HEAD)
    assert here.forge.lines(here.number) == [(one.path, one.line, one.body) for one in wanted]


def test_nothing_to_say_is_no_review(here: Desk) -> None:
    assert publish(here, []) == ()
    assert not here.forge.server.asked


@pytest.mark.parametrize("hidden", [{1}, {3}, {5}, {2, 4}, {1, 2, 3, 4}])
def test_a_line_that_is_not_shown_does_not_lose_the_others(here: Desk, hidden: set[int]) -> None:
    here.forge.shows = lambda _path, line: line not in hidden
    left = publish(here, [comment(line) for line in range(1, 6)])
    assert {one.line for one in left} == hidden
    assert lines(here) == sorted({1, 2, 3, 4, 5} - hidden)


def test_when_no_line_is_shown_all_come_back(here: Desk) -> None:
    here.forge.shows = lambda _path, _line: False
    wanted = [comment(line) for line in range(50)]
    assert publish(here, wanted) == tuple(wanted)
    assert len(here.forge.server.asked) == MAX_REVIEWS


def test_most_of_many_are_posted_within_the_limit(here: Desk) -> None:
    here.forge.shows = lambda _path, line: line % 16 != 0
    wanted = [comment(line) for line in range(50)]
    left = publish(here, wanted)
    assert {0, 16, 32, 48} <= {one.line for one in left}
    assert len(left) + len(lines(here)) == 50
    assert len(left) < 10
    assert len(here.forge.server.asked) <= MAX_REVIEWS


def test_the_larger_parts_are_posted_first(here: Desk) -> None:
    here.forge.shows = lambda _path, line: line < 25
    left = publish(here, [comment(line) for line in range(50)])
    assert [one.line for one in left] == list(range(25, 50))


def test_a_review_whose_answer_was_lost_is_not_posted_again(here: Desk) -> None:
    left = [LOST]

    def fault(request: Request) -> CannedResponse | None:
        if not reviews(request) or not left:
            return None
        here.forge.answer(request)
        return left.pop()

    here.forge.server.faults.append(fault)
    assert publish(here, [comment(1), comment(2)]) == ()
    assert lines(here) == [1, 2]


def test_a_review_that_was_not_taken_is_sent_once_more(here: Desk) -> None:
    # The same comment was there, and is settled: it is not the one that was sent.
    here.forge.add_thread(here.number, comment(1).body, JOBS_OWN, program=True).resolved = True
    here.forge.add_thread(here.number, comment(1).body, "mallory")
    here.forge.server.fail(LOST, when=reviews)
    assert publish(here, [comment(1)]) == ()
    assert len(here.forge.reviews[here.number]) == 1


def test_a_review_is_not_sent_a_third_time(here: Desk) -> None:
    here.forge.server.fail(*[LOST] * 5, when=reviews)
    with pytest.raises(RemoteError, match="502"):
        publish(here, [comment(1)])
    assert sum(map(reviews, here.forge.server.asked)) == 2


@pytest.mark.parametrize("status", [401, 403, 404, 410])
def test_a_denied_review(here: Desk, status: int) -> None:
    here.forge.server.fail(CannedResponse(status, {"message": "No"}), when=reviews)
    with pytest.raises(WriteDenied):
        publish(here, [comment(1)])
    assert sum(map(reviews, here.forge.server.asked)) == 1


def test_a_token_of_a_fork(here: Desk) -> None:
    with pytest.raises(WriteDenied, match="not accessible"):
        publish(here, [comment(1)], token=FORK)


@pytest.mark.parametrize("api", ["graphql", "rest"])
@pytest.mark.parametrize("token", [JOB, PERSONAL])
def test_whose_a_thread_is(here: Desk, token: str, api: str) -> None:
    here.forge.graphql = api == "graphql"
    publish(here, [comment(1)], token=token)
    here.forge.add_thread(here.number, comment(1).body, "mallory")
    here.forge.add_thread(here.number, comment(1).body, "github-actions")
    found = here.open(token).threads(here.number)
    assert [one.is_own for one in found] == [True, False, False]
    assert not any(one.is_resolved for one in found)
    assert [one.body for one in found] == [comment(1).body] * 3
    assert len({one.id for one in found}) == 3


@pytest.mark.parametrize("knows", [True, False])
def test_a_job_is_told_from_other_programs(here: Desk, knows: bool) -> None:
    here.forge.knows = knows
    publish(here, [comment(1)])
    here.forge.add_thread(here.number, comment(1).body, "dependabot[bot]", program=True)
    assert [one.is_own for one in here.open().threads(here.number)] == [True, False]


def test_what_a_program_resolved_is_no_persons_answer(here: Desk) -> None:
    here.forge.add_thread(here.number, comment(1).body, JOBS_OWN, program=True).resolved = True
    assert [one.is_own_resolution for one in here.open(JOB).threads(here.number)] == [True]
    assert [one.is_own_resolution for one in here.open(PERSONAL).threads(here.number)] == [False]


def test_who_settled_a_thread(here: Desk) -> None:
    by_nobody = here.forge.add_thread(here.number, comment(1).body, "robin")
    by_us = here.forge.add_thread(here.number, comment(2).body, "robin")
    by_a_person = here.forge.add_thread(here.number, comment(3).body, "robin")
    by_us.resolved, by_us.resolver = True, "robin"
    by_a_person.resolved, by_a_person.resolver = True, "ana"
    found = here.open(PERSONAL).threads(here.number)
    assert [(one.is_resolved, one.is_own_resolution) for one in found] == [
        (False, False),
        (True, True),
        (True, False),
    ]
    assert not by_nobody.resolved


def test_all_pages_of_threads_are_read(here: Desk) -> None:
    for number in range(205):
        here.forge.add_thread(here.number, f"Comment {number}")
    assert len(here.open().threads(here.number)) == 205
    here.forge.graphql = False
    assert len(here.open().threads(here.number)) == 205


def test_replies_begin_no_thread(here: Desk) -> None:
    thread = here.forge.add_thread(here.number, "A question")
    reply = dict(thread.comments[0], id=99, in_reply_to_id=thread.comments[0]["id"])
    thread.comments.append(reply)
    for here.forge.graphql in (True, False):
        assert [one.body for one in here.open().threads(here.number)] == ["A question"]


def test_a_thread_is_resolved(here: Desk) -> None:
    publish(here, [comment(1)], token=PERSONAL)
    publish(here, [], here.open(PERSONAL).threads(here.number), PERSONAL)
    (thread,) = here.open(PERSONAL).threads(here.number)
    assert (thread.is_resolved, thread.is_own_resolution) == (True, True)
    assert thread.body == comment(1).body


@pytest.mark.parametrize("api", ["graphql", "rest"])
def test_a_job_that_may_not_resolve_says_so_in_the_comment(here: Desk, api: str) -> None:
    publish(here, [comment(1), comment(2)])
    here.forge.graphql = api == "graphql"
    publish(here, [], here.open().threads(here.number))
    asked = [one for one in here.forge.server.asked if graphql(one) and b"mutation" in one.body]
    # Refused once, it is not asked for again.
    assert len(asked) == (1 if api == "graphql" else 0)
    found = here.open().threads(here.number)
    assert [(one.is_resolved, one.is_own_resolution) for one in found] == [(True, True)] * 2
    assert found[0].body == f"<!-- sdd-review: f1 -->\n{RESOLVED_LINE}\n\nFinding 1.\n"
    assert not any(one.resolved for one in here.forge.threads)


def test_what_only_says_that_it_is_settled_is_not(here: Desk) -> None:
    publish(here, [comment(1)])
    publish(here, [], here.open().threads(here.number))
    here.forge.add_thread(here.number, here.forge.threads[0].comments[0]["body"], "mallory")
    ours, theirs = here.open().threads(here.number)
    assert (ours.is_resolved, theirs.is_resolved) == (True, False)


def test_a_comment_in_the_line_ends_of_a_host_stays_settled(here: Desk) -> None:
    here.forge.stores = lambda text: text.replace("\n", "\r\n")
    publish(here, [comment(1)])
    publish(here, [], here.open().threads(here.number))
    (thread,) = here.open().threads(here.number)
    assert is_marked_resolved(thread.body)
    assert thread.is_own_resolution


def test_settling_that_is_denied(here: Desk) -> None:
    publish(here, [comment(1)])
    threads = here.open().threads(here.number)
    with pytest.raises(WriteDenied):
        publish(here, [], threads, FORK)
    assert not is_marked_resolved(here.forge.threads[0].comments[0]["body"])


NONSENSE = [
    {"data": None},
    {"data": {"repository": None}},
    {"data": {"repository": {"pullRequest": {"reviewThreads": {"pageInfo": None, "nodes": 3}}}}},
    {"errors": [{"message": "Field 'fullDatabaseId' doesn't exist on type"}]},
    {"errors": "no"},
    [],
]


@pytest.mark.parametrize("data", NONSENSE, ids=str)
def test_what_makes_no_sense_in_graphql_loses_no_thread(here: Desk, data: object) -> None:
    publish(here, [comment(1)])
    here.forge.server.fail(CannedResponse(200, data), when=graphql)
    assert [one.body for one in here.open().threads(here.number)] == [comment(1).body]


def test_a_cursor_that_comes_again_ends_the_listing(here: Desk) -> None:
    here.forge.add_thread(here.number, "A question")
    page = {"hasNextPage": True, "endCursor": "x"}
    data = {"repository": {"pullRequest": {"reviewThreads": {"pageInfo": page, "nodes": []}}}}
    here.forge.server.fail(*[CannedResponse(200, {"data": data})] * 9, when=graphql)
    assert [one.body for one in here.open().threads(here.number)] == ["A question"]
    assert sum(map(graphql, here.forge.server.asked)) == 2


def test_a_limit_of_graphql_is_waited_for(here: Desk) -> None:
    limit = {"data": None, "errors": [{"type": "RATE_LIMITED", "message": "API rate limit"}]}
    here.forge.add_thread(here.number, "A question")
    here.forge.server.fail(CannedResponse(200, limit), when=graphql)
    assert len(here.open().threads(here.number)) == 1
    assert here.workplace.waits
    threads = here.open().threads(here.number)
    far = {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1999999999"}
    here.forge.server.fail(CannedResponse(200, limit, far), when=graphql)
    with pytest.raises(RateLimited):
        here.open().threads(here.number)
    here.forge.server.fail(CannedResponse(200, limit, far), when=graphql)
    with pytest.raises(RateLimited):
        publish(here, [], threads)
    assert here.forge.writes == 0
