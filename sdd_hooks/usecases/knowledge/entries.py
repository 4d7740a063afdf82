"""The knowledge base of a repository: look entries up, delete them, write the index again."""

# Governing: ADR-0055 (knowledge belongs to its authors), SPEC-0028 (knowledge base)

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from sdd_hooks.config.configuration import Configuration, load_configuration
from sdd_hooks.errors import EXIT_USAGE, SddError
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.knowledge_place import KnowledgePlace, find_knowledge, own_root
from sdd_hooks.project.repository import Repository, discover, ignore_derived_state
from sdd_hooks.system.files import is_directory

if TYPE_CHECKING:
    from sdd_hooks.knowledge.entries import EntryKind
    from sdd_hooks.knowledge.index import IndexEntry
    from sdd_hooks.knowledge.lookup import Found, Wanted
    from sdd_hooks.knowledge.store import ReadIndex


MAX_CONSULTED = 3
"""Entries that a command of another purpose mentions."""


class UnknownEntry(SddError):
    """There is no entry with this id, or there are two."""

    exit_code = EXIT_USAGE
    code = "knowledge"


class KnowledgeBase(NamedTuple):
    """The knowledge base of a repository, and the configuration that says where it is."""

    repository: Repository
    configuration: Configuration
    place: KnowledgePlace

    @property
    def own_root(self) -> Path:
        """The top of the work tree whose `.sdd` has the state and the session log."""
        return own_root(self.repository)


def open_knowledge(start: Path, environ: Mapping[str, str]) -> KnowledgeBase:
    """Open the knowledge base of the repository around `start`. Reads its memory file alone.

    Raises RepositoryError and ConfigurationError.
    """
    repository = discover(start, environ)
    return knowledge_of(repository, load_configuration(repository.root))


def knowledge_of(repository: Repository, configuration: Configuration) -> KnowledgeBase:
    """The knowledge base of a repository. Raises ConfigurationError."""
    return KnowledgeBase(repository, configuration, find_knowledge(repository, configuration))


@contextmanager
def writing(base: KnowledgeBase) -> Iterator[KnowledgeBase]:
    """Hold the lock inside the block. Yields the base where it is now: another process may have
    moved it. Raises StorageError and ConfigurationError."""
    from sdd_hooks.knowledge.store import lock_knowledge

    repository = base.repository
    with lock_knowledge(repository):
        yield knowledge_of(repository, load_configuration(repository.root))
    if (base.own_root / ".sdd").is_dir():
        ignore_derived_state(base.own_root)


def look_up(base: KnowledgeBase, wanted: Wanted) -> tuple[Found, tuple[str, ...]]:
    """Find entries by tags and phases. Reads the index, and the entries that it returns.

    Returns notes about the index, too. Raises StorageError.
    """
    from sdd_hooks.knowledge.lookup import load_matches
    from sdd_hooks.knowledge.store import read_index

    index, notes = read_index(base.repository, base.place)
    return load_matches(base.place, index, wanted), notes


def consult(
    repository: Repository, configuration: Configuration, text: str, phase: str
) -> tuple[str, ...]:
    """Notes about the entries whose tags are words of a text, for a phase such as `designing-*`.

    Reads the index alone. A knowledge base that cannot be read gives no note: the command that asks
    has another purpose.
    """
    from sdd_hooks.knowledge.drafts import words_of
    from sdd_hooks.knowledge.lookup import Wanted, match_entries
    from sdd_hooks.knowledge.store import read_index

    try:
        place = find_knowledge(repository, configuration)
        if not is_directory(place.directory):
            return ()
        known, _ = read_index(repository, place)
    except SddError:
        return ()
    tags = words_of(text)
    matches = match_entries(known, Wanted(tags, (phase,))) if tags else []
    return tuple(f"{one.kind} {one.id}: {one.summary}" for one, _ in matches[:MAX_CONSULTED])


def find_entry(base: KnowledgeBase, identifier: str, kind: EntryKind | None) -> IndexEntry:
    """Find an entry by its id. Raises UnknownEntry for none, or for two without `kind`."""
    from sdd_hooks.knowledge.store import read_index

    index, _ = read_index(base.repository, base.place)
    found = [one for one in index.find(identifier) if kind in {None, one.kind}]
    if not found:
        from difflib import get_close_matches

        close = get_close_matches(identifier, [one.id for one in index], n=1)
        hint = f": did you mean {close[0]}?" if close else " in the knowledge base"
        raise UnknownEntry(f"there is no {kind or 'entry'} {identifier!a}{hint}")
    if len(found) > 1:
        raise UnknownEntry(f"{identifier} is a pattern and a lesson: add --type pattern or lesson")
    return found[0]


def delete_entries(base: KnowledgeBase, entries: Sequence[IndexEntry]) -> tuple[str, ...]:
    """Delete the files of entries, and their lines in the index. Returns warnings.

    Raises StorageError.
    """
    from sdd_hooks.knowledge.store import load_index, write_entries

    with writing(base) as now:
        index, notes = load_index(now.place)
        write_entries(now.place, index, deleted=entries)
    return (*notes, *refresh_shared(now, [one.file for one in entries]))


def reindex(base: KnowledgeBase) -> ReadIndex:
    """Write the index again from every file; the notes name invalid ones. Raises StorageError."""
    from sdd_hooks.knowledge.store import rebuild_index

    with writing(base) as now:
        return rebuild_index(now.place)


def refresh_shared(base: KnowledgeBase, files: Sequence[str]) -> tuple[str, ...]:
    """Refresh the collection of committed entries after a write. Returns warnings."""
    if not base.place.shared or not files:
        return ()
    from sdd_hooks.engines.registry import is_indexed
    from sdd_hooks.project.project import read_project
    from sdd_hooks.usecases.upkeep.refresh import collections_containing, refresh_after_write

    project = read_project(base.repository)
    if not is_indexed(project):
        return ()
    written = collections_containing(project, [f"{base.place.base}/{file}" for file in files])
    return refresh_after_write(project, written)
