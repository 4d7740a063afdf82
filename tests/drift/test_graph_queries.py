from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.artifacts.corpus import ArtifactFile, Corpus, load_corpus
from sdd_hooks.drift.artifact_graph import ArtifactGraph
from sdd_hooks.drift.graph_queries import (
    Verb,
    find_orphans,
    fold_files,
    query_graph,
    with_requirements,
)
from tests.drift.graphs import EDGES, comment, corpus_of, graph_of, issue, path_of, spec


def distances(graph: ArtifactGraph, verb: Verb, name: str) -> dict[str, int]:
    view = query_graph(graph, verb, path_of(name))
    return {view.nodes[key].name: steps for key, steps in view.distances.items()}


def test_traversal_is_transitive_and_follows_dependence() -> None:
    graph = graph_of(EDGES, comment("a.go", "SPEC-0002"), issue("7", "ADR-0004"))
    assert distances(graph, "impact", "ADR-0001") == {
        "ADR-0001": 0,
        "ADR-0002": 1,
        "SPEC-0001": 1,
        "ADR-0003": 2,
        "SPEC-0002": 2,
        "ADR-0004": 3,
        "a.go": 3,
        "#7": 4,
    }
    assert distances(graph, "ancestors", "SPEC-0001") == {
        "ADR-0002": -2,
        "ADR-0001": -1,
        "ADR-0003": -1,
        "SPEC-0001": 0,
    }
    assert distances(graph, "chain", "ADR-0003") == {
        "ADR-0001": -2,
        "ADR-0002": -1,
        "ADR-0003": 0,
        "ADR-0004": 1,
        "SPEC-0001": 1,
        "SPEC-0002": 2,
        "a.go": 3,
        "#7": 2,
    }


def test_related_artifacts_are_listed_and_not_followed() -> None:
    edges = {
        "ADR-0001": "related: [ADR-0002]",
        "ADR-0002": "related: [ADR-0003]",
        "ADR-0003": "",
    }
    graph = graph_of(edges)
    view = query_graph(graph, "impact", path_of("ADR-0002"))
    assert view.links == ()
    shown = [(node.name, derived) for node, derived in view.related]
    assert shown == [("ADR-0001", True), ("ADR-0003", False)]


def test_a_link_has_all_types_and_prefers_what_is_written() -> None:
    edges = {
        "ADR-0001": "governs: [SPEC-0001]\nenables: [ADR-0002]",
        "ADR-0002": "extends: [ADR-0001]",
        "SPEC-0001": "implements: [ADR-0001]",
    }
    view = query_graph(graph_of(edges), "impact", path_of("ADR-0001"))
    first, second = view.links
    assert first.types(first.upper) == [("enables", False), ("extended-by", True)]
    assert second.types(second.upper) == [("governs", False)]
    assert second.types(second.lower) == [("implements", False)]


@pytest.mark.parametrize("verb", ["impact", "ancestors", "chain"])
def test_a_line_of_a_thousand_decisions(verb: Verb) -> None:
    edges = {f"ADR-{n:04d}": f"extends: [ADR-{n - 1:04d}]" if n > 1 else "" for n in range(1, 1001)}
    graph = graph_of(edges)
    name = {"impact": "ADR-0001", "ancestors": "ADR-1000", "chain": "ADR-0500"}[verb]
    assert len(distances(graph, verb, name)) == 1000


def test_a_cycle_of_a_thousand_decisions_ends() -> None:
    edges = {f"ADR-{n:04d}": f"extends: [ADR-{n % 1000 + 1:04d}]" for n in range(1, 1001)}
    graph = graph_of(edges)
    assert len(distances(graph, "chain", "ADR-0001")) == 1000


def requirements(names: Sequence[str]) -> tuple[Corpus, str]:
    body = "".join(
        f"### Requirement: {name}\n\nIt MUST.\n\n#### Scenario: Of {name}\n\n- WHEN a\n- THEN b\n\n"
        for name in names
    )
    path = path_of("SPEC-0001")
    return load_corpus([ArtifactFile(path, spec(1, body=body).encode(), "SPEC")]), path


def test_requirements_are_between_a_spec_and_its_code() -> None:
    corpus, path = requirements(["Renew", "Expire at noon"])
    graph = graph_of(
        {"SPEC-0001": ""},
        comment("a.go", "SPEC-0001", "renew", 3),
        comment("b.go", "SPEC-0001", "Of Expire at noon", 2),
        comment("c.go", "SPEC-0001", "Gone", 1),
        comment("d.go", "SPEC-0001"),
    )
    view = query_graph(with_requirements(graph, corpus, path), "chain", path)
    links = [(view.nodes[one.upper].name, view.nodes[one.lower].name) for one in view.links]
    assert links == [
        ("SPEC-0001", 'REQ "Renew"'),
        ("SPEC-0001", 'REQ "Expire at noon"'),
        ("SPEC-0001", "c.go"),
        ("SPEC-0001", "d.go"),
        ('REQ "Renew"', "a.go"),
        ('REQ "Expire at noon"', "b.go"),
    ]


def test_many_files_are_folded_into_one_node() -> None:
    graph = graph_of({"ADR-0001": ""}, *(comment(f"{n:02d}.py", "ADR-0001") for n in range(15)))
    view = query_graph(graph, "impact", path_of("ADR-0001"))
    folded = fold_files(view, 3)
    names = [node.name for node in folded.nodes.values()]
    assert names == ["ADR-0001", "00.py", "01.py", "02.py", "… 12 more files"]
    assert fold_files(view, 14) == view


def test_orphans_are_in_force_and_have_neither_spec_nor_code() -> None:
    graph = graph_of(
        {
            "ADR-0001": "governs: [SPEC-0001]",
            "ADR-0002": "",
            "ADR-0003": "",
            "ADR-0004": "",
            "SPEC-0001": "",
            "SPEC-0002": "implements: [ADR-0003]",
        },
        comment("a.go", "ADR-0002"),
        comment("b.go", "SPEC-0002"),
    )
    found = find_orphans(graph, ["a.go", "c.go"])
    assert found.files == ("c.go",)
    assert [one.name for one in found.specs] == ["SPEC-0001"]
    assert [one.name for one in found.adrs] == ["ADR-0004"]


NUMBERS = st.integers(1, 6)


@given(st.lists(st.tuples(NUMBERS, st.sampled_from(["extends", "enables", "supersedes"]), NUMBERS)))
def test_impact_and_ancestors_are_inverse(edges: list[tuple[int, str, int]]) -> None:
    written: dict[str, dict[str, list[str]]] = {f"ADR-{n:04d}": {} for n in range(1, 7)}
    for source, type, target in edges:
        written[f"ADR-{source:04d}"].setdefault(type, []).append(f"ADR-{target:04d}")
    matter = {
        name: "\n".join(f"{type}: [{', '.join(targets)}]" for type, targets in types.items())
        for name, types in written.items()
    }
    assert corpus_of(matter)
    graph = graph_of(matter)
    for name in matter:
        for other in distances(graph, "impact", name):
            assert name in distances(graph, "ancestors", other)
