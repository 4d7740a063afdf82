"""A source text in which statements are looked for without a parser of its language.

A scanner reads forward from a keyword and takes every text for code that is not certainly a
comment: an import within a string is found, and no string, comment or regular expression can be
written such that it hides the code behind it. Every operation is linear over all calls.
"""

# Governing: ADR-0031 (what could not be checked is a finding), SPEC-0010 REQ "Decision rules"

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property

from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.text.lazy_regex import lazy_regex

_BREAK = lazy_regex("\r\n|[\n\r\u2028\u2029]")
_SPACE = lazy_regex(r"[\s\ufeff]*")
_STRING = lazy_regex(
    r"""\"((?:[^"\\\n]|\\[\s\S])*)\"|'((?:[^'\\\n]|\\[\s\S])*)'|`([^`]*)`""", re.VERBOSE
)
_ESCAPE = lazy_regex(
    r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|u\{([0-9a-fA-F]{1,6})\}|U([0-9a-fA-F]{8})"
    r"|([0-7]{1,3})|(\r\n|[\s\S]))"
)
# An unclosed string would be searched to the end of the text by each keyword.
_MAX_STRING = 2_000


class Comments(NamedTuple):
    """How a language writes comments: the mark of a line, and whether `/* … */` is one.

    `closers` are the characters that can end a string of several lines. Behind one of them on its
    line, a comment is not certain.
    """

    line: str
    block: bool
    closers: str


class SourceText:
    """A text with the numbers of its lines, as git counts them, and its comments."""

    def __init__(self, text: str, comments: Comments) -> None:
        self.text = text
        self._comments = comments
        self._gap_ends: dict[int, int] = {}
        self._certain_ends: dict[tuple[int, bool], int] = {}

    def line_at(self, position: int) -> int:
        """The 1-based number of the line at a position."""
        return bisect_right(self._line_feeds, position - 1) + 1

    def skip(self, position: int) -> int:
        """The position behind white space and comments. Raises no error at the end."""
        text, comments = self.text, self._comments
        passed: list[int] = []
        while position not in self._gap_ends:
            passed.append(position)
            end = _space_end(text, position)
            if comments.line and text.startswith(comments.line, end):
                broken = _BREAK.search(text, end)
                position = broken.end() if broken else len(text)
            elif comments.block and text.startswith("/*", end):
                position = self._comment_end(end + 2)
            elif comments.line == "#" and text.startswith(("\\\n", "\\\r"), end):
                position = end + 2
            else:
                self._gap_ends[end] = end
                position = end
        end = self._gap_ends[position]
        self._gap_ends.update(dict.fromkeys(passed, end))
        return end

    def string_at(self, position: int) -> tuple[str, int] | None:
        """The value of the string at a position, and the position behind it; None for none.

        A template with an expression, or a string that is longer than a name, is none.
        """
        matched = _STRING.match(self.text, position, position + _MAX_STRING)
        if not matched:
            return None
        if matched[3] is not None:
            return None if "${" in matched[3] else (matched[3], matched.end())
        return unescape(matched[1] if matched[1] is not None else matched[2]), matched.end()

    def is_comment(self, position: int, *, call: bool = False) -> bool:
        """Whether the code at a position is certainly in a comment.

        With `call` it is an expression, which some languages evaluate within the braces of a
        string.
        """
        number = bisect_right(self._starts, position) - 1
        mark = self._marks[number]
        if not mark:
            return False
        if (number, call) not in self._certain_ends:
            self._certain_ends[number, call] = self._certain_end(number, mark, call=call)
        return position < self._certain_ends[number, call]

    def _certain_end(self, number: int, mark: str, *, call: bool) -> int:
        """The position at which the comment on a line may end."""
        start = self.text.index(mark, self._starts[number]) + len(mark)
        last = [*self._starts[number + 1 : number + 2], len(self.text)][0]
        signs = ("*/", *self._comments.closers, *(("{",) if call else ()))
        found = (self.text.find(sign, start, last) for sign in signs)
        return min((at for at in found if at >= 0), default=last)

    @cached_property
    def _line_feeds(self) -> list[int]:
        return [found.start() for found in re.finditer("\n", self.text)]

    @cached_property
    def _closes(self) -> list[int]:
        return [found.end() for found in re.finditer(r"\*/", self.text)]

    @cached_property
    def _starts(self) -> list[int]:
        """The positions of the lines, at every character that a language takes for a line end."""
        return [0, *(found.end() for found in _BREAK.finditer(self.text))]

    @cached_property
    def _marks(self) -> list[str]:
        """The mark that makes each line a comment, "" for a line that may be code."""
        marks: list[str] = []
        in_block = False
        ends = [*self._starts[1:], len(self.text)]
        for start, end in zip(self._starts, ends, strict=True):
            line = self.text[start:end].strip()
            mark = ""
            if self._comments.line and line.startswith(self._comments.line):
                mark = self._comments.line
            elif self._comments.block and line.startswith("/*"):
                mark = "/*"
            elif in_block and line.startswith("*") and not line.startswith("*/"):
                mark = "*"
            closed = "*/" in line or line.endswith("\\")
            closed = closed or any(sign in line for sign in self._comments.closers)
            in_block = mark in ("/*", "*") and not closed
            marks.append(mark)
        return marks

    def _comment_end(self, position: int) -> int:
        at = bisect_right(self._closes, position + 1)
        return self._closes[at] if at < len(self._closes) else len(self.text)


def unescape(text: str) -> str:
    """The value of a string with the escapes of C, JavaScript, Go and Ruby."""
    return _ESCAPE.sub(_unescaped, text) if "\\" in text else text


def _unescaped(escape: re.Match[str]) -> str:
    digits = escape[1] or escape[2] or escape[3] or escape[4]
    if digits:
        number = int(digits, 16)
        return chr(number) if number < 0x110000 else ""
    if escape[5]:
        return chr(int(escape[5], 8))
    # A line break behind a backslash continues the string.
    return "" if escape[6] in ("\n", "\r", "\r\n", "\u2028", "\u2029") else escape[6]


def _space_end(text: str, position: int) -> int:
    matched = _SPACE.match(text, position)
    return matched.end() if matched else position
