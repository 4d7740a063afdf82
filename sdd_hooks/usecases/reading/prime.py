"""Collect the context of a session: every artifact, or those that match a topic."""

# Governing: SPEC-0016 (context of a session), SPEC-0007 REQ "At the start of a session"

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.corpus import Corpus, find_replacements, load_corpus
from sdd_hooks.artifacts.identifiers import ArtifactId
from sdd_hooks.artifacts.summary import summarize
from sdd_hooks.artifacts.work_tree import read_artifact_files
from sdd_hooks.engines.registry import is_indexed, not_indexed
from sdd_hooks.freshness.read_gate import open_index
from sdd_hooks.freshness.read_gate import prime as refresh_index
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.collections import RECORD_KINDS
from sdd_hooks.project.project import Project
from sdd_hooks.reporting.priming import ArtifactName, PrimedArtifact, PrimeReport, Relevance
from sdd_hooks.text.decoding import decode
from sdd_hooks.usecases.reading.prime_knowledge import find_learned, find_learned_about

if TYPE_CHECKING:
    from sdd_hooks.retrieval.topic_matches import TopicMatch


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
        primed_artifact(artifact, decode(texts[artifact.path]), replacements)
        for artifact in sorted(corpus.artifacts, key=_order)
    ]
    header = freshness.notes if is_indexed(project) else (str(not_indexed(project)),)
    report = PrimeReport(
        topic=None,
        artifacts=tuple(one for one in primed if one.authoritative),
        excluded=tuple(one for one in primed if not one.authoritative),
        modules=_modules(project, module),
        notes=header,
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
        ArtifactName(other.kind, _bare(other.id), other.title, other.path, other.module)
        for other in matches.others
    ]
    report = PrimeReport(
        topic=topic,
        artifacts=tuple(
            primed_artifact(found.artifact, found.text, replacements)._replace(
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
    # A hit of the heading alone has no excerpt.
    return Relevance(
        hit.score, hit.section, hit.snippet or ("the heading" if hit.section else "the title")
    )


def primed_artifact(
    artifact: Artifact, text: str, replacements: Mapping[str, Sequence[ArtifactId]]
) -> PrimedArtifact:
    """Return an artifact for a report. `replacements` are the successors of each path."""
    replaced_by = replacements.get(artifact.path, artifact.successors)
    return PrimedArtifact(
        name=ArtifactName(
            artifact.kind,
            _bare(artifact.id),
            artifact.title,
            artifact.path,
            artifact.module,
        ),
        status=artifact.status.value,
        authoritative=artifact.status.authoritative,
        replaced_by=tuple(map(str, replaced_by)),
        requirements=len(artifact.requirements),
        scenarios=sum(len(requirement.scenarios) for requirement in artifact.requirements),
        summary=summarize(artifact, text),
    )


def _bare(identifier: ArtifactId | None) -> str:
    """The id without its module, which a report shows separately."""
    return f"{identifier.kind}-{identifier.number:04d}{identifier.suffix}" if identifier else ""


def _order(artifact: Artifact) -> tuple[object, ...]:
    number = (0, artifact.id.number, artifact.id.suffix) if artifact.id else (1, 0, "")
    return (artifact.module, artifact.kind, number, artifact.path)
