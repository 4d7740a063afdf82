"""The words of chunks and queries as PostgreSQL stores and matches them.

The tokenizer is that of the embedded engine, FTS5's `porter unicode61`, so that both engines find
the same words. A chunk is one `tsvector`: the words of its titles have the weight A and the first
positions, then follow parts of names with C, and its text with B. Positions of different fields are
never adjacent. Each word of the titles is there a second time behind `=`, so that an index finds
it without reading the chunk.
"""

# Governing: ADR-0058 (the organisation's index is on PostgreSQL), ADR-0009 (score)

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache

from sdd_hooks.engines.ranking.query_terms import Term
from sdd_hooks.engines.ranking.word_ranking import PREFIX, TermCounts, weighted_size
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.text.lazy_regex import lazy_regex

_TITLE, _BODY, _PARTS = "A", "B", "C"
_MAX_POSITION = 16383
"""The greatest position in a `tsvector`."""

_MAX_POSITIONS = 255
"""Positions of one word in a `tsvector`."""

_MAX_WORD = 200
"""Characters of a word; a `tsvector` takes up to 2,046 bytes."""

_POSITIONS = lazy_regex(r"(\d+)([ABC]?)")


class ChunkWords(NamedTuple):
    """The text of a chunk's `tsvector`, and how many words its fields have, weighted and not."""

    vector: str
    length: float
    tokens: int


class Phrase(NamedTuple):
    """Adjacent words of a term; with `prefix`, any word that begins with the only one."""

    words: tuple[str, ...]
    prefix: bool

    @property
    def expression(self) -> str:
        """The `tsquery` that matches the phrase."""
        return " <-> ".join(map(_quote, self.words)) + (":*" if self.prefix else "")


@lru_cache(maxsize=1)
def _tokenizer() -> Callable[[bytes], Iterable[object]]:
    import apsw

    tokenizer = apsw.Connection(":memory:").fts5_tokenizer(
        "porter", ["unicode61", "remove_diacritics", "2"]
    )

    def tokenize(text: bytes) -> Iterable[object]:
        return tokenizer(
            text,
            apsw.FTS5_TOKENIZE_DOCUMENT,
            None,
            include_offsets=False,
            include_colocated=False,
        )

    return tokenize


def split_words(text: str) -> list[str]:
    """Return the stems of the words of a text, in order, with repetitions."""
    words = _tokenizer()(text.encode("utf-8", "replace"))
    return [str(word)[:_MAX_WORD] for word in words]


def chunk_words(titles: str, body: str, parts: str) -> ChunkWords:
    """Return the words of a chunk whose fields are those of `ChunkFields`."""
    positions: dict[str, list[str]] = {}
    sizes = []
    position = 1
    for mark, text in ((_TITLE, titles), (_PARTS, parts), (_BODY, body)):
        words = split_words(text)
        sizes.append(len(words))
        for word in words:
            found = positions.setdefault(word, [])
            if position <= _MAX_POSITION and len(found) < _MAX_POSITIONS:
                found.append(f"{position}{mark}")
            position += 1
        position += 1
    lexemes = [f"{_quote(word)}:{','.join(found)}" for word, found in positions.items() if found]
    lexemes += [_quote(word) for word, found in positions.items() if not found]
    lexemes += [_quote(f"={word}") for word in dict.fromkeys(split_words(titles))]
    return ChunkWords(" ".join(lexemes), weighted_size(sizes[0], sizes[2], sizes[1]), sum(sizes))


def term_phrases(term: Term) -> list[Phrase]:
    """Return the phrases of a term, of which a chunk has to contain at least one."""
    phrases = []
    for text in term.alternatives:
        words = tuple(split_words(text))
        if words:
            phrases.append(Phrase(words, text.endswith("*") and len(words) == 1))
    return phrases


def term_expression(phrases: Sequence[Phrase]) -> str:
    """Return the `tsquery` of a term with these phrases."""
    if len(phrases) == 1:
        return phrases[0].expression
    return "(" + " | ".join(phrase.expression for phrase in phrases) + ")"


def exact_expression(phrases: Sequence[Phrase]) -> str:
    """Return the `tsquery` of a term without the words that only begin with it, if it can."""
    return term_expression([one for one in phrases if not one.prefix] or phrases)


def title_expression(phrases: Sequence[Phrase]) -> str:
    """Return a `tsquery` that finds in an index each chunk with the term in its titles.

    It also matches chunks with the words of a phrase in its titles that are not adjacent.
    """
    alternatives = (
        " & ".join(_quote(f"={word}") + (":*" if phrase.prefix else "") for word in phrase.words)
        for phrase in phrases
    )
    return "(" + " | ".join(f"({one})" for one in alternatives) + ")"


class TermCounter:
    """Counts the terms of a query in the `tsvector` of a chunk, as its text."""

    def __init__(self, terms: Sequence[Sequence[Phrase]]) -> None:
        self._terms = terms
        exact = {word for phrases in terms for phrase in phrases for word in phrase.words}
        prefixes = {phrase.words[0] for phrases in terms for phrase in phrases if phrase.prefix}
        parts = [re.escape(_escape(word)) for word in sorted(exact, key=len, reverse=True)]
        parts += [f"{re.escape(_escape(word))}[^']*" for word in sorted(prefixes)]
        # A word ends at its quote, so that the order of the alternatives does not matter.
        self._wanted = re.compile(rf"'({'|'.join(parts)})':([0-9ABC,]+)")

    def count(self, vector: str, length: float) -> TermCounts:
        """Return how often the chunk contains each term; `length` is that over the average."""
        found = {match[1]: _parse_positions(match[2]) for match in self._wanted.finditer(vector)}
        counts: dict[int, float] = {}
        for index, phrases in enumerate(self._terms):
            count = max((_count_phrase(phrase, found) for phrase in phrases), default=0.0)
            if count:
                counts[index] = count
        return TermCounts(counts, length)


def _parse_positions(text: str) -> dict[int, str]:
    """Return the mark of the field at each position. Those of the weight D have none."""
    return {int(match[1]): match[2] for match in _POSITIONS.finditer(text)}


def _count_phrase(phrase: Phrase, found: Mapping[str, Mapping[int, str]]) -> float:
    first = _escape(phrase.words[0])
    if phrase.prefix:
        marks = [
            mark
            for word, positions in found.items()
            if word.startswith(first)
            for mark in positions.values()
        ]
    else:
        others = [found.get(_escape(word), {}) for word in phrase.words[1:]]
        marks = [
            mark
            for position, mark in found.get(first, {}).items()
            if all(position + n in other for n, other in enumerate(others, 1))
        ]
    size = weighted_size(marks.count(_TITLE), marks.count(_BODY), marks.count(_PARTS))
    return size * (PREFIX if phrase.prefix else 1.0)


def _escape(word: str) -> str:
    return word.replace("\\", "\\\\").replace("'", "''")


def _quote(word: str) -> str:
    return f"'{_escape(word)}'"
