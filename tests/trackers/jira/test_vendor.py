"""Jira as a vendor: addresses of sites, tokens, rate limits."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.config.settings import TrackerSettings
from sdd_hooks.errors import SddError
from sdd_hooks.remote.response import RateLimit, Response
from sdd_hooks.trackers.jira.payloads import PROJECT_KEY
from sdd_hooks.trackers.jira.vendor import VENDOR, rate_limit
from sdd_hooks.trackers.protocol import TrackedRepository
from tests.trackers.jira.harness import Shop, jira_shop


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


CLOUD = "https://acme.atlassian.net"


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


@given(
    st.text(max_size=12) | st.from_regex(PROJECT_KEY.pattern, fullmatch=True), st.text(max_size=30)
)
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
