"""The words for statuses, and what people call the place of one, in many languages."""

# Governing: SPEC-0002 REQ "Status"

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache

from sdd_hooks.artifacts.languages import words
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.text.lazy_regex import lazy_regex

_WORDS = {
    "accepted": "accepted|active|adopted|agreed|decided|ratified|final(?! draft)|current|effective"
    "|in force",
    "proposed": "proposed|proposal|pending|open|rfc|under discussion|undecided",
    "rejected": "rejected|withdrawn|cancell?ed|declined|abandoned|dropped",
    "deprecated": "deprecated|retired|obsoleted?|moot|sunset|legacy|reverted|revoked|rescinded",
    "superseded": "supersed+ed|superceeded|superceded|superseeded|replaced|invalidated",
    "draft": "(?:final )?draft(?:ed)?|wip|(?:work[- ])?in[- ]progress",
    "review": "(?:in |under )?review(?:ing)?",
    "approved": "approved",
    "implemented": "implemented|done|completed?|shipped",
    "deferred": "deferred|postponed|parked",
    "on-hold": "on[- ]hold|paused",
}
STATUSES = tuple(_WORDS)
WORD = lazy_regex(
    "(?:" + "|".join(f"(?P<{n.replace('-', '_')}>{w})" for n, w in _WORDS.items()) + r")(?!\w)",
    re.IGNORECASE,
)
"""An English word that means a status; the name of its group is the status."""


@cache
def translated_word() -> re.Pattern[str]:
    """A word of another language that means a status, with groups as those of WORD."""
    groups = "|".join(f"(?P<{name}>{words(name)})" for name in STATUSES if words(name))
    # Chinese has no space behind a word.
    return re.compile(rf"(?:{groups})(?:(?!\w)|(?=[的于自并且及和首]))", re.IGNORECASE)


@lru_cache(maxsize=1024)
def is_status_name(name: str) -> bool:
    """Whether a field or heading has a status by its name, as `normalize_field_name` returns it.

    `decision-status`, `status-history` and `状态-status` are such names.
    """
    names = words("name").split("|")
    if name in names or "-" not in name or len(name) > 60:
        return name in names
    rest = [word for word in name.split("-") if word not in words("around").split("|")]
    return bool(rest) and ("-".join(rest) in names or {*rest} <= {*names})


class StatusWord(NamedTuple):
    """A word that means a status, between the offsets `start` and `end` of a text."""

    value: str
    start: int
    end: int


def find_status_words(text: str) -> Iterator[StatusWord]:
    """Yield every word that means a status, in any spelling and letter case, in order."""
    matches = list(WORD.finditer(text)) or translated_word().finditer(text)
    for match in matches:
        # A longer word, such as `unaccepted`, contains it.
        if not text[: match.start()][-1:].isalnum():
            yield StatusWord(value_of(match), *match.span())


def value_of(match: re.Match[str]) -> str:
    """The status that a match of WORD or `translated_word` means."""
    return str(match.lastgroup).replace("_", "-")
