from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.drift.layout import MAX_BENDS, GraphLayout, Spacing, lay_out
from tests.support.cpu_time import assert_linear

SPACING = Spacing(height=10, across=5, down=20)
GRAPHS = st.integers(1, 12).flatmap(
    lambda count: st.tuples(
        st.lists(st.floats(1, 200), min_size=count, max_size=count),
        st.lists(st.tuples(st.integers(0, count - 1), st.integers(0, count - 1)), max_size=30),
    )
)


def place(widths: list[float], arcs: list[tuple[int, int]]) -> GraphLayout:
    names = {f"n{number}": width for number, width in enumerate(widths)}
    return lay_out(names, [(f"n{a}", f"n{b}") for a, b in arcs], SPACING)


def test_a_chain_points_downwards() -> None:
    layout = place([20, 40], [(0, 1)])
    assert layout == GraphLayout(
        40,
        40,
        {"n0": (20, 5, 0), "n1": (20, 35, 1)},
        (((20, 10), (20, 30)),),
    )


def test_a_long_edge_bends_around_the_nodes_between() -> None:
    layout = place([20, 20, 20], [(0, 1), (1, 2), (0, 2)])
    (_, bend, _) = layout.edges[2]
    assert abs(bend[0] - layout.nodes["n1"].x) >= 10 + SPACING.across - 0.2
    assert bend[1] == layout.nodes["n1"].y


def test_an_edge_that_closes_a_cycle_points_upwards() -> None:
    layout = place([20, 20, 20], [(0, 1), (1, 2), (2, 0), (1, 1)])
    assert [layout.nodes[name].layer for name in ("n0", "n1", "n2")] == [0, 1, 2]
    back = layout.edges[2]
    assert [y for _, y in back] == sorted((y for _, y in back), reverse=True)
    assert layout.edges[3] == ()


def test_parts_that_are_not_connected_are_beside_each_other() -> None:
    layout = place([20.0] * 9, [(7, 8)])
    assert layout.nodes["n7"] == (10, 5, 0)
    assert len({(one.x, one.y) for one in layout.nodes.values()}) == 9
    assert layout.width < 9 * 25


def test_an_empty_graph() -> None:
    assert place([], []) == GraphLayout(0, 0, {}, ())


def test_an_unknown_node() -> None:
    with pytest.raises(KeyError):
        lay_out({"a": 1}, [("a", "b")])


@given(GRAPHS)
def test_nodes_do_not_overlap_and_edges_end_at_them(
    graph: tuple[list[float], list[tuple[int, int]]],
) -> None:
    widths, arcs = graph
    layout = place(widths, arcs)
    assert layout == place(widths, arcs)
    boxes = [
        (one.y, one.x - width / 2, one.x + width / 2)
        for one, width in zip(layout.nodes.values(), widths, strict=True)
    ]
    for (y, left, right), (other, following, end) in pairwise(sorted(boxes)):
        assert left >= -0.2
        assert max(right, end) <= layout.width + 0.2
        assert y + 5 <= layout.height + 0.2
        assert y != other or right <= following + 0.3
    for (source, target), points in zip(arcs, layout.edges, strict=True):
        if source != target:
            assert points[0][0] == layout.nodes[f"n{source}"].x
            assert points[-1][0] == layout.nodes[f"n{target}"].x


def test_the_cost_of_a_cycle_and_of_many_parts() -> None:
    def cycle(size: int) -> list[tuple[int, int]]:
        return [(at, (at + 1) % size) for at in range(size)]

    def pairs(size: int) -> list[tuple[int, int]]:
        return [(at, at + 1) for at in range(0, size, 2)]

    def draw(arcs: list[tuple[int, int]]) -> GraphLayout:
        return place([10.0] * (max(map(max, arcs)) + 1), arcs)

    for make in (cycle, pairs):
        assert_linear(draw, make, 3_200)


def test_a_dense_graph_has_a_limited_number_of_bends() -> None:
    arcs = [(source, source + step) for step in range(1, 60) for source in range(1_000 - step)]
    layout = place([10.0] * 1_000, arcs)
    bends = sum(len(points) - 2 for points in layout.edges)
    assert MAX_BENDS - 60 < bends <= MAX_BENDS
