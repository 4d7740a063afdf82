import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.review.references.ranking import HALF_VOTES, rank_records

PATHS = ["docs/a.md", "docs/b.md", "docs/c.md"]
NO_LINKS: list[list[int]] = [[], [], []]


def test_every_kind_has_one_vote_independent_of_its_unit() -> None:
    evidence = {"words": [100.0, 50.0, 0.0], "title": [0.0, 0.02, 0.0]}
    ranked = rank_records(evidence, NO_LINKS, PATHS)
    assert [record.record_index for record in ranked] == [1, 0, 2]
    assert [record.score for record in ranked] == [
        pytest.approx(1.5 / 2.5),
        pytest.approx(1 / 2.5),
        0.0,
    ]
    assert ranked[0].shares == {"words": 0.5, "title": 1.0, "links": 0.0}


@pytest.mark.parametrize("kind", sorted(HALF_VOTES - {"links"}))
def test_a_place_has_half_a_vote(kind: str) -> None:
    ranked = rank_records({"words": [1.0, 0.0, 0.0], kind: [0.0, 1.0, 0.0]}, NO_LINKS, PATHS)
    assert [record.score for record in ranked] == [0.5, 0.25, 0.0]


def test_a_record_that_a_strong_one_names_gets_half_a_vote() -> None:
    ranked = rank_records({"words": [1.0, 0.0, 0.0]}, [[2], [], []], PATHS)
    assert [record.record_index for record in ranked] == [0, 2, 1]
    assert ranked[1].score == pytest.approx(0.5 / 1.5)


def test_records_of_equal_score_are_ordered_by_path() -> None:
    assert [
        record.record_index for record in rank_records({"words": [0, 0, 0]}, NO_LINKS, PATHS[::-1])
    ] == [2, 1, 0]


@given(
    st.lists(st.lists(st.floats(0, 1e6), min_size=3, max_size=3), min_size=1, max_size=5),
    st.lists(st.lists(st.integers(0, 2), max_size=3), min_size=3, max_size=3),
)
def test_scores_are_between_0_and_1_in_descending_order(
    numbers: list[list[float]], links: list[list[int]]
) -> None:
    evidence = {str(kind): row for kind, row in enumerate(numbers)}
    scores = [record.score for record in rank_records(evidence, links, PATHS)]
    assert len(scores) == 3
    assert sorted(scores, reverse=True) == scores
    assert all(0 <= score <= 1 + 1e-9 for score in scores)
