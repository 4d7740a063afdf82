"""The verdicts on the scores of both sides, and their tables."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.quality import fixtures
from benchmarks.quality.measure import MARGIN, ON_QMD, QMD, SDD, Row, Verdict, interval, verdicts
from benchmarks.quality.report import judged, table
from benchmarks.quality.scoring import Scores
from benchmarks.quality.sdd_side import BACKENDS, searches
from sdd_hooks.engines.protocol import SubQuery

HYBRID = "both: the question twice"


def row(side: str, *ndcg: float, recall: float = 1.0, query: str = HYBRID) -> Row:
    return Row("own", query, side, tuple(Scores(1.0, recall, 1.0, value) for value in ndcg))


def test_a_backend_searches_with_its_lines_of_the_question() -> None:
    question = fixtures.Question("a", "exact", "known words", "a question?", "", ("a.md",), 3)
    lex, vec = SubQuery("lex", "known words"), SubQuery("vec", "a question?")
    searched = [searches(question, backend) for backend in BACKENDS]
    assert searched == [(lex,), (vec,), (lex, vec)]


@pytest.mark.parametrize(
    ("ours", "recall", "reached"),
    [(0.9, 1.0, True), (0.49, 1.0, True), (0.47, 1.0, False), (0.9, 0.97, False)],
)
def test_ndcg_and_recall_may_be_lower_by_the_margin(
    ours: float, recall: float, reached: bool
) -> None:
    (verdict,) = verdicts([row(SDD, ours, ours, recall=recall), row(QMD, 0.5, 0.5)])
    assert verdict.reached is reached
    assert MARGIN == 0.02
    assert verdict.ndcg == pytest.approx(ours - 0.5)


def test_only_hybrid_searches_of_both_sides_are_judged() -> None:
    words = "words: the question"
    rows = [row(SDD, 1, query=words), row(QMD, 1, query=words), row(SDD, 1), row(ON_QMD, 1)]
    assert verdicts(rows) == []


@settings(max_examples=20, deadline=None)
@given(st.lists(st.floats(-1, 1), min_size=1, max_size=20))
def test_an_interval_is_within_the_values_and_reproducible(values: list[float]) -> None:
    low, high = interval(values)
    assert min(values) - 1e-9 <= low <= high <= max(values) + 1e-9


def test_the_interval_is_around_the_mean() -> None:
    low, high = interval([0.0] * 50 + [1.0] * 50)
    assert (low, high) == interval([0.0] * 50 + [1.0] * 50)
    # The standard error is 0.05: about twice that on each side.
    assert low == pytest.approx(0.4, abs=0.02)
    assert high == pytest.approx(0.6, abs=0.02)


def test_the_table_has_a_line_for_each_side() -> None:
    assert table([row(SDD, 0.5, 1.0), row(ON_QMD, 0.25)]) == (
        "| corpus | asked by                 | side            | nDCG@10 | precision@k | recall |"
        " MRR   |\n"
        "|--------|--------------------------|-----------------|---------|-------------|--------|"
        "-------|\n"
        "| own    | both: the question twice | sdd             | 0.750   | 1.000       | 1.000  |"
        " 1.000 |\n"
        "| own    | both: the question twice | sdd, engine qmd | 0.250   | 1.000       | 1.000  |"
        " 1.000 |"
    )


def test_the_verdict_has_difference_interval_and_mark() -> None:
    shown = judged([Verdict("own", HYBRID, 0.05, -0.01, 0.11, -0.03)])
    assert "+0.050" in shown
    assert "-0.010 to +0.110" in shown
    assert shown.endswith("| -0.030 | ≥ -0.02    | ✗ |")
