"""Collect the context of a session from all repositories of an organisation."""

# Governing: SPEC-0033 REQ "Search everywhere", SPEC-0016 (context of a session)

from __future__ import annotations

from sdd_hooks.artifacts.corpus import Corpus, find_replacements
from sdd_hooks.engines.protocol import SubQuery
from sdd_hooks.project.collections import RECORD_KINDS
from sdd_hooks.project.project import Project
from sdd_hooks.reporting.everywhere import describe_age
from sdd_hooks.reporting.priming import PrimeReport, Relevance
from sdd_hooks.retrieval.search import HitLimits
from sdd_hooks.usecases.reading.everywhere import EverywhereHit, open_everywhere
from sdd_hooks.usecases.reading.prime import SessionContext, primed_artifact

MAX_ARTIFACTS = 5


def load_everywhere(project: Project, topic: str, now: float) -> SessionContext:
    """Read the artifacts that match a topic best. `now` is in seconds since the epoch.

    Raises EngineUnavailable without an organisation's index, NotIndexed and StorageError.
    """
    searches = (SubQuery("lex", topic), SubQuery("vec", topic))
    notes: dict[str, None] = {}
    found: dict[tuple[str, str], EverywhereHit] = {}
    with open_everywhere(project) as reader:
        hits: list[EverywhereHit] = []
        for kind in RECORD_KINDS:
            some, more = reader.search(searches, kind, HitLimits(max_hits=MAX_ARTIFACTS))
            hits += some
            notes |= dict.fromkeys(more)
        for hit in sorted(hits, key=lambda one: -one.hit.hit.score):
            if hit.found is not None:
                found.setdefault((hit.repository, hit.found.artifact.path), hit)
        shown = [*found.values()][:MAX_ARTIFACTS]
        ages = reader.freshness(one.repository for one in shown)
    replacements = find_replacements(
        Corpus(tuple(one.found.artifact for one in shown if one.found))
    )
    artifacts = []
    for one in shown:
        if one.found is None:
            continue
        made = primed_artifact(one.found.artifact, one.found.text, replacements)
        best = one.hit.hit
        artifacts.append(
            made._replace(
                name=made.name._replace(id=one.label),
                relevance=Relevance(best.score, best.section, best.snippet or best.title),
                text=one.found.text,
            )
        )
    header = tuple(f"{one.name}: {describe_age(one.touched, now)}" for one in ages)
    report = PrimeReport(topic=topic, artifacts=tuple(artifacts), notes=header)
    return SessionContext(report, tuple(notes))
