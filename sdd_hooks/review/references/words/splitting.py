"""The words of a text that describe its topic: names and their parts."""

# Governing: ADR-0020 (a decision is found by equal votes of evidence)

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import pairwise

from sdd_hooks.text.lazy_regex import lazy_regex
from sdd_hooks.text.names import PLURAL_S, find_singular

_NAME = lazy_regex(r"[A-Za-z][A-Za-z0-9]*")
_ANY_NAME = lazy_regex(r"[^\W\d_][^\W_]*")
# Scripts that are written without spaces between words.
_WIDE = lazy_regex(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")
_PART = lazy_regex(rf"[A-Z]{{2,}}{PLURAL_S}|[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]{{2,}}")
_DOTTED = lazy_regex(r"[A-Za-z_]\w*(?:[./:-]\w+)*")
_SEPARATOR = lazy_regex(r"[./:-]")

_STOP_WORDS = """
    a an and any are as at be been but by can could do does each for from had has have how if in
    into is it its may might more most must of on one only or other our should so some such than
    that the their them then there these they this those to use used using via was we were what when
    where which while who why will with would you your also all both per
    add added adds change changed changes chore docs doc feat fix fixed fixes make makes new no not
    refactor remove removed removes test tests update updated updates
    async await case catch class const def default else end except export false fn func function
    import int interface let null none private public return returns self static string try true
    type var void
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())
"""Frequent words of English, of commit messages and of programming languages."""


def split_words(text: str) -> list[str]:
    """Split a text into words in lower case, in order.

    `OutboxSweeper` becomes `outbox`, `sweeper` and `outboxsweeper`, and `APIs` becomes `apis` and
    `api`. Words in any script are read; in those without spaces each pair of adjacent characters is
    one: `回测` and `测日` of `回测日`.
    """
    return [word for name in _find_names(text) for word in _split_name(name)]


def _find_names(text: str) -> list[str]:
    return (_NAME if text.isascii() else _ANY_NAME).findall(text)


def find_phrases(text: str) -> list[tuple[str, str]]:
    """Find the pairs of adjacent words in a text, each once, in order.

    Words are the parts of names, in lower case: `ErrorAcknowledgement` is a pair. No pair has a
    stop word in it or between its words.
    """
    pairs: dict[tuple[str, str], None] = {}
    before = ""
    for name in _find_names(text):
        for part in _PART.findall(name) if name.isascii() else _WIDE.split(name):
            word = part.lower()
            if len(word) <= 1:
                continue
            if word in STOP_WORDS:
                before = ""
                continue
            if before and before != word:
                pairs[before, word] = None
            before = word
    return list(pairs)


# A few thousand names make up most of the text of a repository.
@lru_cache(maxsize=65_536)
def _split_name(name: str) -> tuple[str, ...]:
    if not name.isascii():
        return tuple(_split_other(name))
    parts = _PART.findall(name)
    found = [form.lower() for part in parts for form in (part, find_singular(part))]
    if len(parts) > 1:
        found.append(name.lower())
    return tuple(word for word in found if len(word) > 1 and word not in STOP_WORDS)


def _split_other(name: str) -> Iterator[str]:
    """The words of a name in other letters than those of English."""
    position = 0
    for wide in (*_WIDE.finditer(name), None):
        before = name[position : wide.start() if wide else len(name)]
        if before.isascii():
            yield from _split_name(before)
        elif len(before) > 1 and before.lower() not in STOP_WORDS:
            yield before.lower()
        if wide:
            yield from map("".join, pairwise(wide[0]))
            position = wide.end()


def find_dotted_names(text: str) -> Iterable[str]:
    """Find the names of a text in lower case, joined ones as a whole: `config.outbox_size`."""
    return (name.lower() for name in _DOTTED.findall(text))


def find_identifiers(texts: Iterable[str]) -> set[str]:
    """Find the identifiers of texts in lower case: `config.outbox_size` and its parts."""
    names = {name for text in texts for name in find_dotted_names(text)}
    return names.union(*(_SEPARATOR.split(name) for name in names if not name.isidentifier()))
