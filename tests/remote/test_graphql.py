"""Queries to a GraphQL API, and the errors in its responses."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.errors import AccessRefused, Missing, RateLimited, RemoteError
from sdd_hooks.remote.client import Access, Client, Waiting
from sdd_hooks.remote.credentials import Secret
from sdd_hooks.remote.graphql import execute
from sdd_hooks.remote.response import RateLimit, Response
from tests.support.fake_clock import FakeClock
from tests.support.loopback import CannedResponse, Server, serving

QUERY = "query Q($n: Int!) { issue(number: $n) { title } }"
TOKEN = "t0p-s3cret"


@pytest.fixture
def server() -> Iterator[Server]:
    with serving(lambda request: CannedResponse(data={"data": {"asked": request.json()}})) as found:
        yield found


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def client(server: Server, clock: FakeClock) -> Iterator[Client]:
    def rate_limit(response: Response, now: float) -> RateLimit | None:
        return RateLimit(now + 5) if b"RATE_LIMITED" in response.body else None

    client = Client(
        server.url,
        label="Forge",
        access=Access({"Authorization": TOKEN}, Secret(TOKEN, "FORGE_KEY"), "set FORGE_KEY"),
        rate_limit=rate_limit,
        waiting=Waiting(clock=clock.clock, sleep=clock.sleep),
    )
    with closing(client):
        yield client


def test_a_query(server: Server, client: Client) -> None:
    data = execute(client, "graphql", QUERY, {"n": 1})
    assert data == {"asked": {"query": QUERY, "variables": {"n": 1}}}
    assert (server.requests[0].method, server.requests[0].path) == ("POST", "/graphql")


@pytest.mark.parametrize("status", [200, 400])
def test_a_rate_limit(server: Server, client: Client, clock: FakeClock, status: int) -> None:
    limited = CannedResponse(status, {"data": None, "errors": [{"type": "RATE_LIMITED"}]})
    server.fail(limited)
    assert execute(client, "graphql", QUERY, {}, idempotent=False)
    assert clock.slept == [5]
    server.fail(*[limited] * 4)
    with pytest.raises(RateLimited):
        execute(client, "graphql", QUERY, {})


@pytest.mark.parametrize("status", [200, 400])
@pytest.mark.parametrize(
    ("error", "kind", "message"),
    [
        (
            {"type": "FORBIDDEN", "message": "Resource protected"},
            AccessRefused,
            "Forge refuses FORGE_KEY (Resource protected): set FORGE_KEY",
        ),
        (
            {"message": "no", "extensions": {"code": "AUTHENTICATION_ERROR"}},
            AccessRefused,
            "Forge refuses FORGE_KEY (no): set FORGE_KEY",
        ),
        ({"type": "NOT_FOUND", "message": "No such"}, Missing, "Forge: No such"),
        ({"message": f"a\nb {TOKEN}"}, RemoteError, "Forge: a b ***"),
        ({"message": None}, RemoteError, "Forge: no reason given"),
        ({}, RemoteError, "Forge: no reason given"),
        ("why", RemoteError, "Forge: why"),
        (None, RemoteError, "Forge: no reason given"),
    ],
)
def test_an_error(
    server: Server,
    client: Client,
    status: int,
    error: object,
    kind: type[RemoteError],
    message: str,
) -> None:
    server.fail(
        CannedResponse(status, {"data": {"issue": {}}, "errors": [error, {"message": "more"}]})
    )
    with pytest.raises(RemoteError) as raised:
        execute(client, "graphql", QUERY, {})
    assert type(raised.value) is kind
    assert str(raised.value) == message
    assert len(server.requests) == 1


def test_partial_data_is_not_returned(server: Server, client: Client) -> None:
    server.fail(CannedResponse(200, {"data": {"a": 1, "b": None}, "errors": [{"message": "b"}]}))
    with pytest.raises(RemoteError, match=r"^Forge: b$"):
        execute(client, "graphql", QUERY, {})


@pytest.mark.parametrize("body", [{}, {"data": None}, {"data": []}, [], "x", None, {"errors": []}])
@pytest.mark.parametrize("status", [200, 400])
def test_no_data(server: Server, client: Client, status: int, body: object) -> None:
    server.fail(*[CannedResponse(status, body)] * 4)
    with pytest.raises(RemoteError):
        execute(client, "graphql", QUERY, {})


def test_a_page_of_html(server: Server, client: Client) -> None:
    server.fail(CannedResponse(200, b"<html>"), CannedResponse(400, b"<html>"))
    for _ in range(2):
        with pytest.raises(RemoteError, match=r"not JSON|without data \(400\)"):
            execute(client, "graphql", QUERY, {})


def test_a_mutation_is_not_repeated(server: Server, client: Client) -> None:
    server.fail(CannedResponse(502), CannedResponse(502))
    with pytest.raises(RemoteError, match="answers 502"):
        execute(client, "graphql", "mutation { x }", {}, idempotent=False)
    assert len(server.requests) == 1
    assert execute(client, "graphql", QUERY, {})
    assert len(server.requests) == 3


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=9),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["errors", "data", "message", "type", "extensions", "code"]), inner
        )
    ),
    max_leaves=9,
)


@pytest.fixture(scope="module")
def anything() -> Iterator[tuple[Client, list[CannedResponse]]]:
    """A client, and the response to all of its requests."""
    responses = [CannedResponse()]
    with (
        serving(lambda _: responses[0]) as server,
        closing(Client(server.url, label="F")) as client,
    ):
        yield client, responses


@given(status=st.sampled_from([200, 400]), body=JSON)
def test_any_response_is_data_or_an_error_of_one_line(
    anything: tuple[Client, list[CannedResponse]], status: int, body: object
) -> None:
    client, responses = anything
    responses[0] = CannedResponse(status, body)
    try:
        assert isinstance(execute(client, "graphql", QUERY, {}), dict)
    except RemoteError as error:
        assert str(error).isprintable()
