"""The memory file: Markdown that describes a repository to an assistant and holds its settings.

The scanner reads as much Markdown as settings need: headings, and lines outside code fences and
HTML comments, each with its number for messages. A setting is `- **Key**: value`. Its variations
are accepted:

- `- **Type**: github`, `- **Type:** github`, `- Type: github`, `**Type**: github`, `type: github`
- a key, with or without a value, above the list of its settings: `**Branch Conventions**:`
"""

# Governing: ADR-0007 (Markdown-native configuration), ADR-0012 (no path leaves the repository)

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.system.files import FileTooLarge, PathRefused, read_inside, resolve_inside
from sdd_hooks.text.decoding import decode_unicode
from sdd_hooks.text.lazy_regex import lazy_regex

MEMORY_FILE_NAMES = ("CLAUDE.md", "AGENTS.md", "CRUSH.md")

MAX_MEMORY_FILE_BYTES = 1 << 20
"""A larger memory file, in bytes, is not read."""

# A file with one of these sections is the memory file. Earlier versions of the ecosystem wrote the
# second name of the configuration.
CONTEXT = "architecture context"
CONFIGURATION = ("sdd configuration", "design plugin configuration")

_MAX_TITLE = 100
"""A longer title, in characters, is compared by its beginning."""

_HEADING = lazy_regex(r" {0,3}(#{1,6})(?:[ \t]|$)")
_CLOSING = lazy_regex(r"(?:^|(?<=[ \t]))#+$")
_FENCE = lazy_regex(r"[ \t>]*(?:(?:[-*+]|[0-9]{1,9}[.)])[ \t]+)?(`{3,}|~{3,})(.*)$")
_BREAK = lazy_regex(r"\r\n|\r|\n")
_LINK = lazy_regex(r"\[([^\[\]]*)\]\([^()]*\)")
_ITEM = lazy_regex(r"(?P<indent>[ \t]*)(?P<bullet>[-*+][ \t]+)?(?P<rest>.*)$")
_BOLD = lazy_regex(r"(\*\*|__)(?P<key>[^*_:][^:]{0,60}?)(?::\1|\1[ \t]*:)(?:[ \t]+(?P<value>.*))?$")
_PLAIN = lazy_regex(r"(?P<key>[A-Za-z][A-Za-z0-9 _/-]{0,60}?)[ \t]*:(?:[ \t]+(?P<value>.*))?$")


class MemoryLine(NamedTuple):
    """A line outside code and comments, with its 1-based number and without its comments."""

    number: int
    text: str


class MemorySection(NamedTuple):
    """A heading and the lines up to the next heading. Level 0: the text before the first heading.

    `number` is the line of the heading.
    """

    level: int
    title: str
    number: int
    lines: tuple[MemoryLine, ...]


class MemoryFile(NamedTuple):
    """The memory file at `path`, split into sections."""

    path: Path
    sections: tuple[MemorySection, ...]

    def find_sections(self, *titles: str) -> list[list[MemorySection]]:
        """Return each section that has one of these normalized titles, with its subsections."""
        groups: list[list[MemorySection]] = []
        open_level = 0
        for section in self.sections:
            if open_level and section.level > open_level:
                groups[-1].append(section)
                continue
            open_level = 0
            if section.level and normalize_title(section.title[:_MAX_TITLE]) in titles:
                groups.append([section])
                open_level = section.level
        return groups


class UnreadableMemoryFile(NamedTuple):
    """A memory file that cannot be read, and the reason."""

    path: Path
    reason: str


class WrittenSetting(NamedTuple):
    """A key and its value as written. `group` is the key above its list, "" when there is none."""

    group: str
    key: str
    value: str
    line: int
    is_bold: bool
    is_bullet: bool


def find_memory_file(root: Path) -> tuple[MemoryFile | None, list[UnreadableMemoryFile]]:
    """Read the first memory file in `root` that has a section of this package, None if none has.

    A symbolic link from one memory file to another is followed, but not out of `root`. The second
    value lists the files that cannot be read.
    """
    unreadable = []
    for name in MEMORY_FILE_NAMES:
        try:
            path = _follow_link(root, name)
            data = read_memory_bytes(root, path.relative_to(root).as_posix())
        except FileNotFoundError:
            continue
        except (PathRefused, FileTooLarge) as error:
            unreadable.append(UnreadableMemoryFile(root / name, str(error)))
            continue
        memory = read_memory_file(path, data)
        if memory is not None:
            return memory, unreadable
    return None, unreadable


def read_memory_bytes(root: Path, relative: str) -> bytes:
    """Read a memory file, as `read_inside` does. A FileTooLarge says what to do."""
    try:
        return read_inside(root, relative, MAX_MEMORY_FILE_BYTES)
    except FileTooLarge as error:
        raise FileTooLarge(f"{error}: move a part of its text to another file") from None


def read_memory_file(path: Path, data: bytes) -> MemoryFile | None:
    """Parse the content of the memory file at `path`. None: it has no section of this package."""
    memory = MemoryFile(path, tuple(parse_memory_sections(decode_unicode(data))))
    return memory if memory.find_sections(CONTEXT, *CONFIGURATION) else None


def parse_memory_sections(text: str) -> Iterator[MemorySection]:
    """Yield the sections of a Markdown text in order, beginning with the one of level 0."""
    level, title, number = 0, "", 0
    lines: list[MemoryLine] = []
    for line in _visible_lines(_BREAK.split(text)):
        heading = _HEADING.match(line.text)
        if heading is None:
            lines.append(line)
            continue
        yield MemorySection(level, title, number, tuple(lines))
        level, number = len(heading[1]), line.number
        title = _CLOSING.sub("", line.text[heading.end() :].strip()).strip()
        lines = []
    yield MemorySection(level, title, number, tuple(lines))


def read_settings(section: MemorySection, groups: Collection[str] = ()) -> Iterator[WrittenSetting]:
    """Yield the settings of a section in order. `groups` are the normalized keys that open a group.

    The settings below such a key carry it as their `group`.
    """
    group, depth = "", -1
    for line in section.lines:
        parsed = _parse_setting(line)
        if parsed is None:
            continue
        indent, setting = parsed
        if not setting.is_bullet or indent <= depth:
            group, depth = "", -1
        yield setting._replace(group=group)
        if not group and normalize_key(setting.key) in groups:
            # The list below a paragraph belongs to it at any indentation.
            group, depth = setting.key, indent if setting.is_bullet else -1


def normalize_title(title: str) -> str:
    """Reduce a title for comparison: no case, emphasis, links, punctuation or doubled spaces."""
    return " ".join(re.sub(r"[*`:]", " ", _LINK.sub(r"\1", title)).casefold().split())


def normalize_key(name: str) -> str:
    """Reduce a key or title to its letters and digits: `Slug Max-Length` is `slugmaxlength`."""
    return "".join(c for c in name.casefold() if c.isalnum())


def unquote_value(value: str) -> str:
    """Strip the backticks, quotes or emphasis around a value."""
    first, end = 0, len(value)
    while True:
        while first < end and value[first].isspace():
            first += 1
        while first < end and value[end - 1].isspace():
            end -= 1
        if end - first < 2 or value[first] != value[end - 1] or value[first] not in "`\"'*":
            return value[first:end]
        first, end = first + 1, end - 1


def _follow_link(root: Path, name: str) -> Path:
    """Return the path of the file, or of its link's target inside `root`. Raises PathRefused."""
    path = root / name
    if not path.is_symlink():
        return path
    return root / resolve_inside(root, name).relative_to(resolve_inside(root, ""))


def _visible_lines(lines: Sequence[str]) -> Iterator[MemoryLine]:
    """Yield the lines that the rendered page shows as text."""
    fence = ""
    in_comment = False
    for number, text in enumerate(lines, 1):
        if in_comment:
            # The whole line that closes a comment belongs to the comment.
            in_comment = "-->" not in text
            continue
        marker = _FENCE.match(text)
        if fence:
            if marker and marker[1].startswith(fence) and not marker[2].strip():
                fence = ""
            continue
        if marker and not (marker[1][0] == "`" and "`" in marker[2]):
            fence = marker[1]
            continue
        shown, in_comment = _without_comments(text)
        yield MemoryLine(number, shown)


def _without_comments(text: str) -> tuple[str, bool]:
    """Return the line without its comments, and whether the last one continues on the next line."""
    shown: list[str] = []
    position = 0
    while (opened := text.find("<!--", position)) >= 0:
        closed = text.find("-->", opened + 4)
        shown.append(text[position:opened])
        if closed < 0:
            # An opening mark in backticks is text about comments.
            if any("`" in part for part in (*shown, text[opened:])):
                shown.append(text[opened:])
                return "".join(shown), False
            return "".join(shown), True
        position = closed + 3
    shown.append(text[position:])
    return "".join(shown), False


def _parse_setting(line: MemoryLine) -> tuple[int, WrittenSetting] | None:
    """Return the indentation and the setting of a line, None when it has no setting."""
    item = _ITEM.match(line.text)
    rest = item["rest"].strip() if item else ""
    bold = _BOLD.match(rest)
    match = bold or _PLAIN.match(rest)
    if item is None or match is None:
        return None
    setting = WrittenSetting(
        group="",
        key=match["key"].strip(),
        value=unquote_value(match["value"] or ""),
        line=line.number,
        is_bold=bold is not None,
        is_bullet=bool(item["bullet"]),
    )
    return len(item["indent"].expandtabs(4)), setting
