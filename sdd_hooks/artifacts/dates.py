"""Read dates as people write them, in many languages."""

# Governing: SPEC-0002 REQ "Records as they are found"

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date

from sdd_hooks.artifacts.languages import month_of
from sdd_hooks.text.lazy_regex import lazy_regex

_NAME = r"([^\W\d_]{3,12})\.?,?"
_DAY = r"([0-9]{1,2})(?:st|nd|rd|th|er|º|°|\.)?,?"
DATE = lazy_regex(
    rf"""(?<![0-9])
    (?: ([0-9]{{4}})(?:[-/.]|\s?[年년])\s?([0-9]{{1,2}})(?:[-/.]|\s?[月월])\s?([0-9]{{1,2}})
      | ([0-9]{{1,2}})[-/.]\s?([0-9]{{1,2}})(?:[-/.]\s?([0-9]{{4}})|/([0-9]{{2}}))
      | {_DAY}[ -]+(?:of\s|de\s)?{_NAME}[ -]+(?:del?\s)?([0-9]{{4}}|[0-9]{{2}}(?=$|[.,;)]))
    )(?![0-9]) | (?<!\w){_NAME}\s+{_DAY}\s+([0-9]{{4}})(?![0-9])""",
    re.VERBOSE | re.IGNORECASE,
)
"""What looks like a date: three groups have its parts in their order."""
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
        year, month, day = (part for part in match.groups() if part)
        if not (is_year_first := len(year) == 4 and year.isdigit()):
            first, second, year = year, month, f"20{day}"[-4:]
            day, month = (second, first) if first.isalpha() else (first, second)
        if month.isdigit() and not is_year_first and "." not in match[0]:
            if month != day and int(month) <= 12 and int(day) <= 12:
                yield ""
                continue
            if int(month) > 12:
                month, day = day, month
        number = int(month) if month.isdigit() else month_of(month)
        if iso := iso_date(year, number, day):
            yield iso


def joined_date(name: str) -> str:
    """The date in the name of a file, also without signs: `20200131-x`."""
    found = _JOINED.search(name)
    return read_date(name.replace("_", "-")) or (iso_date(*found.groups()) if found else "")


def iso_date(year: str, month: str | int, day: str) -> str:
    """The date as `YYYY-MM-DD`, "" if there is no such day."""
    try:
        return date(int(year), int(month), int(day)).isoformat()
    except ValueError:
        return ""
