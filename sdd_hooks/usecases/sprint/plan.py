"""Plan a specification: read it, compare it with code and issues, and create what is missing."""

# Governing: ADR-0052 (a plan is computed, and created once), SPEC-0025 (planning), SPEC-0007 REQ
# "Issues of the tracker"

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.find_artifact import find_artifact
from sdd_hooks.artifacts.work_tree import MAX_ARTIFACT_BYTES, read_work_tree
from sdd_hooks.code.paths import is_production_code
from sdd_hooks.drift.citations import read_citations, resolve_citation
from sdd_hooks.errors import EXIT_USAGE, SddError
from sdd_hooks.freshness.read_gate import open_fresh_index, open_index
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.planning.plan.build import PlanSurroundings, build_plan
from sdd_hooks.planning.plan.creation import PlannedChanges
from sdd_hooks.planning.plan.hotspots import read_merges
from sdd_hooks.planning.plan.requirements import read_planned
from sdd_hooks.planning.plan.shared_artifacts import find_names
from sdd_hooks.planning.plan.story import Plan, PlanIssue
from sdd_hooks.project.project import Project
from sdd_hooks.retrieval.search import incomplete_notes, pending_notes
from sdd_hooks.system.files import read_inside
from sdd_hooks.system.git import nul_split
from sdd_hooks.text.decoding import decode
from sdd_hooks.trackers.issue_file import StoredIssue
from sdd_hooks.trackers.source import TrackerSource
from sdd_hooks.usecases.knowledge.entries import consult
from sdd_hooks.usecases.sprint.code_base import indexed_names, read_code_base, search_kind
from sdd_hooks.usecases.sprint.plan_creation import Creation, PlanTarget, create_plan, rehearse_plan
from sdd_hooks.usecases.sprint.read_issues import EVERY_ISSUE, current_issues
from sdd_hooks.usecases.upkeep.sync import SyncCallbacks, sync_if_due

RELATED_SCORE = 0.5
"""The shown score from which an issue is about a requirement."""


class NotASpecification(SddError):
    """What the user names is a decision, or a specification that is not to be built."""

    exit_code = EXIT_USAGE
    code = "usage"


class PlanRequest(NamedTuple):
    """What to plan: the id or path of a specification, and the module that it is looked up in.

    With `create`, missing issues are created; with `dry_run`, the changes are only determined.
    """

    name: str
    module: str | None = None
    create: bool = False
    dry_run: bool = False


class PlanCallbacks(NamedTuple):
    """What a plan calls while it runs: those of its sync, and one with each created issue."""

    syncing: SyncCallbacks
    on_created: Callable[[PlanIssue], None] = lambda _issue: None


class PlanOutcome(NamedTuple):
    """The plan, with the name of the tracker ("" without one), notes and warnings.

    `header` has the lines about the index. `changes` is what `dry_run` found, `creation` what was
    done.
    """

    plan: Plan
    tracker: str
    header: tuple[str, ...]
    warnings: tuple[str, ...]
    changes: PlannedChanges | None = None
    creation: Creation | None = None


def plan(
    project: Project,
    request: PlanRequest,
    sources: Sequence[TrackerSource],
    clock: Callable[[], float],
    callbacks: PlanCallbacks,
) -> PlanOutcome:
    """Plan a specification. `sources` may be empty unless issues are created.

    Raises:
        UnknownArtifact, NotASpecification, NothingToPlan: there is nothing to plan.
        NotIndexed: nothing is indexed.
        RemoteError: issues are to be created, and the tracker cannot be read.
        EngineUnavailable, StorageError, GitError.
    """
    artifact = _find_spec(project, request)
    # What cannot be planned is refused before the tracker is asked.
    read_planned(artifact, _text_of(project, artifact))
    with open_fresh_index(project, clock()) as (_, freshness):
        warnings = (*freshness.warnings, *project.warnings)
    source = _source_of(artifact, sources)
    header: tuple[str, ...] = ()

    def make(issues: Sequence[StoredIssue]) -> Plan:
        nonlocal header
        made, notes = _make(project, artifact, source, issues, clock())
        header = (*freshness.notes, *notes)
        return made

    if source is None:
        made = make(())
        return PlanOutcome(made, "", header, warnings)
    syncing, on_created = callbacks
    target = PlanTarget(project, source, clock, syncing, on_created)
    if request.create and not request.dry_run:
        creation = create_plan(target, artifact.name, make)
        warnings = (*creation.warnings, *warnings)
        return PlanOutcome(creation.plan, source.label, header, warnings, creation=creation)
    sync = sync_if_due(project, source, clock(), syncing)
    current = current_issues(source, sync, clock(), EVERY_ISSUE, syncing)
    made = make(current.issues)
    warnings = (*sync.warnings, *current.warnings, *warnings)
    changes = rehearse_plan(target, made, current.issues) if request.dry_run else None
    return PlanOutcome(made, source.label, header, warnings, changes)


def _find_spec(project: Project, request: PlanRequest) -> Artifact:
    project.select((), request.module)
    corpus, _ = read_work_tree(project.repository.git, project.collections)
    artifact = find_artifact(corpus, request.name, request.module)
    if artifact.kind != "SPEC":
        raise NotASpecification(
            f"{artifact.name} is a decision: name a specification, which has requirements"
        )
    if not artifact.status.authoritative:
        raise NotASpecification(
            f"{artifact.name} is {artifact.status.value}: plan the specification that replaces it"
        )
    return artifact


def _text_of(project: Project, artifact: Artifact) -> str:
    return decode(read_inside(project.repository.root, artifact.path, MAX_ARTIFACT_BYTES))


def _source_of(artifact: Artifact, sources: Sequence[TrackerSource]) -> TrackerSource | None:
    """The tracker of the specification's module, else that of the repository."""
    by_module = {source.module: source for source in sources}
    return by_module.get(artifact.module) or by_module.get("")


def _make(
    project: Project,
    artifact: Artifact,
    source: TrackerSource | None,
    issues: Sequence[StoredIssue],
    now: float,
) -> tuple[Plan, tuple[str, ...]]:
    """The plan, and lines about the index."""
    git = project.repository.git
    text = _text_of(project, artifact)
    listed = git.output("ls-files", "-z", "--cached", "--others", "--exclude-standard")
    files = frozenset(nul_split(listed))
    with open_index(project) as engine:
        code = read_code_base(project, engine, artifact.module or None)
        tracked = indexed_names(engine, [source.collection] if source else [])
        names = indexed_names(engine, project.select(("code",), artifact.module or None))
        partial = incomplete_notes(names, engine.bookmarks(), engine.touched())
        pending = pending_notes(engine.coverage().pending)
        paths = {issue.path: issue.id for issue in issues}

        def search_issues(query: str) -> Sequence[str]:
            hits = search_kind(engine, "issues", tracked, query, RELATED_SCORE)
            return [paths[hit.path] for hit in hits if hit.path in paths]

        around = PlanSurroundings(
            _claims(project, artifact),
            issues,
            code,
            search_issues,
            find_names(git, files),
            read_merges(git),
            project.configuration.projects.hotspot_threshold,
            now,
        )
        made = build_plan(artifact, text, around)
    learned = consult(project.repository, project.configuration, artifact.title, "planning-*")
    return made, (*partial, *pending, *learned)


def _claims(project: Project, artifact: Artifact) -> Mapping[str, tuple[str, ...]]:
    """The places of the governing comments of code about each requirement, by its name."""
    corpus, _ = read_work_tree(project.repository.git, project.collections)
    names = {" ".join(one.name.casefold().split()): one.name for one in artifact.requirements}
    claims: dict[str, list[str]] = {}
    for citation in read_citations(project, corpus.names).comments:
        name = names.get(" ".join(citation.requirement.casefold().split()))
        if name is None or not is_production_code(citation.path):
            continue
        if any(one.path == artifact.path for one in resolve_citation(corpus, citation)):
            claims.setdefault(name, []).append(f"{citation.path}:{citation.line}")
    return {name: tuple(places) for name, places in claims.items()}
