"""The sections of a tasks.md, and how one of them is ticked, changed and added.

A section is a heading `## N. Title` and what follows it up to the next heading of its level or
above; its tasks are boxes, `- [ ] N.1 text`, at any depth. Headings and boxes in code and comments
are none. Texts are changed where they must and nowhere else.
"""

# Governing: ADR-0018 (tracker issues as files), SPEC-0009 REQ "One file for each tracker"

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from sdd_hooks.text.markdown import Section, mask_non_prose, parse_sections, unify_line_endings

_LEVEL = 2
_NUMBERED = re.compile(
    r"(?P<number>[0-9]{1,9}[A-Za-z]?)[.):](?:[ \t]+(?P<title>.*))?", re.ASCII | re.DOTALL
)
_ITEM = r"(?:[-*+]|[0-9]{1,9}[.)])[ \t]+"
_BOX = re.compile(rf"[ \t>]*{_ITEM}\[(?P<tick>[ xX])\](?=[ \t\n]|\Z)", re.ASCII)
_FENCE = re.compile(
    rf"(?P<indent>[ \t>]*)(?P<items>(?:{_ITEM})*)(?P<fence>`{{3,}}|~{{3,}})(?P<rest>[^\n]*)",
    re.ASCII,
)
_NUMBER = re.compile(r"\A[0-9]+", re.ASCII)
_LINE = re.compile(r"[^\n]+")
_BLANK = " \t\n"
_VISIBLE = re.compile(r"[^ \t\n]")


class Tasks(NamedTuple):
    """A section. `key` is its number as written, with `.2` and so on where the number was taken.

    `body` is the text below the heading without blank lines around it, otherwise verbatim. `open`
    are the offsets of the blanks that wait for a tick; `boxes` is how many there are in all. The
    heading is `start` to `heading_end`, the body `body_start` to `body_end`, offsets in the text.
    """

    key: str
    title: str
    body: str
    boxes: int
    open: tuple[int, ...]
    start: int
    heading_end: int
    body_start: int
    body_end: int

    @property
    def done(self) -> bool:
        """Whether there are boxes and all of them are ticked."""
        return self.boxes > 0 and not self.open


def tasks_of(text: str) -> tuple[list[Tasks], list[str]]:
    """The sections, in order, and the titles of those that hold boxes but have no number.

    Line ends may be of any kind. Never raises.
    """
    # A byte order mark is in the way of a heading; a space is not, and keeps the offsets.
    readable = " " + text[1:] if text.startswith("\ufeff") else text
    plain = unify_line_endings(readable)
    told = mask_non_prose(readable)
    tops = [section for section in parse_sections(readable) if 0 < section.level <= _LEVEL]
    ends = [*(section.start for section in tops[1:]), len(text)]
    found: list[Tasks] = []
    unnumbered: list[str] = []
    times: dict[str, int] = {}
    for top, end in zip(tops, ends, strict=False):
        heading_end = _line_end(text, plain, top.start)
        boxes = list(_boxes(told, heading_end, end))
        numbered = _numbered(plain, top)
        if numbered is None:
            unnumbered += [top.title] if boxes else []
            continue
        number, title = numbered
        times[number] = times.get(number, 0) + 1
        below = min(plain.find("\n", heading_end) + 1 or end, end)
        body_start, body_end = _content(text, plain, below, end)
        found.append(
            Tasks(
                number if times[number] == 1 else f"{number}.{times[number]}",
                title,
                text[body_start:body_end],
                len(boxes),
                tuple(at for at in boxes if text[at] == " "),
                top.start,
                heading_end,
                body_start,
                body_end,
            )
        )
    return found, unnumbered


def ticked(text: str, tasks: Tasks) -> str:
    """The text with every box of a section ticked."""
    pieces = []
    position = 0
    for at in tasks.open:
        pieces += [text[position:at], "x"]
        position = at + 1
    return "".join([*pieces, text[position:]])


def changed(text: str, tasks: Tasks, title: str | None, body: str | None) -> str:
    """The text with another title or body of a section; None leaves it."""
    after = text[tasks.body_end :]
    middle = text[tasks.heading_end : tasks.body_start]
    content = tasks.body
    if body is not None:
        content = trimmed(body, text)
        if content and not tasks.body:
            newline = newline_of(text)
            middle, after = newline * 2, newline + after
    heading = text[tasks.start : tasks.heading_end]
    if title is not None:
        heading = f"## {tasks.key.partition('.')[0]}. {title}"
    return f"{text[: tasks.start]}{heading}{middle}{content}{after}"


def added(text: str, title: str, body: str) -> tuple[str, str]:
    """The text with a section more at its end, and the key of that.

    A body without a box is given one: what has none is never done.
    """
    newline = newline_of(text)
    existing, _ = tasks_of(text)
    taken = (int(number) for one in existing for number in _NUMBER.findall(one.key))
    number = str(max(taken, default=0) + 1)
    content = trimmed(body, text)
    if not any(_boxes(mask_non_prose(content), 0, len(content))):
        content = f"{content}{newline * 2 if content else ''}- [ ] {number}.1 {title}"
    before = text.rstrip(" \t\r\n")
    gap = newline * 2 if before else ""
    return f"{before}{gap}## {number}. {title}{newline * 2}{content}{newline}", number


def trimmed(body: str, text: str) -> str:
    """A body as it goes into `text`: with its line ends, without blank lines around it."""
    lines = re.sub(r"\r\n?", "\n", body)
    start, end = _content(lines, lines, 0, len(lines))
    return lines[start:end].replace("\n", newline_of(text))


def newline_of(text: str) -> str:
    """How lines of a text end; a new one has `\\n`."""
    return "\r\n" if "\r\n" in text else "\n"


def _numbered(plain: str, section: Section) -> tuple[str, str] | None:
    """Number and title of a heading `## N. Title`; None for any other."""
    if section.level != _LEVEL or plain[_first(plain, section.start, section.end)] != "#":
        return None
    found = _NUMBERED.fullmatch(section.title)
    return None if found is None else (found["number"], (found["title"] or "").strip())


def _boxes(told: str, start: int, end: int) -> Iterator[int]:
    """The offsets of what stands between the brackets of boxes.

    `told` has no code any more but that in the depths of a list.
    """
    fence = ""
    room = 0
    for line in _LINE.finditer(told, start, end):
        at = line.start()
        opening = _FENCE.match(told, at, line.end())
        if fence:
            blank = not line[0].strip()
            # A line further out than the item that the code is in ends both.
            if blank or len(line[0]) - len(line[0].lstrip(" \t>")) >= room:
                closes = opening and opening["fence"].startswith(fence) and not opening["items"]
                if opening and closes and not opening["rest"].strip():
                    fence = ""
                continue
            fence = ""
        if opening and not (opening["fence"][0] == "`" and "`" in opening["rest"]):
            fence = opening["fence"]
            indent = len(opening["indent"])
            room = indent + len(opening["items"]) if opening["items"] else max(indent - 3, 0)
            continue
        box = _BOX.match(told, at, line.end())
        if box:
            yield box.start("tick")


def _content(text: str, plain: str, start: int, end: int) -> tuple[int, int]:
    """Where the first line that is not blank begins, and where the last one ends."""
    first = _first(plain, start, end)
    if first == end:
        return start, start
    last = start + len(plain[start:end].rstrip(_BLANK))
    return max(plain.rfind("\n", start, first) + 1, start), _line_end(text, plain, last, end)


def _first(plain: str, start: int, end: int) -> int:
    """Where the first character is that is not blank; `end` where there is none."""
    found = _VISIBLE.search(plain, start, end)
    return found.start() if found else end


def _line_end(text: str, plain: str, start: int, end: int | None = None) -> int:
    """Where the line that `start` is in ends, without its line end."""
    end = len(plain) if end is None else end
    found = plain.find("\n", start, end)
    stop = end if found < 0 else found
    # Of CRLF, the first character is a space in `plain`.
    return stop - 1 if text.endswith("\r", start, stop) else stop
