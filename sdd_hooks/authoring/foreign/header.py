"""What a record of another tool says: its form, status, date, people, tags, files and symbols.

Nygard's form has `Date: 2020-01-31` and a section Status, the form of MADR before 3.0 and of
log4brains a list (`* Status: accepted`, `* Deciders: Ada, Grace`), later forms of MADR frontmatter
with `deciders` or `decision-makers`.
"""

# Governing: SPEC-0024 REQ "Records of other tools", ADR-0036 (a record says what it applies to)

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath

from sdd_hooks.artifacts.applies_to import (
    OWN_NAME,
    classify_entry,
    known_name,
    read_applies_to,
)
from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.dates import read_date
from sdd_hooks.artifacts.document import ArtifactDocument, find_date, find_dated_texts
from sdd_hooks.artifacts.fields import normalize_field_name
from sdd_hooks.artifacts.frontmatter import FrontmatterValue
from sdd_hooks.artifacts.statement import UNKNOWN
from sdd_hooks.authoring.status_change import SYNONYMS, TRANSITIONS
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.text.lazy_regex import lazy_regex

STATUSES: Mapping[str, str] = {
    **{status: status for status in TRANSITIONS["ADR"]},
    **SYNONYMS["ADR"],
}
"""The status of a decision that each word means."""

_PEOPLE = ("decision-makers", "decision-maker", "decisionmakers", "deciders", "decider")
_TAGS = ("tags", "tag", "keywords", "categories", "category", "labels")
MAX_ITEMS = 50
"""People or tags of one record that are read."""

_LINK = lazy_regex(r"\[([^\[\]\n]{1,200})\]\([^()\n]{0,400}\)")
_COMMENT = lazy_regex(r"<!--.*?(?:-->|$)")
_PLACEHOLDER = lazy_regex(r"\W*[\[{<].*[\]}>]\W*|\W*|tbd|n/a|none|yyyy-mm-dd.*", re.IGNORECASE)

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


def read_header(
    document: ArtifactDocument, name: str
) -> tuple[list[Understood], list[NotUnderstood]]:
    """What the frontmatter of a record lacks and its text says. `name` is that of its file.

    The value of a status is one of STATUSES. Never raises.
    """
    understood: list[Understood] = []
    unknown: list[NotUnderstood] = []
    for read in (
        *_status(document),
        *_date(document, name),
        *_people(document),
        *_items(document, "tags", _TAGS),
    ):
        if isinstance(read, Understood):
            understood.append(read)
        else:
            unknown.append(read)
    return understood, unknown


def _status(document: ArtifactDocument) -> Iterator[Understood | NotUnderstood]:
    status = document.status
    if not status.value:
        return
    meanings = {STATUSES.get(one.value, "") for one in document.statuses}
    if status.value == UNKNOWN:
        yield NotUnderstood(status.line, status.text, "no known status")
    elif len(meanings - {""}) > 1:
        yield NotUnderstood(status.line, status.text, "another line has another status")
    elif status.origin != "frontmatter":
        yield Understood("status", STATUSES[status.value], status.line, status.text)


def _date(document: ArtifactDocument, name: str) -> Iterator[Understood | NotUnderstood]:
    if document.matter.text("date"):
        return
    for text, line in find_dated_texts(document):
        yield from _dated(text, line)
        return
    if iso := find_date(document, name):
        yield Understood("date", iso, 1, name)


def _dated(text: str, line: int) -> Iterator[Understood | NotUnderstood]:
    if iso := read_date(text):
        yield Understood("date", iso, line, text)
    elif not _PLACEHOLDER.fullmatch(text):
        yield NotUnderstood(line, text, "no known form of a date")


def _people(document: ArtifactDocument) -> Iterator[Understood | NotUnderstood]:
    # `deciders`, the key of MADR 3, stays as it is: two keys would have to be kept equal.
    if not document.matter.fields.keys() & {*_PEOPLE}:
        yield from _items(document, "decision-makers", _PEOPLE)


def _items(
    document: ArtifactDocument, key: str, names: tuple[str, ...]
) -> Iterator[Understood | NotUnderstood]:
    """The list of a key, from the frontmatter under another name, or from a field."""
    matter = document.matter
    if matter.items(key):
        return
    is_tags = key == "tags"
    written = []
    for name in names:
        value = matter.fields.get(name, "")
        items = _split(value, words=is_tags) if isinstance(value, str) else matter.items(name)
        written.append((items, matter.lines.get(name, 0)))
    for field in document.fields:
        if field.name in names:
            written.append((_split(field.value, words=is_tags), field.line))
    for items, line in written:
        plain = [_LINK.sub(r"\1", item).strip(" *_`") for item in items]
        kept = [item for item in plain if item and not _PLACEHOLDER.fullmatch(item)]
        if kept:
            unique = tuple(dict.fromkeys(kept[:MAX_ITEMS]))
            yield Understood(key, unique, line, ", ".join(items))
            return


def _split(value: str, *, words: bool) -> list[str]:
    """The items of a line. Tags may be separated by spaces alone."""
    value = _COMMENT.sub("", value).strip()
    if _PLACEHOLDER.fullmatch(value) and not _LINK.search(value):
        return []
    # A comma in parentheses or in a link separates nothing.
    parts = re.split(r"[,;](?![^()\[\]]*[)\]])|\band\b(?![^()\[\]]*[)\]])|<br ?/?>", value)
    if words and len(parts) == 1:
        parts = value.split()
    return [part.strip() for part in parts]


class Understood(NamedTuple):
    """A value to add to the frontmatter under `key`, a tuple for a list.

    `line` is the one that says it, 1-based, and `text` what it says.
    """

    key: str
    value: str | tuple[str, ...]
    line: int
    text: str


class NotUnderstood(NamedTuple):
    """A text that looks like such a value, and why it is not taken over."""

    line: int
    text: str
    reason: str


def find_form(path: str, document: ArtifactDocument) -> str:
    """The form of a record, "" for no known one.

    MADR 3 moved the fields into the frontmatter, MADR 4 renamed `deciders` to `decision-makers`.
    """
    titles = {normalize_field_name(one.title) for one in document.sections if one.level == 2}
    fields = {one.name for one in document.fields}
    is_madr = "context-and-problem-statement" in titles or "considered-options" in titles
    if re.match(r"[0-9]{8}[-_]", PurePosixPath(path).name):
        return "log4brains"
    if is_madr:
        if document.matter.fields.keys() & {"decision-makers", "decisionmakers"}:
            return "MADR 4"
        if document.matter.fields.keys() & {"status", "deciders", "date"}:
            return "MADR 3"
        return "MADR 2" if fields & {"status", "deciders", "date"} else "MADR"
    if {"status", "context", "decision"} <= titles or ("date" in fields and "status" in titles):
        return "adr-tools"
    return ""


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
