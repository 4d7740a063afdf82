"""GitHub as a vendor: addresses of repositories, tokens, rate limits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from sdd_hooks.config.settings import TrackerSettings
from sdd_hooks.errors import SddError
from sdd_hooks.hosts.github import rate_limit
from sdd_hooks.remote.client import Client, RateLimitRule
from sdd_hooks.remote.credentials import Secret, TokenLookup, TokenSources
from sdd_hooks.remote.urls import parse_remote
from sdd_hooks.trackers.github.vendor import VENDOR
from sdd_hooks.trackers.protocol import TrackedRepository, TrackerEnvironment, TrackerLocation
from tests.support.github import open_shop, rate_limited
from tests.support.loopback import Request
from tests.trackers.faults import NOW, VendorServer, VendorTable


@pytest.fixture
def vendor() -> Iterator[VendorServer]:
    def lists(request: Request) -> bool:
        return request.method == "GET" and request.path.endswith("/issues")

    with open_shop(NOW) as shop:

        def add(at: int, labels: tuple[str, ...] = (), *, closed: bool = False) -> str:
            state = "closed" if closed else "open"
            return str(shop.github.add(at=at, labels=labels, state=state))

        yield VendorServer(
            fake=shop.github,
            server=shop.server,
            client_factory=shop.client_factory,
            open=shop.open,
            add=add,
            edit=lambda id, at: shop.github.edit(int(id), at=at, title="Edited"),
            delete=lambda id: shop.github.delete(int(id)),
            lists=lists,
            page=100,
            limited=rate_limited(shop.github),
        )


class TestVendor(VendorTable):
    """What every tracker over HTTP must do."""


def _around(origin: str = "") -> TrackedRepository:
    return TrackedRepository(
        Path("/nonexistent"), (), lambda: parse_remote(origin) if origin else None, {}
    )


@pytest.mark.parametrize(
    ("origin", "found"),
    [
        ("https://github.com/acme/shop.git", ("acme", "shop")),
        ("git@github.com:acme/shop.git", ("acme", "shop")),
        ("ssh://git@ssh.github.com:443/acme/shop.git", ("acme", "shop")),
        ("http://GITHUB.com/Acme/shop.js", ("Acme", "shop.js")),
        ("https://github.com/acme", None),
        ("https://github.com/acme/shop/wiki", None),
        ("https://github.com/acme/..", None),
        ("https://github.com.evil.example/acme/shop", None),
        ("https://github.example/acme/shop", None),
        ("", None),
    ],
)
def test_detection_by_the_origin(origin: str, found: tuple[str, str] | None) -> None:
    assert VENDOR.detect(_around(origin)) == (
        found and TrackerLocation("https://github.com", *found)
    )


@pytest.mark.parametrize(
    ("settings", "origin", "where"),
    [
        (
            TrackerSettings("github", "acme", "shop"),
            "https://gitlab.example/a/b",
            TrackerLocation("https://github.com", "acme", "shop"),
        ),
        (
            TrackerSettings("github"),
            "git@github.com:acme/shop.git",
            TrackerLocation("https://github.com", "acme", "shop"),
        ),
        (
            TrackerSettings("github", repo="tools"),
            "git@github.com:acme/shop.git",
            TrackerLocation("https://github.com", "acme", "tools"),
        ),
        (
            TrackerSettings("github"),
            "ssh://git@ghe.example:2222/acme/shop.git",
            TrackerLocation("https://ghe.example", "acme", "shop"),
        ),
        (
            TrackerSettings("github", url="https://GHE.example/"),
            "git@ghe.example:acme/shop.git",
            TrackerLocation("https://ghe.example", "acme", "shop"),
        ),
        (
            TrackerSettings("github", url="https://ghe.example:8443/acme/shop"),
            "",
            TrackerLocation("https://ghe.example:8443", "acme", "shop"),
        ),
        (
            TrackerSettings("github", url="https://api.github.com", owner="acme", repo="shop"),
            "",
            TrackerLocation("https://github.com", "acme", "shop"),
        ),
    ],
)
def test_declared_repository(
    settings: TrackerSettings, origin: str, where: TrackerLocation
) -> None:
    assert VENDOR.locate(settings, _around(origin)) == where


@pytest.mark.parametrize(
    ("settings", "origin", "why"),
    [
        (TrackerSettings("github"), "", "Owner"),
        (TrackerSettings("github", owner="acme"), "", "Repo"),
        (TrackerSettings("github", url="https://ghe.example"), "git@github.com:a/b", "Owner"),
        (TrackerSettings("github", owner="../x", repo="shop"), "", "Owner"),
        (TrackerSettings("github", owner="acme", repo=".."), "", "Repo"),
        (TrackerSettings("github", owner="acme", repo="a/b"), "", "Repo"),
        (TrackerSettings("github", "acme", "shop", url="ghe.example"), "", "URL"),
        (TrackerSettings("github", "acme", "shop", url="https://u:p@ghe.example"), "", "URL"),
    ],
)
def test_invalid_settings(settings: TrackerSettings, origin: str, why: str) -> None:
    with pytest.raises(SddError, match=why) as caught:
        VENDOR.locate(settings, _around(origin))
    assert "\n" not in str(caught.value)


def _opened(url: str, environ: Mapping[str, str] | None = None) -> tuple[str, str, TokenSources]:
    """The URLs of the REST and GraphQL APIs of an opened tracker, and its token sources."""
    found: list[tuple[str, TokenSources]] = []

    def connect(
        api: str, sources: TokenSources | None, rule: RateLimitRule | None = None
    ) -> Client:
        assert sources is not None
        assert rule is rate_limit
        found.append((api, sources))
        return Client(api, label="GitHub")

    around = _around()._replace(environ=environ or {})
    tracker = VENDOR.open(TrackerLocation(url, "acme", "shop"), TrackerEnvironment(around, connect))
    tracker.disconnect()
    ((api, sources),) = found
    graphql: str = getattr(tracker, "graphql")  # noqa: B009
    return api, graphql, sources


@pytest.mark.parametrize(
    ("url", "api", "graphql"),
    [
        ("https://github.com", "https://api.github.com", "https://api.github.com/graphql"),
        ("https://ghe.example", "https://ghe.example/api/v3", "https://ghe.example/api/graphql"),
        ("https://acme.ghe.com", "https://api.acme.ghe.com", "https://api.acme.ghe.com/graphql"),
    ],
)
def test_the_addresses_of_the_api(url: str, api: str, graphql: str) -> None:
    assert _opened(url)[:2] == (api, graphql)


@pytest.mark.parametrize(
    ("url", "environ", "value"),
    [
        ("https://github.com", {"GITHUB_TOKEN": "one"}, "one"),
        ("https://github.com", {"GH_TOKEN": "two"}, "two"),
        ("https://ghe.example", {"GITHUB_TOKEN": "one", "GH_TOKEN": "two"}, None),
        (
            "https://ghe.example",
            {"GITHUB_TOKEN": "one", "GITHUB_SERVER_URL": "https://ghe.example"},
            "one",
        ),
        (
            "https://github.com",
            {"GITHUB_TOKEN": "one", "GITHUB_SERVER_URL": "https://gitea.example"},
            None,
        ),
        (
            "https://github.com",
            {
                "GITHUB_TOKEN": "giteas",
                "GH_TOKEN": "two",
                "GITEA_ACTIONS": "true",
                "GITHUB_SERVER_URL": "https://gitea.example",
            },
            "two",
        ),
        (
            "https://github.com",
            {"GH_TOKEN": "two", "GITHUB_SERVER_URL": "https://ghe.example"},
            None,
        ),
        (
            "https://ghe.example",
            {"GH_ENTERPRISE_TOKEN": "three", "GH_HOST": "ghe.example"},
            "three",
        ),
        ("https://github.com", {"GH_ENTERPRISE_TOKEN": "three", "GH_HOST": "ghe.example"}, None),
    ],
)
def test_the_token_of_a_host(
    url: str, environ: Mapping[str, str], value: str | None, tmp_path: Path
) -> None:
    clean = {"PATH": "", "HOME": str(tmp_path), **environ}
    api, _, sources = _opened(url, clean)
    found = TokenLookup(sources, lambda: None, tmp_path, clean).find(api)
    assert (found and found.value) == value


def test_the_headers_of_a_token() -> None:
    _, _, sources = _opened("https://github.com")
    assert sources.headers(Secret("one", "GITHUB_TOKEN")) == {"Authorization": "Bearer one"}
    assert sources.commands("github.com") == (("gh", "auth", "token", "--hostname", "github.com"),)


def test_name_label_and_addresses(vendor: VendorServer) -> None:
    tracker = vendor.open()
    host = vendor.server.url.removeprefix("http://")
    assert (tracker.name, tracker.label) == ("github", "GitHub")
    assert tracker.web_url == f"http://{host}/acme/shop"
    assert tracker.identity == f"{host}/acme/shop"
    tracker.disconnect()
