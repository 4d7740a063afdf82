"""Fusion: the order, range and meaning of the score."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.engines.ranking.fusion import FusedMatch, RankedMatch, fuse, weight_of


def fused(*lists: list[RankedMatch[int]]) -> list[FusedMatch[int]]:
    """Fuse the lists of sub-queries, the first of which has double weight."""
    return fuse([(weight_of(index), matches) for index, matches in enumerate(lists)])


def test_the_first_of_all_lists_with_full_strength_has_score_one() -> None:
    assert fused([RankedMatch(7, 1.0)], [RankedMatch(7, 0.4, 0.4)])[0].score == 1.0


def test_the_first_list_has_double_weight() -> None:
    matches = fused([RankedMatch(1, 0.6)], [RankedMatch(2, 0.6, 0.6)])
    assert [match.key for match in matches] == [1, 2]
    assert matches[0].score == 0.6 * (1 + 2 / 3) / 2
    assert matches[1].score == 0.6 * (1 + 1 / 3) / 2


def test_a_strong_match_by_meaning_alone_passes_the_default_threshold() -> None:
    matches = fused([RankedMatch(1, 0.2)], [RankedMatch(2, 0.6, 0.6)])
    assert matches[0].key == 2
    assert matches[0].score > 0.3


def test_of_equal_matches_the_one_in_both_lists_ranks_first() -> None:
    by_words = [RankedMatch(1, 0.5), RankedMatch(2, 0.5)]
    by_meaning = [RankedMatch(2, 0.5, 0.5), RankedMatch(3, 0.5, 0.5)]
    assert fused(by_words, by_meaning)[0].key == 2


def test_the_cosine_is_kept_and_none_when_no_vector_was_compared() -> None:
    matches = fused([RankedMatch(1, 1.0)], [RankedMatch(2, 0.0, -0.2)])
    assert {match.key: match.cosine for match in matches} == {1: None, 2: -0.2}


def test_no_lists_give_no_matches() -> None:
    assert fuse([]) == []


@given(
    st.lists(
        st.lists(st.tuples(st.integers(0, 30), st.floats(0, 1)), unique_by=lambda pair: pair[0]),
        min_size=1,
        max_size=4,
    )
)
def test_scores_are_in_range_descending_and_unique(lists: list[list[tuple[int, float]]]) -> None:
    matches = fused(*([RankedMatch(key, strength) for key, strength in pairs] for pairs in lists))
    scores = [match.score for match in matches]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)
    assert {match.key for match in matches} == {key for pairs in lists for key, _ in pairs}
