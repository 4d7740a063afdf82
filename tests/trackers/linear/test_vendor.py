"""Linear as a vendor: declared teams, tokens, rate limits."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from sdd_hooks.errors import AccessRefused
from sdd_hooks.remote.response import Response
from sdd_hooks.trackers.linear.vendor import API, VENDOR, rate_limit
from sdd_hooks.trackers.protocol import TrackedRepository, TrackerLocation
from tests.support.machines import TOKEN, ClientFactory
from tests.trackers.fetching import fetched
from tests.trackers.linear.harness import LinearHarness, open_harness


@pytest.fixture
def harness() -> Iterator[LinearHarness]:
    with open_harness() as found:
        yield found


NOWHERE = TrackedRepository(Path("/nonexistent"), (), lambda: None, {})


def test_the_place_with_the_public_api() -> None:
    with ClientFactory(0.0) as client_factory:
        tracker = VENDOR.open(
            TrackerLocation("https://linear.app", "", "ENG"), client_factory.environment("Linear")
        )
        assert tracker.identity == "linear.app/eng"


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
