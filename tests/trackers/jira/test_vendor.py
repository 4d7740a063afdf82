"""Jira as a vendor: addresses of sites, tokens, rate limits."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.config.settings import TrackerSettings
from sdd_hooks.errors import SddError
from sdd_hooks.remote.client import Client, RateLimitRule
from sdd_hooks.remote.credentials import TokenLookup, TokenSources
from sdd_hooks.remote.response import RateLimit, Response
from sdd_hooks.trackers.jira.payloads import PROJECT_KEY
from sdd_hooks.trackers.jira.vendor import VENDOR, rate_limit
from sdd_hooks.trackers.protocol import TrackedRepository, TrackerEnvironment, TrackerLocation
from tests.trackers.jira.harness import USER, Shop, jira_shop


@pytest.fixture(params=[True, False], ids=["cloud", "server"])
def shop(request: pytest.FixtureRequest) -> Iterator[Shop]:
    with jira_shop(cloud=request.param) as shop:
        yield shop


def test_name_label_and_addresses(shop: Shop) -> None:
    tracker = shop.open()
    host = shop.server.url.removeprefix("http://") + shop.jira.path
    assert (tracker.name, tracker.label) == ("jira", "Jira")
    assert tracker.identity == f"{host}/SHOP"
    assert tracker.web_url == f"http://{host}/browse/SHOP"


AROUND = TrackedRepository(Path("/nonexistent"), (), lambda: None, {})


@pytest.mark.parametrize(
    ("settings", "environ", "where"),
    [
        (("SHOP", "https://acme.atlassian.net"), {}, "https://acme.atlassian.net"),
        (("shop", "acme.atlassian.net/"), {}, "https://acme.atlassian.net"),
        (
            ("SHOP", "https://acme.atlassian.net/jira/software/projects/SHOP/boards/1?x=y"),
            {},
            "https://acme.atlassian.net",
        ),
        (
            ("SHOP", "https://Acme.example:8443/jira/browse/SHOP-1"),
            {},
            "https://acme.example:8443/jira",
        ),
        (("SHOP", "https://acme.example/a/b/"), {}, "https://acme.example/a/b"),
        (("SHOP", "https://acme.example/issues"), {}, "https://acme.example/issues"),
        (("SHOP", ""), {"JIRA_URL": "https://acme.example"}, "https://acme.example"),
        (("SHOP", ""), {"JIRA_BASE_URL": "acme.example"}, "https://acme.example"),
    ],
)
def test_declared_project(
    settings: tuple[str, str], environ: Mapping[str, str], where: str
) -> None:
    key, url = settings
    settings = TrackerSettings("jira", project_key=key, url=url)
    assert VENDOR.locate(settings, AROUND._replace(environ=environ)) == TrackerLocation(
        where, "", "SHOP"
    )


@pytest.mark.parametrize(
    ("key", "url", "why"),
    [
        ("", "https://acme.atlassian.net", "Project Key"),
        ("", "", "Project Key"),
        ('SHOP" OR project = "HR', "https://acme.atlassian.net", "Project Key"),
        ("SHOP-1", "https://acme.atlassian.net", "Project Key"),
        ("Ａ", "https://acme.atlassian.net", "Project Key"),
        ("SHOP", "", "URL"),
        ("SHOP", "https://u:p@acme.example", "URL"),
        ("SHOP", "file:///etc/passwd", "URL"),
        ("SHOP", "https://acme.example/../x", "URL"),
        ("SHOP", "https://acme.example/a b", "URL"),
    ],
)
def test_invalid_settings(key: str, url: str, why: str) -> None:
    with pytest.raises(SddError, match=why) as caught:
        VENDOR.locate(TrackerSettings("jira", project_key=key, url=url), AROUND)
    assert "\n" not in str(caught.value)


def _sources(url: str) -> TokenSources:
    found: list[TokenSources] = []

    def connect(
        api: str, sources: TokenSources | None, rule: RateLimitRule | None = None
    ) -> Client:
        assert (api, rule) == (url, rate_limit)
        assert sources is not None
        found.append(sources)
        return Client(api, label="Jira")

    VENDOR.open(TrackerLocation(url, "", "SHOP"), TrackerEnvironment(AROUND, connect)).disconnect()
    return found[0]


CLOUD = "https://acme.atlassian.net"


OWN = "https://jira.acme.example"


BOTH = {"JIRA_EMAIL": USER, "JIRA_API_TOKEN": "one"}


@pytest.mark.parametrize(
    ("url", "environ", "header"),
    [
        (CLOUD, BOTH, "Basic " + b64encode(f"{USER}:one".encode()).decode()),
        (CLOUD, {"JIRA_API_TOKEN": "one"}, None),
        (CLOUD, {"JIRA_PAT": "two"}, None),
        (OWN, BOTH, None),
        (OWN, {**BOTH, "JIRA_URL": CLOUD}, None),
        (OWN, {"JIRA_PAT": "two", "JIRA_URL": f"{OWN}/jira"}, "Bearer two"),
        (OWN, {"JIRA_PAT": "two", "JIRA_BASE_URL": OWN}, "Bearer two"),
        (OWN, {"JIRA_PAT": "two"}, None),
        ("https://acme.atlassian.net.evil.example", BOTH, None),
        ("https://atlassian.net.evil.example", {**BOTH, "JIRA_PAT": "two"}, None),
    ],
)
def test_the_token_of_a_host(
    url: str, environ: Mapping[str, str], header: str | None, tmp_path: Path
) -> None:
    sources = _sources(url)
    clean = {"PATH": "", "HOME": str(tmp_path), **environ}
    secret = TokenLookup(sources, lambda: None, tmp_path, clean).find(url)
    assert (sources.headers(secret)["Authorization"] if secret else None) == header


@pytest.mark.parametrize(
    ("status", "headers", "limit"),
    [
        (429, {}, RateLimit()),
        (429, {"x-ratelimit-reset": "2026-05-01T14:22Z"}, RateLimit(1777645320.0)),
        (429, {"x-ratelimit-reset": "soon"}, RateLimit()),
        (403, {"x-ratelimit-reset": "2026-05-01T14:22Z"}, None),
        (200, {"x-ratelimit-remaining": "0"}, None),
    ],
)
def test_recognised_rate_limits(
    status: int, headers: Mapping[str, str], limit: RateLimit | None
) -> None:
    assert rate_limit(Response(status, headers, b"", f"{CLOUD}/rest"), 1000.0) == limit


@given(st.text(max_size=12) | st.from_regex(PROJECT_KEY, fullmatch=True), st.text(max_size=30))
def test_any_settings_give_an_address_or_a_one_line_error(key: str, rest: str) -> None:
    settings = TrackerSettings("jira", project_key=key, url=f"https://acme.example{rest}")
    try:
        where = VENDOR.locate(settings, AROUND)
    except SddError as error:
        assert "\n" not in str(error)
    else:
        assert re.fullmatch(r"[A-Z][A-Z0-9_]*", where.project)
        assert re.fullmatch(r"https://acme\.example[a-z0-9.-]*(:\d+)?[\w./~-]*", where.url)
        assert not {".", ".."} & {*where.url.split("/")}
