"""Find the words of a query in a text, in their other forms, too."""

from __future__ import annotations

import re
from functools import lru_cache

from sdd_hooks.text.forms import fold_forms

_DERIVED = (
    *("encies", "ations", "ation", "ency", "ancy", "ences", "ence", "ances", "ance", "ments"),
    *("ment", "ents", "ent", "ants", "ant", "ities", "ity", "ables", "able", "ible", "ions"),
    *("ion", "ives", "ive", "izing", "ized", "izes", "ize", "ical", "ally"),
)
_INFLECTED = ("ings", "ing", "ies", "ied", "ers", "er", "ed", "es", "ly", "s", "y", "e")
_MIN_STEM = 3
_MIN_DERIVED_STEM = 5


@lru_cache(maxsize=4096)
def stem(word: str) -> str:
    """Return a word without its ending: `hash` of `hashing`, `idempot` of `idempotency`."""
    for suffixes, shortest in ((_DERIVED, _MIN_DERIVED_STEM), (_INFLECTED, _MIN_STEM)):
        for suffix in suffixes:
            if word.endswith(suffix) and len(word) - len(suffix) >= shortest:
                return word[: -len(suffix)]
    return word


def count_matches(text: str, words: frozenset[str]) -> int:
    """Return how many of `words` (lower case) occur in the text, each counted once.

    A word of up to three letters has to stand at the beginning of a word, others also inside
    identifiers.
    """
    return len(find_words(text, words))


def find_words(text: str, words: frozenset[str]) -> frozenset[str]:
    """Return those of `words` that occur in the text, as `count_matches` counts them."""
    lower = fold_forms(text).lower()
    return frozenset(word for word in words if _occurs(word, lower))


def _occurs(word: str, lower: str) -> bool:
    part = stem(word)
    if part not in lower:
        return False
    if len(part) > _MIN_STEM or not part.isascii():
        return True
    return re.search(rf"(?:\b|_){re.escape(part)}", lower) is not None
