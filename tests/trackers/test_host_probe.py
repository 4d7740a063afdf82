"""The probe of an unknown host: without a token, and with a cache."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.config.settings import TrackerSettings
from sdd_hooks.errors import RemoteError
from sdd_hooks.remote.client import Client
from sdd_hooks.remote.urls import parse_remote
from sdd_hooks.system.user_cache import read_cached, user_cache_directory, write_cached
from sdd_hooks.trackers.detection import (
    CACHE,
    DAY_SECONDS,
    KNOWN_SECONDS,
    STALE_SECONDS,
    UNKNOWN_SECONDS,
    UNREACHABLE_SECONDS,
    Declaration,
    DetectedTracker,
    cached_probe,
    detect,
)
from sdd_hooks.trackers.protocol import TrackedRepository, TrackerEnvironment
from sdd_hooks.trackers.source import client_factory
from tests.support.loopback import CannedResponse, Request, Server, serving
from tests.trackers.vendors import ACORN, BIRCH, KNOWN

NOW = 1_800_000_000.0


@pytest.fixture
def birch() -> Iterator[Server]:
    """A host of the vendor Birch."""

    def answer(request: Request) -> CannedResponse:
        assert (request.method, request.path) == ("GET", "/who")
        return CannedResponse(data="Birch")

    with serving(answer) as server:
        yield server


def opened(origin: str, home: Path) -> TrackerEnvironment:
    environ = {"HOME": str(home), "FORGE_TOKEN": "s3cret", "FORGE_HOST": origin}
    repository = TrackedRepository(home, (), lambda: parse_remote(origin), environ)
    return TrackerEnvironment(repository, client_factory(repository, "the host"))


def detected(environment: TrackerEnvironment, now: float) -> DetectedTracker | None:
    probe = cached_probe(environment, now)
    declaration = Declaration(TrackerSettings())
    return detect(declaration, environment.repository, KNOWN, probe=probe).tracker


def vendor_of(environment: TrackerEnvironment, now: float) -> str | None:
    tracker = detected(environment, now)
    return tracker.name if tracker else None


def test_a_host_is_probed_without_a_token(birch: Server, tmp_path: Path) -> None:
    environment = opened(f"{birch.url}/acme/shop.git", tmp_path)
    tracker = detected(environment, NOW)
    assert tracker is not None
    assert (tracker.name, tracker.location) == ("birch", (birch.url, "acme", "shop"))
    assert [request.headers.get("authorization") for request in birch.requests] == [None, None]


def test_a_known_host_is_probed_again_after_a_month(birch: Server, tmp_path: Path) -> None:
    environment = opened(f"{birch.url}/acme/shop.git", tmp_path)
    other = opened(f"{birch.url}/acme/other", tmp_path)
    assert vendor_of(environment, NOW) == vendor_of(other, NOW + KNOWN_SECONDS - 1) == "birch"
    assert len(birch.requests) == 2
    assert vendor_of(environment, NOW + KNOWN_SECONDS) == "birch"
    assert len(birch.requests) == 4


def test_a_host_of_no_vendor_is_probed_again_after_a_day(tmp_path: Path) -> None:
    with serving(lambda _request: CannedResponse(404)) as server:
        environment = opened(f"{server.url}/acme/shop.git", tmp_path)
        assert (
            vendor_of(environment, NOW) is vendor_of(environment, NOW + UNKNOWN_SECONDS - 1) is None
        )
        assert len(server.requests) == 2
        assert vendor_of(environment, NOW + UNKNOWN_SECONDS) is None
        assert len(server.requests) == 4


def test_a_failing_host_is_probed_again_after_an_hour(tmp_path: Path) -> None:
    with serving(lambda _request: CannedResponse(400)) as server:
        environment = opened(f"{server.url}/acme/shop.git", tmp_path)
        assert (
            vendor_of(environment, NOW)
            is vendor_of(environment, NOW + UNREACHABLE_SECONDS - 1)
            is None
        )
        assert len(server.requests) == 1, "the second vendor would probe the same host"
        assert vendor_of(environment, NOW + UNREACHABLE_SECONDS) is None
        assert len(server.requests) == 2


def test_a_host_that_refuses_connections(tmp_path: Path) -> None:
    with serving(lambda _request: CannedResponse(404)) as server:
        environment = opened(f"{server.url}/acme/shop.git", tmp_path)
    assert vendor_of(environment, NOW) is None


def test_an_unreachable_host_keeps_its_last_result(tmp_path: Path) -> None:
    environment = opened("http://127.0.0.1:9/acme/shop.git", tmp_path)
    write_cached(CACHE, {"http://127.0.0.1:9": ("birch", NOW)}, environment.repository.environ)
    assert vendor_of(environment, NOW) == "birch"
    assert read_cached(CACHE, environment.repository.environ)["http://127.0.0.1:9"] == [
        "birch",
        NOW + UNREACHABLE_SECONDS,
    ]


def test_offline_only_the_cache_counts(birch: Server, tmp_path: Path) -> None:
    environment = opened(f"{birch.url}/acme/shop.git", tmp_path)
    candidates = [("acorn", ACORN), ("birch", BIRCH)]
    assert cached_probe(environment, NOW, online=False)(candidates) is None
    assert vendor_of(environment, NOW) == "birch"
    assert cached_probe(environment, NOW + KNOWN_SECONDS, online=False)(candidates) == "birch"
    assert len(birch.requests) == 2


def test_after_a_refusal_the_next_vendor_is_probed(tmp_path: Path) -> None:
    refusals = iter([CannedResponse(401), CannedResponse(data="Birch")])
    with serving(lambda _request: next(refusals)) as server:
        assert vendor_of(opened(f"{server.url}/acme/shop.git", tmp_path), NOW) == "birch"


def test_a_cached_vendor_that_is_not_installed_counts_as_none(
    birch: Server, tmp_path: Path
) -> None:
    environment = opened(f"{birch.url}/acme/shop.git", tmp_path)
    assert vendor_of(environment, NOW) == "birch"
    assert cached_probe(environment, NOW)([("acorn", ACORN)]) is None
    assert cached_probe(environment, NOW)([("acorn", ACORN), ("birch", BIRCH)]) == "birch"


def test_a_cached_time_too_far_in_the_future_is_ignored(birch: Server, tmp_path: Path) -> None:
    environment = opened(f"{birch.url}/acme/shop.git", tmp_path)
    write_cached(
        CACHE, {birch.url: ("", NOW + KNOWN_SECONDS + DAY_SECONDS)}, environment.repository.environ
    )
    assert vendor_of(environment, NOW) == "birch"


def test_a_result_that_expired_long_ago_is_removed(birch: Server, tmp_path: Path) -> None:
    environment = opened(f"{birch.url}/acme/shop.git", tmp_path)
    facts = {
        "https://old.example": ("", NOW - STALE_SECONDS),
        "https://new.example": ("acorn", NOW + 1),
    }
    write_cached(CACHE, facts, environment.repository.environ)
    assert vendor_of(environment, NOW) == "birch"
    assert set(read_cached(CACHE, environment.repository.environ)) == {
        "https://new.example",
        birch.url,
    }


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)


def no_network(api: str, sources: object, rate_limit: object = None) -> Client:
    raise RemoteError("there is no network")


@given(fact=JSON)
def test_a_cache_of_any_content(fact: object, tmp_path_factory: pytest.TempPathFactory) -> None:
    origin = parse_remote("https://git.acme.example/acme/shop")
    environ = {"HOME": str(tmp_path_factory.getbasetemp() / "hosts")}
    user_cache_directory(environ).mkdir(parents=True, exist_ok=True)
    write_cached(CACHE, {"https://git.acme.example": fact}, environ)
    environment = TrackerEnvironment(
        TrackedRepository(Path("/nowhere"), (), lambda: origin, environ), no_network
    )
    assert vendor_of(environment, NOW) is None
