"""A pull request on GitHub has one comment of the job, also after failed requests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from sdd_hooks.errors import AccessRefused, RemoteError
from sdd_hooks.forges.protocol import WriteDenied
from sdd_hooks.reporting.comment import MARKER, has_marker
from tests.forges.github.harness import GitHubHarness, github_harness
from tests.support.github_forge import FORK, JOB, MAX_BODY_LENGTH, PERSONAL
from tests.support.loopback import CannedResponse, Request
from tests.support.openapi import NEEDED, Description, damaged

BODY = f"{MARKER}\nOne finding.\n\nIn `src/app.py`.\n"
JOBS_OWN = "github-actions[bot]"


@pytest.fixture
def harness() -> Iterator[GitHubHarness]:
    with github_harness() as made:
        yield made


def post(
    harness: GitHubHarness, body: str = BODY, token: str | None = JOB, *, create: bool = True
) -> str:
    forge = harness.open(token)
    return forge.upsert_comment(harness.number, body, has_marker, create=create).action


def writes(request: Request) -> bool:
    return request.method != "GET"


def lists(page: str) -> object:
    return lambda request: (
        request.path.endswith("/comments") and request.query.get("page", "1") == page
    )


@pytest.mark.parametrize("token", [JOB, PERSONAL])
def test_the_comment_is_created_once_then_kept_and_edited(
    harness: GitHubHarness, token: str
) -> None:
    harness.forge.add_comment(harness.number, "Looks good.")
    assert post(harness, token=token) == "created"
    assert post(harness, token=token) == "kept"
    assert harness.forge.writes == 1
    assert post(harness, BODY + "Another.", token) == "edited"
    assert harness.forge.bodies(harness.number) == ["Looks good.", BODY + "Another."]


def test_the_address_of_the_comment_is_returned(harness: GitHubHarness) -> None:
    forge = harness.open()
    made = forge.upsert_comment(harness.number, BODY, has_marker)
    assert made.url == harness.forge.comments[harness.number][0]["html_url"]
    assert forge.upsert_comment(harness.number, BODY, has_marker).url == made.url
    assert forge.upsert_comment(harness.number, f"{MARKER}\n", has_marker).url == made.url


def test_logins_are_compared_without_case(harness: GitHubHarness) -> None:
    harness.forge.add_comment(harness.number, f"{MARKER}\nOld", "Robin")
    assert post(harness, token=PERSONAL) == "edited"


def test_a_comment_of_a_deleted_account(harness: GitHubHarness) -> None:
    harness.forge.add_comment(harness.number, BODY)["user"] = None
    assert post(harness) == "created"


@pytest.mark.parametrize("token", [JOB, PERSONAL])
def test_no_comment_of_another_account_is_edited_when_fields_are_missing(
    harness: GitHubHarness, token: str
) -> None:
    described = Description.load("github/forge.openapi3.json")
    if described is None:
        pytest.skip(NEEDED)
    foreign = harness.forge.add_comment(harness.number, BODY, "mallory")
    listing = f"/repos/acme/shop/issues/{harness.number}/comments"
    places = [("*", *way) for way in (("user",), ("user", "login"), ("user", "type"), ("body",))]
    places += [way for way in described.optional("GET", listing, 200) if len(way) > 1]
    harness.forge.server.faults.append(
        lambda request: answers.pop() if answers and request.method == "GET" else None
    )
    forge = harness.open(token)
    for _, data in damaged([foreign], places):
        # The account is requested first.
        us = CannedResponse(403) if token == JOB else CannedResponse(200, {"login": "robin"})
        answers = [CannedResponse(200, data), us]
        assert forge.upsert_comment(harness.number, BODY, has_marker).action == "created"
    assert harness.forge.bodies(harness.number)[0] == BODY
    assert not harness.forge.server.paths("PATCH")


@pytest.mark.parametrize("place", [0, 2499])
def test_all_of_2500_comments_are_read(harness: GitHubHarness, place: int) -> None:
    for number in range(2500):
        if number == place:
            harness.forge.add_comment(harness.number, f"{MARKER}\nOld", JOBS_OWN, program=True)
        else:
            harness.forge.add_comment(harness.number, f"Comment {number}")
    harness.forge.server.requests.clear()
    assert post(harness) == "edited"
    assert harness.forge.bodies(harness.number)[place] == BODY
    pages = [one for one in harness.forge.server.requests if one.path.endswith("/comments")]
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
def test_nothing_is_written_before_every_page_is_read(
    harness: GitHubHarness, page: str, answer: CannedResponse
) -> None:
    """Scenario "The last page fails" of SPEC-0009."""
    for number in range(101):
        harness.forge.add_comment(harness.number, f"Comment {number}")
    harness.forge.server.fail(*[answer] * 9, when=lists(page))  # type: ignore[arg-type]
    with pytest.raises(RemoteError) as caught:
        post(harness)
    assert harness.forge.writes == 0
    assert "\n" not in str(caught.value)
    assert not isinstance(caught.value, WriteDenied)


@pytest.mark.parametrize("old", [False, True])
def test_a_read_only_token_is_a_denied_write(harness: GitHubHarness, old: bool) -> None:
    if old:
        harness.forge.add_comment(harness.number, f"{MARKER}\nOld", JOBS_OWN, program=True)
    with pytest.raises(WriteDenied) as caught:
        post(harness, token=FORK)
    assert "Resource not accessible by integration" in str(caught.value)
    assert "pull-requests: write" in str(caught.value)
    assert FORK not in str(caught.value)
    assert harness.forge.writes == 0
    assert caught.value.__context__ is None or FORK not in repr(caught.value.__context__)


@pytest.mark.parametrize("status", [401, 403, 404, 410])
def test_statuses_of_a_denied_write(harness: GitHubHarness, status: int) -> None:
    harness.forge.server.fail(CannedResponse(status, {"message": f"No {JOB}"}), when=writes)
    with pytest.raises(WriteDenied) as caught:
        post(harness)
    assert JOB not in str(caught.value)
    assert len(harness.forge.server.paths("POST")) == 1


def test_a_locked_conversation(harness: GitHubHarness) -> None:
    harness.forge.locked.add(harness.number)
    with pytest.raises(WriteDenied, match="locked"):
        post(harness)


def test_a_comment_above_the_maximum_length_is_an_error(harness: GitHubHarness) -> None:
    with pytest.raises(RemoteError, match="422"):
        post(harness, f"{MARKER}\n{'x' * MAX_BODY_LENGTH}")
    assert harness.forge.writes == 0


@pytest.mark.parametrize("token", [None, "ghp_unknown"])
def test_a_wrong_token_is_refused_before_a_write(harness: GitHubHarness, token: str | None) -> None:
    with pytest.raises(AccessRefused) as caught:
        post(harness, token=token)
    assert "ghp_unknown" not in str(caught.value)
    assert not harness.forge.server.paths("POST")


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
def test_a_rate_limit_is_waited_for_and_is_no_denied_write(
    harness: GitHubHarness, limit: CannedResponse, when: str
) -> None:
    """Scenario "A secondary limit" of SPEC-0009."""
    late = CannedResponse(limit.status, limit.data, {**limit.headers, "Date": DATE})
    harness.forge.server.fail(late, when=lambda request: request.method == when)
    assert post(harness) == "created"
    assert len(harness.client_factory.waits) == 1
    assert harness.forge.bodies(harness.number) == [BODY]


DATE = "Wed, 18 Nov 2026 11:06:40 GMT"
