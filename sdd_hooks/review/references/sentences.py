"""The sentence of a record that says why it governs a change, as it stands in the file."""

# Governing: SPEC-0010 REQ "Suggestions"

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from sdd_hooks.review.references.words import words
from sdd_hooks.text.markdown import Section

SHORTEST = 30
LONGEST = 300
"""Characters of a sentence: a shorter one says little, a longer one is cut behind a word."""
MOST_LINES = 400
"""Lines of a section that are read."""

_FENCE = re.compile(r"[ \t]*(?:```|~~~)")
_MARK = re.compile(r"[ \t]*(?:(?:[-*+]|[0-9]{1,3}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?|>[ \t]*)*")
_NO_PROSE = re.compile(
    r"[ \t]*(?:\#|\||<|---|===|\*\*\*|[-*] \*\*(?:status|date)|\[[^\]]+\]:|$)", re.I
)
_END = re.compile(r"(?<=[.!?])[\"'”’)*_`]{0,3}\s+(?=[\"'“‘(*_`]{0,3}[A-Z0-9])")


class Quote(NamedTuple):
    """A sentence with single spaces, and the line of the record on which it begins."""

    text: str
    line: int


def best_quote(
    text: str, section: Section, asked: Mapping[str, float], idf: Callable[[str], float]
) -> Quote | None:
    """The sentence of a section of `text` that has most of what is asked, None when it has none.

    Headings, tables, code and HTML are no sentences. A whole one comes before one that is cut;
    among equals it is the first.
    """
    best, highest = None, (False, 0.0)
    for sentence in _sentences(text, section):
        quote = sentence._replace(text=_cut(sentence.text))
        shared = {word for word in words(quote.text) if word in asked}
        score = (quote == sentence, sum(idf(word) for word in sorted(shared)))
        if shared and score > highest and len(quote.text) >= SHORTEST:
            best, highest = quote, score
    return best


def _sentences(text: str, section: Section) -> Iterator[Quote]:
    for paragraph in _paragraphs(text, section):
        joined = " ".join(line for _, line in paragraph)
        start = 0
        for end in [*(found.end() for found in _END.finditer(joined)), len(joined)]:
            sentence = joined[start:end].strip()
            if sentence:
                yield Quote(sentence, _line_at(paragraph, start))
            start = end


def _paragraphs(text: str, section: Section) -> Iterator[list[tuple[int, str]]]:
    """Runs of lines of prose with their numbers, each without its mark and with single spaces."""
    lines = text[section.start : section.end].split("\n")[:MOST_LINES]
    current: list[tuple[int, str]] = []
    fenced = False
    for number, line in enumerate(lines, section.first_line):
        fence = bool(_FENCE.match(line))
        fenced ^= fence
        mark = _MARK.match(line)
        rest = " ".join(line[mark.end() if mark else 0 :].split())
        ends = fence or fenced or bool(_NO_PROSE.match(line))
        if current and (ends or (mark and mark[0].strip())):
            yield current
            current = []
        if not ends and rest:
            current.append((number, rest))
    if current:
        yield current


def _line_at(paragraph: list[tuple[int, str]], offset: int) -> int:
    """The line of the character at `offset` of the joined lines."""
    for number, line in paragraph:
        if offset <= len(line):
            return number
        offset -= len(line) + 1
    return paragraph[-1][0]


def _cut(sentence: str) -> str:
    if len(sentence) <= LONGEST:
        return sentence
    return sentence[:LONGEST].rpartition(" ")[0] or sentence[:LONGEST]
