"""Markdown as a list of sections, each with its lines and a stable anchor.

Block structure follows CommonMark as far as headings need it: ATX and setext headings, fenced code,
HTML comments and raw HTML, YAML frontmatter. One regular lazy_regex finds the few lines that can
matter, so that the cost is a scan of the text and not a parse of it.
"""

# Governing: ADR-0008 (sections as units of retrieval), SPEC-0002 REQ "Sections"

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from sdd_hooks.text.lazy_regex import lazy_regex

MAX_SECTIONS = 20_000
"""Headings after this many belong to the last section: nobody wrote that many by hand."""

MAX_TITLE = 500
"""Longer titles are cut here."""

FILE_ANCHOR = "file"
"""The anchor of a whole document and of the text before its first heading."""


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and the text up to the next heading of any level.

    Lines are 1-based and inclusive; `start` and `end` are character offsets, heading included.
    `path` holds the titles of the headings above it, outermost first. Text before the first
    heading (frontmatter included) is a section of level 0 without a title.
    """

    level: int
    title: str
    first_line: int
    last_line: int
    start: int
    end: int
    path: tuple[str, ...]
    anchor: str


@dataclass(frozen=True, slots=True)
class Fenced:
    """A fenced block of code: what stands behind its opening fence, its text, the fence's line."""

    info: str
    text: str
    line: int


@dataclass(frozen=True, slots=True)
class _Heading:
    start: int
    level: int
    title: str


@dataclass(frozen=True, slots=True)
class _Hidden:
    start: int
    end: int


# Searched in "\n" + text: a pattern that begins with a literal is searched for much faster than ^.
_CANDIDATE = lazy_regex(
    r"""\n(?P<indent>[ ]*)(?![ ])(?:
        (?P<hashes>\#{1,6})(?=[ \t\n]|\Z)
      | (?P<markers>(?:(?:[-*+]|[0-9]{1,9}[.)])[ \t]+)*)(?P<fence>`{3,}|~{3,})
      | (?P<underline>=+|-+)[ \t]*(?=\n|\Z)
      | (?P<html><(?:!--|(?i:pre|script|style|textarea)(?=[\s>])))
    )""",
    re.VERBOSE,
)
_RAW_HTML_END = lazy_regex(r"</(?:pre|script|style|textarea)>", re.IGNORECASE)

_FRONTMATTER_START = lazy_regex(
    r"""\A---[ \t]*\n
        (?:[ \t]*(?:\#[^\n]*)?\n){0,99}  # blank lines and comments
        (?: "[^"\n]*"[ \t]*: | '[^'\n]*'[ \t]*: | [^\s\#:>|*"'-][^:\n]*:(?=[ \t\n]) | \{
          | ---[ \t]*(?:\n|\Z) )
    """,
    re.VERBOSE,
)
_FRONTMATTER_END = lazy_regex(r"\n(?:---|\.\.\.)[ \t]*(?=\n|\Z)")

# What may stand above a rule without being the text of a setext heading: a list item, a quotation,
# a table row, HTML, indented code, a bold field such as **Status:** accepted.
_NOT_A_PARAGRAPH = lazy_regex(
    r"[ ]{4}|[ ]*(?:\t|[-*+][ \t]|[0-9]{1,9}[.)][ \t]|[>|<]|\*\*[^*\n]{1,60}(?::\*\*|\*\*:))"
)

_VISIBLE = lazy_regex(r"[^\n]")
_LINK = lazy_regex(r"!?\[([^\[\]]*)\](?:\([^()]*\)|\[[^\[\]]*\])")
_NOT_IN_SLUG = lazy_regex(r"[^a-z0-9_\- ]")


def sections(text: str) -> list[Section]:
    """The sections of a Markdown text, in order; together they are the text from the first one on.

    Blank text before the first heading is no section. Headings inside code fences, HTML comments
    and frontmatter are none. Line ends may be of any kind. Never raises.
    """
    text = with_plain_line_ends(text)
    found: list[Section] = []
    anchors = {FILE_ANCHOR: 0}
    ancestors: list[tuple[int, str]] = []
    headings = list(_headings(text))
    line = 1
    ends = [heading.start for heading in headings[1:]]
    ends.append(len(text))
    first = headings[0].start if headings else len(text)
    if text[:first].strip():
        last = _last_line(text, 0, first, line)
        found.append(Section(0, "", 1, last, 0, first, (), FILE_ANCHOR))
    line += text.count("\n", 0, first)
    for heading, end in zip(headings, ends, strict=False):
        while ancestors and ancestors[-1][0] >= heading.level:
            ancestors.pop()
        path = tuple(title for _, title in ancestors)
        anchor = _unique(slugify(heading.title) or "section", anchors)
        last = _last_line(text, heading.start, end, line)
        found.append(
            Section(heading.level, heading.title, line, last, heading.start, end, path, anchor)
        )
        ancestors.append((heading.level, heading.title))
        line += text.count("\n", heading.start, end)
    return found


def prose(text: str) -> str:
    """The text with code blocks, HTML comments and frontmatter blanked, every line where it was.

    What is left keeps its offset, and every line ends in one `\\n`.
    """
    text = with_plain_line_ends(text)
    pieces = []
    position = 0
    for block in _blocks(text):
        if isinstance(block, _Hidden):
            pieces.append(text[position : block.start])
            pieces.append(_VISIBLE.sub(" ", text[block.start : block.end]))
            position = block.end
    pieces.append(text[position:])
    return "".join(pieces)


def fenced(text: str) -> Iterator[Fenced]:
    """Every fenced block of code, in order; one that nothing closes ends with the text."""
    text = with_plain_line_ends(text)
    line = 1
    position = 0
    for block in _blocks(text):
        if not isinstance(block, _Hidden) or text[block.start] not in "`~":
            continue
        line += text.count("\n", position, block.start)
        position = block.start
        opening, _, content = text[block.start : block.end].partition("\n")
        marks = opening[: len(opening) - len(opening.lstrip(opening[0]))]
        inside, _, last = content.rpartition("\n")
        closed = last.strip().startswith(marks) and not last.strip().strip(marks[0])
        yield Fenced(opening[len(marks) :].strip(), inside if closed else content, line)


def slugify(title: str) -> str:
    """The anchor that GitHub gives a heading: lower case, punctuation gone, spaces as hyphens.

    Links are reduced to their text. Letters and marks of any script are kept. May be empty.
    """
    title = _LINK.sub(r"\1", title[:MAX_TITLE]).strip().lower()
    if title.isascii():
        return _NOT_IN_SLUG.sub("", title).replace(" ", "-")
    kept = (c for c in title if c in "-_ " or c.isalnum() or unicodedata.category(c)[0] == "M")
    return "".join(kept).replace(" ", "-")


def with_plain_line_ends(text: str) -> str:
    """The text with every line ending in one `\\n`, every character still at its offset."""
    if "\r" in text:
        # A space before the newline keeps the offsets, and means nothing at the end of a line.
        return text.replace("\r\n", " \n").replace("\r", "\n")
    return text


def frontmatter_end(text: str) -> int:
    """The offset after the frontmatter's closing line, 0 when the text has none.

    Expects plain line ends. A text that begins with a rule and goes on with prose has none.
    """
    if not text.startswith("---") or not _FRONTMATTER_START.match(text):
        return 0
    # From the end of the opening line, so that an empty frontmatter closes.
    closing = _FRONTMATTER_END.search(text, text.index("\n"))
    return min(closing.end() + 1, len(text)) if closing else 0


def _last_line(text: str, start: int, end: int, first_line: int) -> int:
    lines = text.count("\n", start, end)
    return first_line + (lines - 1 if text.endswith("\n", start, end) else lines)


def _unique(slug: str, anchors: dict[str, int]) -> str:
    anchor = slug
    while anchor in anchors:
        anchors[slug] += 1
        anchor = f"{slug}-{anchors[slug]}"
    anchors[anchor] = 0
    return anchor


def _headings(text: str) -> Iterator[_Heading]:
    return (block for block in _blocks(text) if isinstance(block, _Heading))


def _blocks(text: str) -> Iterator[_Heading | _Hidden]:
    """Headings, and what is no prose, in order. `block_end` is where the last of them ended."""
    block_end = frontmatter_end(text)
    if block_end:
        yield _Hidden(0, block_end)
    fence = ""
    fence_start = fence_room = position = count = 0
    for match in _CANDIDATE.finditer("\n" + text, block_end):
        start = match.start()  # in `text`, where this line begins
        if start < position:
            continue
        indent = len(match["indent"])
        if marks := match["fence"]:
            line_end = _line_end(text, start)
            rest = text[match.end() - 1 : line_end]
            if fence:
                closes = marks.startswith(fence) and indent <= fence_room
                if closes and not match["markers"] and not rest.strip():
                    fence = ""
                    block_end = line_end
                    yield _Hidden(fence_start, line_end)
            elif indent <= 3 and not (marks[0] == "`" and "`" in rest):
                fence = marks
                fence_start = match.start("fence") - 1
                fence_room = fence_start - start + 3
            continue
        if fence or indent > 3:
            continue
        if html := match["html"]:
            position = block_end = _html_end(text, html, match.end() - 1)
            yield _Hidden(start, block_end)
            continue
        line_end = _line_end(text, start)
        if hashes := match["hashes"]:
            heading = _Heading(start, len(hashes), _atx_title(text[match.end() - 1 : line_end]))
        else:
            above = _paragraph_above(text, start, block_end)
            block_end = line_end
            if above is None:
                continue
            level = 1 if match["underline"][0] == "=" else 2
            heading = _Heading(above, level, _cleaned(text[above : start - 1]))
        block_end = line_end
        yield heading
        count += 1
        if count == MAX_SECTIONS:
            return
    if fence:
        yield _Hidden(fence_start, len(text))


def _line_end(text: str, start: int) -> int:
    end = text.find("\n", start)
    return len(text) if end < 0 else end


def _html_end(text: str, opening: str, position: int) -> int:
    """The end of the line on which the comment or raw element closes, or of the text."""
    if opening == "<!--":
        end = text.find("-->", position)
    else:
        closing = _RAW_HTML_END.search(text, position)
        end = closing.end() if closing else -1
    return len(text) if end < 0 else _line_end(text, end)


def _paragraph_above(text: str, start: int, block_end: int) -> int | None:
    """Where the one-line paragraph above the underline at `start` begins; None for anything else.

    A paragraph of several lines above a rule is one that lacks its blank line, not a heading.
    """
    if start <= block_end:
        return None
    above = text.rfind("\n", 0, start - 1) + 1
    if above < block_end:
        return None
    line = text[above : start - 1]
    if not line.strip() or _NOT_A_PARAGRAPH.match(line):
        return None
    if above == 0 or block_end >= above - 1 > 0:  # nothing above, or a block ends right above
        return above
    before = text[text.rfind("\n", 0, above - 1) + 1 : above - 1]
    return None if before.strip() else above


def _atx_title(content: str) -> str:
    content = content.strip(" \t")
    without = content.rstrip("#")
    if not without or without[-1] in " \t":
        content = without
    return _cleaned(content)


def _cleaned(title: str) -> str:
    title = title.strip()
    while title.endswith("-->") and "<!--" in title:
        title = title[: title.rindex("<!--")].rstrip()
    return title[:MAX_TITLE].rstrip()
