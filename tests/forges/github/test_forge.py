"""A pull request on GitHub has one comment of ours, whatever fails on the way to it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from sdd_hooks.errors import AccessRefused, RateLimited, RemoteError
from sdd_hooks.forges.protocol import WriteDenied
from sdd_hooks.reporting.comment import MARKER, has_marker
from tests.forges.github.desk import Desk, desk
from tests.support.github_forge import FORK, JOB, LONGEST, PERSONAL
from tests.support.loopback import CannedResponse, Request, serving
from tests.support.openapi import NEEDED, Description, damaged

BODY = f"{MARKER}\nOne finding.\n\nIn `src/app.py`.\n"
JOBS_OWN = "github-actions[bot]"


@pytest.fixture
def here() -> Iterator[Desk]:
    with desk() as made:
        yield made


def post(here: Desk, body: str = BODY, token: str | None = JOB, *, create: bool = True) -> str:
    forge = here.open(token)
    return forge.upsert_comment(here.number, body, has_marker, create=create).action


def writes(request: Request) -> bool:
    return request.method != "GET"


def lists(page: str) -> object:
    return lambda request: (
        request.path.endswith("/comments") and request.query.get("page", "1") == page
    )


@pytest.mark.parametrize("token", [JOB, PERSONAL])
def test_it_is_created_once_edited_and_kept(here: Desk, token: str) -> None:
    here.forge.add_comment(here.number, "Looks good.")
    assert post(here, token=token) == "created"
    assert post(here, token=token) == "kept"
    assert here.forge.writes == 1
    assert post(here, BODY + "Another.", token) == "edited"
    assert here.forge.bodies(here.number) == ["Looks good.", BODY + "Another."]


def test_its_address_is_told(here: Desk) -> None:
    forge = here.open()
    made = forge.upsert_comment(here.number, BODY, has_marker)
    assert made.url == here.forge.comments[here.number][0]["html_url"]
    assert forge.upsert_comment(here.number, BODY, has_marker).url == made.url
    assert forge.upsert_comment(here.number, f"{MARKER}\n", has_marker).url == made.url


def test_only_one_that_is_there_is_changed_without_create(here: Desk) -> None:
    assert post(here, create=False) == "none"
    assert here.forge.writes == 0
    assert post(here) == "created"
    assert post(here, f"{MARKER}\nNothing.", create=False) == "edited"


@pytest.mark.parametrize(
    "stored", [lambda body: body.replace("\n", "\r\n"), str.rstrip, lambda body: body + "\n \n"]
)
def test_what_a_host_makes_of_line_ends_is_no_change(here: Desk, stored: object) -> None:
    here.forge.stores = stored  # type: ignore[assignment]
    assert [post(here), post(here)] == ["created", "kept"]


@pytest.mark.parametrize(
    ("login", "program", "body", "token"),
    [
        # A person can copy the marker, and is no program.
        ("mallory", False, BODY, JOB),
        ("github-actions", False, BODY, JOB),
        # A program whose text only has the marker in it.
        ("dependabot[bot]", True, f"Bump\n{BODY}", JOB),
        ("dependabot[bot]", True, f" {BODY}", JOB),
        ("dependabot[bot]", True, f"{MARKER} x\n", JOB),
        # We know who we are, and these are others.
        (JOBS_OWN, True, BODY, PERSONAL),
        ("robin-2", False, BODY, PERSONAL),
        ("robin", False, f"> {BODY}", PERSONAL),
    ],
)
def test_what_only_looks_like_ours_is_left_alone(
    here: Desk, login: str, program: bool, body: str, token: str
) -> None:
    here.forge.add_comment(here.number, body, login, program=program)
    assert post(here, token=token) == "created"
    assert here.forge.bodies(here.number) == [body, BODY]


def test_a_login_is_the_same_in_any_case(here: Desk) -> None:
    here.forge.add_comment(here.number, f"{MARKER}\nOld", "Robin")
    assert post(here, token=PERSONAL) == "edited"


def test_a_comment_of_somebody_who_is_gone(here: Desk) -> None:
    here.forge.add_comment(here.number, BODY)["user"] = None
    assert post(here) == "created"


@pytest.mark.parametrize("token", [JOB, PERSONAL])
def test_whatever_is_left_out_of_a_listing_nobody_elses_is_edited(here: Desk, token: str) -> None:
    described = Description.load("github/forge.openapi3.json")
    if described is None:
        pytest.skip(NEEDED)
    theirs = here.forge.add_comment(here.number, BODY, "mallory")
    listing = f"/repos/acme/shop/issues/{here.number}/comments"
    places = [("*", *way) for way in (("user",), ("user", "login"), ("user", "type"), ("body",))]
    places += [way for way in described.optional("GET", listing, 200) if len(way) > 1]
    here.forge.server.faults.append(lambda asked: answers.pop() if asked.method == "GET" else None)
    forge = here.open(token)
    for _, data in damaged([theirs], places):
        # Who we are is asked first.
        us = CannedResponse(403) if token == JOB else CannedResponse(200, {"login": "robin"})
        answers = [CannedResponse(200, data), us]
        assert forge.upsert_comment(here.number, BODY, has_marker).action == "created"
    assert here.forge.bodies(here.number)[0] == BODY
    assert not here.forge.server.paths("PATCH")


def test_the_last_one_counts(here: Desk) -> None:
    for text in ("first", "second"):
        here.forge.add_comment(here.number, f"{MARKER}\n{text}", JOBS_OWN, program=True)
    assert post(here) == "edited"
    assert here.forge.bodies(here.number) == [f"{MARKER}\nfirst", BODY]


@pytest.mark.parametrize("place", [0, 2499])
def test_all_of_2500_comments_are_read(here: Desk, place: int) -> None:
    for number in range(2500):
        if number == place:
            here.forge.add_comment(here.number, f"{MARKER}\nOld", JOBS_OWN, program=True)
        else:
            here.forge.add_comment(here.number, f"Comment {number}")
    here.forge.server.asked.clear()
    assert post(here) == "edited"
    assert here.forge.bodies(here.number)[place] == BODY
    pages = [one for one in here.forge.server.asked if one.path.endswith("/comments")]
    assert len(pages) == 25


@pytest.mark.parametrize(
    "answer",
    [
        CannedResponse(403, {"message": "Forbidden"}),
        CannedResponse(404, {"message": "Not Found"}),
        CannedResponse(200, {"message": "a page that is no list"}),
        CannedResponse(200, b"<html>a portal</html>", {"Content-Type": "text/html"}),
        CannedResponse(200, b'[{"id": 1, "body": "cut', {}),
        CannedResponse(200, [None]),
        CannedResponse(200, [{"body": "no id"}]),
        CannedResponse(301, None, {"Location": "http://elsewhere.invalid/"}),
    ],
    ids=str,
)
@pytest.mark.parametrize("page", ["1", "2"])
def test_nothing_is_written_unless_every_page_was_read(
    here: Desk, page: str, answer: CannedResponse
) -> None:
    for number in range(101):
        here.forge.add_comment(here.number, f"Comment {number}")
    here.forge.server.fail(*[answer] * 9, when=lists(page))  # type: ignore[arg-type]
    with pytest.raises(RemoteError) as caught:
        post(here)
    assert here.forge.writes == 0
    assert "\n" not in str(caught.value)
    assert not isinstance(caught.value, WriteDenied)


def test_a_page_that_comes_again_ends_it(here: Desk) -> None:
    for number in range(101):
        here.forge.add_comment(here.number, f"Comment {number}")
    again = f"{here.forge.api}/repos/acme/shop/issues/{here.number}/comments?per_page=100"
    first = CannedResponse(
        200, here.forge.comments[here.number][:100], {"Link": f'<{again}>; rel="next"'}
    )
    here.forge.server.fail(*[first] * 9, when=lists("1"))  # type: ignore[arg-type]
    with pytest.raises(RemoteError, match="same page again"):
        post(here)
    assert here.forge.writes == 0


def test_a_page_elsewhere_is_not_asked_for(here: Desk) -> None:
    with serving(lambda _: CannedResponse(200, [])) as other:
        link = {"Link": f'<{other.url}/comments>; rel="next"'}
        here.forge.server.fail(CannedResponse(200, [], link), when=lists("1"))  # type: ignore[arg-type]
        with pytest.raises(RemoteError, match="not followed"):
            post(here)
        assert not other.asked
    assert here.forge.writes == 0


def test_a_redirect_elsewhere_is_not_followed(here: Desk) -> None:
    with serving(lambda _: CannedResponse(201, {})) as other:
        moved = CannedResponse(307, None, {"Location": f"{other.url}/comments"})
        here.forge.server.fail(moved, moved, when=writes)
        with pytest.raises(RemoteError, match="not followed"):
            post(here)
        assert not other.asked


def did_it(here: Desk, answer: CannedResponse) -> None:
    """Let the next write be done, and its answer be lost."""
    left = [answer]

    def fault(request: Request) -> CannedResponse | None:
        if not writes(request) or not left:
            return None
        here.forge.answer(request)
        return left.pop()

    here.forge.server.faults.append(fault)


LOST = [
    CannedResponse(502, {"message": "Server Error"}),
    CannedResponse(201, b'{"id": 1, "html', {}),
    CannedResponse(201, b'{"id": 1}', cut=3),
]


@pytest.mark.parametrize("answer", LOST, ids=str)
def test_a_comment_whose_answer_was_lost_is_found_and_not_posted_again(
    here: Desk, answer: CannedResponse
) -> None:
    did_it(here, answer)
    assert post(here) == "created"
    assert here.forge.bodies(here.number) == [BODY]


def test_a_comment_that_was_not_taken_is_sent_once_more(here: Desk) -> None:
    here.forge.server.fail(LOST[0], when=writes)
    assert post(here) == "created"
    assert here.forge.bodies(here.number) == [BODY]


def test_it_is_not_sent_a_third_time(here: Desk) -> None:
    here.forge.server.fail(*[LOST[0]] * 9, when=writes)
    with pytest.raises(RemoteError, match="502"):
        post(here)
    assert len(here.forge.server.paths("POST")) == 2


@pytest.mark.parametrize("answer", LOST, ids=str)
def test_an_edit_whose_answer_was_lost(here: Desk, answer: CannedResponse) -> None:
    here.forge.add_comment(here.number, f"{MARKER}\nOld", JOBS_OWN, program=True)
    did_it(here, answer)
    assert post(here) == "edited"
    assert here.forge.bodies(here.number) == [BODY]


def test_an_edit_does_nothing_twice_and_is_tried_as_often_as_reading(here: Desk) -> None:
    here.forge.add_comment(here.number, f"{MARKER}\nOld", JOBS_OWN, program=True)
    here.forge.server.fail(LOST[0], LOST[0], when=writes)
    assert post(here) == "edited"


def test_nothing_is_posted_while_nobody_can_look(here: Desk) -> None:
    here.forge.server.fail(LOST[0], when=writes)
    seen = []

    def fault(request: Request) -> CannedResponse | None:
        seen.append(request.method)
        return LOST[0] if request.method == "GET" and "POST" in seen else None

    here.forge.server.faults.insert(0, fault)
    with pytest.raises(RemoteError, match="502"):
        post(here)
    assert seen.count("POST") == 1


@pytest.mark.parametrize("old", [False, True])
def test_a_token_that_may_only_read_is_a_denied_write(here: Desk, old: bool) -> None:
    if old:
        here.forge.add_comment(here.number, f"{MARKER}\nOld", JOBS_OWN, program=True)
    with pytest.raises(WriteDenied) as caught:
        post(here, token=FORK)
    assert "Resource not accessible by integration" in str(caught.value)
    assert "pull-requests: write" in str(caught.value)
    assert FORK not in str(caught.value)
    assert here.forge.writes == 0
    assert caught.value.__context__ is None or FORK not in repr(caught.value.__context__)


@pytest.mark.parametrize("status", [401, 403, 404, 410])
def test_what_counts_as_denied(here: Desk, status: int) -> None:
    here.forge.server.fail(CannedResponse(status, {"message": f"No {JOB}"}), when=writes)
    with pytest.raises(WriteDenied) as caught:
        post(here)
    assert JOB not in str(caught.value)
    assert len(here.forge.server.paths("POST")) == 1


def test_a_locked_conversation(here: Desk) -> None:
    here.forge.locked.add(here.number)
    with pytest.raises(WriteDenied, match="locked"):
        post(here)


def test_a_text_that_is_too_long_is_one_line(here: Desk) -> None:
    with pytest.raises(RemoteError, match="422"):
        post(here, f"{MARKER}\n{'x' * LONGEST}")
    assert here.forge.writes == 0


@pytest.mark.parametrize("token", [None, "ghp_of-nobody"])
def test_a_bad_token_is_refused_before_anything_is_written(here: Desk, token: str | None) -> None:
    with pytest.raises(AccessRefused) as caught:
        post(here, token=token)
    assert "ghp_of-nobody" not in str(caught.value)
    assert not here.forge.server.paths("POST")


LIMITS = [
    CannedResponse(429, {"message": "too fast"}, {"Retry-After": "7"}),
    CannedResponse(403, {"message": "You have exceeded a secondary rate limit."}),
    CannedResponse(
        403,
        {"message": "API rate limit exceeded"},
        {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1795000009"},
    ),
]


@pytest.mark.parametrize("limit", LIMITS, ids=str)
@pytest.mark.parametrize("when", ["GET", "POST"])
def test_a_limit_is_waited_for_and_not_taken_for_a_denied_write(
    here: Desk, limit: CannedResponse, when: str
) -> None:
    late = CannedResponse(limit.status, limit.data, {**limit.headers, "Date": DATE})
    here.forge.server.fail(late, when=lambda request: request.method == when)
    assert post(here) == "created"
    assert len(here.workplace.waits) == 1
    assert here.forge.bodies(here.number) == [BODY]


def test_a_limit_that_lasts_is_told_as_one(here: Desk) -> None:
    limit = CannedResponse(429, {"message": "too fast"}, {"Retry-After": "7200"})
    here.forge.server.fail(limit, when=writes)
    with pytest.raises(RateLimited):
        post(here)
    assert len(here.forge.server.paths("POST")) == 1


DATE = "Wed, 18 Nov 2026 11:06:40 GMT"
