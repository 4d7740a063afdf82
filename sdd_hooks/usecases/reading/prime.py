"""Collect the context of a session: every artifact, or those that match a topic; with the committed
patterns and lessons, or from all repositories of an organisation."""

# Governing: SPEC-0016 (context of a session), SPEC-0007 REQ "At the start of a session",
# SPEC-0028 REQ "Shared knowledge", SPEC-0033 REQ "Search everywhere"

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.corpus import Corpus, find_replacements, load_corpus
from sdd_hooks.artifacts.identifiers import ArtifactId
from sdd_hooks.artifacts.summary import summarize
from sdd_hooks.artifacts.work_tree import read_artifact_files
from sdd_hooks.changes.record_history import describe_overdue
from sdd_hooks.engines.registry import is_indexed, not_indexed
from sdd_hooks.freshness.read_gate import open_index
from sdd_hooks.freshness.read_gate import prime as refresh_index
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.collections import RECORD_KINDS
from sdd_hooks.project.knowledge_place import KNOWLEDGE, find_knowledge
from sdd_hooks.project.project import Project
from sdd_hooks.reporting.priming import (
    ArtifactName,
    PrimedArtifact,
    PrimedKnowledge,
    PrimeReport,
    Relevance,
)
from sdd_hooks.text.documents import document_text

if TYPE_CHECKING:
    from sdd_hooks.engines.protocol import Engine
    from sdd_hooks.knowledge.index import IndexEntry
    from sdd_hooks.retrieval.topic_matches import TopicMatch
    from sdd_hooks.usecases.reading.everywhere import EverywhereHit, FoundArtifact

MAX_LISTED = 20
"""Entries that a session gets without a topic."""

MAX_ABOUT = 5
"""Entries that it gets about a topic."""

MAX_ARTIFACTS = 5
"""Artifacts that it gets from all repositories of an organisation."""


class SessionContext(NamedTuple):
    """The report, and notes and warnings about how it was made."""

    report: PrimeReport
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def load_context(project: Project, module: str | None, now: float) -> SessionContext:
    """Refresh the index if that is due, and read every artifact of `module` (None: of all).

    Artifacts come from the work tree, committed or not, without a search. `now` is in seconds
    since the epoch. Raises UnknownName and GitError.
    """
    collections = project.select(RECORD_KINDS, module)
    freshness = refresh_index(project, now)
    files, left_out = read_artifact_files(project.repository.git, collections)
    corpus = load_corpus(files)
    texts = {file.path: file.data for file in files}
    replacements = find_replacements(corpus)
    primed = [
        _primed_artifact(artifact, document_text(artifact.path, texts[artifact.path]), replacements)
        for artifact in sorted(corpus.artifacts, key=_order)
    ]
    header = freshness.notes if is_indexed(project) else (str(not_indexed(project)),)
    git, within = project.repository.git, project.configuration.review.review_within
    overdue = describe_overdue(corpus.artifacts, git, date.fromtimestamp(now), within)
    report = PrimeReport(
        topic=None,
        artifacts=tuple(one for one in primed if one.authoritative),
        excluded=tuple(one for one in primed if not one.authoritative),
        modules=_modules(project, module),
        notes=(*header, *list(overdue.values())[:MAX_LISTED]),
    )
    learned = find_learned(project, module)
    report = report._replace(knowledge=learned.entries)
    return SessionContext(report, (*left_out, *learned.notes), freshness.warnings)


def load_topic(project: Project, topic: str, module: str | None, now: float) -> SessionContext:
    """Refresh the index if that is due, and read the artifacts that match a topic.

    Raises UnknownName, NotIndexed, and what `open_engine` raises.
    """
    from sdd_hooks.retrieval.topic_matches import find_topic_matches

    collections = project.select(RECORD_KINDS, module)
    freshness = refresh_index(project, now)
    with open_index(project) as engine:
        matches = find_topic_matches(project, engine, topic, collections)
        learned = find_learned_about(project, engine, topic, module)
    replacements = find_replacements(Corpus(tuple(one.artifact for one in matches.found)))
    skipped = [
        ArtifactName(other.kind, other.id.bare, other.title, other.path, other.module)
        for other in matches.others
    ]
    report = PrimeReport(
        topic=topic,
        artifacts=tuple(
            _primed_artifact(found.artifact, found.text, replacements)._replace(
                relevance=_relevance(found),
                text=found.text,
            )
            for found in matches.found
        ),
        skipped=tuple(sorted(skipped, key=lambda one: (one.module, one.kind, one.id, one.path))),
        modules=_modules(project, module),
        notes=freshness.notes,
        knowledge=learned.entries,
    )
    return SessionContext(report, (*matches.notes, *learned.notes), freshness.warnings)


def _modules(project: Project, module: str | None) -> tuple[str, ...]:
    return tuple(one.name for one in project.modules) if module is None else ()


def _relevance(found: TopicMatch) -> Relevance:
    hit = found.hit
    return Relevance(hit.score, hit.section, hit.snippet, found.matched)


def _primed_artifact(
    artifact: Artifact, text: str, replacements: Mapping[str, Sequence[ArtifactId]]
) -> PrimedArtifact:
    """Return an artifact for a report. `replacements` are the successors of each path."""
    replaced_by = replacements.get(artifact.path, artifact.successors)
    return PrimedArtifact(
        name=ArtifactName(
            artifact.kind,
            artifact.id.bare,
            artifact.title,
            artifact.path,
            artifact.module,
        ),
        status=artifact.status.value,
        authoritative=artifact.status.authoritative,
        replaced_by=tuple(map(str, replaced_by)),
        requirements=len(artifact.requirements),
        scenarios=sum(len(requirement.scenarios) for requirement in artifact.requirements),
        summary=summarize(artifact, text).sentences,
    )


def _order(artifact: Artifact) -> tuple[object, ...]:
    return (artifact.module, artifact.kind, artifact.id.order[:3], artifact.path)


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


def load_everywhere(project: Project, topic: str, now: float) -> SessionContext:
    """Read the artifacts of all repositories that match a topic best.

    `now` is in seconds since the epoch. Raises EngineUnavailable without an organisation's index,
    NotIndexed and StorageError.
    """
    from sdd_hooks.engines.protocol import SubQuery
    from sdd_hooks.reporting.everywhere import describe_age
    from sdd_hooks.retrieval.search import HitLimits
    from sdd_hooks.usecases.reading.everywhere import open_everywhere

    searches = (SubQuery("lex", topic), SubQuery("vec", topic))
    notes: dict[str, None] = {}
    with open_everywhere(project) as reader:
        hits = []
        for kind in RECORD_KINDS:
            some, more = reader.search(searches, kind, HitLimits(max_hits=MAX_ARTIFACTS))
            hits += [(one, one.found) for one in some if one.found]
            notes |= dict.fromkeys(more)
        best: dict[tuple[str, str], tuple[EverywhereHit, FoundArtifact]] = {}
        for hit, found in sorted(hits, key=lambda one: -one[0].hit.hit.score):
            best.setdefault((found.repository, found.artifact.path), (hit, found))
        shown = [*best.values()][:MAX_ARTIFACTS]
        ages = reader.freshness(found.repository for _, found in shown)
    replacements = find_replacements(Corpus(tuple(found.artifact for _, found in shown)))
    artifacts = []
    for hit, found in shown:
        made = _primed_artifact(found.artifact, found.text, replacements)
        most = hit.hit.hit
        relevance = Relevance(most.score, most.section, most.snippet or most.title)
        name = made.name._replace(id=found.label)
        artifacts.append(made._replace(name=name, relevance=relevance, text=found.text))
    header = tuple(f"{one.name}: {describe_age(one.touched, now)}" for one in ages)
    report = PrimeReport(topic=topic, artifacts=tuple(artifacts), notes=header)
    return SessionContext(report, tuple(notes))
