"""GitLab as a vendor: addresses of projects, tokens."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sdd_hooks.config.settings import TrackerSettings
from sdd_hooks.errors import AccessRefused, Missing
from sdd_hooks.remote.urls import parse_remote
from sdd_hooks.trackers.gitlab.vendor import VENDOR
from sdd_hooks.trackers.protocol import TrackedRepository, TrackerEnvironment, TrackerLocation
from sdd_hooks.trackers.source import client_factory
from tests.support.loopback import CannedResponse, serving
from tests.support.machines import TOKEN, ClientFactory
from tests.trackers.fetching import fetched
from tests.trackers.gitlab.harness import GitLabHarness, open_harness


@pytest.fixture
def harness() -> Iterator[GitLabHarness]:
    with open_harness() as found:
        yield found


def around(origin: str = "", **environ: str) -> TrackedRepository:
    return TrackedRepository(
        Path("/nonexistent"), (), lambda: parse_remote(origin) if origin else None, environ
    )


def test_a_host_with_the_headers_of_gitlab_is_recognised(harness: GitLabHarness) -> None:
    place = around(f"{harness.server.url}/acme/tools/shop.git")
    environment = harness.client_factory.environment("GitLab")._replace(repository=place)
    assert VENDOR.probe(place, environment) == (harness.server.url, "acme/tools", "shop")
    (request,) = harness.server.requests
    assert request.path == "/api/v4/version"
    assert request.headers.keys().isdisjoint({"private-token", "authorization"})


def test_an_origin_without_a_project_causes_no_request(harness: GitLabHarness) -> None:
    for origin in ("", f"{harness.server.url}/alone"):
        assert VENDOR.probe(around(origin), harness.client_factory.environment("GitLab")) is None
    assert harness.server.requests == []


@pytest.mark.parametrize("status", [200, 401, 403, 404])
def test_another_host_is_not_recognised(status: int) -> None:
    with (
        serving(lambda _: CannedResponse(status, {})) as server,
        ClientFactory(0.0) as client_factory,
    ):
        place = around(f"{server.url}/acme/shop.git")
        assert VENDOR.probe(place, client_factory.environment("GitLab")) is None


def test_a_wrong_token_and_a_missing_token(harness: GitLabHarness) -> None:
    harness.gitlab.token = "another"
    with pytest.raises(AccessRefused) as caught:
        fetched(harness.open())
    assert TOKEN not in str(caught.value)
    harness.gitlab.add()
    environment = harness.client_factory.environment("GitLab", token=None)
    tracker = VENDOR.open(TrackerLocation(harness.server.url, "acme/tools", "shop"), environment)
    assert len(fetched(tracker)) == 1
    harness.gitlab.public = False
    with pytest.raises(Missing):
        fetched(tracker)


def test_a_declared_address_gets_no_token(harness: GitLabHarness, tmp_path: Path) -> None:
    """The address in the memory file is requested without a token."""
    (tmp_path / "config.yml").write_text("hosts: {gitlab.com: {token: glpat-of-the-cloud}}")
    folder = str(tmp_path)
    environ = {"GITLAB_TOKEN": "s3cret", "HOME": folder, "GLAB_CONFIG_DIR": folder}
    where = VENDOR.locate(
        TrackerSettings("gitlab", owner="acme/tools", repo="shop", url=harness.server.url), around()
    )

    repository = around(**environ)._replace(root=tmp_path)
    connect = client_factory(repository, "GitLab")
    harness.gitlab.add()
    tracker = VENDOR.open(where, TrackerEnvironment(repository, connect))
    assert len(fetched(tracker)) == 1
    tracker.disconnect()
    for request in harness.server.requests:
        assert request.headers.keys().isdisjoint({"private-token", "authorization"})
