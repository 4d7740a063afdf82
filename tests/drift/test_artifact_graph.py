from sdd_hooks.artifacts.corpus import ArtifactFile, load_corpus
from sdd_hooks.drift.artifact_graph import build_graph
from sdd_hooks.drift.citations import Citations
from tests.drift.graphs import EDGES, adr, comment, corpus_of, graph_of, issue, path_of


def test_every_relation_is_written_once() -> None:
    graph = graph_of(EDGES, comment("a.go", "SPEC-0001", "Renew", 3), issue("7", "ADR-0002"))
    shown = [
        (one.type, graph.nodes[one.source].name, graph.nodes[one.target].name, one.detail)
        for one in graph.relations
    ]
    assert shown == [
        ("enables", "ADR-0001", "ADR-0002", ""),
        ("governs", "ADR-0001", "SPEC-0001", ""),
        ("related", "ADR-0002", "ADR-0001", ""),
        ("extends", "ADR-0003", "ADR-0002", ""),
        ("supersedes", "ADR-0004", "ADR-0003", ""),
        ("implements", "SPEC-0001", "ADR-0001", ""),
        ("implements", "SPEC-0001", "ADR-0003", ""),
        ("requires", "SPEC-0002", "SPEC-0001", ""),
        ("governed-by", "a.go", "SPEC-0001", "Renew"),
        ("references", "#7", "ADR-0002", ""),
    ]


def test_inverses_that_the_other_end_writes_are_not_derived() -> None:
    assert graph_of({"ADR-0001": "governs: [SPEC-0001]", "SPEC-0001": ""}).derived == 1
    both = {"ADR-0001": "governs: [SPEC-0001]", "SPEC-0001": "implements: [ADR-0001]"}
    assert graph_of(both).derived == 0
    symmetric = {"ADR-0001": "related: [ADR-0002]", "ADR-0002": "related: [ADR-0001]"}
    assert graph_of(symmetric).derived == 0


def test_neighbours_by_dependence_and_in_order_of_their_numbers() -> None:
    graph = graph_of(
        {
            "ADR-0001": "enables: [ADR-0010]",
            "ADR-0002": "extends: [ADR-0001]",
            "ADR-0010": "",
            "SPEC-0001": "implements: [ADR-0001]",
        },
        comment("b.py", "ADR-0001"),
    )
    below = graph.neighbours(below=True)[path_of("ADR-0001")]
    names = [graph.nodes[key].name for key in below]
    assert names == ["ADR-0002", "ADR-0010", "SPEC-0001", "b.py"]
    assert graph.neighbours(below=False)["b.py"] == [path_of("ADR-0001")]


def test_unknown_ids_are_no_nodes() -> None:
    corpus = corpus_of({"ADR-0001": "extends: [ADR-0009]"})
    graph, unknown = build_graph(corpus, Citations((comment("a.py", "ADR-0008"),)))
    assert [node.name for node in graph.nodes.values()] == ["ADR-0001"]
    assert graph.relations == ()
    assert [str(one.id) for one in unknown] == ["ADR-0008"]


def test_an_ambiguous_id_means_the_one_in_the_same_directory() -> None:
    texts = {"a/adr/0001-x.md": adr(1), "b/adr/0001-x.md": adr(1), "b/adr/0002-y.md": adr(2)}
    texts["b/adr/0002-y.md"] = adr(2, "extends: [ADR-0001]")
    files = [ArtifactFile(path, text.encode(), "ADR") for path, text in texts.items()]
    graph, _ = build_graph(load_corpus(files), Citations())
    assert [one.target for one in graph.relations] == ["b/adr/0001-x.md"]


def test_an_artifact_that_names_itself() -> None:
    graph = graph_of({"ADR-0001": "related: [ADR-0001]\nextends: [ADR-0001]"})
    key = path_of("ADR-0001")
    assert graph.related(key) == []
    assert graph.neighbours(below=True) == {}
