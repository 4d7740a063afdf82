"""The contract on loopback, and cases that need a fake server: faults, limits, old versions."""

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
from tests.forges.gitea.harness import LoopbackHarness, loopback_harness, open_gitea
from tests.support.loopback import CannedResponse, Request, serving

OTHER = f"{MARKER}\nsomething else\n"


@pytest.fixture
def harness() -> Iterator[LoopbackHarness]:
    with loopback_harness() as found:
        yield found


class TestGitea(Contract):
    """The contract on loopback."""


def writes(harness: LoopbackHarness) -> list[str]:
    return [one.path.rpartition("/")[2] for one in harness.server.requests if one.method != "GET"]


def of(method: str, ending: str) -> Callable[[Request], bool]:
    return lambda request: request.method == method and request.path.endswith(ending)


def lines(*numbers: int) -> list[LineComment]:
    return [LineComment(PATH, number, marked(str(number))) for number in numbers]


def test_a_job_of_forgejo_finds_its_comment(harness: LoopbackHarness) -> None:
    number, forge = harness.pull(), harness.open("forgejo")
    harness.gitea.comment(number, BODY, "gitea-actions")
    assert forge.upsert_comment(number, BODY, has_marker).action == "created"
    assert harness.open("forgejo").upsert_comment(number, BODY, has_marker).action == "kept"


@pytest.mark.parametrize("status", [401, 404])
def test_a_server_that_does_not_tell_the_account(harness: LoopbackHarness, status: int) -> None:
    number = harness.pull()
    harness.add_comment(number, BODY)
    harness.gitea.comment(number, OTHER, "forgejo-actions")
    harness.server.fail(CannedResponse(status, {"message": "no"}), when=of("GET", "/user"))
    assert harness.open().upsert_comment(number, BODY, has_marker).action == "edited"
    assert harness.comments(number) == [("alice", BODY), ("forgejo-actions", BODY)]


@pytest.mark.parametrize("portion", [0, 50])
def test_a_comment_among_thousands(portion: int) -> None:
    with loopback_harness(max_comments=portion) as harness:
        number = harness.pull()
        harness.gitea.comment(number, BODY, "gitea-actions")
        for each in range(2500):
            harness.gitea.comment(number, f"{MARKER} {each}" if each % 2 else BODY)
        assert harness.open().upsert_comment(number, BODY, has_marker).action == "kept"
        assert len(harness.server.requests) == 1 + (51 if portion else 1)


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
def test_nothing_is_written_before_all_comments_are_read(answer: CannedResponse) -> None:
    with loopback_harness(max_comments=2) as harness:
        number = harness.pull()
        for each in range(6):
            harness.add_comment(number, f"comment {each}")
        harness.server.fail(*[answer] * 9, when=lambda request: request.query.get("page") == "2")
        with pytest.raises(RemoteError):
            harness.open().upsert_comment(number, BODY, has_marker)
        assert writes(harness) == []


def test_a_repeated_page_is_an_error(harness: LoopbackHarness) -> None:
    number = harness.pull()
    harness.add_comment(number, "one")
    first = CannedResponse(200, harness.gitea.pulls[number].comments, {"X-Total-Count": "99999"})
    harness.server.fail(*[first] * 99, when=of("GET", "/comments"))
    with pytest.raises(RemoteError, match="does not list all of the comments"):
        harness.open().upsert_comment(number, BODY, has_marker)
    assert len(harness.server.paths()) == 3


@pytest.mark.parametrize("taken", [True, False])
def test_a_lost_response_causes_no_second_review(harness: LoopbackHarness, taken: bool) -> None:
    number, forge = harness.pull(), harness.open()
    lose(harness, of("POST", "/reviews"), taken=taken)
    assert forge.publish_review(number, harness.head(number), lines(1, 2), ()) == ()
    assert [one.line for one in harness.line_comments(number)] == [1, 2]


def lose(harness: LoopbackHarness, when: Callable[[Request], bool], *, taken: bool) -> None:
    """Respond with 502 once; if `taken`, the server executes the request before."""
    left = [CannedResponse(502, {"message": "bad gateway"})]

    def fault(request: Request) -> CannedResponse | None:
        if not when(request) or not left:
            return None
        if taken:
            harness.gitea.answer(request)
        return left.pop()

    harness.server.faults.append(fault)


@pytest.mark.parametrize(
    ("who", "state"), [("reader", {}), ("job", {"archived": True}), ("fork", {"is_locked": True})]
)
def test_a_denied_write(harness: LoopbackHarness, who: str, state: dict[str, bool]) -> None:
    number, forge = harness.pull(), harness.open(who)
    harness.gitea.archived = state.pop("archived", False)
    harness.gitea.pulls[number].entry.update(state)
    with pytest.raises(WriteDenied) as found:
        forge.upsert_comment(number, BODY, has_marker)
    assert "\n" not in str(found.value) and "token-of" not in str(found.value)
    assert writes(harness) == ["comments"]
    assert harness.comments(number) == []


def test_a_read_only_token_writes_nothing(harness: LoopbackHarness) -> None:
    number, forge = harness.pull(), harness.open("reader")
    harness.open().publish_review(number, harness.head(number), lines(1), ())
    with pytest.raises(WriteDenied):
        forge.publish_review(number, harness.head(number), lines(2), ())
    with pytest.raises(WriteDenied):
        forge.publish_review(number, harness.head(number), (), forge.threads(number))
    with pytest.raises(WriteDenied):
        forge.set_status(harness.head(number), CommitStatus("success", "sdd review", "All clear"))
    assert [one.body for one in harness.line_comments(number)] == [marked("1")]


def test_a_private_repository_needs_a_token() -> None:
    with loopback_harness(private=True) as harness:
        number = harness.pull()
        assert harness.open().pull_request(number).number == number
        run = harness.open().context
        with pytest.raises(RemoteError, match="does not show"):
            open_gitea(run, harness.client_factory, None).upsert_comment(number, BODY, has_marker)


@pytest.mark.parametrize("resolves", [True, False])
def test_a_server_without_the_endpoint_that_resolves(resolves: bool) -> None:
    with loopback_harness(resolves=resolves) as harness:
        number, forge = harness.pull(), harness.open()
        forge.publish_review(number, harness.head(number), lines(1, 2, 3), ())
        harness.server.requests.clear()
        forge.publish_review(number, harness.head(number), (), forge.threads(number))
        after = forge.threads(number)
        assert all(one.is_resolved and one.is_own_resolution for one in after)
        if resolves:
            assert writes(harness) == ["resolve"] * 3
        else:
            # The endpoint is requested once.
            assert [path for path in writes(harness) if path == "resolve"] == ["resolve"]
            assert {one.body for one in after} == {
                mark_resolved(one.body) for one in lines(1, 2, 3)
            }


def test_a_person_cannot_mark_a_thread_as_resolved(harness: LoopbackHarness) -> None:
    number, forge = harness.pull(), harness.open()
    harness.add_line_comment(number, 1, mark_resolved(marked("1")))
    (thread,) = forge.threads(number)
    assert (thread.is_own, thread.is_resolved) == (False, False)


def test_replies_begin_no_thread(harness: LoopbackHarness) -> None:
    number, forge = harness.pull(), harness.open()
    forge.publish_review(number, harness.head(number), lines(1), ())
    pull = harness.gitea.pulls[number]
    reply = harness.gitea.add_line_comment(pull, pull.reviews[0], PATH, 1, "I see")
    reply["user"] = harness.gitea.review(number, "alice")["user"]
    assert [one.body for one in forge.threads(number)] == [marked("1")]


@pytest.mark.parametrize("largest", [5, 50])
def test_threads_of_many_reviews(largest: int) -> None:
    with loopback_harness(max_reviews=largest) as harness:
        number = harness.pull()
        for each in range(60):
            harness.add_line_comment(number, 1, str(each))
        bodies = {one.body for one in harness.open().threads(number)}
        assert bodies == set(map(str, range(60)))


def test_the_number_of_reviews_is_limited(harness: LoopbackHarness) -> None:
    number, forge = harness.pull(), harness.open()
    comments = lines(*range(LINES + 1, LINES + 51))
    assert forge.publish_review(number, harness.head(number), comments, ()) == tuple(comments)
    assert harness.server.paths("POST").count(harness.server.paths("POST")[0]) == MAX_REVIEWS
    assert harness.count_pending_reviews(number, "job") == 0


def test_a_hostile_path_is_only_data(harness: LoopbackHarness) -> None:
    number, forge = harness.pull(), harness.open()
    path = '-x "; touch y #\n\N{RIGHT-TO-LEFT OVERRIDE}.py'
    comment = LineComment(path, 1, marked("1"))
    assert forge.publish_review(number, harness.head(number), [comment], ()) == ()
    assert harness.gitea.pulls[number].line_comments[0]["path"] == path


@pytest.mark.parametrize("home", ["", "acme", "acme/../../admin", "../shop", "acme/shop/../x"])
def test_an_invalid_repository_causes_no_request(harness: LoopbackHarness, home: str) -> None:
    number = harness.pull()
    run = JobContext(harness.gitea.url, f"{harness.gitea.url}/api/v1", home, "pull_request")
    with pytest.raises(RemoteError):
        open_gitea(run, harness.client_factory, "token-of-job").pull_request(number)
    assert harness.server.requests == []


def test_the_web_addresses_of_files(harness: LoopbackHarness) -> None:
    assert harness.open().file_links() == (
        f"{harness.gitea.url}/acme/shop/src/commit",
        "display=source",
    )


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
def anything() -> Iterator[tuple[list[object], LoopbackHarness]]:
    """The bodies of all responses, the last one counts, and a harness."""
    data: list[object] = []
    with serving(lambda _: CannedResponse(200, data[-1])) as server, loopback_harness() as harness:
        harness.gitea.url = server.url
        yield data, harness


@settings(max_examples=40, deadline=None)
@given(data=st.lists(JSON, max_size=3) | JSON)
def test_any_response_is_parsed_or_an_error_of_one_line(
    anything: tuple[list[object], LoopbackHarness], data: object
) -> None:
    answers, harness = anything
    answers.append(data)
    forge = harness.open()
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
