"""Gitea as a vendor: addresses of servers and repositories, tokens."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.config.settings import TrackerSettings
from sdd_hooks.errors import RemoteError, SddError
from sdd_hooks.remote.client import Client, RateLimitRule
from sdd_hooks.remote.credentials import Secret, TokenLookup, TokenSources
from sdd_hooks.remote.urls import parse_remote
from sdd_hooks.trackers.gitea.vendor import VENDOR
from sdd_hooks.trackers.protocol import TrackedRepository, TrackerEnvironment, TrackerLocation
from tests.support.gitea import FakeGitea, serving_gitea
from tests.support.loopback import CannedResponse, Request, serving
from tests.support.machines import ClientFactory
from tests.trackers.faults import NOW

ACME = TrackerLocation("https://gitea.example", "acme", "shop")


def _around(origin: str = "", environ: Mapping[str, str] | None = None) -> TrackedRepository:
    remote = parse_remote(origin) if origin else None
    assert remote is not None or not origin
    return TrackedRepository(Path("/nonexistent"), (), lambda: remote, environ or {})


@pytest.mark.parametrize(
    ("origin", "url"),
    [
        ("https://gitea.example/acme/shop.git", "https://gitea.example"),
        ("https://Gitea.Example./acme/shop/", "https://gitea.example"),
        ("https://ana:secret@gitea.example/acme/shop", "https://gitea.example"),
        ("https://gitea.example:3000/acme/shop", "https://gitea.example:3000"),
        ("http://gitea:3000/acme/shop.git", "http://gitea:3000"),
        ("https://gitea.example/git/acme/shop", "https://gitea.example/git"),
        ("git@gitea.example:acme/shop.git", "https://gitea.example"),
        ("ssh://git@gitea.example:2222/acme/shop.git", "https://gitea.example"),
        ("ssh://git@gitea.example/~/acme/shop", "https://gitea.example"),
        ("git://gitea.example/acme/shop", "https://gitea.example"),
        ("https://codeberg.org/acme/shop", "https://codeberg.org"),
        ("git@codeberg.org:acme/shop.git", "https://codeberg.org"),
        ("https://gitea.com/acme/shop", "https://gitea.com"),
    ],
)
def test_detection_by_the_name_of_the_host(origin: str, url: str) -> None:
    assert VENDOR.detect(_around(origin)) == TrackerLocation(url, "acme", "shop")


@pytest.mark.parametrize(
    "origin",
    [
        "",
        "https://github.com/acme/shop",
        "https://git.example/acme/shop",
        "https://forgejo.example/acme/shop",
        "https://mygitea.example/acme/shop",
        "https://codeberg.org.evil.example/acme/shop",
        "https://notcodeberg.org/acme/shop",
        "https://gitea.example/shop",
        "https://gitea.example/acme/sh%20op",
        "https://gitea.example/acme/..",
    ],
)
def test_origins_that_are_not_detected(origin: str) -> None:
    assert VENDOR.detect(_around(origin)) is None


@pytest.mark.parametrize(
    ("environ", "url"),
    [
        ({"GITEA_URL": "https://git.example"}, "https://git.example"),
        ({"GITEA_URL": "https://git.example:3000/git/"}, "https://git.example:3000/git"),
        ({"GITEA_URL": "git.example"}, "https://git.example"),
        ({"GITEA_SERVER_URL": "http://git.example:8080"}, "http://git.example:8080"),
        (
            {"GITEA_ACTIONS": "true", "GITHUB_SERVER_URL": "https://git.example"},
            "https://git.example",
        ),
        ({"GITHUB_SERVER_URL": "https://git.example"}, None),
        ({"GITEA_URL": "https://other.example"}, None),
        ({"GITEA_URL": "https://git.example/../x"}, None),
        ({"GITEA_URL": "\x00"}, None),
    ],
)
def test_detection_by_the_environment(environ: Mapping[str, str], url: str | None) -> None:
    found = VENDOR.detect(_around("git@git.example:acme/shop.git", environ))
    assert found == (url and TrackerLocation(url, "acme", "shop"))


@pytest.mark.parametrize(
    ("settings", "origin", "where"),
    [
        (TrackerSettings("gitea"), "git@git.example:acme/shop.git", "https://git.example"),
        (TrackerSettings("gitea", "acme", "shop"), "git@git.example:a/b", "https://git.example"),
        (TrackerSettings("gitea", "acme", "shop", url="https://x.example/"), "", "https://x.example"),
        (TrackerSettings("gitea", "acme", "shop", url="x.example:3000"), "", "https://x.example:3000"),
        (TrackerSettings("gitea", url="http://x.example/git"), "git@y.example:acme/shop",
         "http://x.example/git"),
        (TrackerSettings("gitea", "acme", "shop", url="https://x.example/acme/shop"), "",
         "https://x.example"),
        (TrackerSettings("gitea", "acme", "shop", url="https://x.example/git/acme/shop/"), "",
         "https://x.example/git"),
    ],
)  # fmt: skip
def test_declared_repository(settings: TrackerSettings, origin: str, where: str) -> None:
    assert VENDOR.locate(settings, _around(origin)) == TrackerLocation(where, "acme", "shop")


@pytest.mark.parametrize(
    ("settings", "origin", "why"),
    [
        (TrackerSettings("gitea"), "", "URL"),
        (TrackerSettings("gitea", "acme", "shop"), "", "URL"),
        (TrackerSettings("gitea", url="https://x.example"), "", "Owner"),
        (TrackerSettings("gitea", "acme", url="https://x.example"), "", "Repo"),
        (TrackerSettings("gitea", "../x", "shop", url="https://x.example"), "", "Owner"),
        (TrackerSettings("gitea", "acme", "..", url="https://x.example"), "", "Repo"),
        (TrackerSettings("gitea", "acme", "a/b", url="https://x.example"), "", "Repo"),
        (TrackerSettings("gitea", "a\nb", "shop", url="https://x.example"), "", "Owner"),
        (TrackerSettings("gitea", "acme", "shop", url="https://u:p@x.example"), "", "URL"),
        (TrackerSettings("gitea", "acme", "shop", url="ftp://x.example"), "", "URL"),
        (TrackerSettings("gitea", "acme", "shop", url="https://x.example/a b"), "", "URL"),
        (TrackerSettings("gitea", "acme", "shop", url="https://x.example/?q=1"), "", "URL"),
        (TrackerSettings("gitea", "acme", "shop", url="https://x.example/a/../b"), "", "URL"),
        (TrackerSettings("gitea", "acme", "shop", url="https://x.example\nY: z"), "", "URL"),
    ],
)
def test_invalid_settings(settings: TrackerSettings, origin: str, why: str) -> None:
    with pytest.raises(SddError, match=why) as caught:
        VENDOR.locate(settings, _around(origin))
    assert "\n" not in str(caught.value)


@given(st.text(max_size=60), st.text(max_size=20), st.text(max_size=20))
def test_any_settings_give_an_address_or_a_one_line_error(url: str, owner: str, repo: str) -> None:
    try:
        found = VENDOR.locate(TrackerSettings("gitea", owner, repo, url=url), _around())
    except SddError as error:
        assert str(error).isprintable()
    else:
        assert found.url.startswith(("http://", "https://"))
        assert (found.owner, found.project) == (owner, repo)


def _sources(
    environ: Mapping[str, str], url: str = "https://gitea.example"
) -> tuple[str, TokenSources]:
    """The URL of the API of an opened tracker, and its token sources."""
    found: list[tuple[str, TokenSources]] = []

    def connect(
        api: str, sources: TokenSources | None, rule: RateLimitRule | None = None
    ) -> Client:
        assert sources is not None
        assert rule is None
        found.append((api, sources))
        return Client(api, label="Gitea")

    VENDOR.open(
        ACME._replace(url=url), TrackerEnvironment(_around(environ=environ), connect)
    ).disconnect()
    return found[0]


@pytest.mark.parametrize(
    ("environ", "value"),
    [
        ({"GITEA_TOKEN": "one", "GITEA_URL": "https://gitea.example"}, "one"),
        ({"GITEA_TOKEN": "one", "GITEA_URL": "gitea.example"}, "one"),
        ({"GITEA_TOKEN": "one", "GITEA_SERVER_URL": "https://gitea.example/"}, "one"),
        ({"GITEA_TOKEN": "one"}, None),
        ({"GITEA_TOKEN": "one", "GITEA_URL": "https://other.example"}, None),
        ({"GITEA_TOKEN": "one", "GITEA_URL": "https://gitea.example.evil.example"}, None),
        ({"GITHUB_TOKEN": "two", "GITHUB_SERVER_URL": "https://gitea.example"}, None),
        (
            {
                "GITEA_ACTIONS": "true",
                "GITHUB_TOKEN": "two",
                "GITHUB_SERVER_URL": "https://gitea.example",
            },
            "two",
        ),
        (
            {
                "GITEA_ACTIONS": "true",
                "GITHUB_TOKEN": "two",
                "GITHUB_API_URL": "https://gitea.example/api/v1",
            },
            "two",
        ),
        (
            {
                "GITEA_ACTIONS": "true",
                "GITHUB_TOKEN": "two",
                "GITHUB_SERVER_URL": "https://other.example",
                "GITEA_URL": "https://gitea.example",
            },
            None,
        ),
    ],
)
def test_the_token_of_a_host(environ: Mapping[str, str], value: str | None, tmp_path: Path) -> None:
    api, sources = _sources(environ)
    clean = {"PATH": "", "HOME": str(tmp_path), **environ}
    found = TokenLookup(sources, lambda: None, tmp_path, clean).find(api)
    assert (found and found.value) == value


@pytest.mark.parametrize("url", ["https://gitea.com", "https://codeberg.org"])
def test_the_token_of_one_server_is_not_sent_to_a_known_host(url: str, tmp_path: Path) -> None:
    environ = {"GITEA_TOKEN": "one", "PATH": "", "HOME": str(tmp_path)}
    api, sources = _sources(environ, url)
    assert not TokenLookup(sources, lambda: None, tmp_path, environ).find(api)
    message = TokenLookup(sources, lambda: None, tmp_path, environ).advice(api)
    assert f"GITEA_URL={url}" in message


def test_the_address_of_the_api() -> None:
    assert _sources({}, "https://gitea.example/git")[0] == "https://gitea.example/git/api/v1"


def test_the_headers_of_a_token() -> None:
    _, sources = _sources({})
    assert sources.headers(Secret("one", "GITEA_TOKEN")) == {"Authorization": "token one"}
    basic = sources.headers(Secret("päss", "git's credential helper", "änn"))
    assert basic == {"Authorization": "Basic w6Rubjpww6Rzcw=="}
    assert sources.git


TEA = """
logins:
    - name: work
      url: https://gitea.example
      token: {token}
      default: true
      user: ana
    - name: other
      url: https://other.example:3000/git
      token: two
    - name: broken
      url: 7
    - none
preferences:
    editor: false
"""


@pytest.mark.parametrize("folder", [".config", "Library/Application Support"])
def test_the_token_stored_by_tea(folder: str, tmp_path: Path) -> None:
    file = tmp_path / folder / "tea/config.yml"
    file.parent.mkdir(parents=True)
    file.write_text(TEA.format(token="one"))
    _, sources = _sources({})
    environ = {"HOME": str(tmp_path)}
    assert sources.stored("gitea.example", environ) == Secret("one", "tea")
    assert sources.stored("other.example:3000", environ) == Secret("two", "tea")
    assert sources.stored("other.example", environ) is None
    assert sources.stored("other.example", environ) is None


def test_the_configured_folder_of_tea(tmp_path: Path) -> None:
    file = tmp_path / "tea/config.yml"
    file.parent.mkdir()
    file.write_text(TEA.format(token="one"))
    _, sources = _sources({})
    environ = {"XDG_CONFIG_HOME": str(tmp_path), "HOME": "/nonexistent"}
    assert sources.stored("gitea.example", environ) == Secret("one", "tea")
    assert sources.stored("gitea.example", {"XDG_CONFIG_HOME": "relative"}) is None
    assert sources.stored("gitea.example", {}) is None


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff\xfe\x00",
        b"logins: 7",
        b"[" * 1000,
        b"a: &a [*a]",
        b"!!python/object/apply:os.system [ls]",
        TEA.format(token='""').encode(),
        TEA.format(token="7").encode().replace(b"https://gitea.example", b"https://u:p@gitea.example"),
    ],
)  # fmt: skip
def test_invalid_files_of_tea(content: bytes, tmp_path: Path) -> None:
    file = tmp_path / "tea/config.yml"
    file.parent.mkdir()
    file.write_bytes(content)
    _, sources = _sources({})
    assert sources.stored("gitea.example", {"XDG_CONFIG_HOME": str(tmp_path)}) is None


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
