"""The files and symbols that records of other tools are about."""

# Governing: SPEC-0024 REQ "Records of other tools", ADR-0036 (a record says what it applies to)

from __future__ import annotations

import re
from collections.abc import Iterator

from sdd_hooks.artifacts.applies_to import (
    OWN_NAME,
    classify_entry,
    known_name,
    read_applies_to,
)
from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.document import ArtifactDocument
from sdd_hooks.artifacts.frontmatter import FrontmatterValue
from sdd_hooks.authoring.foreign.findings import NotUnderstood, Understood
from sdd_hooks.text.lazy_regex import lazy_regex

MAX_ENTRIES = 100
"""Entries of one record that are taken over."""

_OTHER_NAMES = frozenset(
    {"files", "file-patterns", "code-paths", "code", "references", "enforced-in", "covers"}
)
"""Names that list paths in records of other tools, and often other things elsewhere."""
_MAPPED = ("path", "paths", "file", "files", "glob", "globs", "pattern", "symbol", "symbols")
_ITEM = lazy_regex(r"[ \t]*(?:[-*+]|[0-9]{1,3}[.)])[ \t]+(.*)")
_CODE = lazy_regex(r"`([^`\n]{1,300})`")

_Entry = tuple[str, int]


def read_scopes(
    record: Artifact, document: ArtifactDocument, text: str
) -> tuple[list[Understood], list[NotUnderstood]]:
    """The paths and symbols that a record without `applies-to` lists. Never raises.

    `text` is that of its file. What such a list has besides is not understood.
    """
    if document.matter.fields.get(OWN_NAME):
        return [], []
    known = [(one.text, one.line) for one in read_applies_to(record, text).entries]
    others = list(_other_entries(document))
    paths = [(entry, line) for entry, line in others if classify_entry(entry)]
    found = dict(reversed([*known, *paths][:MAX_ENTRIES]))
    entries = tuple(dict.fromkeys(entry for entry, _ in (*known, *paths)))[:MAX_ENTRIES]
    unread = [
        NotUnderstood(line, entry, "no path and no symbol of code")
        for entry, line in (*_unread_values(document), *others)
        if entry and entry not in found
    ]
    if not entries:
        return [], unread
    line = min(found.values())
    written = tuple(map(_own_spelling, entries))
    return [Understood(OWN_NAME, written, line, ", ".join(entries))], unread


def _own_spelling(entry: str) -> str:
    """The entry as `applies-to` has it, where `data.csv` would be a symbol."""
    is_path = classify_entry(entry) == "glob"
    return f"**/{entry}" if is_path and classify_entry(entry, own=True) == "symbol" else entry


def _other_entries(document: ArtifactDocument) -> Iterator[_Entry]:
    """The entries under the further names: keys of the frontmatter, and fields above a list."""
    for key, value in document.matter.fields.items():
        if key in _OTHER_NAMES:
            line = document.matter.lines.get(key, 0)
            yield from ((entry, line) for entry in _values(value))
    lines = document.prose.split("\n") if document.fields else []
    for field in document.fields:
        if field.name not in _OTHER_NAMES:
            continue
        if field.value:
            spans = _CODE.findall(field.value)
            parts = spans or [part.strip() for part in field.value.split(",")]
            yield from ((part, field.line) for part in parts)
            continue
        for number, line_text in enumerate(lines[field.line :], field.line + 1):
            item = _ITEM.match(line_text)
            if item is None:
                if line_text.strip():
                    break
                continue
            spans = _CODE.findall(item[1])
            yield from ((entry, number) for entry in spans or item[1].split()[:1])


def _unread_values(document: ArtifactDocument) -> Iterator[_Entry]:
    """The values of the frontmatter under known names, which may be no paths."""
    for key, value in document.matter.fields.items():
        if known_name(key):
            line = document.matter.lines.get(key, 0)
            yield from ((entry, line) for entry in _values(value))


def _values(value: FrontmatterValue) -> Iterator[str]:
    if isinstance(value, str):
        yield from (part.strip() for part in re.split(r",(?![^{}]*\})", value) if part.strip())
    elif isinstance(value, list):
        for item in value:
            if isinstance(item, str):
                yield item.strip()
            else:
                yield from _values(item)
    else:
        for key in _MAPPED:
            if key in value:
                yield from _values(value[key])
