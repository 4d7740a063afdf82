"""Which candidates a record already decides: by meaning, or by the words of what it decides.

Only the records that the index returns for a candidate are read.
"""

# Governing: ADR-0044 (implicit decisions from evidence), SPEC-0022 REQ "Decided Candidates",
# SPEC-0019 of the SDD plugin: "qmd-Smart Drift Skills"

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from sdd_hooks import tracing
from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.drift.discover.candidates import ImplicitDecision
from sdd_hooks.drift.discover.choices import chooses, find_choices, is_named
from sdd_hooks.engines.protocol import Engine, Hit, SubQuery
from sdd_hooks.external.records import read_external_records
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.collections import Collection
from sdd_hooks.project.project import Project
from sdd_hooks.retrieval.records import Records
from sdd_hooks.retrieval.search import HitLimits, search_typed

MIN_COSINE = 0.7
"""The cosine from which a record decides a candidate (SPEC-0019 of the SDD plugin)."""
MAX_RECORDS = 8
"""Records that are read for a candidate."""
_LIMITS = HitLimits(max_hits=MAX_RECORDS, min_score=0.0)
_HALF = 0.5
Reason = Literal["cosine", "title", "decision"]
"""Why a record decides a candidate: it is near in meaning, or its title or decision names it."""


class Decided(NamedTuple):
    """A candidate that a record decides. `cosine` is None unless it is the reason."""

    candidate: ImplicitDecision
    record: str
    title: str
    status: str
    path: str
    reason: Reason
    cosine: float | None = None


class Sifted(NamedTuple):
    """The candidates that no record decides, those that one does, and notes of the search."""

    open: tuple[ImplicitDecision, ...]
    decided: tuple[Decided, ...]
    notes: tuple[str, ...]


def sift(
    project: Project,
    engine: Engine,
    candidates: Sequence[ImplicitDecision],
    collections: Sequence[Collection],
) -> Sifted:
    """Query the decision records in `collections` for each candidate, and divide the candidates.

    Raises NotIndexed: no collection is indexed.
    """
    records = Records(
        project.repository.root,
        engine,
        project.collections,
        lambda: read_external_records(project.repository, project.external),
    )
    open_: list[ImplicitDecision] = []
    decided: list[Decided] = []
    notes: dict[str, None] = {}
    for candidate in candidates:
        words = " ".join(name for names in candidate.names for name in names[:2])
        searches = (SubQuery("lex", words), SubQuery("vec", candidate.title))
        result = search_typed(project, engine, searches, collections, _LIMITS)
        notes.update(dict.fromkeys(result.notes))
        found = _decided(records, candidate, result.hits)
        if found:
            decided.append(found)
        else:
            open_.append(candidate)
    return Sifted(tuple(open_), tuple(decided), tuple(notes))


def _decided(records: Records, candidate: ImplicitDecision, hits: Sequence[Hit]) -> Decided | None:
    near = [one for one in hits if one.cosine is not None and one.cosine >= MIN_COSINE]
    if near:
        hit = max(near, key=lambda one: one.cosine or 0.0)
        return _by(records, candidate, hit, "cosine", f"cosine {hit.cosine:.2f}")
    reasons: tuple[Reason, ...] = ("title", "decision")
    for reason in reasons:
        for hit in hits:
            artifact = records.artifact(hit.collection, hit.path)
            if artifact is None or not artifact.status.authoritative:
                continue
            if reason == "title":
                words = artifact.title if is_in_title(candidate, artifact.title) else ""
            else:
                words = _choosing_words(candidate, artifact, records.text(hit.path) or "")
            if words:
                return _by(records, candidate, hit, reason, words)
    return None


def _choosing_words(candidate: ImplicitDecision, artifact: Artifact, text: str) -> str:
    """The first words with which a record chooses the candidate; "" if it does not."""
    choices = find_choices(artifact, text)
    if not is_chosen(candidate, choices):
        return ""
    names = [name for written in candidate.names for name in written]
    naming = (
        choice
        for choice in choices
        if any(chooses(name, choice, name in candidate.common) for name in names)
    )
    return next(naming, "")


def _by(
    records: Records, candidate: ImplicitDecision, hit: Hit, reason: Reason, words: str
) -> Decided:
    artifact = records.artifact(hit.collection, hit.path)
    label = records.label(hit.collection, hit.path)
    cosine = hit.cosine if reason == "cosine" else None
    record = label.id if label else hit.path
    tracing.log("discover", candidate.id, outcome=f"decided by {record}, {reason}: {words}")
    return Decided(
        candidate,
        record,
        artifact.title if artifact else hit.title,
        artifact.status.value if artifact else "",
        hit.path,
        reason,
        cosine,
    )


def is_chosen(candidate: ImplicitDecision, choices: Sequence[str]) -> bool:
    """Whether the choices of a record name the most used technology of a candidate, or more than
    half of all."""
    chosen = [
        any(chooses(name, choice, name in candidate.common) for choice in choices for name in names)
        for names in candidate.names
    ]
    return chosen[0] or sum(chosen) > _HALF * len(chosen)


def is_in_title(candidate: ImplicitDecision, title: str) -> bool:
    """Whether a title names one of the technologies of a candidate."""
    return any(
        is_named(name, title, name in candidate.common)
        for names in candidate.names
        for name in names
    )
