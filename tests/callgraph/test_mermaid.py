"""Diagrams that are the same for the same graph, and that the real mermaid parses."""

from __future__ import annotations

import itertools
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.callgraph.mermaid import LEGEND, normalize_mermaid
from tests.support.cpu_time import assert_linear
from tests.support.mermaid import installed_mermaid, parse_diagrams

CGG = """\
%% cgg: &lt;framework-entry&gt; nodes are SYNTHESIZED.
flowchart LR
  N0["shop.orders.place"]
  N1["shop.db.write"]
  N2["&lt;framework-entry&gt;"]
  N0 -->|2x| N1
  N2 -->|entry| N0
  N0 --> N9
"""


def lines(text: str, limit: int = 20) -> list[str]:
    return list(normalize_mermaid(text, limit).lines)


def test_nodes_are_sorted_by_their_labels_and_edges_without_a_node_dropped() -> None:
    assert lines(CGG) == [
        "graph TD",
        '    n_lt_framework_entry_gt["&lt;framework-entry&gt;"]',
        '    n_shop_db_write["shop.db.write"]',
        '    n_shop_orders_place["shop.orders.place"]',
        "    n_lt_framework_entry_gt -->|entry| n_shop_orders_place",
        "    n_shop_orders_place -->|2x| n_shop_db_write",
        LEGEND,
    ]


@pytest.mark.parametrize("direction", ["graph LR", "graph RL", "flowchart BT", "graph TD"])
def test_every_direction_becomes_top_down(direction: str) -> None:
    assert lines(f"{direction}\n  A[x]\n")[0] == "graph TD"


@pytest.mark.parametrize(
    ("node", "label"),
    [
        ('N0["abc123_validateToken"]', "validateToken"),
        ('N0["0x7ffe12_main"]', "main"),
        ("a1b2c3d4_run(run)", "run"),
        ('N0["facade_open"]', "facade_open"),
        ('N0["%%{init: 1}%%"]', "#37;#37;{init: 1}#37;#37;"),
        ('N0["a\\b <i>`c`</i> & d &amp; e"]', "a/b &lt;i&gt;'c'&lt;/i&gt; &amp; d &amp; e"),
    ],
)
def test_the_label_of_a_node(node: str, label: str) -> None:
    assert f'["{label}"]' in lines(f"graph TD\n  {node}\n")[1]


def test_equal_labels_are_different_nodes() -> None:
    assert lines('graph TD\n  A["x"]\n  B["x"]\n  A --> B\n') == [
        "graph TD",
        '    n_x["x"]',
        '    n_x__2["x"]',
        "    n_x --> n_x__2",
        LEGEND,
    ]


def test_the_best_connected_nodes_are_kept_with_a_comment() -> None:
    nodes = [f'  N{number}["f{number:02d}"]' for number in range(30)]
    edges = [f"  N{number} --> N29" for number in range(10, 29)]
    shown = lines("\n".join(["graph TD", *nodes, *edges]))
    kept = [line for line in shown if "[" in line]
    assert len(kept) == 20
    assert [line.split('"')[1] for line in kept] == [f"f{n:02d}" for n in range(10, 30)]
    assert shown[-2] == (
        "%% Showing top 20 nodes by connectivity; 10 nodes omitted. Use /cgg with --filter to"
        " refine."
    )
    assert shown[-1] == LEGEND
    assert normalize_mermaid("\n".join(nodes)).nodes == 20
    assert not [line for line in lines("\n".join(nodes[:20])) if "omitted." in line]


@pytest.mark.parametrize("text", ["", "graph TD\n", 'flowchart LR\n  Empty["no callables"]\n'])
def test_a_graph_without_nodes_has_no_lines(text: str) -> None:
    assert normalize_mermaid(text) == ((), 0)


def test_the_order_of_the_input_does_not_matter() -> None:
    """Scenario "The same graph twice" of SPEC-0005."""
    head, *rest = CGG.splitlines()[1:]
    expected = lines(CGG)
    for order in itertools.islice(itertools.permutations(rest), 0, 720, 97):
        assert lines("\n".join([head, *order])) == expected


LABELS = st.text(
    alphabet=st.sampled_from("ab1_.:<>&;#\"'`|()[]{}%-\\ \n\t\x1b\u202e日end"), max_size=25
)


def graph_of(labels: list[str], seed: int) -> str:
    chance = random.Random(seed)
    nodes = [f'  N{number}["{label}"]' for number, label in enumerate(labels)]
    ends = [(chance.randrange(30), chance.randrange(30)) for _ in range(40)]
    edges = [f"  N{a} -->|{chance.choice(['2x', '?', 'a|b', '<x>'])}| N{b}" for a, b in ends]
    return "\n".join(["flowchart LR", *nodes, *edges])


@given(st.lists(LABELS, max_size=30), st.integers(0, 99))
def test_every_edge_has_its_nodes_and_no_line_is_free_text(labels: list[str], seed: int) -> None:
    shown = lines(graph_of(labels, seed))
    declared = {line.split("[")[0].strip() for line in shown if line.endswith('"]')}
    for line in shown[1:]:
        if "-->" in line and not line.endswith('"]'):
            source, _, target = line.partition(" -->")
            assert {source.strip(), target.split()[-1]} <= declared
        else:
            assert line.startswith(("    n_", "%% Showing"))
    assert len(declared) <= 20


def test_the_cost_grows_with_the_graph() -> None:
    def make(size: int) -> str:
        return "\n".join(f'  N{n}["f{n}"]\n  N{n} --> N{n // 2}' for n in range(size))

    assert_linear(normalize_mermaid, make, 20_000)
    assert_linear(normalize_mermaid, lambda size: "N[" * size, 20_000)
    assert_linear(normalize_mermaid, lambda size: "a -->" + " " * size + "|", 20_000)


def test_the_real_mermaid_parses_every_diagram() -> None:
    directory = installed_mermaid()
    chance = random.Random(7)
    alphabet = "ab1_.:<>&;#\"'`|()[]{}%-\\ 日"
    words = ["end", "graph", "subgraph", "click", "style", "default", "%%{init: {}}%%", "o--x"]
    graphs = [CGG]
    for seed in range(60):
        labels = ["".join(chance.choices(alphabet, k=chance.randrange(1, 20))) for _ in range(25)]
        graphs.append(graph_of([*labels, *words], seed))
    diagrams = [normalize_mermaid(text) for text in graphs]
    parsed = parse_diagrams(directory, ["\n".join(diagram.lines) for diagram in diagrams])
    for diagram, found in zip(diagrams, parsed, strict=True):
        assert found.get("error") is None, diagram.lines
        assert (found["type"], found["direction"]) == ("flowchart-v2", "TB")
        assert len(found["nodes"]) == diagram.nodes
        arrows = [line for line in diagram.lines if line.startswith("    ") and line[-1] != "]"]
        assert len(found["edges"]) == len(arrows)


def test_the_real_mermaid_refuses_what_is_not_normalized() -> None:
    (found,) = parse_diagrams(installed_mermaid(), ['graph TD\n  a["b"b"]'])
    assert "Parse error" in found["error"]
