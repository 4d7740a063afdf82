"""Parse Markdown into sections, each with its lines and a stable anchor.

The scanner implements the part of CommonMark that decides where headings are: ATX and setext
headings, fenced code, HTML comments, raw HTML, and YAML frontmatter. One regular expression finds
the few lines that matter, so the cost is a scan of the text, not a full parse.
"""

# Governing: ADR-0008 (sections as units of retrieval), SPEC-0002 REQ "Sections"

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.text.lazy_regex import lazy_regex

MAX_SECTIONS = 20_000
"""Later headings belong to the last section. No document written by hand has this many."""

MAX_TITLE = 500
"""Longer titles, in characters, are cut."""

FILE_ANCHOR = "file"
"""The anchor of a whole document, and of the text before its first heading."""


class Section(NamedTuple):
    """A heading and the text up to the next heading of any level.

    Lines are 1-based and inclusive; `start` and `end` are character offsets. Both include the
    heading. `path` holds the titles of the enclosing headings, outermost first. Text before the
    first heading, frontmatter included, is a section of level 0 without a title.
    """

    level: int
    title: str
    first_line: int
    last_line: int
    start: int
    end: int
    path: tuple[str, ...]
    anchor: str


class FencedBlock(NamedTuple):
    """A fenced code block: its info string, its text, and the 1-based line of its opening fence."""

    info: str
    text: str
    line: int


class _Heading(NamedTuple):
    start: int
    level: int
    title: str


class _Hidden(NamedTuple):
    start: int
    end: int


# Searched in "\n" + text: `re` finds a literal first character much faster than `^`.
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

# A line above a rule that is not the text of a setext heading: a list item, a quotation, a table
# row, HTML, indented code, or a bold field such as **Status:** accepted.
_NOT_A_PARAGRAPH = lazy_regex(
    r"[ ]{4}|[ ]*(?:\t|[-*+][ \t]|[0-9]{1,9}[.)][ \t]|[>|<]|\*\*[^*\n]{1,60}(?::\*\*|\*\*:))"
)

_VISIBLE = lazy_regex(r"[^\n]")
_LINK = lazy_regex(r"!?\[([^\[\]]*)\](?:\([^()]*\)|\[[^\[\]]*\])")
_NOT_IN_SLUG = lazy_regex(r"[^a-z0-9_\- ]")


def parse_sections(text: str) -> list[Section]:
    """Return the sections of a Markdown text, in order and without gaps. Never raises.

    Blank text before the first heading is not a section. Headings inside code fences, HTML comments
    and frontmatter do not count. Any kind of line ending is accepted.
    """
    text = unify_line_endings(text)
    return _sections(text, list(_headings(_blocks(text))))


def parse_document(text: str) -> tuple[list[Section], str]:
    """Return what `parse_sections` and `mask_non_prose` return, for the cost of one of them."""
    text = unify_line_endings(text)
    blocks = list(_blocks(text))
    return _sections(text, list(_headings(blocks))), _masked(text, blocks)


def _sections(text: str, headings: Sequence[_Heading]) -> list[Section]:
    result: list[Section] = []
    anchors = {FILE_ANCHOR: 0}
    ancestors: list[tuple[int, str]] = []
    line = 1
    ends = [heading.start for heading in headings[1:]]
    ends.append(len(text))
    first = headings[0].start if headings else len(text)
    if text[:first].strip():
        last = _last_line(text, 0, first, line)
        result.append(Section(0, "", 1, last, 0, first, (), FILE_ANCHOR))
    line += text.count("\n", 0, first)
    for heading, end in zip(headings, ends, strict=False):
        while ancestors and ancestors[-1][0] >= heading.level:
            ancestors.pop()
        path = tuple(title for _, title in ancestors)
        anchor = _unique(heading_anchor(heading.title) or "section", anchors)
        last = _last_line(text, heading.start, end, line)
        result.append(
            Section(heading.level, heading.title, line, last, heading.start, end, path, anchor)
        )
        ancestors.append((heading.level, heading.title))
        line += text.count("\n", heading.start, end)
    return result


def mask_non_prose(text: str) -> str:
    """Replace code blocks, HTML comments and frontmatter with spaces, so that prose remains.

    Every character and every line keeps its position. Lines end in `\\n`.
    """
    text = unify_line_endings(text)
    return _masked(text, _blocks(text))


def mask_comments(text: str) -> str:
    """Like `mask_non_prose`, but code blocks and raw HTML remain."""
    text = unify_line_endings(text)
    end = find_frontmatter_end(text)
    return _masked(
        text,
        (
            block
            for block in _blocks(text)
            if isinstance(block, _Hidden)
            and (block.start < end or text.startswith("<!--", _first_letter(text, block.start)))
        ),
    )


def _first_letter(text: str, start: int) -> int:
    while text.startswith(" ", start):
        start += 1
    return start


def _masked(text: str, blocks: Iterable[_Heading | _Hidden]) -> str:
    pieces = []
    position = 0
    for block in blocks:
        if isinstance(block, _Hidden):
            pieces.append(text[position : block.start])
            pieces.append(_VISIBLE.sub(" ", text[block.start : block.end]))
            position = block.end
    pieces.append(text[position:])
    return "".join(pieces)


def find_fenced_blocks(text: str) -> Iterator[FencedBlock]:
    """Yield the fenced code blocks in order. An unclosed block extends to the end of the text."""
    text = unify_line_endings(text)
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
        yield FencedBlock(opening[len(marks) :].strip(), inside if closed else content, line)


def without_links(title: str) -> str:
    """A heading as it is read: the text of a link or of an image stands for it."""
    return _LINK.sub(r"\1", title) if "](" in title or "][" in title else title


def heading_anchor(title: str) -> str:
    """Return the anchor that GitHub gives a heading. May be "".

    Lower case, punctuation removed, spaces as hyphens, links reduced to their text. Letters and
    marks of every script stay.
    """
    title = without_links(title[:MAX_TITLE]).strip().lower()
    if title.isascii():
        return _NOT_IN_SLUG.sub("", title).replace(" ", "-")
    # Few titles need it, and a search waits for each import.
    from unicodedata import category

    kept = (c for c in title if c in "-_ " or c.isalnum() or category(c)[0] == "M")
    return "".join(kept).replace(" ", "-")


def unify_line_endings(text: str) -> str:
    """Make every line of the text end in `\\n` and keep every other character at its offset."""
    if "\r" in text:
        # A space in place of the carriage return keeps the offsets, and Markdown ignores it.
        return text.replace("\r\n", " \n").replace("\r", "\n")
    return text


def find_frontmatter_end(text: str) -> int:
    """Return the offset after the closing line of the frontmatter, 0 when there is none.

    Lines must end in `\\n`. A text that begins with a thematic break and continues with prose has
    no frontmatter.
    """
    if not text.startswith("---") or not _FRONTMATTER_START.match(text):
        return 0
    # Search from the end of the opening line, so that empty frontmatter closes.
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


def _headings(blocks: Iterable[_Heading | _Hidden]) -> Iterator[_Heading]:
    return (block for block in blocks if isinstance(block, _Heading))


def _blocks(text: str) -> Iterator[_Heading | _Hidden]:
    """Yield headings and non-prose blocks in order."""
    block_end = find_frontmatter_end(text)
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
        heading = _heading(text, match, line_end, block_end)
        block_end = line_end
        if heading is None:
            continue
        yield heading
        count += 1
        if count == MAX_SECTIONS:
            return
    if fence:
        yield _Hidden(fence_start, len(text))


def _heading(text: str, match: re.Match[str], line_end: int, block_end: int) -> _Heading | None:
    """Return the ATX or setext heading of a candidate line, None for a rule below other text."""
    start = match.start()
    if hashes := match["hashes"]:
        return _Heading(start, len(hashes), _atx_title(text[match.end() - 1 : line_end]))
    above = _paragraph_above(text, start, block_end)
    if above is None:
        return None
    level = 1 if match["underline"][0] == "=" else 2
    return _Heading(above, level, _cleaned(text[above : start - 1]))


def _line_end(text: str, start: int) -> int:
    end = text.find("\n", start)
    return len(text) if end < 0 else end


def _html_end(text: str, opening: str, position: int) -> int:
    """Return the end of the line that closes the comment or raw element, else of the text."""
    if opening == "<!--":
        end = text.find("-->", position)
    else:
        closing = _RAW_HTML_END.search(text, position)
        end = closing.end() if closing else -1
    return len(text) if end < 0 else _line_end(text, end)


def _paragraph_above(text: str, start: int, block_end: int) -> int | None:
    """Return where the one-line paragraph above the underline at `start` begins, else None.

    `block_end` is the end of the latest heading or non-prose block. Several lines above a rule are
    a paragraph without its blank line, not a setext heading.
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
    # A title may have a rule above it, too.
    return None if before.strip(" *=") else above


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
