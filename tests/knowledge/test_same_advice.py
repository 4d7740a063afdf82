"""The comparison of advice agrees with 100 pairs that nothing was tuned on."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.knowledge.same_advice import Judge, read_advice, shared_words
from tests.support.cpu_time import assert_linear

PAIRS = Path(__file__).parent / "pairs"
AGREEMENT = 0.9


def pairs(name):
    lines = [
        line
        for line in (PAIRS / name).read_text().splitlines()
        if line and not line.startswith("#")
    ]
    return [
        (mark == "=", one, other)
        for mark, one, other in zip(lines[::3], lines[1::3], lines[2::3], strict=True)
    ]


def agreement(judge, judged):
    right = [judge.same(one, other) is same for same, one, other in judged]
    return sum(right) / len(right)


def test_the_pairs_are_100_and_apart_from_those_for_tuning():
    judged, tuning = pairs("judged.txt"), pairs("tuning.txt")
    assert len(judged) == 100
    assert sum(same for same, _, _ in judged) == 50
    texts = {text for _, *both in tuning for text in both}
    assert not texts & {text for _, *both in judged for text in both}


def test_words_agree_with_the_pairs():
    assert agreement(Judge(), pairs("judged.txt")) >= AGREEMENT
    assert agreement(Judge(), pairs("tuning.txt")) >= AGREEMENT


def test_meaning_agrees_with_the_pairs(shared):
    from sdd_hooks.models.onnx import load_onnx_model

    folder = shared / "models/all-MiniLM-L6-v2"
    if not folder.is_dir():
        pytest.skip("needs ../shared/models/all-MiniLM-L6-v2")
    judge = Judge(load_onnx_model(folder, "test").embed)
    assert agreement(judge, pairs("judged.txt")) >= AGREEMENT
    one, other = "Do not catch Exception without logging it", "Never catch an Exception silently"
    assert judge.cosine(one, other) > 0.5


def test_the_order_of_two_texts_does_not_matter():
    for _, one, other in pairs("judged.txt"):
        assert Judge().same(one, other) is Judge().same(other, one)
        assert Judge().contradicts(one, other) is Judge().contradicts(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Store files in the database", "Never store files in the database"),
        ("Compress responses above 1 KB", "Compress responses above 8 KB"),
        ("Prefer composition over inheritance", "Prefer inheritance over composition"),
        ("Cache rates for an hour", "Cache rates for a day"),
    ],
)
def test_an_opposite_is_not_the_same(one, other):
    assert not Judge().same(one, other)
    assert Judge().contradicts(one, other)
    assert not Judge().contradicts(one, one)


def test_a_model_that_fails_leaves_the_words():
    judge = Judge(lambda _texts: ())
    one, other = "Never catch an Exception without a log message", "Do not catch it without logging"
    assert judge.same(one, other) is Judge().same(one, other)


@given(st.text(max_size=200), st.text(max_size=200))
def test_any_text_is_compared(one, other):
    judge = Judge()
    assert judge.same(one, other) is judge.same(other, one)
    assert 0 <= shared_words(read_advice(one), read_advice(other)) <= 1


def test_the_cost_is_bounded():
    assert_linear(read_advice, lambda size: "instead of a word, not " * size, 4_000)
