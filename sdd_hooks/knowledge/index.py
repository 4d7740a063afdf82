"""The index of the knowledge base: what a lookup reads before it opens a matching entry."""

# Governing: ADR-0055 (knowledge belongs to its authors), SPEC-0028 REQ "Index"

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from sdd_hooks.knowledge.entries import (
    FOLDERS,
    KINDS,
    Entry,
    EntryKind,
    InvalidEntry,
    Lesson,
    check_id,
    entry_file,
    kind_of,
    parse_json,
    summarize,
)
from sdd_hooks.named_tuple import NamedTuple

INDEX_FILE = "index.json"

MAX_INDEX_BYTES = 64 << 20
"""A larger file is no index: 10,000 entries need 2 MB."""

EMPTY_INDEX = '{ "patterns": {}, "lessons": {} }\n'


class IndexEntry(NamedTuple):
    """What the index knows about an entry. `trigger` is "" for a pattern."""

    kind: EntryKind
    id: str
    tags: tuple[str, ...]
    summary: str
    trigger: str = ""

    @property
    def file(self) -> str:
        """The file of the entry, relative to the knowledge base."""
        return entry_file(self.kind, self.id)


@dataclass(frozen=True)
class KnowledgeIndex:
    """The entries by id, patterns and lessons apart."""

    patterns: Mapping[str, IndexEntry]
    lessons: Mapping[str, IndexEntry]

    def of(self, kind: EntryKind) -> Mapping[str, IndexEntry]:
        """The entries of a kind by id."""
        return self.patterns if kind == "pattern" else self.lessons

    @property
    def count(self) -> int:
        """How many entries there are."""
        return len(self.patterns) + len(self.lessons)

    def __iter__(self) -> Iterator[IndexEntry]:
        """Every entry, the patterns first."""
        yield from self.patterns.values()
        yield from self.lessons.values()

    def find(self, identifier: str) -> list[IndexEntry]:
        """The entries with this id: a pattern and a lesson may have the same."""
        return [self.of(kind)[identifier] for kind in KINDS if identifier in self.of(kind)]


def index_of(entries: Iterable[IndexEntry]) -> KnowledgeIndex:
    """The index of these entries, in the order of their ids."""
    by_kind: dict[EntryKind, dict[str, IndexEntry]] = {"pattern": {}, "lesson": {}}
    for entry in sorted(entries):
        by_kind[entry.kind][entry.id] = entry
    return KnowledgeIndex(by_kind["pattern"], by_kind["lesson"])


def index_entry(entry: Entry) -> IndexEntry:
    """What the index says about an entry."""
    trigger = entry.trigger if isinstance(entry, Lesson) else ""
    return IndexEntry(kind_of(entry), entry.id, entry.tags, summarize(entry), trigger)


def index_text(index: KnowledgeIndex) -> str:
    """The content of `index.json`: a line for each entry."""
    if not index.patterns and not index.lessons:
        return EMPTY_INDEX
    parts = [f'"{FOLDERS[kind]}": {_group(index.of(kind).values())}' for kind in KINDS]
    return "{\n  " + ",\n  ".join(parts) + "\n}\n"


def parse_index(data: bytes) -> KnowledgeIndex:
    """Parse the content of `index.json`. Raises ValueError for another content."""
    value = parse_json(data)
    if not isinstance(value, dict) or set(value) != set(FOLDERS.values()):
        raise InvalidEntry("is no object with patterns and lessons")
    return KnowledgeIndex(_parse_group("pattern", value), _parse_group("lesson", value))


def _group(entries: Iterable[IndexEntry]) -> str:
    lines = [f"    {json.dumps(one.id)}: {_line(one)}" for one in entries]
    return "{\n" + ",\n".join(lines) + "\n  }" if lines else "{}"


def _line(entry: IndexEntry) -> str:
    data: dict[str, object] = {"tags": entry.tags}
    if entry.kind == "lesson":
        data["trigger"] = entry.trigger
    data |= {"summary": entry.summary, "file": entry.file}
    return json.dumps(data, ensure_ascii=False)


def _parse_group(kind: EntryKind, value: dict[str, object]) -> dict[str, IndexEntry]:
    group = value[FOLDERS[kind]]
    if not isinstance(group, dict):
        raise InvalidEntry(f"{FOLDERS[kind]} is no object")
    return {name: _parse_line(kind, name, line) for name, line in group.items()}


def _parse_line(kind: EntryKind, identifier: str, line: object) -> IndexEntry:
    if not isinstance(line, dict):
        raise InvalidEntry(f"{identifier!r} is no object")
    tags, summary = line.get("tags"), line.get("summary")
    trigger = line.get("trigger", None if kind == "lesson" else "")
    if not (isinstance(tags, list) and isinstance(summary, str) and isinstance(trigger, str)):
        raise InvalidEntry(f"{identifier!r} lacks tags, summary or trigger")
    if not all(isinstance(tag, str) for tag in tags):
        raise InvalidEntry(f"a tag of {identifier!r} is no text")
    entry = IndexEntry(kind, check_id(identifier), tuple(tags), summary, trigger)
    # The path of a file is never taken from the index: it could lead out of the repository.
    if line.get("file") != entry.file:
        raise InvalidEntry(f"the file of {identifier!r} is not {entry.file}")
    return entry
