"""Reading fields of any JSON, and times in every format of the trackers."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.remote.json_fields import (
    field,
    flag,
    format_utc,
    number,
    parse_epoch,
    rows,
    text,
    texts,
    utc,
)

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters(codec=None), max_size=9),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3)
    ),
    max_leaves=9,
)
ZONES = st.integers(-14 * 60, 14 * 60).map(lambda part: timezone(timedelta(minutes=part)))
TIMES = st.datetimes(datetime(1970, 1, 2), datetime(2199, 1, 1), timezones=ZONES)


@given(JSON, st.lists(st.sampled_from("abc"), max_size=3))
def test_any_data_is_read_without_an_error(data: object, path: list[str]) -> None:
    text(data, *path).encode()
    assert number(data, *path) is None or field(data, *path) == number(data, *path)
    assert flag(data, *path) is (field(data, *path) is True)
    assert isinstance(rows(data, *path), list)
    found = texts(data, *path, of="a") + texts(data, *path)
    assert all(found)
    assert utc(data, *path) == "" or parse_epoch(utc(data, *path)) is not None


@given(
    TIMES, st.sampled_from(["%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M:%S.%f", "%Y-%m-%dT%H:%M:%S,%f"])
)
def test_a_time_with_an_offset(moment: datetime, form: str) -> None:
    offset = moment.strftime("%z")
    wanted = moment.astimezone(timezone.utc).replace(microsecond=0)
    for written in (offset, f"{offset[:3]}:{offset[3:5]}"):
        found = utc(moment.strftime(form) + written)
        assert found == wanted.strftime("%Y-%m-%dT%H:%M:%SZ")
        assert utc(found) == found
        assert parse_epoch(found) == wanted.timestamp()


@given(st.floats(0, 7e9))
def test_a_formatted_time_is_parsed_back(seconds: float) -> None:
    assert parse_epoch(format_utc(seconds)) == seconds // 1


@pytest.mark.parametrize(
    ("written", "found"),
    [
        ("2026-05-01T14:22:00Z", "2026-05-01T14:22:00Z"),
        ("2026-05-01T14:22:00z", "2026-05-01T14:22:00Z"),
        ("2026-05-01T14:22:00.999+0200", "2026-05-01T12:22:00Z"),
        ("2026-05-01T14:22:00.123456789Z", "2026-05-01T14:22:00Z"),
        ("2026-05-01 14:22", "2026-05-01T14:22:00Z"),
        ("2026-02-30T00:00:00Z", ""),
        ("2026-05-01T24:00:01Z", ""),
        ("0001-01-01T00:00:00+23:59", ""),
        ("9999-12-31T23:59:59-23:59", ""),
        ("2026-05-01", ""),
        ("٢٠٢٦-05-01T14:22:00Z", ""),
        ("2026-05-01T14:22:00Z\n", "2026-05-01T14:22:00Z"),
        ("soon", ""),
    ],
)
def test_forms_of_times(written: str, found: str) -> None:
    assert utc(written) == found


def test_half_of_a_surrogate_pair_is_replaced() -> None:
    assert text("a\ud83db") == "a\ufffdb"


def test_texts_come_once_and_in_their_order() -> None:
    assert texts({"a": ["y", "x", "", None, "y", 3]}, "a") == ("y", "x", "3")
    assert texts([{"a": "y"}, {"b": "x"}, {"a": "y"}, None], of="a") == ("y",)
