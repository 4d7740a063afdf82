"""Whether a text names a technology."""

# Governing: ADR-0044 (implicit decisions from evidence), SPEC-0022 REQ "Decided Candidates"

from __future__ import annotations

import re
from functools import lru_cache

from sdd_hooks.drift.discover.catalogue import load_catalogue


def is_named(name: str, text: str, is_common: bool = False) -> bool:
    """Whether a text has a name as a word; a common one spelled exactly so, or as code.

    `React` is not named by `React Query`, another technology of the catalogue.
    """
    found = _expression(name, is_common).search(text)
    if not found:
        return False
    longer = _longer_names(name)
    return not longer or bool(_expression(name, is_common).search(longer.sub(" ", text)))


@lru_cache(maxsize=4096)
def _expression(name: str, is_common: bool) -> re.Pattern[str]:
    # A letter of another script may follow a name without a space. `Create-React-App` is another.
    word = rf"(?<![A-Za-z0-9_])(?<![A-Za-z]-){_spelled(name)}(?![A-Za-z0-9_])"
    if not is_common:
        return re.compile(word, re.IGNORECASE)
    code = rf"`[^`\n]{{0,80}}(?<![A-Za-z0-9_])(?i:{_spelled(name)})(?![A-Za-z0-9_])"
    return re.compile(f"{word}|{code}")


@lru_cache(maxsize=4096)
def _longer_names(name: str) -> re.Pattern[str] | None:
    """The names of other technologies that contain a name as a word."""
    word = re.compile(rf"(?<![A-Za-z0-9]){re.escape(name)}(?![A-Za-z0-9])", re.IGNORECASE)
    longer = {
        other
        for one in load_catalogue()
        for other in (one.name, *one.aliases)
        if name not in (one.name, *one.aliases) and len(other) > len(name) and word.search(other)
    }
    if not longer:
        return None
    spelled = "|".join(_spelled(one) for one in sorted(longer, key=lambda one: (-len(one), one)))
    return re.compile(rf"(?<![A-Za-z0-9_])(?:{spelled})(?![A-Za-z0-9_])", re.IGNORECASE)


def _spelled(name: str) -> str:
    return re.escape(name).replace(r"\ ", r"[\s-]?")
