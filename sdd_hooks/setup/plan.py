"""The changes of `sdd init` in a project, computed before anything is written."""

# Governing: ADR-0007 (Markdown-native configuration), ADR-0012 (untrusted input never leaves the
# repository), SPEC-0005 REQ "Initialisation"

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sdd_hooks.config.memory_file import MEMORY_FILE_NAMES, read_memory_bytes
from sdd_hooks.errors import ConfigurationError, StorageError
from sdd_hooks.knowledge.index import EMPTY_INDEX, INDEX_FILE
from sdd_hooks.project.collections import RECORD_KINDS
from sdd_hooks.project.knowledge_place import find_knowledge
from sdd_hooks.project.project import Project
from sdd_hooks.setup.legacy import FILE_NAME as LEGACY_FILE
from sdd_hooks.setup.legacy import Settings, parse_legacy_settings
from sdd_hooks.setup.memory_file import RequiredContent, add_sections, find_old_headings
from sdd_hooks.setup.records import FoundRecords, find_records
from sdd_hooks.system.file_edits import FileEdit
from sdd_hooks.system.files import is_directory, resolve_inside
from sdd_hooks.text.decoding import split_mark

IGNORE_FILE = ".gitignore"
IGNORE_ENTRY = b".sdd/"
"""Keeps derived state out of commits (ADR-0006)."""


@dataclass(frozen=True)
class SetupPlan:
    """The edits, none for a project that is set up, notes for the user, and the artifacts found.

    `knowledge` creates the index of an empty knowledge base, where there is none.
    """

    edits: tuple[FileEdit, ...]
    notes: tuple[str, ...]
    records: tuple[FoundRecords, ...]
    knowledge: tuple[FileEdit, ...] = ()


def plan_setup(project: Project, *, declares: bool = True) -> SetupPlan:
    """Compare the project with what `sdd` needs. With `declares` it names directories of records.

    Raises ConfigurationError for a file that cannot be extended, PathRefused for one that leaves
    the repository.
    """
    root = project.repository.root
    edits: list[FileEdit] = []
    notes: list[str] = []
    _add(edits, IGNORE_FILE, *_ignore(root))
    path = _memory_path(project)
    name = path.relative_to(root).as_posix()
    before = _read(root, name)
    old = _read(root, LEGACY_FILE)
    migrated: Settings = {}
    if old is not None:
        legacy = parse_legacy_settings(old, root / LEGACY_FILE)
        migrated = legacy.settings
        notes.append(f"the settings in {LEGACY_FILE} belong in {name} now: remove the file")
        if legacy.unknown_keys:
            notes.append(f"not migrated, as nothing reads it: {', '.join(legacy.unknown_keys)}")
    records, unread = find_records(project)
    notes += unread
    after = add_sections(
        before, _required_content(project, records if declares else (), migrated), path
    )
    _add(edits, name, before, after)
    content = after or before or b""
    for heading in find_old_headings(content):
        notes.append(f"{name} has `{heading}` beside its new form: merge the two by hand")
    return SetupPlan(tuple(edits), tuple(notes), records, _knowledge(project))


def add_ignore_entry(current: bytes | None) -> bytes | None:
    """The `.gitignore` with the entry `.sdd/`, or None if it has one.

    `current` is the content of the file, None without one. Lines keep their order and their
    endings; the new line ends with CRLF in a file that does so.
    """
    if current is None:
        return IGNORE_ENTRY + b"\n"
    entries = {IGNORE_ENTRY, b"/" + IGNORE_ENTRY, b"**/" + IGNORE_ENTRY}
    lines = split_mark(current)[1].splitlines()
    if any(line.rstrip(b" ") in entries for line in lines):
        return None
    newline = b"\r\n" if b"\r\n" in current else b"\n"
    separator = b"" if not current or current.endswith(b"\n") else newline
    return current + separator + IGNORE_ENTRY + newline


def _knowledge(project: Project) -> tuple[FileEdit, ...]:
    """The edit that creates an empty index. A committed base, and one with entries, make it."""
    place = find_knowledge(project.repository, project.configuration)
    try:
        exists = is_directory(place.directory)
    except StorageError:
        # Reported by the first command that writes there.
        return ()
    if place.shared or exists or place.root != project.repository.root:
        return ()
    return (FileEdit(f"{place.base}/{INDEX_FILE}", None, EMPTY_INDEX.encode()),)


def _ignore(root: Path) -> tuple[bytes | None, bytes | None]:
    path = root / IGNORE_FILE
    if path.is_symlink():
        raise ConfigurationError("is a symlink, which git does not read: make it a file", path)
    before = _read(root, IGNORE_FILE)
    return before, add_ignore_entry(before)


def _add(edits: list[FileEdit], path: str, before: bytes | None, after: bytes | None) -> None:
    if after is not None:
        edits.append(FileEdit(path, before, after))


def _memory_path(project: Project) -> Path:
    """The configured memory file, else the first that exists, else the one to create.

    A symlink from one name to another is common: its target is the file to edit.
    """
    root = project.repository.root
    configured = project.configuration.memory_file
    names = [configured.relative_to(root).as_posix()] if configured else []
    names += [name for name in MEMORY_FILE_NAMES if (root / name).exists()]
    return resolve_inside(root, names[0] if names else MEMORY_FILE_NAMES[0])


def _required_content(
    project: Project, records: Sequence[FoundRecords], migrated: Settings
) -> RequiredContent:
    """What the memory file needs. A directory is declared if it has artifacts and little else."""
    adrs, specs = (
        tuple(
            one.directory
            for one in records
            if (one.kind, one.module, one.flat) == (kind, "", False)
        )
        for kind in RECORD_KINDS
    )
    defaults = {
        "Search": (("Engine", project.configuration.search.engine),),
        "Index Freshness": (("Staleness Threshold", "120m"),),
    }
    return RequiredContent(adrs, specs, migrated, defaults)


def _read(root: Path, name: str) -> bytes | None:
    try:
        return read_memory_bytes(root, name)
    except FileNotFoundError:
        return None
