"""The regular expression that selects the part of a call graph that a search is about.

Its tokens are of file names and symbols, which are untrusted: each is escaped, and has no character
that ends a comment or an argument.
"""

# Governing: SPEC-0017 REQ "The filter", ADR-0012 (untrusted input)

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from sdd_hooks.text.lazy_regex import lazy_regex

STOP_WORDS = frozenset({"the", "a", "an", "for", "with", "of", "in", "and", "or", "to"})

MAX_TOKENS = 24
MAX_TOKEN = 60
"""Characters of a token. A longer one is no name that people give."""

# Directories that contain all code: as tokens they would select the whole graph.
_CONTAINERS = frozenset({"src", "lib", "app", "internal", "pkg", "cmd", "source", "sources"})
_WORD = lazy_regex(r"[^\W_]\w*(?:[-.]\w+)*")


def derive_filter(matches: Iterable[tuple[str, str]], query: str) -> str:
    """Return the alternation of the names of matched code, else of the words of the query.

    Each match is the path of a file, and the symbol or heading in it, which may be "". "" if
    neither has a token.
    """
    names = (token for path, symbol in matches for token in _names(path, symbol))
    return _alternation(names) or keyword_filter(query)


def keyword_filter(query: str) -> str:
    """Return the alternation of the words of a query in lower case, without stop words."""
    return _alternation(word for word in _words(query.lower()) if word not in STOP_WORDS)


def _names(path: str, symbol: str) -> Iterator[str]:
    directory, _, name = path.rpartition("/")
    yield from _words(name.lstrip(".").split(".")[0])
    parent = directory.rpartition("/")[2]
    if parent.lower() not in _CONTAINERS:
        yield from _words(parent)
    yield from (word for word in _words(symbol) if word.lower() not in STOP_WORDS)


def _words(text: str) -> Iterator[str]:
    return (match[0] for match in _WORD.finditer(text[:2_000]))


def _alternation(tokens: Iterable[str]) -> str:
    chosen: dict[str, None] = {}
    for token in tokens:
        # A single letter would select nearly everything.
        if 1 < len(token) <= MAX_TOKEN and len(chosen) < MAX_TOKENS:
            chosen[token] = None
    return "|".join(map(re.escape, chosen))
