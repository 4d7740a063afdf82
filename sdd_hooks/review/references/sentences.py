"""The sentence of a record that best explains why it governs a change, quoted from the file."""

# Governing: SPEC-0010 REQ "Suggestions"

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from sdd_hooks.review.references.words import split_words
from sdd_hooks.text.markdown import Section

MIN_SENTENCE = 30
"""Characters of a sentence that is quoted."""
MAX_SENTENCE = 300
"""Characters of a quoted sentence. A longer one is cut after a word."""
MAX_LINES = 400
"""Lines of a section that are read."""

_FENCE = re.compile(r"[ \t]*(?:```|~~~)")
_MARK = re.compile(r"[ \t]*(?:(?:[-*+]|[0-9]{1,3}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?|>[ \t]*)*")
_NO_PROSE = re.compile(
    r"[ \t]*(?:\#|\||<|---|===|\*\*\*|[-*] \*\*(?:status|date)|\[[^\]]+\]:|$)", re.I
)
_END = re.compile(r"(?<=[.!?])[\"'”’)*_`]{0,3}\s+(?=[\"'“‘(*_`]{0,3}[A-Z0-9])")


class Sentence(NamedTuple):
    """A sentence with single spaces, and the line of the file on which it begins."""

    text: str
    line: int


def find_best_sentence(
    text: str, section: Section, weights: Mapping[str, float], idf: Callable[[str], float]
) -> Sentence | None:
    """Find the sentence of a section of `text` with the most words of `weights`, weighted by idf.

    None when no sentence has one. Headings, tables, code and HTML are no sentences. A complete
    sentence is preferred to a cut one, and the first one to later ones of equal score.
    """
    best, highest = None, (False, 0.0)
    for sentence in _sentences(text, section):
        shortened = sentence._replace(text=_shorten(sentence.text))
        shared = {word for word in split_words(shortened.text) if word in weights}
        score = (shortened == sentence, sum(idf(word) for word in sorted(shared)))
        if shared and score > highest and len(shortened.text) >= MIN_SENTENCE:
            best, highest = shortened, score
    return best


def _sentences(text: str, section: Section) -> Iterator[Sentence]:
    for paragraph in _paragraphs(text, section):
        joined = " ".join(line for _, line in paragraph)
        start = 0
        for end in [*(match.end() for match in _END.finditer(joined)), len(joined)]:
            sentence = joined[start:end].strip()
            if sentence:
                yield Sentence(sentence, _line_at(paragraph, start))
            start = end


def _paragraphs(text: str, section: Section) -> Iterator[list[tuple[int, str]]]:
    """Runs of lines of prose with their numbers, without list marks and with single spaces."""
    lines = text[section.start : section.end].split("\n")[:MAX_LINES]
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
    """The number of the line with the character at `offset` of the joined lines."""
    for number, line in paragraph:
        if offset <= len(line):
            return number
        offset -= len(line) + 1
    return paragraph[-1][0]


def _shorten(sentence: str) -> str:
    if len(sentence) <= MAX_SENTENCE:
        return sentence
    return sentence[:MAX_SENTENCE].rpartition(" ")[0] or sentence[:MAX_SENTENCE]
