"""The order of merges."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.planning.batch.merge_order import MergeOrder, OrderedPull, merge_order


def pull(number: int, files: str | None, *after: int, foundation: bool = False) -> OrderedPull:
    paths = None if files is None else frozenset(files.split())
    return OrderedPull(number, paths, frozenset(after), foundation)


def test_without_overlap_all_are_in_one_tier() -> None:
    order = merge_order([pull(1, "a b"), pull(2, "c"), pull(3, "d")])
    assert order == MergeOrder(((2, 3, 1),), {1: {}, 2: {}, 3: {}})
    assert order.tier_of(3) == 1


def test_foundation_comes_before_overlap_and_small_before_large() -> None:
    order = merge_order(
        [
            pull(1, "shared x y z"),
            pull(2, "shared x"),
            pull(3, "shared types", foundation=True),
            pull(4, "alone"),
        ]
    )
    assert order.tiers == ((4,), (3,), (2,), (1,))
    assert order.overlaps[2] == {1: ("shared", "x"), 3: ("shared",)}


def test_a_tier_has_no_overlap() -> None:
    order = merge_order([pull(1, "a"), pull(2, "a b"), pull(3, "b"), pull(4, "c d"), pull(5, "d")])
    assert order.tiers == ((1, 3, 5), (4, 2))


def test_a_dependency_comes_first() -> None:
    """2 is stacked on 1, which is larger."""
    order = merge_order([pull(1, "a b c"), pull(2, "d", 1), pull(3, "e", 2, 99)])
    assert order.tiers == ((1,), (2,), (3,))


def test_unknown_files_overlap_with_everything() -> None:
    order = merge_order([pull(1, None), pull(2, "a"), pull(3, "b")])
    assert order.tiers == ((2, 3), (1,))
    assert order.overlaps[1] == {2: (), 3: ()}


def test_a_circle_and_what_waits_for_it() -> None:
    order = merge_order([pull(3, "a", 5), pull(5, "b", 3), pull(6, "c", 5), pull(7, "d")])
    assert order.tiers == ((7,),)
    assert order.circles == ((3, 5, 3),)
    assert order.waiting == (6,)
    assert order.tier_of(3) is None


def test_two_circles() -> None:
    order = merge_order(
        [pull(1, "a", 3), pull(2, "b", 1), pull(3, "c", 2), pull(4, "d", 5), pull(5, "e", 4)]
    )
    assert order.circles == ((1, 2, 3, 1), (4, 5, 4))


def test_nothing() -> None:
    assert merge_order([]) == MergeOrder((), {})


PULLS = st.dictionaries(
    st.integers(1, 9),
    st.tuples(
        st.one_of(st.none(), st.frozensets(st.sampled_from("abcde"), max_size=3)),
        st.frozensets(st.integers(1, 9), max_size=2),
        st.booleans(),
    ),
    max_size=9,
)


@given(PULLS)
def test_every_order_keeps_its_promises(
    drawn: dict[int, tuple[frozenset[str] | None, frozenset[int], bool]],
) -> None:
    pulls = [OrderedPull(number, *parts) for number, parts in drawn.items()]
    order = merge_order(pulls)
    placed = [number for tier in order.tiers for number in tier]
    members = {number for circle in order.circles for number in circle}
    assert sorted([*placed, *members, *order.waiting]) == sorted(drawn)
    by_number = {one.number: one for one in pulls}
    for tier in order.tiers:
        for number in tier:
            assert not order.overlaps[number].keys() & set(tier)
    for number in placed:
        predecessors = (by_number[number].after & drawn.keys()) - {number}
        place = order.tier_of(number)
        assert place is not None
        for other in predecessors:
            assert (order.tier_of(other) or 99) < place
    for circle in order.circles:
        assert circle[0] == circle[-1] == min(circle)
        for first, second in itertools.pairwise(circle):
            assert first in by_number[second].after
    assert merge_order(pulls[::-1]) == order


@pytest.mark.parametrize("count", [300])
def test_many(count: int) -> None:
    order = merge_order([pull(number, "shared") for number in range(1, count + 1)])
    assert [tier[0] for tier in order.tiers] == list(range(1, count + 1))
