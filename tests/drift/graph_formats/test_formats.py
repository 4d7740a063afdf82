"""The drawings of one graph, and of a hostile one."""

import re

from sdd_hooks.drift.graph_formats.json import view_data
from sdd_hooks.drift.graph_formats.markdown import draw_markdown, draw_mermaid
from sdd_hooks.drift.graph_formats.text import ELSEWHERE, draw_text
from sdd_hooks.drift.graph_queries import GraphView, Verb, query_graph
from tests.drift.graphs import EDGES, HOSTILE, comment, graph_of, issue, path_of
from tests.support.mermaid import installed_mermaid, parse_diagrams


def view_of(verb: Verb, name: str) -> GraphView:
    graph = graph_of(
        EDGES, comment("a.go", "SPEC-0001", "Renew", 3), issue("7", "ADR-0004", status="closed")
    )
    return query_graph(graph, verb, path_of(name))


def hostile_view() -> GraphView:
    edges = {"ADR-0001": "related: [ADR-0002]", "ADR-0002": "extends: [ADR-0001]"}
    graph = graph_of(
        edges,
        comment(f"src/{HOSTILE}\n\udcff.py", "ADR-0001"),
        issue("x-1", "ADR-0002", HOSTILE),
        titles=dict.fromkeys(edges, HOSTILE),
    )
    return query_graph(graph, "chain", path_of("ADR-0001"))


def test_impact_is_drawn_downwards() -> None:
    assert draw_text(view_of("impact", "ADR-0001")) == [
        "ADR-0001  Title 1",
        "├──[enables]──► ADR-0002  Title 2",
        "│ └─ ─[extended-by]─ ─► ADR-0003  Title 3",
        "│   ├─ ─[superseded-by]─ ─► ADR-0004  Title 4",
        "│   │ └─ ─[referenced-by]─ ─► #7  Do it  (closed)",
        "│   └─ ─[implemented-by]─ ─► SPEC-0001  Capability 1  (*)",
        "└──[governs]──► SPEC-0001  Capability 1",
        "  ├─ ─[depended-on-by]─ ─► SPEC-0002  Capability 2",
        '  └─ ─[governs]─ ─► a.go:3  REQ "Renew"',
        "",
        ELSEWHERE,
        "",
        "related",
        "  ADR-0002  Title 2 (derived)",
    ]


def test_ancestors_are_drawn_upwards() -> None:
    assert draw_text(view_of("ancestors", "SPEC-0001")) == [
        "┌──[implements]──► ADR-0001  Title 1",
        "│   ┌─ ─[enabled-by]─ ─► ADR-0001  Title 1",
        "│ ┌──[extends]──► ADR-0002  Title 2",
        "├──[implements]──► ADR-0003  Title 3",
        "SPEC-0001  Capability 1",
    ]


def test_a_chain_has_the_artifact_in_the_middle() -> None:
    assert draw_text(view_of("chain", "SPEC-0002")) == [
        "  ┌──[implements]──► ADR-0001  Title 1",
        "  │   ┌─ ─[enabled-by]─ ─► ADR-0001  Title 1",
        "  │ ┌──[extends]──► ADR-0002  Title 2",
        "  ├──[implements]──► ADR-0003  Title 3",
        "┌──[requires]──► SPEC-0001  Capability 1",
        "SPEC-0002  Capability 2",
    ]


def test_an_artifact_on_which_nothing_depends() -> None:
    lines = draw_text(query_graph(graph_of({"ADR-0001": ""}), "impact", path_of("ADR-0001")))
    assert lines == ["ADR-0001  Title 1", "  nothing depends on it"]


def test_mermaid() -> None:
    assert draw_mermaid(view_of("ancestors", "ADR-0003")) == [
        "flowchart TD",
        '  n0["ADR-0001  Title 1"]',
        '  n1["ADR-0002  Title 2"]',
        '  n2["ADR-0003  Title 3"]',
        '  n0 -->|"enables"| n1',
        '  n1 -.->|"extended-by"| n2',
        "  style n2 stroke-width:3px",
    ]


def test_the_real_mermaid_parses_hostile_names() -> None:
    views = [hostile_view(), view_of("chain", "SPEC-0001"), view_of("impact", "ADR-0004")]
    parsed = parse_diagrams(installed_mermaid(), ["\n".join(draw_mermaid(one)) for one in views])
    for view, found in zip(views, parsed, strict=True):
        assert found.get("error") is None
        assert len(found["nodes"]) == len(view.nodes)
        assert len(found["edges"]) == len(view.links)


def test_markdown_has_a_row_for_each_edge() -> None:
    assert draw_markdown(view_of("ancestors", "ADR-0003")) == [
        "# What ADR-0003 depends on",
        "",
        "Title 3",
        "",
        "| id | type | title | status | edge | to | derived |",
        "|---|---|---|---|---|---|---|",
        "| ADR-0002 | adr | Title 2 | accepted | extended-by | ADR-0003 | yes |",
        "| ADR-0001 | adr | Title 1 | accepted | enables | ADR-0002 |  |",
    ]
    lines = draw_markdown(hostile_view())
    assert not [line for line in lines if re.search(r"(?<!\\)<script|\x1b|\]\(", line)]


def test_json_has_every_edge_with_both_ends() -> None:
    data = view_data(view_of("ancestors", "ADR-0003"))
    assert data["query"] == {"verb": "ancestors", "id": "ADR-0003", "path": path_of("ADR-0003")}
    results = data["results"]
    assert isinstance(results, list)
    edges = {
        one["id"]: [(edge["type"], edge["target"], edge["derived"]) for edge in one["edges"]]
        for one in results
    }
    assert edges == {
        "ADR-0001": [("enables", "ADR-0002", False)],
        "ADR-0002": [("enabled-by", "ADR-0001", True), ("extended-by", "ADR-0003", True)],
    }


def test_terminals_get_no_control_characters() -> None:
    drawn = "\n".join(draw_text(hostile_view()))
    assert all(character.isprintable() or character == "\n" for character in drawn)
