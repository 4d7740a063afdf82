import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.review.references.ranking import rank

PATHS = ["docs/a.md", "docs/b.md", "docs/c.md"]
NO_LINKS: list[list[int]] = [[], [], []]


def test_every_kind_has_one_vote_whatever_its_unit() -> None:
    evidence = {"words": [100.0, 50.0, 0.0], "paths": [0.0, 0.02, 0.0]}
    ranked = rank(evidence, NO_LINKS, PATHS)
    assert [one.place for one in ranked] == [1, 0, 2]
    assert [one.score for one in ranked] == [
        pytest.approx(1.5 / 2.5),
        pytest.approx(1 / 2.5),
        0.0,
    ]
    assert ranked[0].shares == {"words": 0.5, "paths": 1.0, "links": 0.0}


def test_what_a_strong_record_names_has_half_a_vote_more() -> None:
    ranked = rank({"words": [1.0, 0.0, 0.0]}, [[2], [], []], PATHS)
    assert [one.place for one in ranked] == [0, 2, 1]
    assert ranked[1].score == pytest.approx(0.5 / 1.5)


def test_records_of_equal_score_are_in_the_order_of_their_paths() -> None:
    assert [one.place for one in rank({"words": [0, 0, 0]}, NO_LINKS, PATHS[::-1])] == [2, 1, 0]


@given(
    st.lists(st.lists(st.floats(0, 1e6), min_size=3, max_size=3), min_size=1, max_size=5),
    st.lists(st.lists(st.integers(0, 2), max_size=3), min_size=3, max_size=3),
)
def test_scores_are_from_nothing_to_one_and_fall(
    numbers: list[list[float]], links: list[list[int]]
) -> None:
    evidence = {str(kind): row for kind, row in enumerate(numbers)}
    scores = [one.score for one in rank(evidence, links, PATHS)]
    assert len(scores) == 3
    assert sorted(scores, reverse=True) == scores
    assert all(0 <= score <= 1 + 1e-9 for score in scores)
