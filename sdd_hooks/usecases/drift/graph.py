"""Answer questions about the artifact graph of a work tree, and backfill the edges that prose
states: propose them, write them, or remember that they are wrong."""

# Governing: SPEC-0021 (artifact-graph)

from __future__ import annotations

from collections.abc import Sequence

from sdd_hooks.artifacts.corpus import Corpus
from sdd_hooks.artifacts.edges import Edge, find_cycles
from sdd_hooks.artifacts.find_artifact import UnknownArtifact
from sdd_hooks.artifacts.identifiers import id_from_name, parse_id
from sdd_hooks.artifacts.named_code import CodePaths
from sdd_hooks.artifacts.work_tree import ARTIFACT_KINDS, list_paths
from sdd_hooks.code.paths import is_production_code
from sdd_hooks.drift.artifact_graph import RELATED, with_names
from sdd_hooks.drift.backfill import (
    Proposal,
    add_rejections,
    find_proposals,
    forget_rejections,
    propose,
    read_rejections,
    write_proposals,
)
from sdd_hooks.drift.citations import Citation
from sdd_hooks.drift.graph_queries import (
    GraphView,
    Orphans,
    Verb,
    find_orphans,
    query_graph,
    view_cycles,
    with_requirements,
)
from sdd_hooks.errors import SddError
from sdd_hooks.findings import Finding
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.collections import RECORD_KINDS, Collection
from sdd_hooks.project.project import Project
from sdd_hooks.system.git import nul_split
from sdd_hooks.text.display import shortened
from sdd_hooks.usecases.drift.graph_loading import (
    GraphFilter,
    LoadedGraph,
    find_key,
    find_names,
    is_inside,
    load_graph,
)

MIN_ARTIFACTS = 3
"""Fewer artifacts may have no edge."""

MAX_CYCLES = 100
"""Cycles that are listed."""

MAX_MESSAGE = 300
"""Characters of the error that an answer is refused for."""

_HARD = frozenset({"unknown-id", "unreadable-id", "cycle"})


class GraphHasErrors(SddError):
    """The graph has hard errors, so that an answer would be incomplete."""

    code = "graph-has-errors"


class GraphReport(NamedTuple):
    """What `validate` found: errors make answers incomplete, warnings do not.

    `has_edges` is False when several artifacts have no edge to another one.
    """

    nodes: int
    written: int
    derived: int
    errors: tuple[Finding, ...]
    warnings: tuple[Finding, ...]
    notes: tuple[str, ...]
    has_edges: bool = True


class GraphAnswer(NamedTuple):
    """The answer to a question about one artifact."""

    view: GraphView
    notes: tuple[str, ...]


class OrphanReport(NamedTuple):
    """The orphans. `has_citations` is False when no source file has a governing comment."""

    orphans: Orphans
    has_citations: bool
    notes: tuple[str, ...]


class CycleReport(NamedTuple):
    """The cycles, each as the edges along it, and a view of them.

    Of more than MAX_CYCLES, these are the shortest, and `left_out` counts the others.
    """

    cycles: tuple[tuple[Edge, ...], ...]
    view: GraphView
    left_out: int = 0


def validate_graph(project: Project, scope: GraphFilter) -> GraphReport:
    """Validate the graph. Raises GitError, UnknownName, BadScope."""
    loaded = load_graph(project, scope)
    graph = loaded.graph
    errors = tuple(one for one in loaded.findings if _is_hard(one))
    others = [one for one in loaded.findings if not _is_hard(one)]
    others += [_unknown_citation(loaded.corpus, one) for one in loaded.unknown]
    return GraphReport(
        len(graph.nodes),
        len(graph.relations),
        graph.derived,
        errors,
        tuple(sorted(others)),
        loaded.notes,
        len(loaded.corpus.artifacts) < MIN_ARTIFACTS
        or any(
            edge.origin == "frontmatter" for one in loaded.corpus.artifacts for edge in one.edges
        ),
    )


def ask_graph(project: Project, scope: GraphFilter, verb: Verb, name: str) -> GraphAnswer:
    """Answer `impact`, `ancestors` or `chain` of the artifact called `name`: its id or its path.

    Of a source file, each shows the artifacts that it cites, and those that name it. Raises
    UnknownArtifact with close matches, GraphHasErrors, and like `validate_graph`.
    """
    loaded = load_graph(project, scope)
    files = CodePaths(nul_split(project.repository.git.output("ls-files", "-z")))
    file = name.removeprefix("./")
    if file not in files or file in loaded.corpus.by_path:
        file = ""
    key = file or find_key(loaded, scope.module, name)
    verb = "ancestors" if file else verb
    hard = [one for one in loaded.findings if _is_hard(one) and not _is_related(loaded, one)]
    if hard:
        more = f" and {len(hard) - 1:,} more" if len(hard) > 1 else ""
        first = hard[0]
        raise GraphHasErrors(
            f"{first.path}:{first.line}: {shortened(first.message, MAX_MESSAGE)}{more}:"
            " an answer would be incomplete, see `sdd graph validate`"
        )
    graph = loaded.graph
    if file or verb != "ancestors":
        shown = graph.nodes if file else query_graph(graph, verb, key).nodes
        graph = with_names(graph, list(find_names(project, loaded, files, shown, file)), key)
    if verb == "chain":
        graph = with_requirements(graph, loaded.corpus, key)
    return GraphAnswer(query_graph(graph, verb, key), loaded.notes)


def list_names(project: Project) -> list[str]:
    """The ids that the names of files have, for completion: no file is read. Raises GitError."""
    names = set()
    for collection in project.select(RECORD_KINDS):
        kind = ARTIFACT_KINDS.get(collection.kind)
        group = (collection,)
        for path in (
            list_paths(project.repository.git, collection.repository, group) if kind else ()
        ):
            stem = path.rpartition("/")[2].partition(".")[0]
            if (
                kind
                and collection.contains(path)
                and (found := id_from_name(stem, kind, collection.module))
            ):
                names.add(str(found))
    return sorted(names)


def list_orphans(project: Project, scope: GraphFilter) -> OrphanReport:
    """List what is connected to nothing. Raises like `validate_graph`."""
    loaded = load_graph(project, scope)
    graph = loaded.graph
    files = _production_code(project, scope.module, loaded.scope)
    has_citations = any(node.kind == "file" for node in graph.nodes.values())
    return OrphanReport(find_orphans(graph, files), has_citations, loaded.notes)


def list_cycles(project: Project, scope: GraphFilter) -> CycleReport:
    """List the cycles of written edges. Raises like `validate_graph`."""
    loaded = load_graph(project, scope)
    written = (edge for artifact in loaded.corpus.artifacts for edge in artifact.edges)
    cycles = [
        cycle
        for cycle in find_cycles(edge for edge in written if edge.origin == "frontmatter")
        if any(is_inside(edge.path, loaded.scope) for edge in cycle)
        and any(edge.path in loaded.graph.nodes for edge in cycle)
    ]
    left_out = max(0, len(cycles) - MAX_CYCLES)
    if left_out:
        shortest = sorted(range(len(cycles)), key=lambda at: (len(cycles[at]), at))
        cycles = [cycles[at] for at in sorted(shortest[:MAX_CYCLES])]
    keys = [[edge.path for edge in cycle if edge.path in loaded.graph.nodes] for cycle in cycles]
    return CycleReport(tuple(cycles), view_cycles(loaded.graph, keys), left_out)


def _is_hard(finding: Finding) -> bool:
    return finding.rule in _HARD and finding.severity == "critical"


def _is_related(loaded: LoadedGraph, finding: Finding) -> bool:
    """Whether an error is about a `related` edge, which no answer follows."""
    return finding.rule != "cycle" and any(
        edge.kind == RELATED and (edge.path, edge.line) == (finding.path, finding.line)
        for artifact in loaded.corpus.artifacts
        if artifact.path == finding.path
        for edge in artifact.edges
    )


def _unknown_citation(corpus: Corpus, citation: Citation) -> Finding:
    """The warning about a governing comment, or an issue, that names an unknown artifact."""
    close = ", ".join(map(str, corpus.close_matches(citation.id)))
    advice = f"did you mean {close}?" if close else "correct it, or remove it"
    what = f"issue {citation.issue}" if citation.issue else "a governing comment"
    message = f"{what} names {citation.id}, which does not exist: {advice}"
    return Finding(citation.path, citation.line, "unknown-id", "warning", message, str(citation.id))


def _production_code(project: Project, module: str | None, scope: str) -> list[str]:
    """The source files in use, sorted."""
    collections = project.select(("code",), module)
    by_repository: dict[str, list[Collection]] = {}
    for one in collections:
        by_repository.setdefault(one.repository, []).append(one)
    paths = {
        path
        for repository, group in by_repository.items()
        for path in list_paths(project.repository.git, repository, group)
        if is_inside(path, scope)
        and is_production_code(path)
        and any(one.contains(path) for one in group)
    }
    return sorted(paths)


class BackfillReport(NamedTuple):
    """Proposals to write edges, and the number of edges that were rejected before."""

    proposals: tuple[Proposal, ...]
    rejected: int
    notes: tuple[str, ...]


def propose_edges(
    project: Project,
    scope: GraphFilter,
    names: Sequence[str],
    edges: Sequence[tuple[str, str]] = (),
) -> BackfillReport:
    """Propose edges that prose states, for the artifacts called `names` (none: all).

    `edges` limit the proposals to these (type, id). Raises UnknownArtifact for a name and for an
    edge that no proposal has, StorageError, and like `validate_graph`.
    """
    loaded = load_graph(project, scope)
    root = project.repository.root
    keys = {find_key(loaded, scope.module, name) for name in names}
    rejected = read_rejections(root)
    proposals, left_out = find_proposals(root, loaded.corpus, rejected)
    chosen = [
        one
        for one in proposals
        if one.artifact.path in loaded.graph.nodes
        and is_inside(one.artifact.path, loaded.scope)
        and (not keys or one.artifact.path in keys)
    ]
    if edges:
        chosen = _limit(chosen, edges)
    return BackfillReport(tuple(chosen), len(rejected), (*loaded.notes, *left_out))


def apply_edges(project: Project, report: BackfillReport) -> tuple[str, ...]:
    """Write proposals. Returns the paths of the files. Raises as `file_edits.apply_edits`."""
    writable = [one for one in report.proposals if not one.problem]
    write_proposals(project.repository.root, writable)
    return tuple(one.artifact.path for one in writable)


def reject_edges(project: Project, report: BackfillReport) -> int:
    """Remember that proposals were rejected. Returns the number of edges. Raises StorageError."""
    edges = [edge for proposal in report.proposals for edge in proposal.edges]
    if edges:
        add_rejections(project.repository.root, edges)
    return len(edges)


def reset_rejections(project: Project) -> int:
    """Forget what was rejected. Returns the number of edges. Raises StorageError."""
    return forget_rejections(project.repository.root)


def _limit(proposals: Sequence[Proposal], edges: Sequence[tuple[str, str]]) -> list[Proposal]:
    """The proposals with these edges only."""
    wanted = {(type, str(parse_id(id) or id)) for type, id in edges}
    found: set[tuple[str, str]] = set()
    result = []
    for one in proposals:
        kept = [edge for edge in one.edges if (edge.type, edge.target.name) in wanted]
        found |= {(edge.type, edge.target.name) for edge in kept}
        if kept:
            result.append(propose(one.artifact, kept, one.edit.before or b""))
    if missing := sorted(wanted - found):
        named = ", ".join(f"{type}={id}" for type, id in missing)
        raise UnknownArtifact(f"{named} is not proposed: `sdd graph backfill` lists what is")
    return result
