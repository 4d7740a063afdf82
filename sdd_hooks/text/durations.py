"""Durations as users write them in a memory file: `30m`, `4h`, `1h30m`, `2 days`."""

from __future__ import annotations

from sdd_hooks.text.lazy_regex import lazy_regex

_UNIT_SECONDS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0, "w": 604800.0}

_PART = lazy_regex(
    r"([0-9]{1,9}(?:\.[0-9]{1,9})?)\s*"
    r"(s(?:ec(?:ond)?s?)?|m(?:in(?:ute)?s?)?|h(?:(?:ou)?rs?)?|d(?:ays?)?|w(?:eeks?)?)\s*"
)


def parse_duration(text: str) -> float:
    """Parse numbers with units (s, m, h, d, w) into seconds. Raises ValueError otherwise."""
    rest = text.strip().lower()
    total = 0.0
    position = 0
    while position < len(rest) or not position:
        part = _PART.match(rest, position)
        if part is None:
            raise ValueError(f"{text.strip()!r} is not a duration such as 30m, 4h or 1h30m")
        total += float(part[1]) * _UNIT_SECONDS[part[2][0]]
        position = part.end()
    return total


def format_duration(seconds: float) -> str:
    """Format seconds as `3 hours`, `45 minutes` or `2 days`, rounded down.

    The unit is the largest of which there are at least two, or exactly one.
    """
    whole = max(int(seconds), 0)
    for unit, name in ((86400, "day"), (3600, "hour"), (60, "minute")):
        if whole == unit:
            return f"1 {name}"
        if whole >= 2 * unit:
            return f"{whole // unit} {name}s"
    return "1 second" if whole == 1 else f"{whole} seconds"
