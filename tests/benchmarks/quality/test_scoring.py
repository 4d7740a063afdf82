"""The scores equal those of `qmd bench`, and nDCG follows its definition."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.process import ProcessFailed
from benchmarks.quality import fixtures
from benchmarks.quality.qmd_side import checked
from benchmarks.quality.scoring import Scores, matches, mean, score

RECORDED = json.loads(Path(__file__).with_name("recorded.json").read_text(encoding="utf-8"))
ASKED = {
    question.id: question for question in fixtures.read(json.dumps(RECORDED["asked"])).questions
}

NAMES = [f"docs/{letter}.md" for letter in "abcdefghijklmno"]
LISTS = st.lists(st.sampled_from(NAMES), unique=True)
EXPECTED = st.lists(st.sampled_from(NAMES), unique=True, min_size=1, max_size=12)
KS = st.integers(1, 12)


def numbers(scores: Scores) -> tuple[float, ...]:
    return (scores.precision, scores.recall, scores.mrr, scores.ndcg)


@pytest.mark.parametrize("backend", ["bm25", "vector", "hybrid", "full"])
@pytest.mark.parametrize("result", RECORDED["said"]["results"], ids=lambda row: row["id"])
def test_the_scores_equal_those_of_a_real_qmd_bench(result: dict, backend: str) -> None:
    said, question = result["backends"][backend], ASKED[result["id"]]
    ours = score(said["top_files"], question.expected, question.k)
    theirs = (said["precision_at_k"], said["recall"], said["mrr"])
    assert (ours.precision, ours.recall, ours.mrr) == theirs
    assert checked(said, question) == said["top_files"]


def test_different_scores_stop_the_measure() -> None:
    result = RECORDED["said"]["results"][0]
    said = {**result["backends"]["hybrid"], "mrr": 0.123}
    with pytest.raises(ProcessFailed, match=r"scores prisma .*0\.123"):
        checked(said, ASKED["prisma"])


def test_ndcg_by_hand() -> None:
    found = ["a.md", "x.md", "b.md"]
    best = 1 + 1 / math.log2(3) + 1 / math.log2(4)
    assert score(found, ["a.md", "b.md", "c.md"], 3).ndcg == pytest.approx(1.5 / best)


def test_files_after_the_tenth_do_not_count_for_ndcg() -> None:
    assert score([*NAMES[:10], "z.md"], ["z.md"], 3).ndcg == 0
    assert score([*NAMES[:9], "z.md"], ["z.md"], 3).ndcg == pytest.approx(1 / math.log2(11))


def test_a_file_that_is_found_twice_counts_once() -> None:
    assert score(["a.md", "qmd://own/a.md"], ["a.md", "b.md"], 2).ndcg < 1


@given(LISTS, EXPECTED, KS)
def test_every_score_is_in_0_to_1(found: list[str], expected: list[str], k: int) -> None:
    assert all(0 <= number <= 1 + 1e-12 for number in numbers(score(found, expected, k)))


@pytest.mark.parametrize(
    ("found", "expected", "same"),
    [
        ("qmd://own/docs/ADR-0001-x.md", "docs/adr-0001-x.md", True),
        ("/docs/a.md", "docs/a.md", True),
        ("docs/a.md", "a.md", True),
        ("docs/b.md", "docs/a.md", False),
        ("qmd://own", "own", True),
    ],
)
def test_paths_are_compared_as_qmd_does(found: str, expected: str, same: bool) -> None:
    assert matches(found, expected) is same


@pytest.mark.parametrize(("expected", "k"), [([], 3), (["a.md"], 0)])
def test_a_question_without_an_expected_file_has_no_score(expected: list[str], k: int) -> None:
    with pytest.raises(ValueError, match="needs an expected file"):
        score(["a.md"], expected, k)


def test_the_mean_is_computed_for_each_score() -> None:
    assert mean([Scores(1, 0, 1, 0.5), Scores(0, 0, 0.5, 0.5)]) == Scores(0.5, 0, 0.75, 0.5)
