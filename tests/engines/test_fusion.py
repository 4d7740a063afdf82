"""Fusion: the order, the range and the meaning of the score."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.engines.fusion import Found, fuse


def double(first: list[Found], *others: list[Found]) -> list[tuple[float, list[Found]]]:
    """The lists of a query: the first sub-query weighs double."""
    return [(2.0, first), *((1.0, other) for other in others)]


def test_first_everywhere_with_all_evidence_is_one() -> None:
    assert fuse(double([Found(7, 1.0)], [Found(7, 0.4, 0.4)]))[0].score == 1.0


def test_the_first_list_weighs_double() -> None:
    ranked = fuse(double([Found(1, 0.6)], [Found(2, 0.6, 0.6)]))
    assert [one.chunk for one in ranked] == [1, 2]
    assert ranked[0].score == 0.6 * (1 + 2 / 3) / 2
    assert ranked[1].score == 0.6 * (1 + 1 / 3) / 2


def test_a_strong_match_by_meaning_alone_passes_the_default_threshold() -> None:
    ranked = fuse(double([Found(1, 0.2)], [Found(2, 0.6, 0.6)]))
    assert ranked[0].chunk == 2
    assert ranked[0].score > 0.3


def test_a_chunk_in_both_lists_stands_before_its_equals() -> None:
    ranked = fuse(double([Found(1, 0.5), Found(2, 0.5)], [Found(2, 0.5, 0.5), Found(3, 0.5, 0.5)]))
    assert ranked[0].chunk == 2


def test_the_cosine_is_kept_and_absent_when_nothing_was_compared() -> None:
    ranked = {one.chunk: one.cosine for one in fuse(double([Found(1, 1.0)], [Found(2, 0.0, -0.2)]))}
    assert ranked == {1: None, 2: -0.2}


def test_no_lists_no_hits() -> None:
    assert fuse([]) == []


@given(
    st.lists(
        st.lists(st.tuples(st.integers(0, 30), st.floats(0, 1)), unique_by=lambda one: one[0]),
        min_size=1,
        max_size=4,
    )
)
def test_scores_are_in_range_descending_and_unique(lists: list[list[tuple[int, float]]]) -> None:
    ranked = fuse(double(*([Found(chunk, strength) for chunk, strength in one] for one in lists)))
    scores = [one.score for one in ranked]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)
    assert {one.chunk for one in ranked} == {chunk for one in lists for chunk, _ in one}
