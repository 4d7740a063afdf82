"""Propose edges that the prose of artifacts states, write them, or remember that they are wrong."""

# Governing: SPEC-0021 REQ "Backfill"

from __future__ import annotations

from collections.abc import Sequence

from sdd_hooks.artifacts.find_artifact import UnknownArtifact
from sdd_hooks.artifacts.identifiers import parse_id
from sdd_hooks.drift.backfill import (
    Proposal,
    add_rejections,
    find_proposals,
    forget_rejections,
    propose,
    read_rejections,
    write_proposals,
)
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.project import Project
from sdd_hooks.usecases.drift.graph_loading import (
    GraphFilter,
    find_key,
    is_inside,
    load_graph,
)


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
