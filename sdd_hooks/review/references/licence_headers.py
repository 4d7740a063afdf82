"""The header of a licence at the top of a new file: text that says nothing about the change."""

# Governing: ADR-0020 (a decision is found by equal votes of evidence)

from __future__ import annotations

import re
from collections.abc import Sequence

from sdd_hooks.text.lines import NumberedLine

MAX_HEADER = 80
"""Lines at the top of a file among which a header is looked for."""

_LICENCE = re.compile(
    r"licen[cs]ed under|SPDX-|©|\(c\) ?(?:19|20)[0-9]{2}|all rights reserved"
    r"|copyright\b.{0,40}(?:19|20)[0-9]{2}|permission is \w+ granted|(?-i:LICENSE) file"
    r"|\b(?:MIT|Apache|BSD|[AL]?GPL|MPL|Mozilla Public|General Public)\b.{0,20}licen[cs]e"
    r"|#region licen[cs]e",
    re.IGNORECASE,
)
_LINE = re.compile(r"\s*(?://|#|--|;|%|\*|'|$)")
_OPENING = re.compile(r"\s*(/\*|<!--|\{-|\(\*)")
_CLOSING = {"/*": "*/", "<!--": "-->", "{-": "-}", "(*": "*)"}


def without_licence(lines: Sequence[NumberedLine]) -> Sequence[NumberedLine]:
    """The added lines of a file without the comments about its licence at the top.

    A block of comment lines, or a comment with a beginning and an end, is left out as a whole when
    it names a licence or a copyright. Only lines from the first one of the file on are compared.
    """
    if not lines or lines[0].number != 1:
        return lines
    kept: list[NumberedLine] = []
    start = 0
    while start < min(len(lines), MAX_HEADER):
        end = _end_of_comment(lines, start)
        if end == start:
            break
        comment = lines[start:end]
        if not any(_LICENCE.search(line.text) for line in comment):
            kept += comment
        start = end
    return [*kept, *lines[start:]]


def _end_of_comment(lines: Sequence[NumberedLine], start: int) -> int:
    """The index behind the comment that begins at `start`; `start` for none.

    A comment of single lines ends at an empty line, which belongs to it.
    """
    last = min(len(lines), start + MAX_HEADER)
    if opening := _OPENING.match(lines[start].text):
        closing = _CLOSING[opening[1]]
        for end in range(start, last):
            text = lines[end].text[opening.end() if end == start else 0 :]
            if closing in text:
                return end + 1
        return start
    for end in range(start, last):
        text = lines[end].text
        if not _LINE.match(text) or (end > start and _OPENING.match(text)):
            return end
        if not text.strip():
            return end + 1
    return last
