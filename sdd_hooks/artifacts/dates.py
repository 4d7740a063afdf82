"""Read dates as people write them, in many languages, and the date of a record."""

# Governing: SPEC-0002 REQ "Records as they are found"

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from functools import cache

from sdd_hooks.artifacts.languages import words
from sdd_hooks.text.lazy_regex import lazy_regex

_NAME = r"[^\W\d_]{3,12}"
_MARKED = r"(?:st|nd|rd|th|er|º|°|\.)?"
DATE = lazy_regex(
    rf"""(?<![0-9]) (?: (?P<year>[0-9]{{4}})(?P<mark>[-/.])\s?(?P<month>[0-9]{{1,2}})(?P=mark)\s?
            (?P<day>[0-9]{{1,2}}) (?![0-9])
      | (?P<cyear>[0-9]{{4}})\s?[年년]\s?(?P<cmonth>[0-9]{{1,2}})\s?[月월]\s?(?P<cday>[0-9]{{1,2}})\s?[日일]
      | (?P<first>[0-9]{{1,2}})(?P<sign>[-/.])\s?(?P<second>[0-9]{{1,2}})(?P=sign)\s?(?P<lyear>[0-9]{{4}})
            (?![0-9])
      | (?P<nday>[0-9]{{1,2}}){_MARKED}(?:[ -]+|\s(?:de|of)\s)(?:of\s|de\s)?(?P<name>{_NAME})\.?,?
            (?:[ -]+|\s(?:de|del)\s)(?:de\s)?(?P<nyear>[0-9]{{4}}) (?![0-9])
    ) | (?<!\w)(?P<mname>{_NAME})\.?\s+(?P<mday>[0-9]{{1,2}}){_MARKED},?\s+(?P<myear>[0-9]{{4}})(?![0-9])""",
    re.VERBOSE | re.IGNORECASE,
)
"""What looks like a date."""
_JOINED = lazy_regex(r"(?<![0-9])([0-9]{4})([0-9]{2})([0-9]{2})(?=[-_. T]|$)")


def read_date(text: str) -> str:
    """The first date in a text as `YYYY-MM-DD`, "" for none.

    `2020-01-31`, `31.1.2020`, `Jan 31st, 2020` and `2020年1月31日` are dates. `01/02/2020` is
    none, because it means two.
    """
    return next(find_dates(text[:500]), "")


def find_dates(text: str) -> Iterator[str]:
    """Yield each date in a text as `YYYY-MM-DD`, "" for one that may be another."""
    for match in DATE.finditer(text):
        parts = match.groupdict()
        if name := parts["name"] or parts["mname"]:
            if not (month := month_of(name)):
                continue
            day = parts["nday"] or parts["mday"]
            iso = iso_date(parts["nyear"] or parts["myear"], month, day)
        elif parts["first"]:
            day, month = int(parts["first"]), int(parts["second"])
            if parts["sign"] != "." and day != month and day <= 12 and month <= 12:
                yield ""
                continue
            # Only dates with slashes and hyphens may have the month first.
            if month > 12 and parts["sign"] != ".":
                day, month = month, day
            iso = iso_date(parts["lyear"], month, day)
        else:
            iso = iso_date(
                parts["year"] or parts["cyear"],
                parts["month"] or parts["cmonth"],
                parts["day"] or parts["cday"],
            )
        if iso:
            yield iso


def joined_date(name: str) -> str:
    """The date in a text or file name with or without signs, such as `20200131-x`."""
    found = _JOINED.search(name)
    return read_date(name.replace("_", "-")) or (iso_date(*found.groups()) if found else "")


def month_of(name: str) -> int:
    """The number of a month from its name in any of the languages, 0 for another word."""
    name, starts = name.lower(), _month_starts()
    return next((starts[name[:n]] for n in range(8, 2, -1) if name[:n] in starts), 0)


@cache
def _month_starts() -> dict[str, int]:
    return {start: n for n in range(1, 13) for start in words(f"{n:02d}").split("|")}


def iso_date(year: str | int, month: str | int, day: str | int) -> str:
    """The date as `YYYY-MM-DD`, "" if there is no such day."""
    try:
        return date(int(year), int(month), int(day)).isoformat()
    except ValueError:
        return ""
