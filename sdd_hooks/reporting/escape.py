"""Text of anybody's as Markdown that shows it and does nothing, on GitHub, Gitea and GitLab.

Escaping by backslash or entity keeps Markdown from seeing markup. It does not stop what forges
look for in the text afterwards: mentions, references to issues, addresses, emoji, formulas. These
have no escape, and are broken with a character that takes no room.
"""

# Governing: ADR-0022 (one review, many reports), ADR-0012 (untrusted input never leaves the
# repository), SPEC-0010 REQ "Reports"

from __future__ import annotations

import re

from sdd_hooks.text.display import printable_line

LONGEST = 400
"""Characters of a text that are shown."""
BREAK = "\u200b"
"""A space without width: what is before it and what is after it are no reference together."""
# GitHub looks for formulas in what is shown, and advises the tag, Gitea in what is written.
DOLLAR = "<span>&#36;</span>"

# Letters that look like nothing at all, and the two joiners beside anything but the scripts and
# emoji that they are part of.
_UNSEEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0]"
    r"|(?<![^\x00-\x7f\u200c\u200d])[\u200c\u200d]"
    r"|[\u200c\u200d](?![^\x00-\x7f\u200c\u200d])"
)
_REFERENCE = re.compile(
    # @team #1 !1 &1 ~label %milestone ^alert {+inserted+}
    r"[@#!&~%^{](?=\S)"
    r"|\[(?=.)"  # [epic:1] [ ]
    # :emoji: https://host, but the line of a file as it is
    r"|:(?=\S)(?!\d+\b(?![:+-]))"
    r"|www(?=\.)"
    r"|G[HL]-(?=\d)"
    r"|(?<=\S)(?=>)"  # group/project>
    r"|\b(?P<commit>[0-9a-f]{7,})\b",
    re.ASCII | re.IGNORECASE,
)
_COMMIT = re.compile(r".{1,6}")
_CODE = re.compile(r"(?<!`)`([^`\s](?:[^`]*[^`\s])?)`(?!`)")
# Emphasis and links as people write them; code first, in which there are none.
_READ = re.compile(
    r"(?P<code>`[^`]*`)"
    r"|(?<![^\s(\"])(?P<mark>\*{1,3})(?=[^\s*])(?P<stressed>(?:`[^`]*`|[^*`])+?)"
    r"(?<=[^\s*])(?P=mark)(?![\w*])"
    r"|!?\[(?P<linked>[^\[\]]+)\]\([^()\s]+\)"
)
_MARKUP = re.compile(r"[\\`*_~^=+|#<>&$\[\]]")
# Brackets are entities: some forges take an escaped one for the beginning of a formula. So are
# backticks, lest one beside a code span of ours counts as a part of its end.
_WRITTEN = {
    "`": "&#96;",
    "<": "&lt;",
    ">": "&gt;",
    "&": "&amp;",
    "[": "&#91;",
    "]": "&#93;",
    "$": DOLLAR,
}
# At the beginning of a line: a list, a heading's underline, a definition, a command to a bot.
_OPENING = re.compile(r"\d{1,9}(?=[.)])|(?=[-:/])")


def shown(text: str, longest: int = LONGEST) -> str:
    """The text as one line of at most `longest` characters, with an ellipsis where it was longer.

    Control characters, what reorders text and what cannot be seen are shown as escapes.
    """
    line = printable_line(" ".join(text[: 4 * longest].split()))
    line = _UNSEEN.sub(lambda unseen: f"\\u{ord(unseen[0]):04x}", line)
    cut = len(line) > longest or len(text) > 4 * longest
    return line[: longest - 1].rstrip() + "…" if cut else line


def prose(text: str, longest: int = LONGEST) -> str:
    """The text as inline Markdown that is nothing but text, wherever in a line it is put.

    What is between two backticks is code, as in any message.
    """
    pieces = _CODE.split(shown(text, longest))
    line = "".join(code(one) if at % 2 else _escaped(one) for at, one in enumerate(pieces))
    opening = _OPENING.match(line)
    return f"{opening[0]}\\{line[opening.end() :]}" if opening else line


def sentence(text: str, longest: int = LONGEST) -> str:
    """A sentence of a Markdown file as `prose`, without the marks of emphasis and links in it."""
    line = shown(text, longest)
    for _ in range(2):  # a link in emphasis, and the reverse
        line = _READ.sub(lambda mark: mark["stressed"] or mark["linked"] or mark[0], line)
    return prose(line, longest)


def code(text: str, longest: int = LONGEST) -> str:
    """The text as a code span, in which no forge looks for anything; "" for a blank one."""
    # Nobody who looks for a comment of his own in what was posted finds it here.
    line = shown(text, longest).replace("<!--", f"<!{BREAK}--")
    if not line:
        return ""
    ticks = "`" * (max(map(len, re.findall("`+", line)), default=0) + 1)
    space = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{ticks}{space}{line}{space}{ticks}"


def _escaped(text: str) -> str:
    return _MARKUP.sub(_written, _REFERENCE.sub(_broken, text))


def _broken(reference: re.Match[str]) -> str:
    # A forge takes seven digits for a commit.
    pieces = _COMMIT.findall(reference["commit"] or "") or [reference[0], ""]
    return BREAK.join(pieces)


def _written(markup: re.Match[str]) -> str:
    return _WRITTEN.get(markup[0], f"\\{markup[0]}")
