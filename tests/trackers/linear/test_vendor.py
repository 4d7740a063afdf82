"""Linear as a vendor: declared teams, tokens, rate limits."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sdd_hooks.config.settings import TrackerSettings
from sdd_hooks.errors import AccessRefused, SddError
from sdd_hooks.remote.credentials import Secret, TokenLookup
from sdd_hooks.remote.response import Response
from sdd_hooks.trackers.linear.vendor import API, VENDOR, _sources, rate_limit
from sdd_hooks.trackers.protocol import TrackedRepository, TrackerLocation
from tests.support.machines import TOKEN, ClientFactory
from tests.trackers.faults import fetched
from tests.trackers.linear.harness import LinearHarness, open_harness


@pytest.fixture
def harness() -> Iterator[LinearHarness]:
    with open_harness() as found:
        yield found


NOWHERE = TrackedRepository(Path("/nonexistent"), (), lambda: None, {})


def test_declared_team() -> None:
    assert VENDOR.locate(TrackerSettings("linear", team_id="ENG"), NOWHERE) == (
        "https://linear.app", "", "ENG",
    )  # fmt: skip
    settings = TrackerSettings("linear", team_id=" ENG ", url="https://linear.app/acme/team/ENG")
    assert VENDOR.locate(settings, NOWHERE) == ("https://linear.app", "acme", "ENG")
    settings = settings._replace(owner="others")
    assert VENDOR.locate(settings, NOWHERE).owner == "others"
    settings = settings._replace(owner="", url="http://[::1")
    assert VENDOR.locate(settings, NOWHERE).owner == ""


@pytest.mark.parametrize("team", ["", "a b", "../x", "ENG\n- **URL**: x", "x" * 65])
def test_invalid_teams(team: str) -> None:
    with pytest.raises(SddError, match="Team ID") as caught:
        VENDOR.locate(TrackerSettings("linear", team_id=team), NOWHERE)
    assert "\n" not in str(caught.value)


def test_an_origin_is_never_detected() -> None:
    assert VENDOR.detect(NOWHERE) is None


def secret(api: str, **environ: str) -> Secret | None:
    return TokenLookup(_sources(), lambda: None, Path("/nonexistent"), environ).find(api)


def test_a_declared_address_gets_no_key() -> None:
    settings = TrackerSettings("linear", team_id="ENG", url="https://evil.example/graphql")
    where = VENDOR.locate(settings, NOWHERE)
    asked: list[str] = []

    def connect(api: str, *_args: object) -> Any:
        asked.append(api)

    VENDOR.open(where, ClientFactory(0.0).environment("Linear")._replace(connect=connect))
    assert asked == [API]
    assert secret(API, LINEAR_API_KEY="lin_api_x") is not None
    assert secret("https://evil.example/graphql", LINEAR_API_KEY="lin_api_x") is None


def test_the_environment_sets_the_address_of_the_api() -> None:
    proxy = "http://127.0.0.1:8080/graphql"
    found = {"LINEAR_API_KEY": "lin_api_x", "LINEAR_API_URL": proxy}
    assert secret(proxy, **found) is not None
    assert secret(API, **found) is None


def test_the_place_with_the_public_api() -> None:
    with ClientFactory(0.0) as client_factory:
        tracker = VENDOR.open(
            TrackerLocation("https://linear.app", "", "ENG"), client_factory.environment("Linear")
        )
        assert tracker.identity == "linear.app/eng"


def test_the_headers_of_a_key_and_of_a_token() -> None:
    headers = _sources().headers
    assert headers(Secret("lin_api_x", "X")) == {"Authorization": "lin_api_x"}
    assert headers(Secret("lin_oauth_x", "X")) == {"Authorization": "Bearer lin_oauth_x"}


def test_a_missing_key_and_a_wrong_key(harness: LinearHarness) -> None:
    harness.workspace.key = "another"
    with pytest.raises(AccessRefused) as caught:
        fetched(harness.open())
    assert "LINEAR_API_KEY" in str(caught.value)
    assert TOKEN not in str(caught.value)


def failed(code: str, headers: dict[str, str], status: int = 400) -> Response:
    body = json.dumps({"errors": [{"message": "x", "extensions": {"code": code}}]}).encode()
    return Response(status, headers, body, API)


def test_a_rate_limit_lasts_until_the_last_spent_budget_is_reset() -> None:
    spent = {
        "x-ratelimit-requests-remaining": "0",
        "x-ratelimit-requests-reset": "1777640010000",
        "x-ratelimit-complexity-remaining": "0",
        "x-ratelimit-complexity-reset": "1777640020500",
        "x-ratelimit-endpoint-requests-remaining": "5",
        "x-ratelimit-endpoint-requests-reset": "1777649999000",
    }
    found = rate_limit(failed("RATELIMITED", spent), 0.0)
    assert found is not None
    assert found.until == 1_777_640_020.5
    found = rate_limit(failed("RATELIMITED", {}), 0.0)
    assert found is not None
    assert found.until is None


def test_responses_that_are_not_rate_limits() -> None:
    assert rate_limit(failed("INPUT_ERROR", {}), 0.0) is None
    assert rate_limit(failed("RATELIMITED", {}, 200), 0.0) is None
    assert rate_limit(Response(400, {}, b"RATELIMITED", API), 0.0) is None
