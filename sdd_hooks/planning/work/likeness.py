"""How alike two definitions are: their names, their code, and the shape of their code.

The code is compared by its runs of tokens (shingles; the Dice coefficient of the two sets), once
with all names and once without those of variables, so that a copy with other variables is
recognised.
"""

# Governing: ADR-0053 (a duplicate is found by its name and its code)

from __future__ import annotations

from collections.abc import Sequence

from sdd_hooks.code.symbols import Symbol, without_comments
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.text.lazy_regex import lazy_regex
from sdd_hooks.text.names import PLURAL_S

MAX_TOKENS = 3_000
"""Tokens of a definition that are compared."""

_MAX_CHARACTERS = 60_000
_TOKEN = lazy_regex(r"[^\W\d]\w*|\d[\w.]*|\"[^\"\n]*\"|'[^'\n]*'|[^\w\s]")
_WORD = lazy_regex(rf"[A-Z]{{2,}}{PLURAL_S}|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_EXACT, _SHAPE = 3, 6
_EXACT_SHARE = 0.3
_LITERAL = frozenset("\"'0123456789")


class Fingerprint(NamedTuple):
    """What of a definition is compared: the words of its name, hashes of its shingles with and
    without the names of variables, and the number of its tokens."""

    words: tuple[str, ...]
    exact: frozenset[int]
    shape: frozenset[int]
    size: int


class Likeness(NamedTuple):
    """How alike two definitions are, each from 0 to 1: names, code, and code without variables."""

    name: float
    exact: float
    shape: float

    @property
    def code(self) -> float:
        """How alike the code is, from 0 to 1. A copy with other variables has at least 0.7."""
        return _EXACT_SHARE * self.exact + (1 - _EXACT_SHARE) * self.shape


def take_fingerprint(symbol: Symbol) -> Fingerprint:
    """The fingerprint of a definition. Comments, and its own name in its code, do not count."""
    code = without_comments(symbol.path, symbol.text[:_MAX_CHARACTERS])
    tokens = _TOKEN.findall(code)[:MAX_TOKENS]
    own = symbol.simple_name
    exact = ["" if token == own else token for token in tokens]
    shape = [_without_variable(exact, at) for at in range(len(exact))]
    return Fingerprint(
        split_name(own), _shingles(exact, _EXACT), _shingles(shape, _SHAPE), len(tokens)
    )


def split_name(name: str) -> tuple[str, ...]:
    """The words of an identifier in lower case: `parseUserID` and `parse_user_id` are equal."""
    return tuple(word.lower() for word in _WORD.findall(name))


def compare(new: Fingerprint, old: Fingerprint) -> Likeness:
    """How alike two definitions are."""
    return Likeness(
        _shared_words(new.words, old.words),
        _dice(new.exact, old.exact),
        _dice(new.shape, old.shape),
    )


def _without_variable(tokens: Sequence[str], at: int) -> str:
    """A token; `v` for the name of a variable, and `0` for a literal.

    Names that are called, and those of members, are kept.
    """
    token = tokens[at]
    if not (token[:1].isalpha() or token[:1] == "_"):
        return "0" if token[:1] in _LITERAL else token
    is_called = at + 1 < len(tokens) and tokens[at + 1] == "("
    before = "".join(tokens[max(0, at - 2) : at])
    return token if is_called or before.endswith((".", "::", "->")) else "v"


def _shingles(tokens: Sequence[str], length: int) -> frozenset[int]:
    runs = zip(*(tokens[start:] for start in range(length)), strict=False)
    return frozenset(map(hash, runs))


def _dice(first: frozenset[int], second: frozenset[int]) -> float:
    return 2 * len(first & second) / (len(first) + len(second)) if first and second else 0.0


def _shared_words(first: Sequence[str], second: Sequence[str]) -> float:
    if first == second:
        return 1.0
    return len({*first} & {*second}) / len({*first, *second} or "-")
