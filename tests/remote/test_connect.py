from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path

import pytest

from sdd_hooks.errors import AccessRefused, RemoteError
from sdd_hooks.remote.client import Client
from sdd_hooks.remote.connect import connect
from sdd_hooks.remote.credentials import Sources, Variables
from sdd_hooks.remote.response import RateLimit, RateLimitRule, Response
from tests.support.fake_clock import FakeClock
from tests.support.loopback import CannedResponse, Server, serving

FORGE = Sources(
    (Variables(("FORGE_TOKEN",), ("FORGE_URL",), ("forge.example",)),),
    lambda secret: {"Authorization": f"token {secret.value}"},
    "set FORGE_TOKEN",
)


@pytest.fixture
def server() -> Iterator[Server]:
    with serving(lambda request: CannedResponse(data=[])) as found:
        yield found


def opened(
    api: str,
    environ: Mapping[str, str],
    sources: Sources | None = FORGE,
    limits: RateLimitRule | None = None,
    waiting: FakeClock | None = None,
) -> Client:
    waiting = waiting or FakeClock()
    return connect(
        api,
        sources,
        limits,
        label="Forge",
        around_origin=None,
        root=Path("/nonexistent"),
        environ=environ,
        clock=waiting.clock,
        sleep=waiting.sleep,
    )


def test_with_the_token_of_the_host(server: Server) -> None:
    with closing(opened(server.url, {"FORGE_TOKEN": "s3cret", "FORGE_URL": server.url})) as client:
        client.get("issues")
    assert server.asked[0].headers["authorization"] == "token s3cret"


def test_without_a_token_for_another_host(server: Server) -> None:
    server.fail(CannedResponse(401))
    with closing(opened(server.url, {"FORGE_TOKEN": "s3cret"})) as client:
        with pytest.raises(AccessRefused) as error:
            client.get("issues")
        client.get("issues")
    assert str(error.value) == (
        "Forge wants a token (401, /issues): FORGE_TOKEN is not sent to "
        f"{server.url.removeprefix('http://')}: set FORGE_URL={server.url} if it belongs there"
    )
    assert not any("authorization" in request.headers for request in server.asked)


def test_to_see_who_is_there(server: Server) -> None:
    waiting = FakeClock()
    environ = {"FORGE_TOKEN": "s3cret", "FORGE_URL": server.url}
    server.faults.append(lambda _: CannedResponse(503, None, {"Retry-After": "1"}))
    client = opened(server.url, environ, sources=None, waiting=waiting)
    with closing(client), pytest.raises(RemoteError):
        client.get("version")
    assert len(server.asked) == 1
    assert "authorization" not in server.asked[0].headers
    assert waiting.slept == []


def test_the_limits_of_the_vendor(server: Server) -> None:
    def limits(answer: Response, now: float) -> RateLimit | None:
        return RateLimit(now + 3) if answer.status == 400 else None

    waiting = FakeClock()
    server.fail(CannedResponse(400))
    with closing(opened(server.url, {}, limits=limits, waiting=waiting)) as client:
        assert client.get("issues").status == 200
    assert waiting.slept == [3]


@pytest.mark.parametrize(
    "api", ["forge.example", "https://ada:pa55word@forge.example", "file:///x"]
)
def test_an_address_that_is_none(api: str) -> None:
    for sources in (FORGE, None):
        with pytest.raises(RemoteError) as error:
            opened(api, {"FORGE_TOKEN": "s3cret"}, sources)
        assert str(error.value) == "Forge: the address of its API is none: check its URL"
