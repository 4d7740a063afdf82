"""Escape untrusted text for Markdown, so that GitHub, Gitea and GitLab only display it.

Escaping by backslash or entity hides markup from the Markdown parser. Forges then search the
rendered text for mentions, references to issues, addresses, emoji and formulas. These have no
escape, and are broken with a character of no width.
"""

# Governing: ADR-0022 (one review, many reports), ADR-0012 (untrusted input never leaves the
# repository), SPEC-0010 REQ "Reports"

from __future__ import annotations

import re

from sdd_hooks.text.display import printable_line, printable_lines
from sdd_hooks.text.lazy_regex import lazy_regex

MAX_LENGTH = 400
"""Characters of a text that a report shows."""
BREAK = "\u200b"
"""A space of no width: with it inside, a text is not a reference."""
# GitHub searches rendered text for formulas, and recommends this tag; Gitea searches the source.
_DOLLAR = "<span>&#36;</span>"

# Invisible letters, and the two joiners outside the scripts and emoji that need them.
_INVISIBLE = lazy_regex(
    "[\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0]"
    r"|(?<![^\x00-\x7f\u200c\u200d])[\u200c\u200d]"
    r"|[\u200c\u200d](?![^\x00-\x7f\u200c\u200d])"
)
_REFERENCE = lazy_regex(
    # @team #1 !1 &1 ~label %milestone ^alert {+inserted+}
    r"[@#!&~%^{](?=\S)"
    r"|\[(?=.)"  # [epic:1] [ ]
    # :emoji: and https://host, not the line number of a file
    r"|:(?=\S)(?!\d+\b(?![:+-]))"
    r"|www(?=\.)"
    r"|G[HL]-(?=\d)"
    r"|(?<=\S)(?=>)"  # group/project>
    r"|\b(?P<commit>[0-9a-f]{7,})\b",
    re.ASCII | re.IGNORECASE,
)
_COMMIT = lazy_regex(r".{1,6}")
_CODE = lazy_regex(r"(?<!`)`([^`\s](?:[^`]*[^`\s])?)`(?!`)")
# Emphasis and links; code spans first, since they contain none.
_MARKS = lazy_regex(
    r"(?P<code>`[^`]*`)"
    r"|(?<![^\s(\"])(?P<mark>\*{1,3})(?=[^\s*])(?P<stressed>(?:`[^`]*`|[^*`])+?)"
    r"(?<=[^\s*])(?P=mark)(?![\w*])"
    r"|!?\[(?P<linked>[^\[\]]+)\]\([^()\s]+\)"
)
_MARKUP = lazy_regex(r"[\\`*_~^=+|#<>&$\[\]]")
# Brackets are entities, since some forges read an escaped one as the start of a formula. Backticks
# are entities, since one beside a code span would count as part of its delimiter.
_ENTITIES = {
    "`": "&#96;",
    "<": "&lt;",
    ">": "&gt;",
    "&": "&amp;",
    "[": "&#91;",
    "]": "&#93;",
    "$": _DOLLAR,
}
# At the start of a line: a list, the underline of a heading, a definition, a command to a bot.
_OPENING = lazy_regex(r"\d{1,9}(?=[.)])|(?=[-:/])")

_INLINE = lazy_regex(
    r"[\\`*|\[]|<(?=[A-Za-z/!?])|&(?=[#\w]{1,32};)|~(?=~)|(?<![^\W_])_|_(?![^\W_])", re.ASCII
)
# At the start of a line: a heading, a quotation, a list, the underline of a heading.
_BLOCK = lazy_regex(r"\d{1,9}(?=[.)]\s)|(?=[#>+=-])")
_PIPE = lazy_regex(r"(?<!\\)\|")
_TICKS = lazy_regex("`+")


def single_line(text: str, max_length: int = MAX_LENGTH) -> str:
    """The text as one line of at most `max_length` characters; a longer one ends in an ellipsis.

    Control characters, characters that reorder text and invisible ones become escapes.
    """
    line = printable_line(" ".join(text[: 4 * max_length].split()))
    line = _INVISIBLE.sub(lambda match: f"\\u{ord(match[0]):04x}", line)
    cut = len(line) > max_length or len(text) > 4 * max_length
    return line[: max_length - 1].rstrip() + "…" if cut else line


def replace_surrogates(text: str) -> str:
    """The text as valid Unicode, U+FFFD for a lone surrogate, which is a byte of a file name."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def escape_text(text: str, max_length: int = MAX_LENGTH) -> str:
    """The text as inline Markdown that displays as plain text anywhere in a line.

    Text between two backticks becomes a code span, as messages use them.
    """
    pieces = _CODE.split(single_line(text, max_length))
    line = "".join(
        code_span(piece) if index % 2 else _escape(piece) for index, piece in enumerate(pieces)
    )
    opening = _OPENING.match(line)
    return f"{opening[0]}\\{line[opening.end() :]}" if opening else line


def escape_sentence(text: str, max_length: int = MAX_LENGTH) -> str:
    """A sentence of a Markdown file as `escape_text`, without its emphasis and links."""
    return escape_text(_without_marks(single_line(text, max_length)), max_length)


def escape_inline(text: str, max_length: int = MAX_LENGTH) -> str:
    """The text as inline Markdown without markup except code spans, for readers of its source.

    Unlike `escape_text` it keeps references, and escapes only what would be markup. A sentence of a
    Markdown file loses its emphasis and links.
    """
    pieces = _CODE.split(_without_marks(single_line(text, max_length)))
    line = "".join(
        code_span(piece, max_length) if index % 2 else _INLINE.sub(r"\\\g<0>", piece)
        for index, piece in enumerate(pieces)
    )
    opening = _BLOCK.match(line)
    return f"{line[: opening.end()]}\\{line[opening.end() :]}" if opening else line


def table_cell(text: str, max_length: int = MAX_LENGTH) -> str:
    """The text as `escape_inline`, in the cell of a table."""
    return _PIPE.sub(r"\\|", escape_inline(text, max_length))


def fenced(text: str, info: str = "") -> list[str]:
    """The printable lines of a text in a fenced block that none of them closes."""
    lines = printable_lines(text)
    longest = max((len(run) for line in lines for run in _TICKS.findall(line)), default=0)
    fence = "`" * max(3, longest + 1)
    return [f"{fence}{info}", *lines, fence]


def code_span(text: str, max_length: int = MAX_LENGTH) -> str:
    """The text as a code span, in which forges find no references; "" for a blank text."""
    # A program that searches posted text for its own HTML comment must not find one here.
    line = single_line(text, max_length).replace("<!--", f"<!{BREAK}--")
    if not line:
        return ""
    ticks = "`" * (max(map(len, re.findall("`+", line)), default=0) + 1)
    space = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{ticks}{space}{line}{space}{ticks}"


def _without_marks(line: str) -> str:
    for _ in range(2):  # a link inside emphasis, and the reverse
        line = _MARKS.sub(lambda match: match["stressed"] or match["linked"] or match[0], line)
    return line


def _escape(text: str) -> str:
    return _MARKUP.sub(_escape_markup, _REFERENCE.sub(_break_reference, text))


def _break_reference(reference: re.Match[str]) -> str:
    # Forges read seven hexadecimal digits as a commit.
    pieces = _COMMIT.findall(reference["commit"] or "") or [reference[0], ""]
    return BREAK.join(pieces)


def _escape_markup(markup: re.Match[str]) -> str:
    return _ENTITIES.get(markup[0], f"\\{markup[0]}")
