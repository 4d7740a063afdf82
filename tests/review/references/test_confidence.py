import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.changes.change import Change, ChangedFile
from sdd_hooks.review.references.confidence import THRESHOLD, Facts, facts, probability
from sdd_hooks.review.references.ranking import rank

SHARES = st.floats(0, 1)


def change(title: str, *files: ChangedFile) -> Change:
    return Change("a", "b", title, "", (title,), files)


def test_facts_of_a_change_and_its_first_record() -> None:
    evidence = {"identifiers": [0.0, 3.0], "title": [1.0, 0.5]}
    ranked = rank(evidence, [[], []], ["a.md", "b.md"])
    known = facts(
        change("Add a sweeper", ChangedFile("src/a.py", "", "A"), ChangedFile("b.md", "b.md", "M")),
        ranked,
        evidence,
    )
    assert known.margin == pytest.approx((1.5 - 1.0) / 2.5)
    assert known.agreement == pytest.approx(1 / 3)
    assert known.identifiers == pytest.approx(1.386, abs=1e-3)
    assert known[3:] == (0.0, 0.0, 0.5)


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
def test_chores_and_changes_without_code_are_known(
    title: str, path: str, expected: tuple[float, float]
) -> None:
    evidence = {"identifiers": [0.0]}
    ranked = rank(evidence, [[]], ["a.md"])
    known = facts(change(title, ChangedFile(path, path, "M")), ranked, evidence)
    assert (known.no_code, known.chore) == expected


def test_a_clear_case_is_shown_and_a_bump_is_not() -> None:
    assert probability(Facts(0.3, 0.6, 1.0, 0, 0, 1)) > 0.8
    assert probability(Facts(0.05, 0.15, 0.0, 1, 1, 0)) < 0.1


@given(SHARES, SHARES, st.floats(0, 5), SHARES)
def test_more_evidence_is_never_less_likely(
    margin: float, agreement: float, identifiers: float, new: float
) -> None:
    known = Facts(margin, agreement, identifiers, 0, 0, new)
    likely = probability(known)
    assert 0 < likely < 1
    for more in (
        known._replace(margin=margin + 0.1),
        known._replace(agreement=agreement + 0.1),
        known._replace(identifiers=identifiers + 0.1),
    ):
        assert probability(more) > likely
    assert probability(known._replace(chore=1)) < likely
    assert 0 < THRESHOLD < 1
