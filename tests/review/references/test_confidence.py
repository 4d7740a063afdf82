import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.changes.change import Change, ChangedFile
from sdd_hooks.review.references.confidence import (
    THRESHOLD,
    ConfidenceFeatures,
    extract_features,
    predict_probability,
)
from sdd_hooks.review.references.ranking import rank_records

SHARES = st.floats(0, 1)


def change(title: str, *files: ChangedFile) -> Change:
    return Change("a", "b", title, "", (title,), files)


def test_features_of_a_change_and_its_first_record() -> None:
    evidence = {"identifiers": [0.0, 3.0], "title": [1.0, 0.5]}
    ranked = rank_records(evidence, [[], []], ["a.md", "b.md"])
    features = extract_features(
        change("Add a sweeper", ChangedFile("src/a.py", "", "A"), ChangedFile("b.md", "b.md", "M")),
        ranked,
        evidence,
    )
    assert features.margin == pytest.approx((1.5 - 1.0) / 2.5)
    assert features.agreement == pytest.approx(1 / 3)
    assert features.identifiers == pytest.approx(1.386, abs=1e-3)
    assert features[3:] == (0.0, 0.0, 0.5)


@pytest.mark.parametrize(
    ("title", "path", "expected"),
    [
        ("chore: tidy", "src/a.py", (0.0, 1.0)),
        ("Bump x from 1 to 2", "package-lock.json", (1.0, 1.0)),
        ("Say more", "docs/guide.md", (1.0, 0.0)),
        ("Release it", ".github/workflows/ci.sh", (1.0, 1.0)),
        ("Rework the build of indexes", "Makefile", (0.0, 0.0)),
    ],
)
def test_chores_and_changes_without_code_are_recognized(
    title: str, path: str, expected: tuple[float, float]
) -> None:
    evidence = {"identifiers": [0.0]}
    ranked = rank_records(evidence, [[]], ["a.md"])
    features = extract_features(change(title, ChangedFile(path, path, "M")), ranked, evidence)
    assert (features.no_code, features.chore) == expected


def test_a_clear_case_is_probable_and_a_version_bump_is_not() -> None:
    assert predict_probability(ConfidenceFeatures(0.3, 0.6, 1.0, 0, 0, 1)) > 0.8
    assert predict_probability(ConfidenceFeatures(0.05, 0.15, 0.0, 1, 1, 0)) < 0.1


@given(SHARES, SHARES, st.floats(0, 5), SHARES)
def test_more_evidence_is_more_probable(
    margin: float, agreement: float, identifiers: float, new: float
) -> None:
    features = ConfidenceFeatures(margin, agreement, identifiers, 0, 0, new)
    probability = predict_probability(features)
    assert 0 < probability < 1
    for more in (
        features._replace(margin=margin + 0.1),
        features._replace(agreement=agreement + 0.1),
        features._replace(identifiers=identifiers + 0.1),
    ):
        assert predict_probability(more) > probability
    assert predict_probability(features._replace(chore=1)) < probability
    assert 0 < THRESHOLD < 1
