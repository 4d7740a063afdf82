from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.planning.plan.dependencies import (
    Part,
    chain,
    join_circles,
    sort_parts,
    without_circles,
)
from sdd_hooks.planning.plan.story import SharedArtifact

EDGES = st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), max_size=20)


def test_parts_of_a_circle_are_joined() -> None:
    assert join_circles(5, [(0, 1), (1, 3), (3, 0), (3, 4)]) == [(0, 1, 3), (2,), (4,)]
    assert join_circles(3, [(0, 1), (1, 2)]) == [(0,), (1,), (2,)]


def test_the_edge_that_closes_a_circle_is_left_out() -> None:
    edges = {(0, 1): "a", (1, 2): "b", (2, 0): "c", (0, 2): "d", (1, 1): "e"}
    assert without_circles(edges) == {(0, 1): "a", (1, 2): "b", (0, 2): "d"}


def test_parts_are_sorted_by_edges_then_foundations_first() -> None:
    parts = [Part((0,)), Part((1,)), Part((), (SharedArtifact("Store", "type", ()),)), Part((2,))]
    assert sort_parts(parts, [(3, 0)]) == [2, 1, 3, 0]


def test_parts_are_chained_where_no_edge_orders_them() -> None:
    assert list(chain([0, 1, 2, 3], [3, 0, 1], {(0, 1)})) == [(1, 3)]
    assert list(chain([0, 1, 2], [0, 2], {(0, 1), (1, 2)})) == []


@given(EDGES)
def test_an_order_without_circles_follows_every_edge(pairs: list[tuple[int, int]]) -> None:
    kept = without_circles(dict.fromkeys(pairs, ""))
    order = sort_parts([Part((place,)) for place in range(8)], kept)
    assert sorted(order) == list(range(8))
    assert all(order.index(before) < order.index(after) for before, after in kept)
    joined = join_circles(8, pairs)
    assert sorted(part for parts in joined for part in parts) == list(range(8))
    assert len(join_circles(8, kept)) == 8
