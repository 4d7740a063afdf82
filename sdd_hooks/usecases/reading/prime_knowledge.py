"""The committed patterns and lessons of a session's context."""

# Governing: SPEC-0028 REQ "Shared knowledge", SPEC-0016 (context of a session)

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.knowledge_place import KNOWLEDGE, find_knowledge
from sdd_hooks.project.project import Project
from sdd_hooks.reporting.priming import PrimedKnowledge

if TYPE_CHECKING:
    from sdd_hooks.engines.protocol import Engine
    from sdd_hooks.knowledge.index import IndexEntry

MAX_LISTED = 20
"""Entries that a session gets without a topic."""

MAX_ABOUT = 5
"""Entries that it gets about a topic."""


class Learned(NamedTuple):
    """The entries of the report, and notes about those that are left out."""

    entries: tuple[PrimedKnowledge, ...] = ()
    notes: tuple[str, ...] = ()


def find_learned(project: Project, module: str | None) -> Learned:
    """The first committed entries, from their index. A module has none. Raises StorageError."""
    if module or not _is_committed(project):
        return Learned()
    from sdd_hooks.knowledge.store import read_index

    place = find_knowledge(project.repository, project.configuration)
    known, notes = read_index(project.repository, place)
    entries = tuple(_primed(one, place.base) for one in known)
    more = len(entries) - MAX_LISTED
    if more > 0:
        notes = (*notes, f"{more} more patterns and lessons: `sdd knowledge lookup --tags TAG`")
    return Learned(entries[:MAX_LISTED], notes)


def find_learned_about(project: Project, engine: Engine, topic: str, module: str | None) -> Learned:
    """The committed entries that a search for the topic finds, the best first.

    Raises StorageError.
    """
    indexed = engine.bookmarks()
    collections = [
        one for one in project.collections if one.kind == KNOWLEDGE and one.name in indexed
    ]
    if module or not collections:
        return Learned()
    from sdd_hooks.knowledge.store import read_index
    from sdd_hooks.retrieval.search import HitLimits, search

    found = search(project, engine, topic, collections, HitLimits(MAX_ABOUT))
    place = find_knowledge(project.repository, project.configuration)
    known, notes = read_index(project.repository, place)
    by_path = {f"{place.base}/{one.file}": one for one in known}
    paths = dict.fromkeys(PurePosixPath(hit.path).as_posix() for hit in found.hits)
    return Learned(
        tuple(_primed(by_path[path], place.base) for path in paths if path in by_path), notes
    )


def _is_committed(project: Project) -> bool:
    return any(one.kind == KNOWLEDGE for one in project.collections)


def _primed(one: IndexEntry, base: str) -> PrimedKnowledge:
    return PrimedKnowledge(
        one.kind, one.id, one.tags, one.trigger, one.summary, f"{base}/{one.file}"
    )
