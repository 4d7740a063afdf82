"""Test sdd_hooks.reporting.page.relations."""

from __future__ import annotations

from sdd_hooks.reporting.page.relations import (
    GraphEdge,
    RecordRelation,
    find_relations,
    graph_edges,
)
from tests.reporting.page.pages import (
    FILES,
    LOGS_PATH,
    QUEUES_PATH,
    SPEC_PATH,
    STREAMS_PATH,
    corpus_of,
)

CORPUS = corpus_of(FILES)


def test_relations_are_written_or_derived() -> None:
    relations = find_relations(CORPUS)
    assert relations[QUEUES_PATH] == (
        RecordRelation("extended-by", STREAMS_PATH, "ADR-0002", True),
    )
    assert relations[STREAMS_PATH] == (
        RecordRelation("extends", QUEUES_PATH, "ADR-0001"),
        RecordRelation("superseded-by", LOGS_PATH, "ADR-0003", True),
    )
    assert relations[LOGS_PATH] == (
        RecordRelation("supersedes", STREAMS_PATH, "ADR-0002"),
        RecordRelation("implemented-by", SPEC_PATH, "SPEC-0001", True),
    )


def test_an_unknown_target_keeps_its_id() -> None:
    corpus = corpus_of({"docs/adrs/0001-a.md": "---\nextends: [ADR-0009]\n---\n\n# ADR-0001: A\n"})
    relations = find_relations(corpus)
    assert relations["docs/adrs/0001-a.md"] == (RecordRelation("extends", "", "ADR-0009"),)
    assert graph_edges(corpus, relations) == ()


def test_each_edge_is_drawn_once_from_the_older_artifact() -> None:
    edges = graph_edges(CORPUS, find_relations(CORPUS))
    assert edges == (
        GraphEdge("extends", 0, 1),
        GraphEdge("supersedes", 1, 2),
        GraphEdge("implements", 2, 3),
    )


def test_a_replacement_in_the_older_artifact_is_an_edge() -> None:
    old = "# ADR-0001: A\n\n## Status\n\nSuperseded by ADR-0002\n"
    corpus = corpus_of({"docs/adrs/0001-a.md": old, "docs/adrs/0002-b.md": "# ADR-0002: B\n"})
    assert graph_edges(corpus, find_relations(corpus)) == (GraphEdge("supersedes", 0, 1),)


def test_related_artifacts_have_one_edge_without_a_direction() -> None:
    text = "---\nrelated: [ADR-000{}]\n---\n\n# ADR-000{}: A\n"
    files = {f"docs/adrs/000{at}-a.md": text.format(3 - at, at) for at in (1, 2)}
    edges = graph_edges(corpus_of(files), find_relations(corpus_of(files)))
    assert edges == (GraphEdge("related", 0, 1),)
