"""Evidence from phrases: the pairs of words of a title that a record has side by side, too."""

# Governing: ADR-0020 (a decision is found by equal votes of evidence)

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.review.references.bm25 import K1, inverse_document_frequency

if TYPE_CHECKING:
    from sdd_hooks.review.references.query import ChangeQuery
    from sdd_hooks.review.references.records import DecisionRecord

MAX_PHRASES = 40
"""Phrases of a title that are looked for."""
MAX_PART = 40
"""Characters of a name before and after the part that is looked for."""

# Between two words of a record: `error acknowledgement`, `error_acknowledgement`,
# `ErrorAcknowledgement`, `**error** acknowledgement`.
_BETWEEN = r"[^a-z0-9\n]{0,3}"


# The rest of a name of which only a part is in the title: `GitHub Pages`.
_PART_BEFORE = re.compile(r"[^\W_]+\Z")
_PART_AFTER = re.compile(r"[^\W_]+")
_DIVIDED = re.compile(r"[.!?;:,]\s|[|—–]|\s-\s")


class FoundPhrase(NamedTuple):
    """A phrase as the record has it, and the number of its line."""

    text: str
    line: int


def score_phrases(query: ChangeQuery, records: Sequence[DecisionRecord]) -> list[float]:
    """Score the phrases of the title that a record contains. Rare ones count more.

    The score of a phrase is that of a word in BM25, without regard to the length of the record.
    Returns one number for each record, in order; 0 means none.
    """

    def with_word(word: str) -> list[int]:
        return [index for index, record in enumerate(records) if _has_word(record, word)]

    def text_of(index: int) -> str:
        return records[index].text_lower

    return phrase_scores(query.title_phrases, len(records), with_word, text_of)


def phrase_scores(
    phrases: Sequence[tuple[str, str]],
    count: int,
    with_word: Callable[[str], Iterable[int]],
    text_of: Callable[[int], str],
) -> list[float]:
    """Score phrases like `score_phrases`, among `count` records.

    `with_word` returns the records that have a word, `text_of` the text of one in lower case.
    """
    scores = [0.0] * count
    for phrase in phrases[:MAX_PHRASES]:
        pattern = _pattern(phrase)
        counts = Counter(
            {index: len(pattern.findall(text_of(index))) for index in with_word(phrase[0])}
        )
        containing = [index for index, found in counts.items() if found]
        idf = inverse_document_frequency(count, len(containing))
        for index in containing:
            scores[index] += idf * counts[index] * (K1 + 1) / (counts[index] + K1)
    return scores


def find_phrase(phrases: Iterable[tuple[str, str]], text: str) -> FoundPhrase | None:
    """Find the longest of some phrases in a text, where it is first, with its names as a whole."""
    matches = [match for phrase in phrases if (match := next(_find_whole(phrase, text), None))]
    if not matches:
        return None
    longest = max(matches, key=lambda match: len(match[0]))
    around = _PART_BEFORE.search(text, max(0, longest.start() - MAX_PART), longest.start())
    start = around.start() if around else longest.start()
    end = _PART_AFTER.match(text, longest.end(), longest.end() + MAX_PART)
    whole = text[start : end.end() if end else longest.end()]
    return FoundPhrase(whole, text.count("\n", 0, longest.start()) + 1)


def _find_whole(phrase: tuple[str, str], text: str) -> Iterator[re.Match[str]]:
    """The places of a phrase that no end of a sentence, of a part or of a cell divides."""
    first, second = map(len, phrase)
    for match in _pattern(phrase, re.I).finditer(text):
        if not _DIVIDED.search(match[0][first:-second]):
            yield match


def _pattern(phrase: tuple[str, str], flags: int = 0) -> re.Pattern[str]:
    first, second = phrase
    return re.compile(first + _BETWEEN + second, flags)


def _has_word(record: DecisionRecord, word: str) -> bool:
    """A quick test: the words of a record are known before its text is searched."""
    return any(word in section for section in record.content.counts)
