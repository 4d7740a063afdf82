"""Settings as people write them in a memory file: `- **Key**: value` and what comes close.

- `- **Type**: github`, `- **Type:** github`, `- Type: github`, `**Type**: github`, `type: github`
- a key, with a value or without, above the list of what belongs to it: `**Branch Conventions**:`
"""

# Governing: ADR-0007 (Markdown-native configuration)

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import NamedTuple

from sdd_hooks.config.memory_file import Line, Section

_ITEM = re.compile(r"(?P<indent>[ \t]*)(?P<bullet>[-*+][ \t]+)?(?P<rest>.*)$")
_BOLD = re.compile(r"(\*\*|__)(?P<key>[^*_:][^:]{0,60}?)(?::\1|\1[ \t]*:)(?:[ \t]+(?P<value>.*))?$")
_PLAIN = re.compile(r"(?P<key>[A-Za-z][A-Za-z0-9 _/-]{0,60}?)[ \t]*:(?:[ \t]+(?P<value>.*))?$")


class Entry(NamedTuple):
    """A key with its value; `group` is the key it stands under, "" for none."""

    group: str
    key: str
    value: str
    line: int
    bold: bool
    bullet: bool


def entries(section: Section, groups: Collection[str] = ()) -> Iterator[Entry]:
    """The settings in a section, in order. A key whose `squeezed` form is in `groups` opens one."""
    group, depth = "", -1
    for line in section.lines:
        found = _split(line)
        if found is None:
            continue
        indent, entry = found
        if not entry.bullet or indent <= depth:
            group, depth = "", -1
        yield Entry(group, entry.key, entry.value, entry.line, entry.bold, entry.bullet)
        if not group and squeezed(entry.key) in groups:
            # The items of a list belong to the paragraph above it however they are indented.
            group, depth = entry.key, indent if entry.bullet else -1


def squeezed(name: str) -> str:
    """A key or title as letters and digits only: `Slug Max-Length` is `slugmaxlength`."""
    return "".join(c for c in name.casefold() if c.isalnum())


def plain(value: str) -> str:
    """A value without the backticks, quotes or emphasis around it."""
    value = value.strip()
    while len(value) > 1 and value[0] == value[-1] and value[0] in "`\"'*":
        value = value[1:-1].strip()
    return value


def _split(line: Line) -> tuple[int, Entry] | None:
    item = _ITEM.match(line.text)
    rest = item["rest"].strip() if item else ""
    bold = _BOLD.match(rest)
    match = bold or _PLAIN.match(rest)
    if item is None or match is None:
        return None
    indent = len(item["indent"].expandtabs(4))
    value = plain(match["value"] or "")
    entry = Entry(
        "", match["key"].strip(), value, line.number, bold is not None, bool(item["bullet"])
    )
    return indent, entry
