"""The words of a text that describe its topic: names and their parts."""

# Governing: ADR-0020 (a decision is found by equal votes of evidence)

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9]*")
_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]{2,}")
_DOTTED = re.compile(r"[A-Za-z_]\w*(?:[./:-]\w+)*")
_SEPARATOR = re.compile(r"[./:-]")

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

    `OutboxSweeper` becomes `outbox`, `sweeper` and `outboxsweeper`.
    """
    return [word for name in _NAME.findall(text) for word in _split_name(name)]


def find_phrases(text: str) -> list[tuple[str, str]]:
    """Find the pairs of adjacent words in a text, each once, in order.

    Words are the parts of names, in lower case: `ErrorAcknowledgement` is a pair. No pair has a
    stop word in it or between its words.
    """
    pairs: dict[tuple[str, str], None] = {}
    before = ""
    for name in _NAME.findall(text):
        for part in _PART.findall(name):
            word = part.lower()
            if len(word) == 1:
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
    parts = _PART.findall(name)
    found = [part.lower() for part in parts]
    if len(parts) > 1:
        found.append(name.lower())
    return tuple(word for word in found if len(word) > 1 and word not in STOP_WORDS)


def find_dotted_names(text: str) -> Iterable[str]:
    """Find the names of a text in lower case, joined ones as a whole: `config.outbox_size`."""
    return (name.lower() for name in _DOTTED.findall(text))


def find_identifiers(texts: Iterable[str]) -> set[str]:
    """Find the identifiers of texts in lower case: `config.outbox_size` and its parts."""
    names = {name for text in texts for name in find_dotted_names(text)}
    return names.union(*(_SEPARATOR.split(name) for name in names if not name.isidentifier()))
