import pytest

from sdd_hooks.artifacts.find_artifact import UnknownArtifact
from sdd_hooks.usecases.drift.backfill import (
    apply_edges,
    propose_edges,
    reject_edges,
    reset_rejections,
)
from sdd_hooks.usecases.drift.graph_loading import GraphFilter
from tests.support.repos import Repo
from tests.usecases.drift.test_graph import FILES, ONE


def test_edges_are_proposed_written_and_rejected(repo: Repo) -> None:
    repo.commit("Start", FILES)
    project, scope = repo.project(), GraphFilter(None, "", repo.root)
    (proposal,) = propose_edges(project, scope, ["ADR-0001"]).proposals
    assert [(edge.type, edge.target.name) for edge in proposal.edges] == [("governs", "SPEC-0003")]
    assert propose_edges(project, scope, ["ADR-0002"]).proposals == ()
    report = propose_edges(project, scope, [], [("governs", "spec-003")])
    assert reject_edges(project, report) == 1
    assert propose_edges(project, scope, []).rejected == 1
    assert propose_edges(project, scope, []).proposals == ()
    assert reset_rejections(project) == 1
    assert apply_edges(project, propose_edges(project, scope, [])) == (ONE,)
    assert "governs: [SPEC-0003]" in (repo.root / ONE).read_text()
    with pytest.raises(UnknownArtifact, match="extends=ADR-0001 is not proposed"):
        propose_edges(project, scope, [], [("extends", "ADR-0001")])
