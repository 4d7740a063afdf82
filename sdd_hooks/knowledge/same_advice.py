"""Decide whether two texts give the same advice, or contradict each other.

Both judges compare words first: their stems, without the words that every rule has. What negates,
counts or prefers is compared apart, because a text that differs in it alone says something else. A
judge with an embedding model also accepts a text with other words of the same meaning.
"""

# Governing: ADR-0055 (knowledge belongs to its authors), SPEC-0028 REQ "Triage"

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from functools import lru_cache

from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.text.lazy_regex import lazy_regex
from sdd_hooks.text.query_match import stem

Embed = Callable[[Sequence[str]], Sequence[bytes]]
"""Returns a float32 little-endian vector of length 1 for each text."""

SAME_WORDS = 0.62
"""The share of words in common from which two texts are the same advice."""

SAME_MEANING = 0.8
"""The cosine from which they are, if at least LEAST_WORDS of the words are in common."""

LEAST_WORDS = 0.4

SAME_SUBJECT = 0.75
"""The share of words in common from which a text with another polarity contradicts."""

_TOKEN = lazy_regex(r"[^\W_]+(?:['’][^\W_]+)?")
_COMMON_WORDS_TEXT = """
a an the this that these those it its them they their there which who what when where while and
or but so if as at by for from in into inside of on onto out to up with within per via be is are
was were been being do does did done has have had having can could may might must shall should
will would need needs needed require requires required always every each all any use uses used
using usage keep keeps kept make makes let lets give gives given get gets put go goes belong
belongs support supports take takes time only also because since due just we our us you your i
my one before after than then until more most own same such both here please ensure sure prefer
prefers instead rather over not never no avoid without don't mustn't cannot can't doesn't
shouldn't won't nor project happen happens
"""
COMMON_WORDS = frozenset(_COMMON_WORDS_TEXT.split())
_NEGATIONS_TEXT = """
not never no avoid avoids avoiding without don't mustn't cannot can't doesn't shouldn't won't
nor instead rather forbid forbidden stop over
"""
_NEGATIONS = frozenset(_NEGATIONS_TEXT.split())
_NUMBERS = {
    "zero": "0",
    "one": "1",
    "two": "2",
    "three": "3",
    "four": "4",
    "five": "5",
    "six": "6",
    "seven": "7",
    "eight": "8",
    "nine": "9",
    "ten": "10",
}
_UNITS = {
    "ms": "ms",
    "millisecond": "ms",
    "second": "s",
    "minute": "min",
    "hour": "h",
    "day": "d",
    "week": "w",
    "month": "month",
    "year": "year",
    "kb": "kb",
    "mb": "mb",
    "gb": "gb",
}
_PREFERENCE = lazy_regex(r"(?i)\b(?:instead of|rather than|over|, ?not)\b([^.:;,]*)")
_MAX_COMPARED = 2_000


class Advice(NamedTuple):
    """What is compared of a text: the stems of its words, and what changes their meaning."""

    words: frozenset[str]
    negated: bool
    numbers: frozenset[str]
    units: frozenset[str]
    rejected: frozenset[str]


class Judge:
    """Compares advice by its words, and with `embed` by its meaning, too."""

    def __init__(self, embed: Embed | None = None) -> None:
        self._embed = embed
        self._vectors: dict[str, bytes] = {}

    def same(self, one: str, other: str) -> bool:
        """Whether both texts give the same advice."""
        left, right = read_advice(one), read_advice(other)
        if _differs(left, right):
            return False
        share = shared_words(left, right)
        if share >= SAME_WORDS:
            return True
        if self._embed is None or share < LEAST_WORDS:
            return False
        return self.cosine(one, other) >= SAME_MEANING

    def contradicts(self, one: str, other: str) -> bool:
        """Whether one text says the opposite of the other, or gives another number for it."""
        left, right = read_advice(one), read_advice(other)
        return _differs(left, right) and shared_words(left, right) >= SAME_SUBJECT

    def cosine(self, one: str, other: str) -> float:
        """The cosine of the vectors of two texts; 0 without a model that can embed them."""
        missing = [text for text in (one, other) if text not in self._vectors]
        vectors = self._embed(missing) if missing and self._embed else ()
        if len(vectors) < len(missing):
            self._embed = None
            return 0.0
        self._vectors.update(zip(missing, vectors, strict=True))
        left, right = (_numbers(self._vectors[text]) for text in (one, other))
        return sum(a * b for a, b in zip(left, right, strict=True))


@lru_cache(maxsize=4096)
def read_advice(text: str) -> Advice:
    """Read what is compared of a text, of its first 2,000 characters."""
    text = text[:_MAX_COMPARED]
    tokens = [_NUMBERS.get(token, token) for token in _TOKEN.findall(text.lower())]
    numbers = frozenset(token for token in tokens if token.isdigit())
    named = {token: _UNITS.get(token) or _UNITS.get(token.removesuffix("s")) for token in tokens}
    units = frozenset(unit for unit in named.values() if unit)
    counted = (
        token
        for token, unit in named.items()
        if not unit and token not in COMMON_WORDS and not token.isdigit()
    )
    words = frozenset(stem(token) for token in counted if len(token) > 1)
    rejected = frozenset(
        stem(token)
        for match in _PREFERENCE.finditer(text)
        for token in _TOKEN.findall(match[1].lower())
        if token not in COMMON_WORDS
    )
    return Advice(words, not _NEGATIONS.isdisjoint(tokens), numbers, units, rejected)


def shared_words(one: Advice, other: Advice) -> float:
    """The words in common, as a share of those of both texts (Dice's coefficient), 0 to 1."""
    total = len(one.words) + len(other.words)
    return 2 * len(one.words & other.words) / total if total else 0.0


def _differs(one: Advice, other: Advice) -> bool:
    if one.negated != other.negated:
        return True
    if one.numbers and other.numbers and one.numbers != other.numbers:
        return True
    if one.units and other.units and not one.units & other.units:
        return True
    left, right = one.rejected - other.rejected, other.rejected - one.rejected
    return bool(left and right) and left <= other.words and right <= one.words


def _numbers(vector: bytes) -> tuple[float, ...]:
    return struct.unpack(f"<{len(vector) // 4}f", vector)
