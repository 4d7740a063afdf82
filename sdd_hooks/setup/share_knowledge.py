"""Move the knowledge base to a committed directory, and declare it in the memory file."""

# Governing: ADR-0055 (knowledge belongs to its authors), SPEC-0028 REQ "Shared knowledge"

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from sdd_hooks.config.configuration import Configuration, load_configuration
from sdd_hooks.config.memory_file import MEMORY_FILE_NAMES, read_memory_bytes
from sdd_hooks.errors import EXIT_USAGE, ConfigurationError, SddError
from sdd_hooks.knowledge.entries import Entry, kind_of
from sdd_hooks.knowledge.store import load_index, read_entry, write_entries
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.knowledge_place import (
    KnowledgePlace,
    check_shared_path,
    find_knowledge,
    own_root,
)
from sdd_hooks.setup.memory_file import RequiredContent, add_sections
from sdd_hooks.system.file_edits import FileEdit, apply_edits
from sdd_hooks.system.files import is_directory, resolve_inside
from sdd_hooks.usecases.knowledge.entries import KnowledgeBase, writing

DEFAULT_PATH = "docs/knowledge"


class NotSharable(SddError):
    """A path that cannot be the directory of committed knowledge."""

    exit_code = EXIT_USAGE
    code = "usage"


class SharedKnowledge(NamedTuple):
    """Where the entries are now, which were moved, the edit of the memory file, and notes."""

    place: KnowledgePlace
    moved: tuple[Entry, ...]
    edit: FileEdit | None
    notes: tuple[str, ...]


def share_knowledge(base: KnowledgeBase, path: str = DEFAULT_PATH) -> SharedKnowledge:
    """Move every entry to the directory `path`, relative to the repository.

    Copies first, then declares the directory, and deletes last: killed at any step, it can be run
    again. Raises NotSharable, ConfigurationError and StorageError.
    """
    root = base.repository.root
    try:
        directory = check_shared_path(root, path)
    except ValueError as error:
        raise NotSharable(f"{path!a} {error}: name one such as {DEFAULT_PATH}") from None
    if directory.split("/")[0] == ".sdd":
        raise NotSharable(f"git ignores {directory}: name a directory such as {DEFAULT_PATH}")
    target = KnowledgePlace(root, directory, shared=True)
    with writing(base) as now:
        moved, notes = _copy(_sources(now, target), target)
        edit = _declare(root, now.configuration, directory)
        if edit:
            apply_edits(root, [edit])
        if find_knowledge(base.repository, load_configuration(root)) != target:
            where = edit.path if edit else root
            raise ConfigurationError(f"does not name {directory}: nothing was deleted", where)
        for source in _sources(now, target):
            index, _ = load_index(source)
            copied = [one for one in index if _is_copied(source, target, one.kind, one.id, moved)]
            write_entries(source, index, deleted=copied)
    return SharedKnowledge(target, tuple(moved.values()), edit, tuple(notes))


_Moved = dict[tuple[Path, str, str, str], Entry]
"""The entry as it was copied, by the root, the directory, the kind and the id that it had."""


def _sources(base: KnowledgeBase, target: KnowledgePlace) -> Iterator[KnowledgePlace]:
    """The places whose entries are moved: where the base is, and what an earlier run left."""
    own = KnowledgePlace(own_root(base.repository))
    for place in dict.fromkeys((base.place, own)):
        if place != target and is_directory(place.directory):
            yield place


def _copy(sources: Iterator[KnowledgePlace], target: KnowledgePlace) -> tuple[_Moved, list[str]]:
    index, noted = load_index(target)
    notes = list(noted)
    present: dict[tuple[str, str], Entry] = {}
    for one in index:
        present[one.kind, one.id] = read_entry(target, one.kind, one.id)
    taken = {one.id for one in index}
    moved: _Moved = {}
    for source in sources:
        found, noted = load_index(source)
        notes += noted
        for one in found:
            entry = read_entry(source, one.kind, one.id)
            key = (source.root, source.base, one.kind, one.id)
            if present.get((one.kind, one.id)) == entry:
                moved[key] = entry
                continue
            number = 2
            while entry.id in taken:
                entry, number = entry._replace(id=f"{one.id}-{number}"), number + 1
            taken.add(entry.id)
            moved[key] = entry
    write_entries(target, index, moved.values())
    return moved, notes


def _is_copied(
    source: KnowledgePlace, target: KnowledgePlace, kind: str, identifier: str, moved: _Moved
) -> bool:
    entry = moved.get((source.root, source.base, kind, identifier))
    return entry is not None and read_entry(target, kind_of(entry), entry.id) == entry


def _declare(root: Path, configuration: Configuration, directory: str) -> FileEdit | None:
    """The edit of the memory file; None if it names the directory already."""
    if configuration.knowledge.path and (
        check_shared_path(root, configuration.knowledge.path) == directory
    ):
        return None
    names = [name for name in MEMORY_FILE_NAMES if (root / name).exists()]
    found = configuration.memory_file
    path = found or resolve_inside(root, names[0] if names else MEMORY_FILE_NAMES[0])
    name = path.relative_to(root).as_posix()
    try:
        before: bytes | None = read_memory_bytes(root, name)
    except FileNotFoundError:
        before = None
    written = configuration.locate("knowledge", "path")
    if before is not None and written:
        lines = before.splitlines(keepends=True)
        old = configuration.knowledge.path.encode()
        line = lines[written[1] - 1]
        head, _, tail = line.rpartition(old)
        lines[written[1] - 1] = head + directory.encode() + tail
        return FileEdit(name, before, b"".join(lines))
    required = RequiredContent((), (), {"Knowledge": (("Path", directory),)}, {})
    after = add_sections(before, required, path)
    if after is None:
        text = f"already has a section on knowledge: add `- **Path**: {directory}` to it by hand"
        raise ConfigurationError(text, path)
    return FileEdit(name, before, after)
