from __future__ import annotations

from collections.abc import Mapping

from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.drift.citations import read_citations
from sdd_hooks.drift.rules.requirement_coverage import (
    coverage_rule,
    measure_coverage,
    normalize,
)
from sdd_hooks.drift.whole_tree import Scope, whole_tree_subject
from tests.drift.rules.specs import SPEC, found, requirement, spec
from tests.support.repos import Repo

NAMES = ("Sign in", "Sign out", "Token expiry", "Audit trail")
FOUR = spec(*(requirement(name) for name in NAMES))
TWO = '# Governing: SPEC-0001 REQ "Sign in", SPEC-0001 REQ "Sign out"\n'


def gaps(repo: Repo, files: Mapping[str, str], *scope: str) -> list[tuple[str, str, str]]:
    rule = coverage_rule(lambda: read_citations(repo.project()).comments)
    return [(one.rule, one.severity, one.evidence) for one in found(repo, files, rule, *scope)]


def test_a_requirement_that_nothing_names_among_others_that_are_named(repo: Repo) -> None:
    """Scenario "One requirement is left out" of SPEC-0002."""
    files = {SPEC: FOUR, "src/a.py": TWO, "tests/test_a.py": "def test_token_expiry():\n    ...\n"}
    assert gaps(repo, files) == [
        ("requirement-coverage", "info", "### Requirement: Audit trail"),
    ]
    assert gaps(repo, files, "src") == []


def test_a_binding_requirement_of_an_implemented_specification_is_a_warning(repo: Repo) -> None:
    text = spec(*(requirement(name) for name in NAMES[:3]), status="implemented")
    text += requirement("Colours", "It MAY be blue.")
    assert gaps(repo, {SPEC: text, "src/a.py": TWO}) == [
        ("requirement-coverage", "warning", "### Requirement: Token expiry"),
        ("requirement-coverage", "info", "### Requirement: Colours"),
    ]


def test_a_specification_that_is_named_as_a_whole_has_no_gap(repo: Repo) -> None:
    assert gaps(repo, {SPEC: FOUR, "src/a.py": "# Governing: SPEC-0001\n"}) == []
    one = '# Governing: SPEC-0001 REQ "Sign in"\n'
    assert gaps(repo, {SPEC: FOUR, "src/a.py": one}) == []


def test_a_specification_that_nothing_names(repo: Repo) -> None:
    assert gaps(repo, {SPEC: FOUR}) == []
    other = {"docs/adrs/ADR-0001-x.md": "# ADR-0001: X\n", "src/a.py": "# Governing: ADR-0001\n"}
    assert gaps(repo, {SPEC: FOUR, **other}) == [
        ("requirement-coverage/spec", "info", "SPEC-0001"),
    ]
    assert gaps(repo, {SPEC: FOUR.replace("approved", "deprecated"), **other}) == []


def test_a_name_anywhere_in_a_file_that_is_no_record_is_enough(repo: Repo) -> None:
    files = {SPEC: FOUR, "src/a.py": TWO, "src/b.py": "# (SPEC-0001 § Token expiry)\n"}
    assert [evidence for *_, evidence in gaps(repo, files)] == ["### Requirement: Audit trail"]
    other = {"docs/adrs/ADR-0001-x.md": "# ADR-0001: X\n\nSPEC-0001\n"}
    assert [evidence for *_, evidence in gaps(repo, other)] == ["### Requirement: Audit trail"]
    assert gaps(repo, {"docs/guide.md": "The audit trail is kept.\n"}) == []


def test_a_page_in_a_folder_of_templates_names_a_requirement(repo: Repo) -> None:
    page = "web/templates/a.html"
    files = {SPEC: FOUR, "src/a.py": TWO, page: '{{/* SPEC-0001 "Token expiry" */}}\n'}
    files["docs/templates/note.md"] = "Audit trail\n"
    assert [evidence for *_, evidence in gaps(repo, files)] == ["### Requirement: Audit trail"]


def test_a_specification_whose_id_is_in_a_text_is_named(repo: Repo) -> None:
    other = {"docs/adrs/ADR-0001-x.md": "# ADR-0001: X\n", "src/a.py": "# Governing: ADR-0001\n"}
    files = {SPEC: FOUR, **other, "src/b.py": "# As SPEC-0001 says.\n"}
    assert gaps(repo, files) == []


def test_scenarios_count_where_tests_name_half_of_them(repo: Repo) -> None:
    tests = "def test_sign_in_in_use():\n    ...\n\n\ndef test_sign_out_in_use():\n    ...\n"
    files = {SPEC: FOUR, "tests/test_a.py": tests}
    assert gaps(repo, files) == [
        ("requirement-coverage/scenario", "info", "#### Scenario: Token expiry in use"),
        ("requirement-coverage/scenario", "info", "#### Scenario: Audit trail in use"),
    ]
    files["tests/test_a.py"] = "it('signs in', () => {}) // Sign in in use\n"
    assert gaps(repo, files) == []


def test_what_names_each_requirement(repo: Repo) -> None:
    gaps(repo, {SPEC: FOUR, "src/a.py": TWO, "tests/a.test.ts": "test('Token expiry', f)\n"})
    subject = whole_tree_subject(repo.project(), Scope())
    comments = read_citations(repo.project()).comments
    specs = [one for one in subject.corpus.artifacts if one.kind == "SPEC"]
    (measured,) = measure_coverage(specs, subject.corpus, comments, subject.after)
    assert measured.covered == 3
    assert [bool(one.comments) for one in measured.requirements] == [True, True, False, False]
    assert measured.requirements[2].tests == ("tests/a.test.ts",)


def test_a_name_of_one_word_is_in_any_test(repo: Repo) -> None:
    text = spec(requirement("Sign in"), requirement("Sign out"), requirement("Audit"))
    test = {"tests/test_a.py": "audit = 1\n"}
    assert gaps(repo, {SPEC: text, "src/a.py": TWO, **test}) == [
        ("requirement-coverage", "info", "### Requirement: Audit"),
    ]


def test_names_are_equal_in_every_spelling() -> None:
    spelled = ("ExpiredToken", "expired_token", "Expired token", "expired-token", "EXPIRED token")
    assert {normalize(name) for name in spelled} == {" expired token "}


@given(st.text(max_size=80), st.text(max_size=80))
def test_a_part_of_words_is_found_in_the_whole(before: str, name: str) -> None:
    assert normalize(name) in normalize(f"{before} {name} ") or not normalize(name).strip()
