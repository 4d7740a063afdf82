"""A host that nobody knows is asked who it is: without a token, and seldom."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.config.settings import TrackerSettings
from sdd_hooks.errors import RemoteError
from sdd_hooks.remote.client import Client
from sdd_hooks.remote.connect import connect
from sdd_hooks.remote.urls import parse_remote
from sdd_hooks.system.user_cache import read_cached, user_cache_directory, write_cached
from sdd_hooks.trackers.detection import detect
from sdd_hooks.trackers.host_probe import (
    CACHE,
    DAY,
    KEPT_FOR,
    KNOWN_FOR,
    NOBODYS_FOR,
    SILENT_FOR,
    asking,
)
from sdd_hooks.trackers.protocol import RepositoryContext, TrackerEnvironment
from tests.support.loopback import CannedResponse, Request, Server, serving
from tests.trackers.vendors import ACORN, BIRCH, KNOWN

NOW = 1_800_000_000.0


@pytest.fixture
def birch() -> Iterator[Server]:
    """A host that says that it is Birch's."""

    def answer(request: Request) -> CannedResponse:
        assert (request.method, request.path) == ("GET", "/who")
        return CannedResponse(data="Birch")

    with serving(answer) as server:
        yield server


def machine(origin: str, home: Path) -> TrackerEnvironment:
    environ = {"HOME": str(home), "FORGE_TOKEN": "s3cret", "FORGE_HOST": origin}
    around = RepositoryContext(home, (), parse_remote(origin), environ)
    return TrackerEnvironment(
        around,
        partial(connect, label="it", around_origin=around.origin, root=home, environ=environ),
    )


def tracker(here: TrackerEnvironment, now: float) -> str | None:
    ask = asking(here, now)
    found = detect(TrackerSettings(), here.repository, KNOWN, ask=ask).found
    return found.name if found else None


def test_a_host_says_who_it_is_without_a_token(birch: Server, tmp_path: Path) -> None:
    here = machine(f"{birch.url}/acme/shop.git", tmp_path)
    found = detect(TrackerSettings(), here.repository, KNOWN, ask=asking(here, NOW)).found
    assert found is not None
    assert (found.name, found.location) == ("birch", (birch.url, "acme", "shop"))
    assert [request.headers.get("authorization") for request in birch.asked] == [None, None]


def test_it_is_asked_again_after_a_month(birch: Server, tmp_path: Path) -> None:
    here = machine(f"{birch.url}/acme/shop.git", tmp_path)
    other = machine(f"{birch.url}/acme/other", tmp_path)
    assert tracker(here, NOW) == tracker(other, NOW + KNOWN_FOR - 1) == "birch"
    assert len(birch.asked) == 2
    assert tracker(here, NOW + KNOWN_FOR) == "birch"
    assert len(birch.asked) == 4


def test_nobodys_host_is_asked_again_after_a_day(tmp_path: Path) -> None:
    with serving(lambda _request: CannedResponse(404)) as server:
        here = machine(f"{server.url}/acme/shop.git", tmp_path)
        assert tracker(here, NOW) is tracker(here, NOW + NOBODYS_FOR - 1) is None
        assert len(server.asked) == 2
        assert tracker(here, NOW + NOBODYS_FOR) is None
        assert len(server.asked) == 4


def test_a_host_that_fails_is_asked_once_and_again_after_an_hour(tmp_path: Path) -> None:
    with serving(lambda _request: CannedResponse(400)) as server:
        here = machine(f"{server.url}/acme/shop.git", tmp_path)
        assert tracker(here, NOW) is tracker(here, NOW + SILENT_FOR - 1) is None
        assert len(server.asked) == 1, "the second vendor asks the same host"
        assert tracker(here, NOW + SILENT_FOR) is None
        assert len(server.asked) == 2


def test_a_host_that_is_not_there(tmp_path: Path) -> None:
    with serving(lambda _request: CannedResponse(404)) as server:
        here = machine(f"{server.url}/acme/shop.git", tmp_path)
    assert tracker(here, NOW) is None


def test_a_host_out_of_reach_stays_what_it_was(tmp_path: Path) -> None:
    here = machine("http://127.0.0.1:9/acme/shop.git", tmp_path)
    write_cached(CACHE, {"http://127.0.0.1:9": ("birch", NOW)}, here.repository.environ)
    assert tracker(here, NOW) == "birch"
    assert read_cached(CACHE, here.repository.environ)["http://127.0.0.1:9"] == [
        "birch",
        NOW + SILENT_FOR,
    ]


def test_offline_only_what_is_remembered_counts(birch: Server, tmp_path: Path) -> None:
    here = machine(f"{birch.url}/acme/shop.git", tmp_path)
    candidates = [("acorn", ACORN), ("birch", BIRCH)]
    assert asking(here, NOW, online=False)(candidates) is None
    assert tracker(here, NOW) == "birch"
    assert asking(here, NOW + KNOWN_FOR, online=False)(candidates) == "birch"
    assert len(birch.asked) == 2


def test_a_refusal_is_no_reason_to_ask_no_further(tmp_path: Path) -> None:
    refusals = iter([CannedResponse(401), CannedResponse(data="Birch")])
    with serving(lambda _request: next(refusals)) as server:
        assert tracker(machine(f"{server.url}/acme/shop.git", tmp_path), NOW) == "birch"


def test_what_is_remembered_of_a_tracker_that_is_gone_is_nobody(
    birch: Server, tmp_path: Path
) -> None:
    here = machine(f"{birch.url}/acme/shop.git", tmp_path)
    assert tracker(here, NOW) == "birch"
    assert asking(here, NOW)([("acorn", ACORN)]) is None
    assert asking(here, NOW)([("acorn", ACORN), ("birch", BIRCH)]) == "birch"


def test_an_answer_from_the_future_is_not_believed(birch: Server, tmp_path: Path) -> None:
    here = machine(f"{birch.url}/acme/shop.git", tmp_path)
    write_cached(CACHE, {birch.url: ("", NOW + KNOWN_FOR + DAY)}, here.repository.environ)
    assert tracker(here, NOW) == "birch"


def test_what_has_long_run_out_is_forgotten(birch: Server, tmp_path: Path) -> None:
    here = machine(f"{birch.url}/acme/shop.git", tmp_path)
    facts = {"https://old.example": ("", NOW - KEPT_FOR), "https://new.example": ("acorn", NOW + 1)}
    write_cached(CACHE, facts, here.repository.environ)
    assert tracker(here, NOW) == "birch"
    assert set(read_cached(CACHE, here.repository.environ)) == {"https://new.example", birch.url}


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)


def nobody_there(api: str, sources: object, limits: object = None) -> Client:
    raise RemoteError("there is no network")


@given(fact=JSON)
def test_a_cache_of_any_content(fact: object, tmp_path_factory: pytest.TempPathFactory) -> None:
    origin = parse_remote("https://git.acme.example/acme/shop")
    environ = {"HOME": str(tmp_path_factory.getbasetemp() / "hosts")}
    user_cache_directory(environ).mkdir(parents=True, exist_ok=True)
    write_cached(CACHE, {"https://git.acme.example": fact}, environ)
    here = TrackerEnvironment(
        RepositoryContext(Path("/nowhere"), (), origin, environ), nobody_there
    )
    assert tracker(here, NOW) is None
