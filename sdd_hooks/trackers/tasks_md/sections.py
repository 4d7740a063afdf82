"""Parse the sections of a tasks.md; tick and append a section.

A section is a heading `## N. Title` and the text up to the next heading of its level or above. Its
tasks are boxes, `- [ ] N.1 text`, at any depth. Headings and boxes in code and comments are
ignored. A change leaves the rest of the text byte for byte unchanged.
"""

# Governing: ADR-0018 (tracker issues as files), SPEC-0009 REQ "One file for each tracker"

from __future__ import annotations

import re
from collections.abc import Iterator

from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.text.lazy_regex import lazy_regex
from sdd_hooks.text.markdown import Section, mask_non_prose, parse_sections, unify_line_endings

_LEVEL = 2
_NUMBERED = lazy_regex(
    r"(?P<number>[0-9]{1,9}[A-Za-z]?)[.):](?:[ \t]+(?P<title>.*))?", re.ASCII | re.DOTALL
)
_ITEM = r"(?:[-*+]|[0-9]{1,9}[.)])[ \t]+"
_BOX = lazy_regex(rf"[ \t>]*{_ITEM}\[(?P<tick>[ xX])\](?=[ \t\n]|\Z)", re.ASCII)
_FENCE = lazy_regex(
    rf"(?P<indent>[ \t>]*)(?P<items>(?:{_ITEM})*)(?P<fence>`{{3,}}|~{{3,}})(?P<rest>[^\n]*)",
    re.ASCII,
)
_NUMBER = lazy_regex(r"\A[0-9]+", re.ASCII)
_TASK_NUMBER = lazy_regex(r"[ \t]+[0-9]+(?:\.[0-9]+)+(?=\s|\Z)", re.ASCII)
_LINE = lazy_regex(r"[^\n]+")
_BLANK = " \t\n"
_VISIBLE = lazy_regex(r"[^ \t\n]")


class TaskSection(NamedTuple):
    """A section. `key` is its number as written; `.2` and so on is added to a repeated number.

    `body` is the text below the heading, verbatim except for blank lines around it. `open` are the
    offsets of the blanks in boxes without a tick, `boxes` is the number of all boxes. The heading
    ends at the offset `heading_end` of the text, the body at `body_end`.
    """

    key: str
    title: str
    body: str
    boxes: int
    open: tuple[int, ...]
    heading_end: int
    body_end: int

    @property
    def done(self) -> bool:
        """Whether the section has boxes and all of them are ticked."""
        return self.boxes > 0 and not self.open


def parse_task_sections(text: str) -> tuple[list[TaskSection], list[str]]:
    """The numbered sections, in order, and the titles of sections with boxes but without a number.

    Line ends may be of any kind. Never raises.
    """
    # A byte order mark prevents a heading. A space does not, and preserves the offsets.
    readable = " " + text[1:] if text.startswith("\ufeff") else text
    plain = unify_line_endings(readable)
    masked = mask_non_prose(readable)
    tops = [section for section in parse_sections(readable) if 0 < section.level <= _LEVEL]
    ends = [*(section.start for section in tops[1:]), len(text)]
    sections: list[TaskSection] = []
    unnumbered: list[str] = []
    counts: dict[str, int] = {}
    for top, end in zip(tops, ends, strict=False):
        heading_end = _line_end(text, plain, top.start)
        boxes = list(_boxes(masked, heading_end, end))
        numbered = _numbered(plain, top)
        if numbered is None:
            unnumbered += [top.title] if boxes else []
            continue
        number, title = numbered
        counts[number] = counts.get(number, 0) + 1
        below = min(plain.find("\n", heading_end) + 1 or end, end)
        body_start, body_end = _strip_blank_lines(text, plain, below, end)
        sections.append(
            TaskSection(
                key=number if counts[number] == 1 else f"{number}.{counts[number]}",
                title=title,
                body=text[body_start:body_end],
                boxes=len(boxes),
                open=tuple(at for at in boxes if text[at] == " "),
                heading_end=heading_end,
                body_end=body_end,
            )
        )
    return sections, unnumbered


def tick_all(text: str, section: TaskSection) -> str:
    """The text with every box of a section ticked."""
    pieces = []
    position = 0
    for at in section.open:
        pieces += [text[position:at], "x"]
        position = at + 1
    return "".join([*pieces, text[position:]])


class AppendedSection(NamedTuple):
    """A text with a new section or a longer one, and the key and the body of that section."""

    text: str
    key: str
    body: str


def append_section(text: str, title: str, body: str) -> AppendedSection:
    """Append a section to a text.

    Its boxes get numbers (`- [ ] 2.1 …`). A box is added to a body without one: a section without a
    box cannot be closed.
    """
    newline = newline_of(text)
    sections, _ = parse_task_sections(text)
    used = (int(number) for section in sections for number in _NUMBER.findall(section.key))
    number = str(max(used, default=0) + 1)
    content = _number_boxes(normalise_body(body, text), number)
    if not any(_boxes(mask_non_prose(content), 0, len(content))):
        content = f"{content}{newline * 2 if content else ''}- [ ] {number}.1 {title}"
    before = text.rstrip(" \t\r\n")
    gap = newline * 2 if before else ""
    new_text = f"{before}{gap}## {number}. {title}{newline * 2}{content}{newline}"
    return AppendedSection(new_text, number, content)


def _number_boxes(body: str, number: str) -> str:
    """The body with `N.1`, `N.2`, … behind its boxes, where they have no number."""
    pieces: list[str] = []
    position = 0
    for count, tick in enumerate(_boxes(mask_non_prose(body), 0, len(body)), 1):
        end = tick + 2
        pieces.append(body[position:end])
        if not _TASK_NUMBER.match(body, end):
            pieces.append(f" {number}.{count}")
        position = end
    return "".join((*pieces, body[position:]))


def append_to_section(text: str, section: TaskSection, addition: str) -> AppendedSection:
    """Add a text after the body of a section. Every other byte stays as it is."""
    gap = newline_of(text) * 2
    added = normalise_body(addition, text)
    end = section.body_end if section.body else section.heading_end
    body = f"{section.body}{gap}{added}" if section.body else added
    return AppendedSection(f"{text[:end]}{gap}{added}{text[end:]}", section.key, body)


def normalise_body(body: str, text: str) -> str:
    """A body with the line ends of `text` and without blank lines around it."""
    lines = re.sub(r"\r\n?", "\n", body)
    start, end = _strip_blank_lines(lines, lines, 0, len(lines))
    return lines[start:end].replace("\n", newline_of(text))


def newline_of(text: str) -> str:
    """The line end of a text; `\\n` for an empty text."""
    return "\r\n" if "\r\n" in text else "\n"


def _numbered(plain: str, section: Section) -> tuple[str, str] | None:
    """Number and title of a heading `## N. Title`; None for any other heading."""
    if section.level != _LEVEL or plain[_first_visible(plain, section.start, section.end)] != "#":
        return None
    match = _NUMBERED.fullmatch(section.title)
    return None if match is None else (match["number"], (match["title"] or "").strip())


def _boxes(masked: str, start: int, end: int) -> Iterator[int]:
    """The offsets of the characters between the brackets of boxes.

    In `masked` all code is masked except for fenced code in nested list items.
    """
    fence = ""
    min_indent = 0
    for line in _LINE.finditer(masked, start, end):
        at = line.start()
        opening = _FENCE.match(masked, at, line.end())
        if fence:
            is_blank = not line[0].strip()
            # A line with less indentation ends the list item, and its code with it.
            if is_blank or len(line[0]) - len(line[0].lstrip(" \t>")) >= min_indent:
                closes = opening and opening["fence"].startswith(fence) and not opening["items"]
                if opening and closes and not opening["rest"].strip():
                    fence = ""
                continue
            fence = ""
        if opening and not (opening["fence"][0] == "`" and "`" in opening["rest"]):
            fence = opening["fence"]
            indent = len(opening["indent"])
            items = len(opening["items"])
            min_indent = indent + items if items else max(indent - 3, 0)
            continue
        box = _BOX.match(masked, at, line.end())
        if box:
            yield box.start("tick")


def _strip_blank_lines(text: str, plain: str, start: int, end: int) -> tuple[int, int]:
    """The start of the first line that is not blank, and the end of the last such line."""
    first = _first_visible(plain, start, end)
    if first == end:
        return start, start
    last = start + len(plain[start:end].rstrip(_BLANK))
    return max(plain.rfind("\n", start, first) + 1, start), _line_end(text, plain, last, end)


def _first_visible(plain: str, start: int, end: int) -> int:
    """The offset of the first character that is not blank; `end` if there is none."""
    match = _VISIBLE.search(plain, start, end)
    return match.start() if match else end


def _line_end(text: str, plain: str, start: int, end: int | None = None) -> int:
    """The offset of the end of the line around `start`, without its line end."""
    end = len(plain) if end is None else end
    newline = plain.find("\n", start, end)
    stop = end if newline < 0 else newline
    # The first character of a CRLF is a space in `plain`.
    return stop - 1 if text.endswith("\r", start, stop) else stop
