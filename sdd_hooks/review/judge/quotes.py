"""What a model quotes: added lines of a change, which a prompt shows, and sentences of records.

A quotation is looked for where it must be. That of a record has a place, and is as binding as its
sentence.
"""

# Governing: SPEC-0010 REQ "Judge"

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence

from sdd_hooks.artifacts.requirements import find_keywords
from sdd_hooks.changes.change import ChangedFile
from sdd_hooks.code.paths import is_external
from sdd_hooks.findings import Severity
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.review.judge.prompt import PromptPart, escape_invisible, format_fields, size_of
from sdd_hooks.text.lazy_regex import lazy_regex
from sdd_hooks.text.lines import NumberedLine
from sdd_hooks.text.markdown import mask_non_prose, parse_sections

MAX_QUOTATION = 600
"""Characters of a quotation. No sentence is longer, and a whole page proves nothing."""
MIN_WORDS = 4
"""Words of a quotation."""

_MAX_CONTEXT = 2_000
_WORD = lazy_regex(r"\S+")
_BREAK = lazy_regex(
    r"""[.!?][]"')*_`]*(?=\s)                               # a full stop
      | \n[ \t]*\n                                          # a blank line
      | \n(?=[ \t]*(?:[-*+>|]|\#{1,6}|[0-9]{1,9}[.)])[ \t])  # a list item, a quotation, a heading
    """,
    re.VERBOSE,
)
MAX_LINE = 300
"""Characters of a line that are shown."""
MIN_LETTERS = 4
"""Letters and digits of a line that can be quoted."""


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


class ShownLines(NamedTuple):
    """The part of a prompt with added lines, and these lines by the paths of their files."""

    part: PromptPart
    lines: Mapping[str, Sequence[NumberedLine]]

    @property
    def total(self) -> int:
        """The number of lines."""
        return sum(map(len, self.lines.values()))


def show_added_lines(files: Iterable[ChangedFile], limit: int) -> ShownLines:
    """Format added lines with their numbers below the paths of their files, up to `limit` bytes.

    Blank lines and vendored or generated files are left out. When the lines do not fit, each file
    gets an equal share, and a short file leaves the rest of its share to longer ones.
    """
    added = {
        file.path: _first_lines(iterate_added(file), limit)
        for file in files
        if file.added and not is_external(file.path)
    }
    left = limit
    kept: dict[str, Sequence[NumberedLine]] = {}
    for done, path in enumerate(sorted(added, key=lambda path: (_size(added[path]), path))):
        header = size_of(format_fields(path=path)) + 1
        if lines := _first_lines(added[path], left // (len(added) - done) - header):
            kept[path] = lines
            left -= header + _size(lines)
    texts = [
        text
        for path in added
        if path in kept
        for text in (format_fields(path=path), *map(_format_line, kept[path]))
    ]
    return ShownLines(PromptPart("added lines", "\n".join(texts)), kept)


def find_quoted_line(shown: ShownLines, path: str, quote: str, near: int) -> NumberedLine | None:
    """Find the line of `path` that `quote` equals, the closest one to line `near`.

    None when no shown line is equal. White space is ignored; the quote must be the whole line, as
    in the file or as shown. A line with less than MIN_LETTERS letters is never found.
    """
    wanted = normalize_space(escape_invisible(quote))
    if sum(map(str.isalnum, wanted)) < MIN_LETTERS:
        return None
    matches = [
        line
        for line in shown.lines.get(path, ())
        if wanted
        in (normalize_space(escape_invisible(line.text)), normalize_space(_shown_text(line)))
    ]
    return min(matches, key=lambda line: abs(line.number - near), default=None)


def iterate_added(file: ChangedFile) -> Iterator[NumberedLine]:
    """Iterate over the added lines that are not blank."""
    return (line for line in file.added if line.text.strip())


def _first_lines(lines: Iterable[NumberedLine], limit: int) -> list[NumberedLine]:
    """The first lines that fit into `limit` bytes of a part."""
    kept = []
    for line in lines:
        limit -= size_of(_format_line(line)) + 1
        if limit < 0:
            break
        kept.append(line)
    return kept


def _format_line(line: NumberedLine) -> str:
    return f"{line.number}: {_shown_text(line)}"


def _shown_text(line: NumberedLine) -> str:
    return escape_invisible(line.text[:MAX_LINE].expandtabs(4))[:MAX_LINE]


def _size(lines: Iterable[NumberedLine]) -> int:
    return sum(size_of(_format_line(line)) + 1 for line in lines)
