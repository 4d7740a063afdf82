"""Which decisions of the code another repository of the organisation has recorded."""

# Governing: SPEC-0033 REQ "Search everywhere", ADR-0044 (implicit decisions from evidence)

from __future__ import annotations

from collections.abc import Sequence

from sdd_hooks.drift.discover.candidates import ImplicitDecision
from sdd_hooks.drift.discover.choices import find_choices
from sdd_hooks.drift.discover.decided import (
    MAX_RECORDS,
    MIN_COSINE,
    Decided,
    Reason,
    Sifted,
    is_chosen,
    is_in_title,
)
from sdd_hooks.engines.protocol import SubQuery
from sdd_hooks.project.project import Project
from sdd_hooks.reporting.everywhere import describe_age
from sdd_hooks.retrieval.search import HitLimits
from sdd_hooks.usecases.reading.everywhere import EverywhereHit, FoundArtifact, open_everywhere

_LIMITS = HitLimits(max_hits=MAX_RECORDS, min_score=0.0)


def sift_everywhere(project: Project, candidates: Sequence[ImplicitDecision], now: float) -> Sifted:
    """Query the decision records of the organisation for each candidate, and divide these.

    Raises EngineUnavailable without an organisation's index, NotIndexed and StorageError.
    """
    open_: list[ImplicitDecision] = []
    decided: list[Decided] = []
    repositories: dict[str, None] = {}
    notes: dict[str, None] = {}
    with open_everywhere(project) as reader:
        for candidate in candidates:
            words = " ".join(name for names in candidate.names for name in names[:2])
            searches = (SubQuery("lex", words), SubQuery("vec", candidate.title))
            hits, more = reader.search(searches, "adrs", _LIMITS)
            notes |= dict.fromkeys(more)
            if by := _decided(candidate, hits):
                decided.append(by[0])
                repositories[by[1]] = None
            else:
                open_.append(candidate)
        ages = reader.freshness(repositories)
    header = (f"{one.name}: {describe_age(one.touched, now)}" for one in ages)
    return Sifted(tuple(open_), tuple(decided), (*header, *notes))


def _decided(
    candidate: ImplicitDecision, hits: Sequence[EverywhereHit]
) -> tuple[Decided, str] | None:
    for hit in hits:
        found = hit.found
        if found is None or not found.artifact.status.authoritative:
            continue
        if reason := _reason(candidate, hit, found):
            cosine = hit.hit.hit.cosine if reason == "cosine" else None
            artifact = found.artifact
            status, path = artifact.status.value, artifact.path
            one = Decided(candidate, hit.label, artifact.title, status, path, reason, cosine)
            return one, hit.repository
    return None


def _reason(candidate: ImplicitDecision, hit: EverywhereHit, found: FoundArtifact) -> Reason | None:
    if (hit.hit.hit.cosine or 0.0) >= MIN_COSINE:
        return "cosine"
    if is_in_title(candidate, found.artifact.title):
        return "title"
    chosen = is_chosen(candidate, find_choices(found.artifact, found.text))
    return "decision" if chosen else None
