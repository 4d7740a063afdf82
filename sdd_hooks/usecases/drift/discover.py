"""Find the decisions that the code shows and no record has: none of the repository, or with
`everywhere` none of the organisation."""

# Governing: SPEC-0022 (discover), ADR-0044 (implicit decisions from evidence),
# SPEC-0033 REQ "Search everywhere"

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sdd_hooks.changes.work_tree import WorkFiles
from sdd_hooks.drift.discover.candidates import ImplicitDecision, find_candidates
from sdd_hooks.drift.discover.catalogue import load_catalogue
from sdd_hooks.drift.discover.choices import find_choices
from sdd_hooks.drift.discover.decided import (
    MAX_RECORDS,
    MIN_COSINE,
    Decided,
    Reason,
    Sifted,
    is_chosen,
    is_in_title,
    sift,
)
from sdd_hooks.drift.discover.report import DiscoverReport
from sdd_hooks.drift.discover.survey import survey
from sdd_hooks.drift.discover.tree import SourceTree
from sdd_hooks.drift.target import Target, UnknownTarget, find_target
from sdd_hooks.engines.protocol import SubQuery
from sdd_hooks.errors import EXIT_USAGE, SddError
from sdd_hooks.freshness.read_gate import open_fresh_index
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.project import Project
from sdd_hooks.reporting.everywhere import describe_age
from sdd_hooks.retrieval.search import HitLimits
from sdd_hooks.text.display import printable_line
from sdd_hooks.usecases.reading.everywhere import EverywhereHit, FoundArtifact, open_everywhere

KINDS = ("adrs",)
MAX_NAMED = 8
"""Decisions that a message names."""

_LIMITS = HitLimits(max_hits=MAX_RECORDS, min_score=0.0)


class DiscoverRequest(NamedTuple):
    """What to look at: a path relative to `directory` ("": all), and a module (None: all).

    With `everywhere`, the records are those of the organisation's index, and not of the project's.
    """

    directory: Path
    scope: str = ""
    module: str | None = None
    everywhere: bool = False


class UnknownCandidate(SddError):
    """The user names no decision that was found."""

    exit_code = EXIT_USAGE
    code = "usage"


class Discovered(NamedTuple):
    """The report, and warnings about the index and the project."""

    report: DiscoverReport
    warnings: tuple[str, ...]


def discover(project: Project, request: DiscoverRequest, now: float) -> Discovered:
    """Find the decisions that the work tree shows. `now` is in seconds since the epoch.

    Raises:
        UnknownName: the project does not have the module.
        UnknownTarget: the scope is no file and no directory of the repository.
        NotIndexed: nothing is indexed.
        EngineUnavailable, StorageError: the index cannot be read.
        GitError: git cannot list the files.
    """
    target = _target(project, request)
    # A decision of the root holds in its modules, too.
    records = [
        one
        for one in project.select(KINDS)
        if request.module in (None, one.module) or not one.module
    ]
    submodules = dict.fromkeys(one.repository for one in project.collections if one.repository)
    tree = SourceTree(WorkFiles(project.repository.git, tuple(submodules)), target.scope.contains)
    findings = survey(tree, load_catalogue())
    found = find_candidates(findings)
    warnings: tuple[str, ...] = ()
    if request.everywhere:
        sifted = sift_everywhere(project, found, now)
        header = sifted.notes
    else:
        with open_fresh_index(project, now) as (engine, freshness):
            sifted = sift(project, engine, found, records)
            header = (*freshness.notes, *sifted.notes)
            warnings = freshness.warnings
    report = DiscoverReport(
        target.name,
        sum(findings.sources.values()),
        sifted.open,
        sifted.decided,
        header,
        findings.notes,
    )
    return Discovered(report, (*warnings, *project.warnings))


def choose_candidate(report: DiscoverReport, id: str) -> ImplicitDecision:
    """Return the decision with this id, of those without a record; "" for the first.

    Raises UnknownCandidate.
    """
    for candidate in report.candidates:
        if id in ("", candidate.id):
            return candidate
    for one in report.skipped:
        if one.candidate.id == id:
            record = printable_line(one.record)
            raise UnknownCandidate(f"{id} has a record already: {record} in {one.path}")
    if not report.candidates:
        raise UnknownCandidate("there is no decision to draft: `sdd discover` found none")
    known = ", ".join(one.id for one in report.candidates[:MAX_NAMED])
    more = len(report.candidates) - MAX_NAMED
    rest = f" and {more} more (`sdd discover --all`)" if more > 0 else ""
    raise UnknownCandidate(
        f"no decision is called {printable_line(id)}: it is one of {known}{rest}"
    )


def _target(project: Project, request: DiscoverRequest) -> Target:
    target = find_target(project, request.directory, request.scope, request.module, tuple)
    if target.kind == "record":
        raise UnknownTarget(f"{request.scope} is a record: name a file or a directory")
    return target


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
