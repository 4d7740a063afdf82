"""The memory file: Markdown that tells an assistant about a repository, and us its settings.

Only as much Markdown as settings need: headings, and lines outside code fences and comments, each
with its number, so that whatever is wrong can be pointed at.
"""

# Governing: ADR-0007 (Markdown-native configuration), ADR-0012 (no path leaves the repository)

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from sdd_hooks.system.files import FileTooLarge, PathRefused, read_inside, resolve_inside

NAMES = ("CLAUDE.md", "AGENTS.md", "CRUSH.md")

LARGEST = 1 << 20

# The first two say that a file is the memory file. The older name is what earlier versions of the
# ecosystem wrote.
CONTEXT = "architecture context"
CONFIGURATION = ("sdd configuration", "design plugin configuration")

_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]|$)")
_CLOSING = re.compile(r"(?:^|(?<=[ \t]))#+$")
_FENCE = re.compile(r"[ \t>]*(?:(?:[-*+]|[0-9]{1,9}[.)])[ \t]+)?(`{3,}|~{3,})(.*)$")
_BREAK = re.compile(r"\r\n|\r|\n")
_LINK = re.compile(r"\[([^\[\]]*)\]\([^()]*\)")

# A heading longer than this is not one of ours.
_LONGEST_TITLE = 100


class Line(NamedTuple):
    """A line of text outside code and comments; `number` counts from 1."""

    number: int
    text: str


class Section(NamedTuple):
    """A heading and the lines below it, up to the next heading. Level 0: before the first one."""

    level: int
    title: str
    number: int
    lines: tuple[Line, ...]


class MemoryFile(NamedTuple):
    """A memory file at `path` as its sections."""

    path: Path
    sections: tuple[Section, ...]

    def below(self, *titles: str) -> list[list[Section]]:
        """For each section with one of these titles: itself and the sections inside it."""
        found: list[list[Section]] = []
        open_level = 0
        for section in self.sections:
            if open_level and section.level > open_level:
                found[-1].append(section)
                continue
            open_level = 0
            if section.level and normalised(section.title[:_LONGEST_TITLE]) in titles:
                found.append([section])
                open_level = section.level
        return found


class Unreadable(NamedTuple):
    """A memory file that was left alone, and why."""

    path: Path
    reason: str


def find_memory_file(root: Path) -> tuple[MemoryFile | None, list[Unreadable]]:
    """The first of CLAUDE.md, AGENTS.md and CRUSH.md in `root` that holds our sections, if any.

    A link from one to another is followed inside `root`, and nowhere else.
    """
    unreadable = []
    for name in NAMES:
        try:
            path = _linked(root, name)
            data = read_inside(root, path.relative_to(root).as_posix(), LARGEST)
        except FileNotFoundError:
            continue
        except (PathRefused, FileTooLarge) as error:
            unreadable.append(Unreadable(root / name, str(error)))
            continue
        memory = memory_file(path, data)
        if memory is not None:
            return memory, unreadable
    return None, unreadable


def memory_file(path: Path, data: bytes) -> MemoryFile | None:
    """The memory file at `path`, of this content; None for one that holds none of our sections."""
    memory = MemoryFile(path, tuple(parse(decode(data))))
    return memory if memory.below(CONTEXT, *CONFIGURATION) else None


def parse(text: str) -> Iterator[Section]:
    """The sections of a Markdown text, in order."""
    level, title, number = 0, "", 0
    lines: list[Line] = []
    for line in _visible(_BREAK.split(text)):
        heading = _HEADING.match(line.text)
        if heading is None:
            lines.append(line)
            continue
        yield Section(level, title, number, tuple(lines))
        level, number = len(heading[1]), line.number
        title = _CLOSING.sub("", line.text[heading.end() :].strip()).strip()
        lines = []
    yield Section(level, title, number, tuple(lines))


def decode(data: bytes) -> str:
    """The text of a file edited with anything: UTF-8 or, with a byte order mark, UTF-16."""
    if data[:2] in {b"\xff\xfe", b"\xfe\xff"}:
        return data.decode("utf-16", "replace")
    return data.decode("utf-8-sig", "replace")


def normalised(title: str) -> str:
    """A title or key without case, emphasis, links, surrounding punctuation and doubled blanks."""
    plain = _LINK.sub(r"\1", title)
    return " ".join(re.sub(r"[*`:]", " ", plain).casefold().split())


def _linked(root: Path, name: str) -> Path:
    """The file itself, or what it is a link to inside `root`. Raises PathRefused."""
    path = root / name
    if not path.is_symlink():
        return path
    return root / resolve_inside(root, name).relative_to(resolve_inside(root, ""))


def _visible(lines: Sequence[str]) -> Iterator[Line]:
    """The lines that a reader of the rendered page would see as text."""
    fence = ""
    commented = False
    for number, text in enumerate(lines, 1):
        if commented:
            # An HTML comment ends with the line that closes it.
            commented = "-->" not in text
            continue
        marker = _FENCE.match(text)
        if fence:
            if marker and marker[1].startswith(fence) and not marker[2].strip():
                fence = ""
            continue
        if marker and not (marker[1][0] == "`" and "`" in marker[2]):
            fence = marker[1]
            continue
        shown, commented = _without_comments(text)
        yield Line(number, shown)


def _without_comments(text: str) -> tuple[str, bool]:
    """The line without the comments in it, and whether it opens one that goes on."""
    shown = ""
    while "<!--" in text:
        before, _, after = text.partition("<!--")
        if "-->" not in after:
            # In backticks it is text about comments.
            return (shown + text, False) if "`" in shown + text else (shown + before, True)
        shown += before
        text = after.partition("-->")[2]
    return shown + text, False
