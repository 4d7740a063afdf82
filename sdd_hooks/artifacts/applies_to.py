"""The files and symbols that a record says it applies to.

    applies-to:
      - src/outbox/
      - "*.sql"
      - OutboxSweeper
      - sweep()

Other tools write the same under other names, which are read too: as a field of the frontmatter or
above the second heading, or as a section (`## Applies To`). Under those names only an entry that is
clearly a path counts, since some tools list services, versions or topics there.
"""

# Governing: ADR-0036 (a record says what it applies to), SPEC-0002 REQ "Applies to"

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.fields import MAX_SECTION as MAX_SECTION_OF_FIELDS
from sdd_hooks.artifacts.fields import (
    normalize_field_name,
    read_header_fields,
    sections_with_fields,
)
from sdd_hooks.artifacts.frontmatter import FrontmatterValue
from sdd_hooks.artifacts.identifiers import find_id_references
from sdd_hooks.code.languages import DOCUMENT_SUFFIXES, find_language
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.text.globs import MAX_PATTERN, compile_path_pattern
from sdd_hooks.text.lazy_regex import lazy_regex
from sdd_hooks.text.markdown import Section, mask_non_prose, unify_line_endings

MAX_ENTRIES = 100
"""Entries of one record that are read."""
MAX_SECTION = 20_000
"""Characters of a section that are read."""
MAX_HEADER = 20_000
"""Characters of a record in which fields above the second heading are looked for."""

OWN_NAME = "applies-to"
OTHER_NAMES = frozenset(
    {
        *("appliesto", "applicable-to", "affects", "affected-files", "affected-paths"),
        *("affected-code", "linked-files", "paths", "globs", "scope"),
    }
)
"""Names under which other tools list paths. `_` and spaces count as `-`."""
_PATH_KEYS = frozenset({"paths", "path", "globs", "glob", "files", "file"})
_SYMBOL_KEYS = frozenset({"symbols", "symbol"})

_FIELD = lazy_regex(
    r"(?:appli(?:es|cable)[-_ ]?to|affects|affected[-_ ](?:files|paths|code)|linked[-_ ]files"
    r"|paths|globs|scope)[*_]{0,3}[ ]?[:：]",
    re.IGNORECASE,
)
_CODE_SPAN = lazy_regex(r"`([^`\n]{1,300})`")
_ITEM = lazy_regex(r"[ \t]*(?:[-*+]|[0-9]{1,3}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?(.*)")
_SYMBOL = lazy_regex(r"[A-Za-z_$][\w$]{0,99}(?:(?:\.|::|#|->)[A-Za-z_$][\w$]{0,99}){0,9}(?:\(\))?")
_JOINED = lazy_regex(r"[a-z0-9][A-Z]|\w_\w|\(\)$|::|#|->|[A-Za-z]\.[A-Za-z]")
_SUFFIX = lazy_regex(r"\.[A-Za-z][A-Za-z0-9]{0,7}$")
_LETTER = lazy_regex(r"[^\W\d_]|\*")
_SEPARATORS = lazy_regex(r"::|->|[.#]")

EntryKind = Literal["glob", "symbol"]


class AppliesToEntry(NamedTuple):
    """A pattern of paths or the name of a symbol, as written, and its line in the record."""

    kind: EntryKind
    text: str
    line: int

    @property
    def qualified_name(self) -> str:
        """A symbol with `.` between its parts: `Store.sweep` of `Store::sweep()`."""
        return ".".join(_SEPARATORS.split(self.text.removesuffix("()")))

    @property
    def last_name(self) -> str:
        """The last part of a symbol: `sweep` of `Store.sweep()`."""
        return _SEPARATORS.split(self.text.removesuffix("()"))[-1]


@dataclass(frozen=True)
class AppliesTo:
    """The entries of a record, without invalid ones."""

    entries: tuple[AppliesToEntry, ...] = ()

    def match(self, path: str) -> AppliesToEntry | None:
        """The first pattern that matches a path; None for none."""
        return next((entry for entry, matches in self._patterns if matches(path)), None)

    @property
    def symbols(self) -> tuple[AppliesToEntry, ...]:
        """The symbols."""
        return tuple(entry for entry in self.entries if entry.kind == "symbol")

    @cached_property
    def _patterns(self) -> Sequence[tuple[AppliesToEntry, Callable[[str], bool]]]:
        return [
            (entry, compile_path_pattern(entry.text))
            for entry in self.entries
            if entry.kind == "glob"
        ]


def read_applies_to(record: Artifact, text: str) -> AppliesTo:
    """Read what a record applies to. `text` is that of its file. Never raises."""
    lines = unify_line_endings(text).split("\n")
    entries: list[AppliesToEntry] = []
    known: set[str] = set()
    for name, first_line, written in _statements(record, text):
        for kind, entry in written:
            classified = kind or _classify(entry, own=name == OWN_NAME)
            if not classified or entry in known or not _is_valid(classified, entry):
                continue
            known.add(entry)
            entries.append(AppliesToEntry(classified, entry, _find_line(lines, first_line, entry)))
            if len(entries) == MAX_ENTRIES:
                return AppliesTo(tuple(entries))
    return AppliesTo(tuple(entries))


_Written = tuple[EntryKind | None, str]


def _statements(record: Artifact, text: str) -> Iterator[tuple[str, int, Iterable[_Written]]]:
    """Each name with its first line and its entries. Those of a mapping have a kind."""
    for key, value in record.frontmatter.items():
        if name := known_name(key):
            yield name, 1, _values(value)
    sections = [section for section in record.sections if known_name(section.title)]
    # A quick test: most records have none, and the parsers read the whole text.
    if not sections and not _may_have_field(record.sections, text):
        return
    prose = mask_non_prose(text)
    for field in read_header_fields(prose, record.sections):
        if name := known_name(field.name):
            yield name, field.line, _split(field.value)
    for section in sections:
        yield known_name(section.title), section.first_line, _items(prose, section)


def classify_entry(entry: str, *, own: bool = False) -> EntryKind | None:
    """What an entry is under `applies-to` (`own`) or a name of another tool; None for neither."""
    kind = _classify(entry, own=own)
    return kind if kind and _is_valid(kind, entry) else None


def _may_have_field(sections: Sequence[Section], text: str) -> bool:
    for section in sections_with_fields(sections):
        end = min(section.end, section.start + MAX_SECTION_OF_FIELDS, MAX_HEADER)
        # The cells of a table have no colon.
        if _FIELD.search(text, section.start, end) or text.find("|", section.start, end) >= 0:
            return _FIELD.search(text, 0, MAX_HEADER) is not None
    return False


def known_name(written: str) -> str:
    """The normalized name of a field or heading that lists paths; "" for another one."""
    name = normalize_field_name(written.replace("_", "-"))
    return name if name == OWN_NAME or name in OTHER_NAMES else ""


def _values(value: FrontmatterValue) -> Iterator[_Written]:
    if isinstance(value, str):
        yield from _split(value)
    elif isinstance(value, list):
        for item in value:
            if isinstance(item, str):
                yield None, item.strip()
            else:
                yield from _values(item)
    else:
        for key, items in value.items():
            name = key.lower()
            kind: EntryKind = "glob" if name in _PATH_KEYS else "symbol"
            if name in _PATH_KEYS | _SYMBOL_KEYS:
                listed = items if isinstance(items, list) else [items]
                yield from ((kind, item.strip()) for item in listed if isinstance(item, str))


def _split(text: str) -> Iterator[_Written]:
    """The entries of one line: its code, or what commas separate outside of braces."""
    if spans := _CODE_SPAN.findall(text):
        yield from ((None, span.strip()) for span in spans)
        return
    depth = start = 0
    for at, character in enumerate(f"{text},"):
        depth += (character == "{") - (character == "}")
        if (character == "," and depth <= 0) or at == len(text):
            yield None, text[start:at].strip().strip("\"'")
            start = at + 1


def _items(prose: str, section: Section) -> Iterator[_Written]:
    """The entries of a section: the code of each item of a list, or its first word."""
    body = prose[section.start : section.end][:MAX_SECTION]
    for line in body.split("\n"):
        if item := _ITEM.match(line):
            spans = _CODE_SPAN.findall(item[1])
            words = item[1].split()
            yield from ((None, entry.strip()) for entry in spans or words[:1])


def _classify(entry: str, *, own: bool) -> EntryKind | None:
    """Whether an entry is a pattern or a symbol; None for neither.

    A single word without a mark of code is the name of a file or directory, under the own name.
    """
    if (
        " " in entry
        or not _LETTER.search(entry)
        or "://" in entry
        or next(find_id_references(entry), None)
    ):
        return None
    is_file = bool(find_language(entry)) or entry.lower().endswith(DOCUMENT_SUFFIXES)
    if "/" in entry or "*" in entry or is_file:
        return "glob"
    if own and _SYMBOL.fullmatch(entry) and _JOINED.search(entry):
        return "symbol"
    return "glob" if own or _SUFFIX.search(entry) else None


def _is_valid(kind: EntryKind, entry: str) -> bool:
    if kind == "symbol":
        return bool(_SYMBOL.fullmatch(entry))
    # `!` would exclude paths, which a list without an order cannot express.
    if len(entry) > MAX_PATTERN or entry.startswith("!"):
        return False
    try:
        compile_path_pattern(entry)
    except ValueError:
        return False
    return True


def _find_line(lines: Sequence[str], first: int, entry: str) -> int:
    """The first line from `first` on with an entry; `first` for none."""
    numbered = enumerate(lines[first - 1 :], first)
    return next((number for number, line in numbered if entry in line), first)
