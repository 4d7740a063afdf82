"""Read fields of another host's JSON: any field may be missing, null, or of another type."""

from __future__ import annotations

import re
from datetime import datetime, timezone

from sdd_hooks.text.lazy_regex import lazy_regex

Json = object
"""What `json.loads` returns."""

_UTC = lazy_regex(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z", re.ASCII)
_TIME = lazy_regex(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})[Tt ]([0-9]{2}:[0-9]{2}(?::[0-9]{2})?)"
    r"(?:[.,]([0-9]{1,6})[0-9]*)?\s*([Zz]|[+-][0-9]{2}:?[0-9]{2})?",
    re.ASCII,
)


def field(data: Json, *path: str) -> Json:
    """The value at the end of `path`; None if a value on the way is no object."""
    for name in path:
        if not isinstance(data, dict):
            return None
        data = data.get(name)
    return data


def text(data: Json, *path: str) -> str:
    """A string, or a whole number as a string; "" for any other value.

    Half of a surrogate pair, which cannot be encoded, becomes U+FFFD.
    """
    # As in `field`: an issue has ten texts, and a call takes as long as the look-up.
    value = data
    for name in path:
        if not isinstance(value, dict):
            return ""
        value = value.get(name)
    if not isinstance(value, str):
        return str(value) if isinstance(value, int) and not isinstance(value, bool) else ""
    if value.isascii():
        return value
    try:
        value.encode()
    except UnicodeEncodeError:
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return value


def number(data: Json, *path: str) -> int | None:
    """A whole number; None for any other value."""
    value = field(data, *path)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def flag(data: Json, *path: str) -> bool:
    """Whether the value is true."""
    return field(data, *path) is True


def rows(data: Json, *path: str) -> list[Json]:
    """The members of a list; none for any other value."""
    value = field(data, *path)
    return value if isinstance(value, list) else []


def texts(data: Json, *path: str, of: str = "") -> tuple[str, ...]:
    """The strings of a list, or the field `of` of each of its objects.

    Empty strings and duplicates are left out.
    """
    names = (of,) if of else ()
    values = dict.fromkeys([text(row, *names) for row in rows(data, *path)])
    values.pop("", None)
    return tuple(values)


def utc(data: Json, *path: str) -> str:
    """A time as RFC 3339 in UTC with whole seconds and a `Z`; "" for any other value.

    Every offset (`Z`, `+02:00`, Jira's `+0000`) and any number of decimals is parsed. A time
    without an offset is in UTC.
    """
    value = text(data, *path)
    if not value:
        return ""
    if _UTC.fullmatch(value):
        # The format of most trackers, which needs no conversion; an issue has three times.
        try:
            datetime.fromisoformat(value[:-1])
        except ValueError:
            return ""
        return value
    seconds = parse_epoch(value)
    return "" if seconds is None else format_utc(seconds)


def parse_epoch(time: str) -> float | None:
    """A time in one of these formats as epoch seconds; None for any other string."""
    try:
        parsed = datetime.fromisoformat(_normalized(time))
        if parsed.tzinfo is None:
            parsed = parsed.replace(tzinfo=timezone.utc)
        return parsed.astimezone(timezone.utc).timestamp()
    except (ValueError, OverflowError):
        return None


def format_utc(seconds: float) -> str:
    """Epoch seconds as `2026-05-01T14:22:00Z`, without decimals."""
    return datetime.fromtimestamp(seconds // 1, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def _normalized(time: str) -> str:
    """The time in the format that Python 3.10 parses. Raises ValueError for any other string."""
    match = _TIME.fullmatch(time.strip())
    if match is None:
        raise ValueError(time)
    day, clock, decimals, offset = match.groups()
    clock = clock if clock.count(":") == 2 else f"{clock}:00"
    decimals = f".{decimals:0<6}" if decimals else ""
    if offset in {None, "Z", "z"}:
        return f"{day}T{clock}{decimals}+00:00"
    return f"{day}T{clock}{decimals}{offset[:3]}:{offset[-2:]}"
