"""The clients of trackers: their tokens, rate limits and waits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path

import pytest

from sdd_hooks.errors import AccessRefused, RemoteError
from sdd_hooks.remote.client import Client, Waiting
from sdd_hooks.remote.credentials import TokenSources, TokenVariables
from sdd_hooks.remote.response import RateLimit, RateLimitRule, Response
from sdd_hooks.trackers.protocol import TrackedRepository
from sdd_hooks.trackers.source import client_factory
from tests.support.fake_clock import FakeClock
from tests.support.loopback import CannedResponse, Server, serving

FORGE = TokenSources(
    (TokenVariables(("FORGE_TOKEN",), ("FORGE_URL",), ("forge.example",)),),
    lambda secret: {"Authorization": f"token {secret.value}"},
    "set FORGE_TOKEN",
)


@pytest.fixture
def server() -> Iterator[Server]:
    with serving(lambda request: CannedResponse(data=[])) as server:
        yield server


def connect(
    api: str,
    environ: Mapping[str, str],
    sources: TokenSources | None = FORGE,
    rate_limit: RateLimitRule | None = None,
    clock: FakeClock | None = None,
) -> Client:
    clock = clock or FakeClock()
    repository = TrackedRepository(Path("/nonexistent"), (), lambda: None, environ)
    waiting = Waiting(clock=clock.clock, sleep=clock.sleep)
    return client_factory(repository, "Forge", waiting=waiting)(api, sources, rate_limit)


def test_the_token_of_the_host_is_sent(server: Server) -> None:
    with closing(connect(server.url, {"FORGE_TOKEN": "s3cret", "FORGE_URL": server.url})) as client:
        client.get("issues")
    assert server.requests[0].headers["authorization"] == "token s3cret"


def test_no_token_is_sent_to_another_host(server: Server) -> None:
    server.fail(CannedResponse(401))
    with closing(connect(server.url, {"FORGE_TOKEN": "s3cret"})) as client:
        with pytest.raises(AccessRefused) as error:
            client.get("issues")
        client.get("issues")
    assert str(error.value) == (
        "Forge wants a token (401, /issues): FORGE_TOKEN is not sent to "
        f"{server.url.removeprefix('http://')}: set FORGE_URL={server.url} if it belongs there"
    )
    assert not any("authorization" in request.headers for request in server.requests)


def test_a_client_without_sources_sends_no_token_and_does_not_wait(server: Server) -> None:
    clock = FakeClock()
    environ = {"FORGE_TOKEN": "s3cret", "FORGE_URL": server.url}
    server.faults.append(lambda _: CannedResponse(503, None, {"Retry-After": "1"}))
    client = connect(server.url, environ, sources=None, clock=clock)
    with closing(client), pytest.raises(RemoteError):
        client.get("version")
    assert len(server.requests) == 1
    assert "authorization" not in server.requests[0].headers
    assert clock.slept == []


def test_a_rate_limit_of_the_vendor_is_waited_for(server: Server) -> None:
    def rate_limit(response: Response, now: float) -> RateLimit | None:
        return RateLimit(now + 3) if response.status == 400 else None

    clock = FakeClock()
    server.fail(CannedResponse(400))
    with closing(connect(server.url, {}, rate_limit=rate_limit, clock=clock)) as client:
        assert client.get("issues").status == 200
    assert clock.slept == [3]


@pytest.mark.parametrize(
    "api", ["forge.example", "https://ada:pa55word@forge.example", "file:///x"]
)
def test_an_invalid_address(api: str) -> None:
    for sources in (FORGE, None):
        with pytest.raises(RemoteError) as error:
            connect(api, {"FORGE_TOKEN": "s3cret"}, sources)
        assert str(error.value) == "Forge: the address of its API is not valid: check its URL"
