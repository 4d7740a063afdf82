import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.changes.change import Change
from sdd_hooks.review.references.asking.confidence import (
    THRESHOLD,
    ConfidenceFeatures,
    extract_features,
    predict_probability,
)
from sdd_hooks.review.references.ranking import rank_records
from sdd_hooks.review.references.words.change_words import Measures

SHARES = st.floats(0, 1)


def change(title: str) -> Change:
    return Change("a", "b", title, "", (title,), ())


def test_features_of_a_change_and_its_first_record() -> None:
    evidence = {"phrases": [0.0, 3.0], "history": [1.0, 0.5], "title": [0.9, 1.0]}
    ranked = rank_records(evidence, [[], []], ["a.md", "b.md"])
    features = extract_features(
        change("Add a sweeper"), ranked, evidence, Measures([2.0, 8.0], [0.1, 0.7], [0.0, 0.5])
    )
    assert features == (0.5, 0.75, 0.7, 0.5, 0.5, 1.0, 0.0, 1.0)


def test_a_record_behind_another_in_rare_words_has_a_negative_lead() -> None:
    evidence = {"phrases": [1.0, 0.0], "history": [0.0, 0.0]}
    ranked = rank_records(evidence, [[], []], ["a.md", "b.md"])
    for rare_words, lead in (([2.0, 8.0], -0.75), ([0.0, 0.0], 0.0)):
        measures = Measures(rare_words, [0, 0], [0, 0])
        features = extract_features(change("Sweep"), ranked, evidence, measures)
        assert features.rare_words_lead == lead


@pytest.mark.parametrize(
    ("title", "chore"),
    [
        ("chore: tidy", 1.0),
        ("Bump x from 1 to 2", 1.0),
        ("Release it", 1.0),
        ("format(web): tidy", 1.0),
        ("Version Packages (#440)", 1.0),
        ("Publish", 1.0),
        ("[maven-release-plugin] prepare release 1.2.0", 1.0),
        ("v1.2.3-rc.1", 1.0),
        ("Lock file maintenance", 1.0),
        ("Publish orders to the queue", 0.0),
        ("Version packages of rules separately", 0.0),
        ("1.2.3 breaks on Windows", 0.0),
        ("Format dates by locale", 0.0),
        ("Release the lock after a failure", 0.0),
        ("Rework the build of indexes", 0.0),
        ("Circuits break after three failures", 0.0),
        ("Builder of squares", 0.0),
    ],
)
def test_chores_are_recognized(title: str, chore: float) -> None:
    evidence = {"phrases": [0.0], "history": [0.0]}
    ranked = rank_records(evidence, [[]], ["a.md"])
    assert extract_features(change(title), ranked, evidence, Measures([0], [0], [0])).chore == chore


def test_a_clear_case_is_probable_and_a_usual_change_is_not() -> None:
    assert predict_probability(ConfidenceFeatures(0.7, 0.5, 0.9, 0.8, 1.0, 1.0, 0, 1)) > 0.8
    assert predict_probability(ConfidenceFeatures(0.3, -0.1, 0.5, 0.2, 0.0, 0.0, 0, 0)) < 0.2


@given(SHARES, st.floats(-1, 1), SHARES, SHARES)
def test_more_evidence_is_more_probable(
    agreement: float, lead: float, surprise: float, history: float
) -> None:
    features = ConfidenceFeatures(agreement, lead, surprise, 0, history, 0, 0, 0)
    probability = predict_probability(features)
    assert 0 < probability < 1
    for more in (
        features._replace(agreement=agreement + 0.1),
        features._replace(rare_words_lead=lead + 0.1),
        features._replace(surprise=surprise + 0.1),
        features._replace(subject=0.1),
        features._replace(history=history + 0.1),
        features._replace(phrase=1),
    ):
        assert predict_probability(more) > probability
    assert predict_probability(features._replace(chore=1)) < probability
    assert 0 < THRESHOLD < 1
