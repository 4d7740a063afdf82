from pathlib import Path

import pytest

from sdd_hooks.artifacts.find_artifact import UnknownArtifact
from sdd_hooks.project.project import UnknownName
from sdd_hooks.usecases.drift.graph import (
    MAX_CYCLES,
    GraphHasErrors,
    apply_edges,
    ask_graph,
    list_cycles,
    list_names,
    list_orphans,
    propose_edges,
    reject_edges,
    reset_rejections,
    validate_graph,
)
from sdd_hooks.usecases.drift.graph_loading import BadScope, GraphFilter
from sdd_hooks.usecases.upkeep.external_records import fetch_external_records
from tests.drift.graphs import adr, spec
from tests.support.external import NOW, Handbook, declaring
from tests.support.repos import Repo

ONE, TWO = "docs/adrs/ADR-0001-x.md", "docs/adrs/ADR-0002-x.md"
SPEC = "docs/openspec/specs/pay/spec.md"
FILES = {
    ONE: adr(1, title="Store events", body="## More Information\n\nSPEC-0003 has details.\n"),
    TWO: adr(2, "extends: [ADR-0001]"),
    SPEC: spec(3, "implements: [ADR-0002]", body="### Requirement: Once\n\nIt MUST.\n"),
    "docs/openspec/specs/pay/design.md": "# Design of SPEC-0003: Pay\n",
    "src/pay/a.go": '// Governing: SPEC-0003 REQ "Once"\n',
    "src/b.go": "// Governing: ADR-0001\n",
    "src/c.go": "package c\n",
}


@pytest.fixture
def shop(repo: Repo) -> Repo:
    repo.commit("Start", FILES)
    return repo


def everything(repo: Repo, path: str = "", module: str | None = None) -> GraphFilter:
    return GraphFilter(module, path, repo.root)


def reached(repo: Repo, name: str, path: str = "") -> list[str]:
    view = ask_graph(repo.project(), everything(repo, path), "impact", name).view
    return [node.name for node in view.nodes.values()]


def test_errors_and_warnings(shop: Repo) -> None:
    shop.write(TWO, adr(2, "extends: [ADR-0009]\nsupersedes: [ADR-0001]\nextended-by: [ADR-0003]"))
    shop.write("src/c.go", "// Governing: ADR-0008\n")
    report = validate_graph(shop.project(), everything(shop))
    assert [(one.rule, one.path, one.line) for one in report.errors] == [("unknown-id", TWO, 3)]
    assert [(one.rule, one.path) for one in report.warnings] == [
        ("superseded-status", TWO),
        ("inverse-edge", TWO),
        ("unknown-id", "src/c.go"),
    ]
    assert validate_graph(shop.project(), everything(shop, "src")).errors == ()


def test_a_graph_with_errors_answers_nothing(shop: Repo) -> None:
    shop.write(ONE, adr(1, "extends: [ADR-0002]"))
    with pytest.raises(GraphHasErrors, match="see `sdd graph validate`"):
        reached(shop, "SPEC-0003")
    (cycle,) = list_cycles(shop.project(), everything(shop)).cycles
    assert [str(edge.target) for edge in cycle] == ["ADR-0002", "ADR-0001"]
    assert list_cycles(shop.project(), everything(shop, "src")).cycles == ()


def test_an_unknown_related_id_is_an_error_that_no_answer_needs(shop: Repo) -> None:
    shop.write(TWO, adr(2, "extends: [ADR-0001]\nrelated: [ADR-0009]"))
    assert len(validate_graph(shop.project(), everything(shop)).errors) == 1
    assert reached(shop, "ADR-0002") == ["ADR-0002", "SPEC-0003", "src/pay/a.go"]


@pytest.mark.parametrize("name", ["ADR-0001", "adr 1", ONE, f"./{ONE}"])
def test_an_artifact_by_its_id_and_its_path(shop: Repo, name: str) -> None:
    assert reached(shop, name) == ["ADR-0001", "ADR-0002", "src/b.go", "SPEC-0003", "src/pay/a.go"]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("ADR-0003", "ADR-0003 does not exist: did you mean ADR-0002, ADR-0001?"),
        ("ADR-4000", "ADR-4000 does not exist: did you mean ADR-0002, ADR-0001?"),
        ("store event", "no artifact is called store event: did you mean ADR-0001?"),
        ("foo/ADR-0001", "no artifact is called foo/ADR-0001: did you mean ADR-0001, ADR-0002?"),
        ("zzz", "no artifact is called zzz: `sdd list` lists them"),
        ("src/a\x1b.go", "no artifact is called src/a\\u001b.go: `sdd list` lists them"),
    ],
)
def test_an_unknown_artifact_has_close_matches(shop: Repo, name: str, message: str) -> None:
    with pytest.raises(UnknownArtifact) as caught:
        reached(shop, name)
    assert str(caught.value) == message


def test_an_id_of_several_artifacts(shop: Repo) -> None:
    shop.write("docs/adrs/ADR-0001-y.md", adr(1))
    with pytest.raises(UnknownArtifact, match="is not unique: name one of docs/adrs/ADR-0001-x"):
        reached(shop, "ADR-0001")
    assert reached(shop, "docs/adrs/ADR-0001-y.md")[0] == "ADR-0001"


def test_a_scope_limits_the_files(shop: Repo) -> None:
    assert reached(shop, "ADR-0001", "src/pay")[-1] == "src/pay/a.go"
    assert "src/b.go" not in reached(shop, "ADR-0001", "src/pay")
    places = {"..": "outside", "/": "outside", "nowhere": "does not exist", "x" * 999: "not exist"}
    for path, message in places.items():
        with pytest.raises(BadScope, match=message):
            reached(shop, "ADR-0001", path)


def test_a_scope_that_leads_out_by_a_link(shop: Repo, tmp_path: Path) -> None:
    shop.link("out", tmp_path)
    with pytest.raises(BadScope, match="outside"):
        reached(shop, "ADR-0001", "out")


def test_orphans_of_a_scope(shop: Repo) -> None:
    shop.write("src/c_test.go", "package c\n")
    shop.write("docs/adrs/ADR-0005-x.md", adr(5))
    report = list_orphans(shop.project(), everything(shop))
    assert report.orphans.files == ("src/c.go",)
    assert report.orphans.files_read == 3
    assert [one.name for one in report.orphans.adrs] == ["ADR-0005"]
    assert report.has_citations
    scoped = list_orphans(shop.project(), everything(shop, "src/pay")).orphans
    assert (scoped.files, scoped.files_read) == ((), 1)


def test_a_module(repo: Repo) -> None:
    repo.commit(
        "Start",
        {
            "CLAUDE.md": "## Architecture Context\n\n### Workspace Modules\n\n"
            "| Module | Root |\n|---|---|\n| api | services/api |\n",
            ONE: adr(1),
            TWO: adr(2, 'extends: ["[api]/ADR-0001"]'),
            "services/api/docs/adrs/ADR-0001-x.md": adr(1),
            "services/api/a.py": "# Governing: ADR-0001\n",
        },
    )
    project, scope = repo.project(), everything(repo, module="api")
    whole = ask_graph(project, everything(repo), "impact", "[api]/ADR-0001").view
    assert [node.name for node in whole.nodes.values()][1:] == ["ADR-0002", "services/api/a.py"]
    own = ask_graph(project, scope, "impact", "ADR-0001").view
    assert [node.name for node in own.nodes.values()] == ["[api]/ADR-0001", "services/api/a.py"]
    assert validate_graph(project, scope).nodes == 2
    with pytest.raises(UnknownName):
        validate_graph(project, everything(repo, module="web"))
    assert list_names(project) == ["ADR-0001", "ADR-0002", "[api]/ADR-0001"]


def test_a_long_cycle_and_many_cycles(repo: Repo) -> None:
    path = "docs/adrs/ADR-{:04d}-x.md"
    every = range(1, 161)
    files = {path.format(n): adr(n, f"extends: [ADR-{n % 160 + 1:04d}]") for n in every}
    repo.commit("A cycle", files)
    project, scope = repo.project(), everything(repo)
    (error,) = validate_graph(project, scope).errors
    assert "ADR-0021 … 120 more … extends ADR-0142" in error.message
    with pytest.raises(GraphHasErrors) as caught:
        reached(repo, "ADR-0001")
    assert len(str(caught.value)) < 500
    assert list_cycles(project, scope).left_out == 0
    others = {n: f"ADR-{n % 160 + 1:04d}, ADR-{max(1, n - 2):04d}" for n in every}
    files = {path.format(n): adr(n, f"extends: [{others[n]}]") for n in every}
    repo.commit("Many cycles", files)
    report = list_cycles(project, scope)
    assert len(report.cycles) == MAX_CYCLES
    assert report.left_out == 61


def test_a_decision_of_another_repository(handbook: Handbook, repo: Repo) -> None:
    edge = adr(2, 'extends: ["acme/ADR-0001"]')
    repo.write(TWO, edge)
    repo.write("a.go", "// Governing: acme/ADR-0003, acme/ADR-0009\n")
    declaring(repo, handbook.line)
    assert fetch_external_records(repo.project(), lambda: NOW) == ()
    project, scope = repo.project(), everything(repo)
    report = validate_graph(project, scope)
    assert (report.errors, report.written) == ((), 2)
    assert reached(repo, "acme/handbook/ADR-0001") == ["acme/ADR-0001", "ADR-0002"]
    view = ask_graph(project, scope, "ancestors", "ADR-0002").view
    assert next(iter(view.nodes.values())).title == "Use Kafka for events"
    repo.write(TWO, edge.replace('0001"', '0008"'))
    (error,) = validate_graph(project, scope).errors
    assert "acme/ADR-0008, which does not exist" in error.message


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
