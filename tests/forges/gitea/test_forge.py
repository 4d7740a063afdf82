"""The contract on loopback, and what no real Gitea does on demand: faults, limits, other ages."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdd_hooks.errors import RemoteError
from sdd_hooks.forges.comments import mark_resolved
from sdd_hooks.forges.gitea.review_threads import MAX_REVIEWS
from sdd_hooks.forges.protocol import CommitStatus, JobContext, LineComment, WriteDenied
from sdd_hooks.reporting.comment import MARKER, has_marker
from tests.forges.gitea.contract import BODY, LINES, PATH, Contract, marked
from tests.forges.gitea.desk import Desk, desk, open_gitea
from tests.support.loopback import CannedResponse, Request, serving

OTHER = f"{MARKER}\nsomething else\n"


@pytest.fixture
def bench() -> Iterator[Desk]:
    with desk() as found:
        yield found


class TestGitea(Contract):
    """The contract, on loopback."""


def writes(bench: Desk) -> list[str]:
    return [one.path.rpartition("/")[2] for one in bench.server.asked if one.method != "GET"]


def of(method: str, ending: str) -> Callable[[Request], bool]:
    return lambda request: request.method == method and request.path.endswith(ending)


def lines(*numbers: int) -> list[LineComment]:
    return [LineComment(PATH, number, marked(str(number))) for number in numbers]


def test_a_job_of_forgejo_knows_its_comment(bench: Desk) -> None:
    number, forge = bench.pull(), bench.open("forgejo")
    bench.gitea.comment(number, BODY, "gitea-actions")
    assert forge.upsert_comment(number, BODY, has_marker).action == "created"
    assert bench.open("forgejo").upsert_comment(number, BODY, has_marker).action == "kept"


def test_the_last_of_several_is_ours(bench: Desk) -> None:
    number = bench.pull()
    for said in (BODY, OTHER, "no marker"):
        bench.gitea.comment(number, said, "gitea-actions")
    bench.say(number, BODY)
    assert bench.open().upsert_comment(number, BODY, has_marker).action == "edited"
    assert [body for _, body in bench.said(number)] == [BODY, BODY, "no marker", BODY]


@pytest.mark.parametrize("status", [401, 404])
def test_a_server_that_does_not_say_who_we_are(bench: Desk, status: int) -> None:
    number = bench.pull()
    bench.say(number, BODY)
    bench.gitea.comment(number, OTHER, "forgejo-actions")
    bench.server.fail(CannedResponse(status, {"message": "no"}), when=of("GET", "/user"))
    assert bench.open().upsert_comment(number, BODY, has_marker).action == "edited"
    assert bench.said(number) == [("alice", BODY), ("forgejo-actions", BODY)]


@pytest.mark.parametrize("portion", [0, 50])
def test_a_comment_among_thousands(portion: int) -> None:
    with desk(portion=portion) as bench:
        number = bench.pull()
        bench.gitea.comment(number, BODY, "gitea-actions")
        for each in range(2500):
            bench.gitea.comment(number, f"{MARKER} {each}" if each % 2 else BODY)
        assert bench.open().upsert_comment(number, BODY, has_marker).action == "kept"
        assert len(bench.server.asked) == 1 + (51 if portion else 1)


@pytest.mark.parametrize(
    "answer",
    [
        CannedResponse(403, {"message": "no"}),
        CannedResponse(404, {"message": "no"}),
        CannedResponse(500, {"message": ""}),
        CannedResponse(200, b"<html>"),
        CannedResponse(200, {"comments": []}),
        CannedResponse(200, []),
    ],
    ids=str,
)
def test_nothing_is_written_unless_all_comments_were_read(answer: CannedResponse) -> None:
    with desk(portion=2) as bench:
        number = bench.pull()
        for each in range(6):
            bench.say(number, f"comment {each}")
        bench.server.fail(*[answer] * 9, when=lambda request: request.query.get("page") == "2")
        with pytest.raises(RemoteError):
            bench.open().upsert_comment(number, BODY, has_marker)
        assert writes(bench) == []


def test_a_page_that_repeats_itself_ends_the_reading(bench: Desk) -> None:
    number = bench.pull()
    bench.say(number, "one")
    first = CannedResponse(200, bench.gitea.pulls[number].comments, {"X-Total-Count": "99999"})
    bench.server.fail(*[first] * 99, when=of("GET", "/comments"))
    with pytest.raises(RemoteError, match="does not list all of the comments"):
        bench.open().upsert_comment(number, BODY, has_marker)
    assert len(bench.server.paths()) == 3


def test_a_listing_that_is_cut_off_is_asked_for_again(bench: Desk) -> None:
    number = bench.pull()
    bench.gitea.comment(number, BODY, "gitea-actions")
    whole = CannedResponse(200, bench.gitea.pulls[number].comments, cut=40)
    bench.server.fail(whole, when=of("GET", "/comments"))
    assert bench.open().upsert_comment(number, BODY, has_marker).action == "kept"


@pytest.mark.parametrize("taken", [True, False])
def test_an_answer_that_is_lost_makes_no_second_comment(bench: Desk, taken: bool) -> None:
    number = bench.pull()
    lose(bench, of("POST", "/comments"), taken=taken)
    assert bench.open().upsert_comment(number, BODY, has_marker).action == "created"
    assert len(bench.said(number)) == 1


@pytest.mark.parametrize("taken", [True, False])
def test_an_answer_that_is_lost_makes_no_second_review(bench: Desk, taken: bool) -> None:
    number, forge = bench.pull(), bench.open()
    lose(bench, of("POST", "/reviews"), taken=taken)
    assert forge.publish_review(number, bench.head(number), lines(1, 2), ()) == ()
    assert [one.line for one in bench.on_lines(number)] == [1, 2]


def lose(bench: Desk, when: Callable[[Request], bool], *, taken: bool) -> None:
    """Answer 502 once, after the server did what was asked if it was `taken`."""
    left = [CannedResponse(502, {"message": "bad gateway"})]

    def fault(request: Request) -> CannedResponse | None:
        if not when(request) or not left:
            return None
        if taken:
            bench.gitea.answer(request)
        return left.pop()

    bench.server.faults.append(fault)


@pytest.mark.parametrize(
    ("who", "state"), [("reader", {}), ("job", {"archived": True}), ("fork", {"is_locked": True})]
)
def test_a_denied_write(bench: Desk, who: str, state: dict[str, bool]) -> None:
    number, forge = bench.pull(), bench.open(who)
    bench.gitea.archived = state.pop("archived", False)
    bench.gitea.pulls[number].entry.update(state)
    with pytest.raises(WriteDenied) as found:
        forge.upsert_comment(number, BODY, has_marker)
    assert "\n" not in str(found.value) and "token-of" not in str(found.value)
    assert writes(bench) == ["comments"]
    assert bench.said(number) == []


def test_a_token_that_can_only_read_writes_nothing_at_all(bench: Desk) -> None:
    number, forge = bench.pull(), bench.open("reader")
    bench.open().publish_review(number, bench.head(number), lines(1), ())
    with pytest.raises(WriteDenied):
        forge.publish_review(number, bench.head(number), lines(2), ())
    with pytest.raises(WriteDenied):
        forge.publish_review(number, bench.head(number), (), forge.threads(number))
    with pytest.raises(WriteDenied):
        forge.set_status(bench.head(number), CommitStatus("success", "sdd review", "All clear"))
    assert [one.body for one in bench.on_lines(number)] == [marked("1")]


def test_a_private_repository_is_there_for_its_own_tokens_alone() -> None:
    with desk(private=True) as bench:
        number = bench.pull()
        assert bench.open().pull_request(number).number == number
        run = bench.open().context
        with pytest.raises(RemoteError, match="does not show"):
            open_gitea(run, bench.workplace, None).upsert_comment(number, BODY, has_marker)


def test_a_rate_limit_is_waited_for(bench: Desk) -> None:
    number = bench.pull()
    limit = CannedResponse(429, {"message": "slow down"}, {"Retry-After": "7"})
    bench.server.fail(limit, when=of("POST", "/comments"))
    assert bench.open().upsert_comment(number, BODY, has_marker).action == "created"
    assert bench.workplace.waits == [7.0]


@pytest.mark.parametrize("status", [302, 307])
def test_a_redirect_to_another_host_is_not_followed(bench: Desk, status: int) -> None:
    number = bench.pull()
    with serving(lambda _: CannedResponse(200, [])) as elsewhere:
        away = CannedResponse(status, None, {"Location": f"{elsewhere.url}/api/v1/"})
        for method in ("GET", "POST"):
            bench.server.fail(away, away, when=of(method, "/comments"))
            with pytest.raises(RemoteError):
                bench.open().upsert_comment(number, BODY, has_marker)
    assert elsewhere.asked == []


def test_a_link_to_another_host_is_not_followed(bench: Desk) -> None:
    number = bench.pull()
    with serving(lambda _: CannedResponse(200, [])) as elsewhere:
        link = {"Link": f'<{elsewhere.url}/next>; rel="next"'}
        bench.server.fail(CannedResponse(200, [], link), when=of("GET", "/comments"))
        with pytest.raises(RemoteError, match="does not list all"):
            bench.open().upsert_comment(number, BODY, has_marker)
    assert elsewhere.asked == []


@pytest.mark.parametrize("resolves", [True, False])
def test_a_server_that_is_too_old_to_resolve(resolves: bool) -> None:
    with desk(resolves=resolves) as bench:
        number, forge = bench.pull(), bench.open()
        forge.publish_review(number, bench.head(number), lines(1, 2, 3), ())
        bench.server.asked.clear()
        forge.publish_review(number, bench.head(number), (), forge.threads(number))
        after = forge.threads(number)
        assert all(one.is_resolved and one.is_own_resolution for one in after)
        if resolves:
            assert writes(bench) == ["resolve"] * 3
        else:
            # It is asked once whether it can.
            assert [path for path in writes(bench) if path == "resolve"] == ["resolve"]
            assert {one.body for one in after} == {
                mark_resolved(one.body) for one in lines(1, 2, 3)
            }


def test_what_a_person_made_look_settled_is_not(bench: Desk) -> None:
    number, forge = bench.pull(), bench.open()
    bench.say_on_line(number, 1, mark_resolved(marked("1")))
    (thread,) = forge.threads(number)
    assert (thread.is_own, thread.is_resolved) == (False, False)


def test_replies_begin_no_thread(bench: Desk) -> None:
    number, forge = bench.pull(), bench.open()
    forge.publish_review(number, bench.head(number), lines(1), ())
    pull = bench.gitea.pulls[number]
    reply = bench.gitea.say_on_line(pull, pull.reviews[0], PATH, 1, "I see")
    reply["user"] = bench.gitea.review(number, "alice")["user"]
    assert [one.body for one in forge.threads(number)] == [marked("1")]


@pytest.mark.parametrize("largest", [5, 50])
def test_threads_of_many_reviews(largest: int) -> None:
    with desk(largest=largest) as bench:
        number = bench.pull()
        for each in range(60):
            bench.say_on_line(number, 1, str(each))
        bodies = {one.body for one in bench.open().threads(number)}
        assert bodies == set(map(str, range(60)))


def test_when_no_line_is_taken_the_server_is_not_asked_without_end(bench: Desk) -> None:
    number, forge = bench.pull(), bench.open()
    comments = lines(*range(LINES + 1, LINES + 51))
    assert forge.publish_review(number, bench.head(number), comments, ()) == tuple(comments)
    assert bench.server.paths("POST").count(bench.server.paths("POST")[0]) == MAX_REVIEWS
    assert bench.begun(number, "job") == 0


def test_a_hostile_path_is_only_data(bench: Desk) -> None:
    number, forge = bench.pull(), bench.open()
    path = '-x "; touch y #\n\N{RIGHT-TO-LEFT OVERRIDE}.py'
    comment = LineComment(path, 1, marked("1"))
    assert forge.publish_review(number, bench.head(number), [comment], ()) == ()
    assert bench.gitea.pulls[number].said[0]["path"] == path


@pytest.mark.parametrize("home", ["", "acme", "acme/../../admin", "../shop", "acme/shop/../x"])
def test_a_repository_that_is_none_is_not_asked_for(bench: Desk, home: str) -> None:
    number = bench.pull()
    run = JobContext(bench.gitea.url, f"{bench.gitea.url}/api/v1", home, "pull_request")
    with pytest.raises(RemoteError):
        open_gitea(run, bench.workplace, "token-of-job").pull_request(number)
    assert bench.server.asked == []


def test_where_files_are_shown(bench: Desk) -> None:
    assert bench.open().file_links() == (
        f"{bench.gitea.url}/acme/shop/src/commit",
        "display=source",
    )


def test_nothing_is_asked_after_it_was_let_go(bench: Desk) -> None:
    forge = bench.open()
    forge.disconnect()
    with pytest.raises(RemoteError):
        forge.pull_request(1)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 2**70) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    *("id", "user", "login", "body", "state", "comments_count", "resolver", "path"),
                    *("position", "number", "pull_request_review_id", "html_url", "head", "base"),
                ]
            ),
            inner,
            max_size=6,
        )
    ),
    max_leaves=12,
)


@pytest.fixture(scope="module")
def anything() -> Iterator[tuple[list[object], Desk]]:
    """What every request is answered with, and a desk to ask from."""
    data: list[object] = []
    with serving(lambda _: CannedResponse(200, data[-1])) as server, desk() as bench:
        bench.gitea.url = server.url
        yield data, bench


@settings(max_examples=40, deadline=None)
@given(data=st.lists(JSON, max_size=3) | JSON)
def test_whatever_is_answered_is_read_or_one_line(
    anything: tuple[list[object], Desk], data: object
) -> None:
    answers, bench = anything
    answers.append(data)
    forge = bench.open()
    for ask in (
        lambda: forge.pull_request(1),
        lambda: forge.threads(1),
        lambda: forge.upsert_comment(1, BODY, has_marker, create=False),
        lambda: forge.publish_review(1, "2" * 40, lines(1), ()),
    ):
        try:
            ask()
        except RemoteError as error:
            assert "\n" not in str(error)
    forge.disconnect()
