"""The scale on which a search shows scores."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.quality.reliability import unanswered
from sdd_hooks.engines.protocol import Hit
from sdd_hooks.engines.registry import open_engine
from sdd_hooks.freshness.refresh import refresh
from sdd_hooks.retrieval.scores import CODE, HYBRID, WORDS, Scale, least_score, show_scores
from sdd_hooks.retrieval.search import HitLimits
from sdd_hooks.retrieval.search_by_kind import search_by_kind
from tests.support.repos import Repo

ROOT = Path(__file__).parents[2]
SCALES = st.floats(0.31, 0.99).map(Scale)
SCORES = st.floats(0, 1)


def hit(score: float, cosine: float | None = None) -> Hit:
    return Hit("a#b", "c", "a", 1, 2, "A", "B", score, cosine, "", "")


@given(SCALES)
def test_the_usual_minimum_stays_and_the_middle_is_half(scale: Scale) -> None:
    shown = [scale.show(score) for score in (0.0, 0.1, 0.3, scale.unanswered, 1.0)]
    assert shown == pytest.approx([0.0, 0.1, 0.3, 0.5, 1.0])


@given(SCALES, SCORES, SCORES)
def test_the_order_of_scores_stays(scale: Scale, one: float, other: float) -> None:
    low, high = sorted((one, other))
    assert 0 <= scale.show(low) <= scale.show(high) <= 1


@given(SCALES, SCORES)
def test_a_shown_score_can_be_read(scale: Scale, score: float) -> None:
    assert scale.read(scale.show(score)) == pytest.approx(score)


@given(st.sampled_from(["adrs", "code"]), st.lists(SCORES), SCORES, st.booleans())
def test_no_hit_at_the_minimum_is_lost(
    kind: str, scores: list[float], min_score: float, by_meaning: bool
) -> None:
    cosine = 0.5 if by_meaning else None
    found = [hit(round(score, 4), cosine) for score in scores]
    requested = [one for one in found if one.score >= least_score(kind, min_score)]
    shown = show_scores(kind, requested, min_score)
    assert all(one.score >= min_score - 0.001 for one in shown)
    expected = [one for one in show_scores(kind, found, 0.0) if one.score >= min_score + 0.001]
    assert set(expected) <= set(shown)


def test_the_middle_of_each_scale() -> None:
    for kind, cosine, scale in (
        ("adrs", None, WORDS),
        ("specs", 0.2, HYBRID),
        ("code", None, CODE),
        ("code", 0.2, CODE),
    ):
        (shown,) = show_scores(kind, [hit(scale.unanswered, cosine)], 0.3)
        assert shown.score == pytest.approx(0.5)


def test_a_question_that_nothing_answers_gets_hardly_more_than_half(repo: Repo) -> None:
    """The scale was fitted to fewer records: a new one may come a little nearer to a question."""
    for path in sorted((ROOT / "docs/adrs").glob("*.md")):
        repo.write(f"docs/adrs/{path.name}", path.read_bytes())
    repo.commit("Start")
    project = repo.project()
    collections = project.select(("adrs",), None)
    refresh(project, collections=collections)
    engine = open_engine(project)
    limits = HitLimits(1, 0.0)
    scores = {
        question: one.hit.score
        for question in unanswered()
        for one in search_by_kind(project, engine, question, collections, limits).hits("adrs")
    }
    engine.close()
    assert len(scores) > 50
    above = {question: score for question, score in scores.items() if score > 0.5}
    assert len(above) <= len(scores) / 20
    assert max(scores.values()) < 0.54
