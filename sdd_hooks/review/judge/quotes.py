"""Words that somebody says stand in a record: whether they do, where, and how much they bind."""

# Governing: SPEC-0010 REQ "Judge"

from __future__ import annotations

import re
from bisect import bisect_right
from typing import NamedTuple

from sdd_hooks.artifacts.requirements import find_keywords
from sdd_hooks.findings import Severity
from sdd_hooks.text.markdown import mask_non_prose, parse_sections

LONGEST = 600
"""Characters of a quotation. Nobody's sentence is longer, and a page proves nothing."""

_FEWEST_WORDS = 4
_AROUND = 2_000
_WORD = re.compile(r"\S+")
_BREAK = re.compile(
    r"""[.!?][]"')*_`]*(?=\s)                               # a full stop
      | \n[ \t]*\n                                          # a blank line
      | \n(?=[ \t]*(?:[-*+>|]|\#{1,6}|[0-9]{1,9}[.)])[ \t])  # a list item, a quotation, a heading
    """,
    re.VERBOSE,
)


class Quote(NamedTuple):
    """Words as they stand in a record, as one line; the line they begin at, and the heading.

    `severity` is what going against their sentence is worth, by its RFC 2119 words.
    """

    text: str
    line: int
    section: str
    severity: Severity


def squeezed(text: str) -> str:
    """The text with one space wherever it has white space."""
    return " ".join(text.split())


def find_quote(text: str, quote: str) -> Quote | None:
    """Where `quote` stands in the Markdown `text`, however its lines are broken.

    None when it does not, when it is too short to be a sentence or too long to be one, and when it
    stands in frontmatter, a comment or a code block.
    """
    wanted = squeezed(quote)
    # Some scripts have no spaces between words.
    spaced = wanted[:1].isascii()
    words_said = wanted.count(" ") + 1 if spaced else len(wanted) // 2
    if words_said < _FEWEST_WORDS or len(wanted) > LONGEST:
        return None
    visible = mask_non_prose(text)
    words = list(_WORD.finditer(visible))
    line = " ".join(word[0] for word in words)
    # Not from the middle of a word; to it, since many leave out the full stop.
    at = f" {line} ".find(f" {wanted}") if spaced else line.find(wanted)
    if at < 0:
        return None
    starts = []
    position = 0
    for word in words:
        starts.append(position)
        position += len(word[0]) + 1
    first, last = bisect_right(starts, at) - 1, bisect_right(starts, at + len(wanted) - 1) - 1
    start = words[first].start()
    end = words[last].start() + at + len(wanted) - starts[last]
    number = visible.count("\n", 0, start) + 1
    heading = next((s.title for s in reversed(parse_sections(text)) if s.first_line <= number), "")
    return Quote(wanted, number, heading, _severity(_sentences(visible, start, end)))


def _sentences(text: str, start: int, end: int) -> str:
    """What stands between the two offsets, to the ends of its sentences."""
    opening, closing = max(0, start - _AROUND), min(len(text), end + _AROUND)
    ends = [found.end() for found in _BREAK.finditer(text, opening, closing)]
    before = max((at for at in ends if at <= start), default=opening)
    after = min((at for at in ends if at >= end), default=closing)
    return text[before:after]


def _severity(text: str) -> Severity:
    levels = {keyword.level for keyword in find_keywords(text)}
    if "must" in levels:
        return "critical"
    return "warning" if "should" in levels else "info"
