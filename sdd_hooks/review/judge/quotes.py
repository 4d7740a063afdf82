"""The search for a quotation in a record: its place, and how binding its sentence is."""

# Governing: SPEC-0010 REQ "Judge"

from __future__ import annotations

import re
from bisect import bisect_right

from sdd_hooks.artifacts.requirements import find_keywords
from sdd_hooks.findings import Severity
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.text.markdown import mask_non_prose, parse_sections

MAX_QUOTATION = 600
"""Characters of a quotation. No sentence is longer, and a whole page proves nothing."""
MIN_WORDS = 4
"""Words of a quotation."""

_MAX_CONTEXT = 2_000
_WORD = re.compile(r"\S+")
_BREAK = re.compile(
    r"""[.!?][]"')*_`]*(?=\s)                               # a full stop
      | \n[ \t]*\n                                          # a blank line
      | \n(?=[ \t]*(?:[-*+>|]|\#{1,6}|[0-9]{1,9}[.)])[ \t])  # a list item, a quotation, a heading
    """,
    re.VERBOSE,
)


class Quotation(NamedTuple):
    """Words of a record with single spaces, the line on which they begin, and their heading.

    `severity` is that of a violation of their sentence, by its RFC 2119 keywords.
    """

    text: str
    line: int
    section: str
    severity: Severity


def normalize_space(text: str) -> str:
    """Replace each run of white space by one space."""
    return " ".join(text.split())


def find_quotation(text: str, quote: str) -> Quotation | None:
    """Find `quote` in the Markdown `text`, independent of line breaks.

    None when it is absent, shorter than MIN_WORDS, longer than MAX_QUOTATION, or in frontmatter, a
    comment or a code block.
    """
    wanted = normalize_space(quote)
    # Some scripts have no spaces between words.
    spaced = wanted[:1].isascii()
    word_count = wanted.count(" ") + 1 if spaced else len(wanted) // 2
    if word_count < MIN_WORDS or len(wanted) > MAX_QUOTATION:
        return None
    visible = mask_non_prose(text)
    words = list(_WORD.finditer(visible))
    line = " ".join(word[0] for word in words)
    # It must begin with a word; it can end within one, since models leave out the full stop.
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
    return Quotation(wanted, number, heading, _severity(_sentences(visible, start, end)))


def _sentences(text: str, start: int, end: int) -> str:
    """The text between the two offsets, extended to the ends of its sentences."""
    opening, closing = max(0, start - _MAX_CONTEXT), min(len(text), end + _MAX_CONTEXT)
    breaks = [match.end() for match in _BREAK.finditer(text, opening, closing)]
    before = max((offset for offset in breaks if offset <= start), default=opening)
    after = min((offset for offset in breaks if offset >= end), default=closing)
    return text[before:after]


def _severity(text: str) -> Severity:
    levels = {keyword.level for keyword in find_keywords(text)}
    if "must" in levels:
        return "critical"
    return "warning" if "should" in levels else "info"
