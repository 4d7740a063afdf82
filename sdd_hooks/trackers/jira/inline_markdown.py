"""Texts with marks as Markdown that reads as the same texts.

Where Markdown would not read a mark as one, in the middle of a word for example, it is left out.
"""

# Governing: SPEC-0009 REQ "Canonical issue"

from __future__ import annotations

import re
from itertools import groupby
from string import punctuation
from typing import NamedTuple
from unicodedata import category
from urllib.parse import quote

SCHEMES = ("http://", "https://", "mailto:", "ftp://", "tel:")
"""What the address of a link may begin with."""
MARKS = ("link", "strong", "em", "strike", "sub", "sup", "code")
"""The marks there are, from the outermost to the innermost."""

_DELIMITERS = {"strong": "**", "em": "_", "strike": "~~"}

_ESCAPED = re.compile(
    r"[*`\[\]~]"
    r"|(?<![^\W_])_|_(?![^\W_])"
    r"|<(?=[A-Za-z/!?]|$)"
    r"|&(?=[#\w]*(?:;|$))"
    r"|\\(?=[!-/:-@\[-`{-~]|[ \t]*(?:\n|$))",
    re.ASCII,
)
_HARD = re.compile(r"(?<!\\)((?:\\\\)*)\\\n")
_ENTITY = re.compile(r"&(?=[#\w]*(?:;|$))", re.ASCII)
_LINE_START = re.compile(
    r"^(?:(?=\#{1,6}(?:[ \t]|$))|(?=[-+](?:[ \t]|$))|([0-9]{1,9})(?=[.)](?:[ \t]|$))"
    r"|(?=>)|(?==+[ \t]*$)|(?=[-|:][-|: \t]*$))",
    re.MULTILINE | re.VERBOSE,
)


class Run(NamedTuple):
    """A piece of text with the same marks; `text` is a line end for a hard break."""

    text: str
    marks: frozenset[str] = frozenset()
    href: str = ""
    hard: bool = False


def address(href: str) -> str:
    """The address as it can stand in Markdown; "" for one that no link should have."""
    href = href.strip()
    if not href.lower().startswith(SCHEMES):
        return ""
    return quote(href, safe="!#$%&'*+,-./:;=?@[]^_{}~")


def unlike_blocks(paragraph: str) -> str:
    """Lines of `inline` of which none begins like a heading, a list, a quote or a table."""
    return _LINE_START.sub(r"\1\\", paragraph)


def inline(runs: list[Run]) -> str:
    """The runs as Markdown, without white space around it; a hard break is `\\` at a line's end."""
    _, core, _ = _trimmed([run for run in runs if run.text])
    lines = (line.strip(" \t") for line in _marked(core, 0, "", "").split("\n"))
    # An empty one would end the paragraph.
    return "\n".join(line for line in lines if line)


def on_one_line(markdown: str, hard: str) -> str:
    """Lines of `inline` as one, with `hard` for each hard break and a blank for other ends."""
    return _HARD.sub(rf"\1{hard}", markdown).replace("\n", " ")


def longest_ticks(code: str) -> int:
    """The length of the longest run of backticks; the fence around it must be longer."""
    return max(map(len, re.findall("`+", code)), default=0)


def _trimmed(runs: list[Run]) -> tuple[list[Run], list[Run], list[Run]]:
    """The white space before, the runs without it, and the white space behind."""
    start, end = 0, len(runs)
    while start < end and not runs[start].text.strip():
        start += 1
    while start < end and not runs[end - 1].text.strip():
        end -= 1
    before, core, behind = runs[:start], runs[start:end], runs[end:]
    if core:
        first = core[0].text
        kept = first.lstrip()
        before.append(Run(first[: len(first) - len(kept)]))
        core[0] = core[0]._replace(text=kept)
        last = core[-1].text
        kept = last.rstrip()
        behind.insert(0, Run(last[len(kept) :]))
        core[-1] = core[-1]._replace(text=kept)
    return [_bare(run) for run in before], core, [_bare(run) for run in behind]


def _bare(run: Run) -> Run:
    return Run(run.text, hard=run.hard)


def _marked(runs: list[Run], level: int, before: str, after: str) -> str:
    """The runs with the marks from `level` on, between two characters ("" is white space)."""
    used = {"link"} if level == 0 and any(run.href for run in runs) else set()
    used.update(*(run.marks for run in runs))
    while level < len(MARKS) and MARKS[level] not in used:
        level += 1
    if level == len(MARKS):
        return "".join("\\\n" if run.hard else _escaped(run.text) for run in runs)
    mark, made = MARKS[level], ""
    groups = [
        (bool(has), list(group))
        for has, group in groupby(runs, lambda run: run.href if level == 0 else mark in run.marks)
    ]
    for position, (has, group) in enumerate(groups):
        previous = made[-1:] or before
        following = after
        if position + 1 < len(groups):
            following = groups[position + 1][1][0].text[0]
        if not has:
            made += _marked(group, level + 1, previous, following)
            continue
        outside, core, behind = _trimmed(group)
        made += _spaces(outside)
        if core:
            previous = made[-1:] or before
            following = "".join(run.text for run in behind)[:1] or following
            if mark == "link" and made.endswith("!"):
                # Else it would make an image of the link.
                made = f"{made[:-1]}\\!"
            made += _wrapped(core, level, previous, following)
        made += _spaces(behind)
    return made


def _spaces(runs: list[Run]) -> str:
    return "".join("\\\n" if run.hard else run.text for run in runs)


def _wrapped(core: list[Run], level: int, before: str, after: str) -> str:
    """Runs that have a mark, within what stands for it; without, where it would not be read so."""
    mark = MARKS[level]
    if mark == "link":
        href = core[0].href
        if "".join(run.text for run in core) == href:
            return f"<{href}>"
        target = _ENTITY.sub(r"\&", href)
        return f"[{_marked(core, level + 1, '[', ']')}]({target})"
    if mark in {"sub", "sup"}:
        return f"<{mark}>{_marked(core, level + 1, '>', '<')}</{mark}>"
    if mark == "code":
        code = "".join(run.text for run in core).replace("\n", " ")
        # Two would be read as one, and a bracket would end a definition where a link begins a line.
        if before == "`" or (core[0].href and "]" in code):
            return _marked(core, level + 1, before, after)
        return _code(code)
    delimiter = _DELIMITERS[mark]
    inside = _marked(core, level + 1, delimiter[-1], delimiter[0])
    if _flanked(before, inside[0], delimiter) and _flanked(after, inside[-1], delimiter):
        return f"{delimiter}{inside}{delimiter}"
    return _marked(core, level + 1, before, after)


def _code(code: str) -> str:
    ticks = "`" * (longest_ticks(code) + 1)
    pad = " " if "`" in {code[0], code[-1]} else ""
    return f"{ticks}{pad}{code}{pad}{ticks}"


def _flanked(outer: str, inner: str, delimiter: str) -> bool:
    """Whether a delimiter between these characters can open or close.

    https://spec.commonmark.org/0.31.2/#left-flanking-delimiter-run
    """
    if outer == delimiter[0]:
        # The two would be read as one.
        return False
    if not outer or outer in " \t\n" or outer in punctuation or category(outer)[0] in "PZ":
        return True
    return delimiter != "_" and {category(outer)[0], category(inner)[0]} <= set("LMN")


def _escaped(value: str) -> str:
    return _ESCAPED.sub(lambda found: f"\\{found[0]}", value)
