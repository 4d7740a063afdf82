import pytest

from benchmarks.references.scores import (
    at_threshold,
    brier,
    count_questions,
    find_gravity,
    find_unlabelled,
    rank,
    reliability,
    scored,
    show,
    with_many,
)
from tests.benchmarks.references.rows import outcome, row


def test_the_ranking_is_scored_by_the_ranks_of_the_right_records() -> None:
    first = outcome(row("1", "b.md"), "b.md", "a.md", "c.md")
    second = outcome(row("2", "a.md", "c.md"), "b.md", "a.md", "c.md")
    assert rank([first, second]) == (0.5, 1.0, 1.0, 0.75, 2)


def test_a_record_that_is_not_ranked_is_never_found() -> None:
    assert rank([outcome(row("1", "gone.md"), "a.md")])[:3] == (0.0, 0.0, 0.0)


def test_only_changes_whose_author_named_a_record_outside_of_the_diff_score_the_ranking() -> None:
    rows = [
        row("1", "b.md"),
        row("2", kind="negative"),
        row("3", "b.md", leaks=True),
        row("4", "b.md", kind="ordinary"),
    ]
    assert [one.row.id for one in scored([outcome(one, "b.md") for one in rows])] == ["1"]


def test_a_repository_has_many_records_from_thirty_on() -> None:
    few, many = ([f"{number}.md" for number in range(count)] for count in (29, 30))
    outcomes = [outcome(row("few", "1.md"), *few), outcome(row("many", "1.md"), *many)]
    assert [one.row.id for one in with_many(outcomes)] == ["many"]


def test_questions_on_ordinary_commits_are_right_when_a_person_labelled_the_record_so() -> None:
    judged = frozenset({"a.md", "b.md"})
    rows = [row(str(number), "b.md", kind="ordinary", judged=judged) for number in range(4)]
    unneeded = row("5", kind="ordinary", judged=judged)
    outcomes = [
        outcome(rows[0], "b.md"),
        outcome(rows[1], "a.md"),
        outcome(rows[2], "b.md", asks=False),
        outcome(rows[3], "c.md"),
        outcome(unneeded, "a.md", asks=False),
        outcome(row("6", "b.md"), "b.md"),
        outcome(row("7", "b.md", kind="ordinary"), "b.md", offered="", asks=False),
        outcome(row("8", "b.md", kind="ordinary"), "a.md", offered="", asks=False),
    ]
    questions = count_questions(outcomes)
    assert questions == (7, 6, 2, 1, 3, 1, 1)
    assert (questions.per_100, questions.precision) == (pytest.approx(300 / 7), 1 / 3)
    assert [one.row.id for one in find_unlabelled(outcomes)] == ["3"]


def test_questions_on_needed_changes_are_scored_by_precision_and_coverage() -> None:
    outcomes = [
        outcome(row("1", "b.md", "c.md"), "b.md"),
        outcome(row("2", "a.md"), "b.md"),
        outcome(row("3", "b.md", leaks=True), "b.md", asks=False),
        outcome(row("4", kind="negative"), "a.md"),
        outcome(row("5", kind="negative"), "a.md", asks=False),
        outcome(row("6", kind="ordinary"), "a.md"),
    ]
    assert show(outcomes) == (0.5, pytest.approx(0.5 / 3), 0.5)


def test_the_record_of_most_questions_has_gravity() -> None:
    def commit(id: str, record: str, repo: str = "one/a", *, asks: bool = True) -> object:
        return outcome(row(id, kind="ordinary", repo=repo), record, asks=asks)

    outcomes = [
        commit("1", "a.md"),
        commit("2", "a.md"),
        commit("3", "b.md"),
        commit("4", "b.md", asks=False),
        commit("5", "c.md", "two/b"),
    ]
    assert find_gravity(outcomes) == (2 / 3, 0.5)  # type: ignore[arg-type]


def test_the_probability_is_compared_with_what_is_right() -> None:
    outcomes = [
        outcome(row("1", "a.md"), "a.md", probability=0.95),
        outcome(row("2", "a.md"), "b.md", probability=0.85),
        outcome(row("3", "a.md"), "a.md", probability=0.83),
        outcome(row("4", "a.md"), "a.md", probability=0.0, offered=""),
    ]
    assert reliability(outcomes) == [(0.8, 2, pytest.approx(0.84), 1), (0.9, 1, 0.95, 1)]
    assert brier(outcomes) == pytest.approx((0.05**2 + 0.85**2 + 0.17**2) / 3)


def test_another_threshold_changes_what_is_asked() -> None:
    outcomes = [
        outcome(row("1", "a.md"), "a.md", probability=0.7, asks=True),
        outcome(row("2", "a.md"), "a.md", probability=0.4, asks=False),
        outcome(row("3", "a.md"), "a.md", probability=0.9, offered="", asks=False),
    ]

    def asked(threshold: float) -> list[bool]:
        return [one.decision.asks for one in at_threshold(outcomes, threshold)]

    assert asked(0.4) == [True, True, False]
    assert asked(0.8) == [False, False, False]
