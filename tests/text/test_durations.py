import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.text.durations import format_duration, parse_duration


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("60s", 60),
        ("30m", 1800),
        ("120m", 7200),
        ("4h", 14400),
        ("1h30m", 5400),
        ("1h 30m", 5400),
        ("2d", 172800),
        ("1w", 604800),
        (" 5 M ", 300),
        ("1.5h", 5400),
        ("2 hours", 7200),
        ("90 seconds", 90),
        ("1 week 2 days", 777600),
        ("45min", 2700),
        ("2hrs", 7200),
        ("0s", 0),
    ],
)
def test_parse(text: str, seconds: float):
    assert parse_duration(text) == seconds


@pytest.mark.parametrize(
    "text",
    ["", " ", "120", "m", "30 m 5", "-5m", "1h-30m", "5 months", "1e3s", "soon", "٣m", "1,5h"],
)
def test_parse_refuses_anything_else(text: str):
    with pytest.raises(ValueError, match="is not a duration such as 30m, 4h or 1h30m"):
        parse_duration(text)


@given(st.text(max_size=30))
def test_any_text_parses_or_raises_value_error(text: str):
    with contextlib.suppress(ValueError):
        assert 0 <= parse_duration(text) < float("inf")


@given(st.integers(0, 400), st.integers(0, 23), st.integers(0, 59), st.integers(0, 59))
def test_parts_add_up(days: int, hours: int, minutes: int, seconds: int):
    total = ((days * 24 + hours) * 60 + minutes) * 60 + seconds
    assert parse_duration(f"{days}d{hours}h{minutes}m{seconds}s") == total


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (-5, "0 seconds"),
        (0.4, "0 seconds"),
        (1, "1 second"),
        (59, "59 seconds"),
        (60, "1 minute"),
        (90, "90 seconds"),
        (45 * 60, "45 minutes"),
        (3600, "1 hour"),
        (5400, "90 minutes"),
        (3 * 3600 + 59, "3 hours"),
        (86400, "1 day"),
        (47 * 3600, "47 hours"),
        (2 * 86400, "2 days"),
        (400 * 86400, "400 days"),
    ],
)
def test_format(seconds: float, text: str):
    assert format_duration(seconds) == text


@given(st.integers(0, 10**9))
def test_formatted_durations_parse_to_the_same_time_rounded_down(seconds: int):
    assert seconds * 0.66 <= parse_duration(format_duration(seconds)) <= seconds
