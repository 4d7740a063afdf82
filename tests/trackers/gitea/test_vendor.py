"""Gitea as a vendor: addresses of servers and repositories, tokens."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from sdd_hooks.errors import RemoteError
from sdd_hooks.remote.urls import parse_remote
from sdd_hooks.trackers.gitea.vendor import VENDOR
from sdd_hooks.trackers.protocol import TrackedRepository, TrackerLocation
from tests.support.gitea import FakeGitea, serving_gitea
from tests.support.loopback import CannedResponse, Request, serving
from tests.support.machines import ClientFactory
from tests.trackers.fetching import NOW


def _around(origin: str = "", environ: Mapping[str, str] | None = None) -> TrackedRepository:
    remote = parse_remote(origin) if origin else None
    assert remote is not None or not origin
    return TrackedRepository(Path("/nonexistent"), (), lambda: remote, environ or {})


@pytest.mark.parametrize("closed", [False, True])
def test_a_host_with_the_api_of_gitea_is_recognised(closed: bool) -> None:
    with (
        serving_gitea(FakeGitea(NOW, closed=closed)) as server,
        ClientFactory(NOW) as client_factory,
    ):
        around = _around(f"{server.url}/acme/shop.git")
        found = VENDOR.probe(around, client_factory.environment(VENDOR.label))
        assert found == TrackerLocation(server.url, "acme", "shop")
        assert all("authorization" not in request.headers for request in server.requests)
        assert len(server.requests) == (1 if closed else 2)


@pytest.mark.parametrize(
    ("version", "settings"),
    [
        (CannedResponse(404, {"message": "Not Found"}), None),
        (CannedResponse(401, {"message": "Unauthorized"}), None),
        (CannedResponse(403, {"message": "Forbidden"}), None),
        (CannedResponse(200, b"<html>"), None),
        (CannedResponse(200, []), None),
        (CannedResponse(200, {"version": 7.0}), None),
        (CannedResponse(200, {"version": "2.1"}), CannedResponse(404, {})),
        (CannedResponse(200, {"version": "2.1"}), CannedResponse(200, {"limit": 7})),
        (CannedResponse(200, {"version": "2.1"}), CannedResponse(200, b"<html>")),
    ],
)
def test_another_host_is_not_recognised(
    version: CannedResponse, settings: CannedResponse | None
) -> None:
    def answer(request: Request) -> CannedResponse:
        if request.path == "/api/v1/version":
            return version
        assert request.path == "/api/v1/settings/api"
        assert settings is not None
        return settings

    with serving(answer) as server, ClientFactory(NOW) as client_factory:
        around = _around(f"{server.url}/acme/shop.git")
        assert VENDOR.probe(around, client_factory.environment(VENDOR.label)) is None


def test_a_failing_host_is_not_retried() -> None:
    def answer(_: Request) -> CannedResponse:
        return CannedResponse(502, {})

    with serving(answer) as server, ClientFactory(NOW) as client_factory:
        around = _around(f"{server.url}/acme/shop.git")
        with pytest.raises(RemoteError):
            VENDOR.probe(around, client_factory.environment(VENDOR.label))


def test_an_origin_without_a_repository_causes_no_request() -> None:
    environment = ClientFactory(NOW).environment(VENDOR.label)
    assert VENDOR.probe(_around(), environment) is None
    assert VENDOR.probe(_around("https://git.example/shop"), environment) is None
