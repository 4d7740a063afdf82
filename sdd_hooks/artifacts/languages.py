"""The words of records in many languages, from the table `languages.txt` beside this module."""

# Governing: SPEC-0002 REQ "Status"

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache, lru_cache
from pathlib import Path

from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.text.lazy_regex import lazy_regex

STATUSES = (
    *("accepted", "proposed", "rejected", "deprecated", "superseded", "draft", "review"),
    *("approved", "implemented", "deferred", "on-hold"),
)


def words(kind: str) -> str:
    """The words of a kind as alternatives of a pattern, "" for an unknown kind."""
    return _table().get(kind, "")


@cache
def _table() -> dict[str, str]:
    rows: dict[str, list[str]] = defaultdict(list)
    text = Path(__file__).with_name("languages.txt").read_text(encoding="utf-8")
    for row in text.splitlines():
        kind, _, alternatives = row.partition(" ")
        rows[kind].append(alternatives)
    return {kind: "|".join(alternatives) for kind, alternatives in rows.items()}


def _groups(language: str) -> str:
    names = [name for name in STATUSES if words(f"{language}{name}")]
    return "|".join(f"(?P<{one.replace('-', '_')}>{words(language + one)})" for one in names)


WORD = lazy_regex(lambda: rf"(?:{_groups('en-')})(?!\w)", re.IGNORECASE)
"""An English word that means a status; the name of its group is the status."""

# Chinese has no space behind a word.
TRANSLATED_WORD = lazy_regex(
    lambda: rf"(?:{_groups('')})(?:(?!\w)|(?=[的于自并且及和首]))", re.IGNORECASE
)
"""A word of another language that means a status, with groups as those of WORD."""


@lru_cache(maxsize=1024)
def is_status_name(name: str) -> bool:
    """Whether a field or heading has a status by its name, as `normalize_field_name` returns it.

    `decision-status`, `status-history` and `状态-status` are such names.
    """
    names, around = words("name").split("|"), words("around").split("|")
    rest = [word for word in name[:60].split("-") if word not in around]
    return name in names or (bool(rest) and ("-".join(rest) in names or {*rest} <= {*names}))


@lru_cache(maxsize=1024)
def month_of(name: str) -> int:
    """The number of a month from its name in any of the languages, 0 for another word."""
    starts = {one: n for n in range(1, 13) for one in words(f"{n:02d}").split("|")}
    found = (one for one in starts if name.lower().startswith(one))
    return starts.get(max(found, key=len, default=""), 0)


class StatusWord(NamedTuple):
    """A word that means a status, between the offsets `start` and `end` of a text."""

    value: str
    start: int
    end: int


def find_status_words(text: str) -> Iterator[StatusWord]:
    """Yield every word that means a status, in any spelling and letter case, in order."""
    for match in list(WORD.finditer(text)) or TRANSLATED_WORD.finditer(text):
        # A longer word, such as `unaccepted`, contains it.
        if not text[: match.start()][-1:].isalnum():
            yield StatusWord(value_of(match), *match.span())


def value_of(match: re.Match[str]) -> str:
    """The status that a match of WORD or TRANSLATED_WORD means."""
    return str(match.lastgroup).replace("_", "-")
