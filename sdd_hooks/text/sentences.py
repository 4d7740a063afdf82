"""Split a part of a Markdown document into the sentences of its prose."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.text.lazy_regex import lazy_regex

MAX_LINES = 400
"""Later lines are not read, unless a caller asks for more."""

_FENCE = lazy_regex(r"[ \t]*(?:```|~~~)")
_MARK = lazy_regex(
    r"[ \t]*(?:(?:[-*+]|(?:[0-9]{1,3}|[a-z])[.)])[ \t]+(?:\[[ xX]\][ \t]+)?|>[ \t]*)*"
)
_NO_PROSE = lazy_regex(
    r"[ \t]*(?:\#|\||<|---|===|\*\*\*|[-*] \*\*(?:status|date)|\[[^\]]+\]:|$)", re.I
)
_END = lazy_regex(
    r"""(?<=[.!?])(?<!\be\.g\.)(?<!\bi\.e\.)(?<!\bcf\.)(?<!\bvs\.)["'”’)*_`]{0,3}\s+"""
    r"""(?=["'“‘(*_`]{0,3}[A-Z0-9])|(?<=[。！？])[”’）*_`]{0,3}\s*"""
)


# The end of a sentence that goes on in a list: ", because", "for the following reasons".
_CONJUNCTION = lazy_regex(
    r"""\s*(?:
        [,;(—–-]?\s*[*_]{0,3}(?<![\w-])(?:because(?:\ of)?(?:\ the\ following(?:\ reasons)?)?
          |as\ follows|for\ (?:the\ following|these)\ reasons?|aus\ (?:folgenden|diesen)\ Gründen
          |pour\ les\ raisons\ suivantes|por\ las\ siguientes\ razones|parce\ qu[e'’]|puisque
          |porque|ya\ que|já\ que|perché|poiché|omdat|ponieważ|потому\ что|так\ как|поскольку)
      | [,;(—–-]\s*[*_]{0,3}(?:since|as|weil|da|denn|car|pois|want)
      | [，、]?(?:因为|因為|由于|由於|なぜなら|왜냐하면)
    )[*_`"'”’)]*\s*[.,:：…]*$""",
    re.VERBOSE | re.IGNORECASE,
)
_MAX_ENDING = 100
"""Characters at the end of a sentence in which a conjunction is looked for."""


class Sentence(NamedTuple):
    """A sentence with single spaces, and the line of the file on which it begins."""

    text: str
    line: int


def split_sentences(
    text: str, first_line: int = 1, max_lines: int = MAX_LINES
) -> Iterator[Sentence]:
    """Yield the sentences of a Markdown text whose first line has the number `first_line`.

    The first `max_lines` lines are read. Headings, tables, code and HTML are no sentences, and list
    items lose their marks.
    """
    for paragraph in _paragraphs(text.split("\n", max_lines)[:max_lines], first_line):
        joined = " ".join(line for _, line in paragraph)
        start = 0
        for end in [*(match.end() for match in _END.finditer(joined)), len(joined)]:
            sentence = joined[start:end].strip()
            if sentence:
                yield Sentence(sentence, _line_at(paragraph, start))
            start = end


def introduces(text: str) -> bool:
    """Whether a sentence goes on in the list below it: it ends in a colon, or in ", because"."""
    return text.rstrip("*_`\"')”’").endswith((":", "：")) or is_open(text)


def is_open(text: str) -> bool:
    """Whether a sentence ends in a conjunction, and says nothing without what follows it."""
    return bool(_CONJUNCTION.search(text[-_MAX_ENDING:]))


def without_conjunction(text: str) -> str:
    """Return a sentence without the conjunction at its end, for one whose list is not shown."""
    at = max(0, len(text) - _MAX_ENDING)
    return text[:at] + _CONJUNCTION.sub("", text[at:]) or text


def _paragraphs(lines: Sequence[str], first_line: int) -> Iterator[list[tuple[int, str]]]:
    """Runs of lines of prose with their numbers, without list marks and with single spaces."""
    current: list[tuple[int, str]] = []
    fenced = False
    for number, line in enumerate(lines, first_line):
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
