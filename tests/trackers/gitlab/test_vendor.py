"""GitLab as a vendor: addresses of projects, tokens."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sdd_hooks.config.settings import TrackerSettings
from sdd_hooks.errors import AccessRefused, Missing, SddError
from sdd_hooks.remote.credentials import Secret, TokenLookup
from sdd_hooks.remote.urls import parse_remote
from sdd_hooks.trackers.gitlab.vendor import VENDOR, _sources, stored_by_glab
from sdd_hooks.trackers.protocol import TrackedRepository, TrackerEnvironment, TrackerLocation
from sdd_hooks.trackers.source import client_factory
from tests.support.loopback import CannedResponse, serving
from tests.support.machines import TOKEN, ClientFactory
from tests.trackers.faults import fetched
from tests.trackers.gitlab.harness import GitLabHarness, open_harness


@pytest.fixture
def harness() -> Iterator[GitLabHarness]:
    with open_harness() as found:
        yield found


def around(origin: str = "", **environ: str) -> TrackedRepository:
    return TrackedRepository(
        Path("/nonexistent"), (), lambda: parse_remote(origin) if origin else None, environ
    )


@pytest.mark.parametrize(
    ("origin", "where"),
    [
        ("git@gitlab.com:acme/shop.git", ("https://gitlab.com", "acme", "shop")),
        ("https://gitlab.com/acme/tools/shop", ("https://gitlab.com", "acme/tools", "shop")),
        ("ssh://git@altssh.gitlab.com:443/acme/shop.git", ("https://gitlab.com", "acme", "shop")),
        ("git@gitlab.acme.example:a/b.git", ("https://gitlab.acme.example", "a", "b")),
        ("https://gitlab.example:8443/a/b", ("https://gitlab.example:8443", "a", "b")),
        ("http://gitlab.lan/a/b", ("http://gitlab.lan", "a", "b")),
        ("git@gitlab:a/b.git", None),
        ("git@notgitlab.example:a/b.git", None),
        ("https://example.com/gitlab/b", None),
        ("https://gitlab.com/alone", None),
        ("https://gitlab.com/a/../b", None),
        ("", None),
    ],
)
def test_detection_by_the_origin(origin: str, where: tuple[str, str, str] | None) -> None:
    assert VENDOR.detect(around(origin)) == where


@pytest.mark.parametrize(
    ("declared", "origin", "where"),
    [
        ({}, "git@gitlab.com:acme/shop.git", ("https://gitlab.com", "acme", "shop")),
        ({}, "git@git.acme.example:a/b/c.git", ("https://git.acme.example", "a/b", "c")),
        ({"owner": "x/y"}, "git@gitlab.com:a/b.git", ("https://gitlab.com", "x/y", "b")),
        ({"owner": "x", "repo": "y"}, "", ("https://gitlab.com", "x", "y")),
        ({"owner": "x", "repo": "y"}, "git@git.a.example:a/b", ("https://gitlab.com", "x", "y")),
        ({"url": "https://gitlab.com/a/b/c"}, "", ("https://gitlab.com", "a/b", "c")),
        ({"url": "https://gitlab.com/a/b.git"}, "", ("https://gitlab.com", "a", "b")),
        (
            {"url": "https://GITLAB.acme.example/"},
            "git@gitlab.acme.example:a/b",
            ("https://gitlab.acme.example", "a", "b"),
        ),
        (
            {"url": "https://acme.example/gitlab", "owner": "x", "repo": "y"},
            "",
            ("https://acme.example/gitlab", "x", "y"),
        ),
        (
            {"url": "https://gitlab.com/x/y", "owner": "x", "repo": "y"},
            "",
            ("https://gitlab.com", "x", "y"),
        ),
    ],
)
def test_declared_project(
    declared: dict[str, str], origin: str, where: tuple[str, str, str]
) -> None:
    assert VENDOR.locate(TrackerSettings("gitlab", **declared), around(origin)) == where


@pytest.mark.parametrize(
    ("declared", "named"),
    [
        ({}, "Owner"),
        ({"owner": "a"}, "Repo"),
        ({"repo": "b"}, "Owner"),
        ({"owner": "../..", "repo": "b"}, "Owner"),
        ({"owner": "a", "repo": ".."}, "Repo"),
        ({"owner": "a", "repo": "b/c"}, "Repo"),
        ({"owner": "a?b", "repo": "c"}, "Owner"),
        ({"url": "ftp://x"}, "URL"),
        ({"url": "https://user:pass@gitlab.com/a/b"}, "URL"),
        ({"url": "https://gitlab.com/a/../b"}, "URL"),
    ],
)
def test_incomplete_settings(declared: dict[str, str], named: str) -> None:
    with pytest.raises(SddError, match=named) as caught:
        VENDOR.locate(TrackerSettings("gitlab", **declared), around())
    assert "pass" not in str(caught.value)


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


API = "https://gitlab.com/api/v4"


def secret(api: str, tmp: Path, origin: str = "", **environ: str) -> Secret | None:
    place = around(origin)
    found = {"HOME": str(tmp), **environ}
    return TokenLookup(_sources(found), place.find_origin, tmp, found).find(api)


def test_a_token_belongs_to_one_host(tmp_path: Path) -> None:
    own = "https://gitlab.acme.example/api/v4"
    assert secret(API, tmp_path, GITLAB_TOKEN="t") is not None
    assert secret(own, tmp_path, GITLAB_TOKEN="t") is None
    assert secret(own, tmp_path, GITLAB_TOKEN="t", GITLAB_HOST="gitlab.acme.example") is not None
    assert secret(API, tmp_path, GITLAB_TOKEN="t", GITLAB_HOST="gitlab.acme.example") is None
    server = "https://gitlab.acme.example"
    assert secret(own, tmp_path, GITLAB_TOKEN="t", CI_SERVER_URL=server) is not None
    assert secret(own, tmp_path, origin=f"{server}/a/b", GITLAB_TOKEN="t") is None


def test_the_token_of_a_job_is_not_used(tmp_path: Path) -> None:
    environ = {"CI_JOB_TOKEN": "t", "CI_SERVER_URL": "https://gitlab.com"}
    assert secret(API, tmp_path, **environ) is None

    def advised(environ: dict[str, str]) -> str:
        return TokenLookup(_sources(environ), lambda: None, Path("/nonexistent"), environ).advice(
            API
        )

    assert "CI_JOB_TOKEN cannot read issues" in advised(environ)
    assert "CI_JOB_TOKEN" not in advised({**environ, "GITLAB_TOKEN": "t"})
    assert "glab auth login" in advised({})


def test_the_headers_of_a_token() -> None:
    headers = _sources({}).headers
    assert headers(Secret("t", "GITLAB_TOKEN")) == {"PRIVATE-TOKEN": "t"}
    assert headers(Secret("t", "git's credential helper", "ana")) == {"PRIVATE-TOKEN": "t"}
    bearer = {"Authorization": "Bearer t"}
    assert headers(Secret("t", "git's credential helper", "oauth2")) == bearer


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


STORE = """\
git_protocol: ssh
hosts:
    gitlab.com:
        token: !!null glpat-of-the-cloud
        api_protocol: https
        user: ana
    gitlab.acme.example:8443:
        token: opaque
        is_oauth2: "true"
    empty.example:
        token:
"""


def write_glab_file(tmp_path: Path, text: str = STORE) -> dict[str, str]:
    folder = tmp_path / "glab"
    folder.mkdir(exist_ok=True)
    (folder / "config.yml").write_text(text)
    return {"GLAB_CONFIG_DIR": str(folder)}


def test_the_token_stored_by_glab(tmp_path: Path) -> None:
    environ = write_glab_file(tmp_path)
    assert stored_by_glab("gitlab.com", environ) == Secret("glpat-of-the-cloud", "glab")
    own = stored_by_glab("gitlab.acme.example:8443", environ)
    assert own == Secret("opaque", "glab", "oauth2")
    assert stored_by_glab("gitlab.acme.example", environ) is None
    assert stored_by_glab("empty.example", environ) is None
    found = secret(API, tmp_path, **environ)
    assert found is not None
    assert "glpat" not in repr(found)


@pytest.mark.parametrize(
    ("variable", "below"),
    [
        ("GLAB_CONFIG_DIR", ""),
        ("XDG_CONFIG_HOME", "glab-cli"),
        ("HOME", ".config/glab-cli"),
        ("HOME", "Library/Application Support/glab-cli"),
    ],
)
def test_the_folders_of_glab(tmp_path: Path, variable: str, below: str) -> None:
    folder = tmp_path / below
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.yml").write_text(STORE)
    assert stored_by_glab("gitlab.com", {variable: str(tmp_path)}) is not None
    assert stored_by_glab("gitlab.com", {variable: "relative"}) is None
    assert stored_by_glab("gitlab.com", {}) is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "hosts",
        "hosts: [gitlab.com]",
        "hosts: {gitlab.com: glpat}",
        "hosts: {gitlab.com: {token: [x]}}",
        "hosts: {gitlab.com: {token: !!python/object/apply:os.getcwd []}}",
        "hosts: {gitlab.com: {token: x",
        "hosts: {gitlab.com: {token: '  '}}",
        "\0",
        "[" * 1_000,
        "#" * 100_001 + "\n" + STORE,
    ],
)
def test_an_invalid_file_of_glab(tmp_path: Path, text: str) -> None:
    assert stored_by_glab("gitlab.com", write_glab_file(tmp_path, text)) is None


def test_a_directory_as_the_file_of_glab(tmp_path: Path) -> None:
    (tmp_path / "config.yml").mkdir()
    assert stored_by_glab("gitlab.com", {"GLAB_CONFIG_DIR": str(tmp_path)}) is None


def test_a_declared_address_gets_no_token(harness: GitLabHarness, tmp_path: Path) -> None:
    """The address in the memory file is requested without a token."""
    environ = {"GITLAB_TOKEN": "s3cret", "HOME": str(tmp_path), **write_glab_file(tmp_path)}
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
