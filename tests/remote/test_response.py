"""Responses and the rate limits that they announce."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.errors import RemoteError
from sdd_hooks.remote.response import (
    RateLimit,
    Response,
    out_of_quota,
    parse_http_date,
    parse_retry_after,
)

NOW = 1_000_000_000.0


def response(status: int = 200, body: bytes = b"", **headers: str) -> Response:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Response(status, named, body, "https://forge.example/issues?token=x")


def test_the_error_for_other_content_than_json_has_no_query() -> None:
    with pytest.raises(RemoteError) as error:
        response(body=b"<html>").json()
    assert str(error.value) == (
        "forge.example answers with something that is not JSON (/issues): "
        "check the URL, and proxies on the way"
    )
    assert error.value.__context__ is None


@given(st.binary(max_size=60) | st.text(max_size=60).map(str.encode))
def test_any_body_is_json_or_an_error(body: bytes) -> None:
    try:
        response(body=body).json()
    except RemoteError as error:
        assert str(error).isprintable()
    assert response(204).json() is None


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("0", 0),
        ("120", 120),
        (" 7 ", 7),
        ("Sun, 09 Sep 2001 01:47:10 GMT", 30),
        ("Sun, 09 Sep 2001 03:47:10 +0200", 30),
        ("Sun, 09 Sep 2001 01:46:30 GMT", -10),
        ("Sun, 09 Sep 2001 01:47:10 -0000", 30),
        ("Sun, 09 Sep 2001 01:47:10", 30),
    ],
)
def test_retry_after(value: str, seconds: float) -> None:
    assert parse_retry_after(response(retry_after=value), NOW) == NOW + seconds


@pytest.mark.parametrize(
    ("reset", "until"),
    [("1000000020", NOW + 20), ("1000000020500", NOW + 20.5), ("0", 0)]
    + [(odd, None) for odd in ("", "soon", "-5", "9" * 40, "٣", "2026-05-01T00:00:00Z")],
)
@pytest.mark.parametrize("status", [403, 429])
def test_no_quota_left(reset: str, until: float | None, status: int) -> None:
    limited = response(status, x_ratelimit_remaining="0", x_ratelimit_reset=reset)
    assert out_of_quota(limited) == RateLimit(until)


@pytest.mark.parametrize("remaining", ["1", "", "-1", "00", "none"])
def test_quota_left(remaining: str) -> None:
    assert out_of_quota(response(403, x_ratelimit_remaining=remaining)) is None
    assert out_of_quota(response(403)) is None


def test_a_quota_with_other_header_names_and_statuses() -> None:
    limited = response(400, ratelimit_remaining="0", ratelimit_reset="1000000020")
    assert out_of_quota(limited) is None
    assert out_of_quota(limited, "ratelimit") is None
    assert out_of_quota(limited, "ratelimit", frozenset({400})) == RateLimit(NOW + 20)


@given(st.text(max_size=40))
def test_any_header_is_a_time_or_none(value: str) -> None:
    parse_http_date(value)
    found = parse_retry_after(response(retry_after=value), NOW)
    assert found is None or found < 1e12
    limited = out_of_quota(response(429, x_ratelimit_remaining="0", x_ratelimit_reset=value))
    assert limited is not None
    assert limited.until is None or limited.until < 1e13
