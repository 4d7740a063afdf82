"""Render marked text (bold, links, code) as inline Markdown.

A mark that Markdown would not parse at its place, for example in the middle of a word, is left out.
"""

# Governing: SPEC-0009 REQ "Canonical issue"

from __future__ import annotations

import re
from itertools import groupby
from string import punctuation
from unicodedata import category
from urllib.parse import quote

from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.text.lazy_regex import lazy_regex

SCHEMES = ("http://", "https://", "mailto:", "ftp://", "tel:")
"""The prefixes of addresses that become links."""
MARKS = ("link", "strong", "em", "strike", "sub", "sup", "code")
"""The supported marks, from the outermost to the innermost."""

_DELIMITERS = {"strong": "**", "em": "_", "strike": "~~"}

_ESCAPED = lazy_regex(
    r"[*`\[\]~]"
    r"|(?<![^\W_])_|_(?![^\W_])"
    r"|<(?=[A-Za-z/!?]|$)"
    r"|&(?=[#\w]*(?:;|$))"
    r"|\\(?=[!-/:-@\[-`{-~]|[ \t]*(?:\n|$))",
    re.ASCII,
)
_HARD = lazy_regex(r"(?<!\\)((?:\\\\)*)\\\n")
_ENTITY = lazy_regex(r"&(?=[#\w]*(?:;|$))", re.ASCII)
_LINE_START = lazy_regex(
    r"^(?:(?=\#{1,6}(?:[ \t]|$))|(?=[-+](?:[ \t]|$))|([0-9]{1,9})(?=[.)](?:[ \t]|$))"
    r"|(?=>)|(?==+[ \t]*$)|(?=[-|:][-|: \t]*$))",
    re.MULTILINE | re.VERBOSE,
)


class MarkedText(NamedTuple):
    """A piece of text with the same marks. A hard break has `hard` and a line end as `text`."""

    text: str
    marks: frozenset[str] = frozenset()
    href: str = ""
    hard: bool = False


def address(href: str) -> str:
    """Quote an address for Markdown; "" for a scheme that is not in SCHEMES."""
    href = href.strip()
    if not href.lower().startswith(SCHEMES):
        return ""
    return quote(href, safe="!#$%&'*+,-./:;=?@[]^_{}~")


def escape_line_starts(paragraph: str) -> str:
    """Escape the starts of lines that Markdown would parse as a heading, list, quote or table."""
    return _LINE_START.sub(r"\1\\", paragraph)


def inline(runs: list[MarkedText]) -> str:
    """Render runs as stripped Markdown; a hard break is `\\` at the end of a line."""
    _, core, _ = _trimmed([run for run in runs if run.text])
    lines = (line.strip(" \t") for line in _marked(core, 0, "", "").split("\n"))
    # An empty line would end the paragraph.
    return "\n".join(line for line in lines if line)


def on_one_line(markdown: str, hard: str) -> str:
    """Join the lines of `inline`: `hard` replaces a hard break, a blank any other line end."""
    return _HARD.sub(rf"\1{hard}", markdown).replace("\n", " ")


def longest_ticks(code: str) -> int:
    """The length of the longest sequence of backticks; a fence must be longer."""
    return max(map(len, re.findall("`+", code)), default=0)


def _trimmed(runs: list[MarkedText]) -> tuple[list[MarkedText], list[MarkedText], list[MarkedText]]:
    """Split off leading and trailing white space: the runs before, the core, the runs after."""
    start, end = 0, len(runs)
    while start < end and not runs[start].text.strip():
        start += 1
    while start < end and not runs[end - 1].text.strip():
        end -= 1
    before, core, trailing = runs[:start], runs[start:end], runs[end:]
    if core:
        first = core[0].text
        stripped = first.lstrip()
        before.append(MarkedText(first[: len(first) - len(stripped)]))
        core[0] = core[0]._replace(text=stripped)
        last = core[-1].text
        stripped = last.rstrip()
        trailing.insert(0, MarkedText(last[len(stripped) :]))
        core[-1] = core[-1]._replace(text=stripped)
    return [_bare(run) for run in before], core, [_bare(run) for run in trailing]


def _bare(run: MarkedText) -> MarkedText:
    return MarkedText(run.text, hard=run.hard)


def _marked(runs: list[MarkedText], level: int, before: str, after: str) -> str:
    """Render runs with the marks from `level` on; `before` and `after` are the characters around
    them, "" for white space."""
    used = {"link"} if level == 0 and any(run.href for run in runs) else set()
    used.update(*(run.marks for run in runs))
    while level < len(MARKS) and MARKS[level] not in used:
        level += 1
    if level == len(MARKS):
        return "".join("\\\n" if run.hard else _escaped(run.text) for run in runs)
    mark, rendered = MARKS[level], ""
    groups = [
        (bool(has), list(group))
        for has, group in groupby(runs, lambda run: run.href if level == 0 else mark in run.marks)
    ]
    for position, (has, group) in enumerate(groups):
        previous = rendered[-1:] or before
        following = after
        if position + 1 < len(groups):
            following = groups[position + 1][1][0].text[0]
        if not has:
            rendered += _marked(group, level + 1, previous, following)
            continue
        outside, core, trailing = _trimmed(group)
        rendered += _spaces(outside)
        if core:
            previous = rendered[-1:] or before
            following = "".join(run.text for run in trailing)[:1] or following
            if mark == "link" and rendered.endswith("!"):
                # An exclamation mark before a link would make it an image.
                rendered = f"{rendered[:-1]}\\!"
            rendered += _wrapped(core, level, previous, following)
        rendered += _spaces(trailing)
    return rendered


def _spaces(runs: list[MarkedText]) -> str:
    return "".join("\\\n" if run.hard else run.text for run in runs)


def _wrapped(core: list[MarkedText], level: int, before: str, after: str) -> str:
    """Render runs within the delimiters of their mark, or without where it would not be parsed."""
    mark = MARKS[level]
    if mark == "link":
        return _link(core, level)
    if mark in {"sub", "sup"}:
        return f"<{mark}>{_marked(core, level + 1, '>', '<')}</{mark}>"
    if mark == "code":
        code = "".join(run.text for run in core).replace("\n", " ")
        # Adjacent code spans would merge, and `]` in a link at the start of a line would end a
        # link definition.
        if before != "`" and not (core[0].href and "]" in code):
            return _code_span(code)
    else:
        delimiter = _DELIMITERS[mark]
        inside = _marked(core, level + 1, delimiter[-1], delimiter[0])
        if _flanked(before, inside[0], delimiter) and _flanked(after, inside[-1], delimiter):
            return f"{delimiter}{inside}{delimiter}"
    return _marked(core, level + 1, before, after)


def _link(core: list[MarkedText], level: int) -> str:
    href = core[0].href
    if "".join(run.text for run in core) == href:
        return f"<{href}>"
    target = _ENTITY.sub(r"\&", href)
    return f"[{_marked(core, level + 1, '[', ']')}]({target})"


def _code_span(code: str) -> str:
    ticks = "`" * (longest_ticks(code) + 1)
    pad = " " if "`" in {code[0], code[-1]} else ""
    return f"{ticks}{pad}{code}{pad}{ticks}"


def _flanked(outer: str, inner: str, delimiter: str) -> bool:
    """Whether a delimiter between these characters can open or close emphasis.

    https://spec.commonmark.org/0.31.2/#left-flanking-delimiter-run
    """
    if outer == delimiter[0]:
        # The two delimiters would be parsed as one.
        return False
    if not outer or outer in " \t\n" or outer in punctuation or category(outer)[0] in "PZ":
        return True
    return delimiter != "_" and {category(outer)[0], category(inner)[0]} <= set("LMN")


def _escaped(value: str) -> str:
    return _ESCAPED.sub(lambda match: f"\\{match[0]}", value)
