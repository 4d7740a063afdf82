"""The definitions that a search of the code found for an issue: what there is to import."""

# Governing: SPEC-0026 REQ "Existing code first"

from __future__ import annotations

from collections.abc import Callable, Iterable

from sdd_hooks.code.paths import is_test
from sdd_hooks.code.symbols import Symbol, find_symbols
from sdd_hooks.engines.protocol import Hit
from sdd_hooks.planning.work.brief import ExistingCode
from sdd_hooks.planning.work.likeness import split_name
from sdd_hooks.planning.work.reuse import code_family, is_shareable
from sdd_hooks.text.lazy_regex import lazy_regex
from sdd_hooks.text.query_match import stem

MAX_SYMBOLS = 12
"""Definitions in a brief."""
SYMBOLS_PER_FILE = 4

_WORD = lazy_regex(r"[^\W\d_]\w{2,}")
_NAME_BONUS = 0.1
"""What a word of the request in the name of a definition adds to the score of its file."""


def existing_definitions(
    hits: Iterable[Hit], query: str, read: Callable[[str], str]
) -> tuple[ExistingCode, ...]:
    """The definitions that hits of a search for `query` are about, the best first.

    Of a file they are those on the lines of the hit, and those whose name has a word of the query.
    `read` returns the text of a file, "" for none. Tests are left out.
    """
    words = {stem(part) for word in _WORD.findall(query) for part in split_name(word)}
    best: dict[tuple[str, str], ExistingCode] = {}
    for hit in hits:
        if code_family(hit.path) is None or is_test(hit.path):
            continue
        for symbol, score in _of_file(hit, words, read(hit.path)):
            found = ExistingCode(
                symbol.path,
                symbol.name,
                symbol.signature,
                symbol.first_line,
                symbol.last_line,
                round(min(score, 1.0), 4),
                symbol.is_type,
            )
            known = best.get((symbol.path, symbol.name))
            if known is None or known.score < found.score:
                best[symbol.path, symbol.name] = found
    ranked = sorted(best.values(), key=lambda one: (-one.score, one.path, one.first_line))
    return tuple(ranked[:MAX_SYMBOLS])


def _of_file(hit: Hit, words: set[str], text: str) -> list[tuple[Symbol, float]]:
    rated = []
    for symbol in find_symbols(hit.path, text):
        if not is_shareable(symbol):
            continue
        shared = len(words & {stem(word) for word in split_name(symbol.simple_name)})
        matched = symbol.first_line <= hit.last_line and hit.first_line <= symbol.last_line
        # A class around the matched method is not what was found.
        is_found = matched and (not symbol.is_type or symbol.first_line >= hit.first_line)
        if is_found or shared:
            rated.append((symbol, hit.score * (1.0 if is_found else 0.8) + _NAME_BONUS * shared))
    rated.sort(key=lambda one: (-one[1], one[0].first_line))
    return rated[:SYMBOLS_PER_FILE]
