from __future__ import annotations

import pytest

from sdd_hooks.planning.plan.known_issues import find_covering, find_known
from sdd_hooks.planning.plan.marker import write_marker
from tests.planning.plan.specs import planned, stored

KEY, OTHER = "0123456789", "abcdefabcd"


def marked(id: str, *keys: str, spec: str = "SPEC-0003", **fields: object) -> object:
    body = write_marker(spec, keys, hidden=True)
    return stored(id, f"Issue {id}", body, **fields)


def known(*issues: object) -> object:
    return find_known(issues, "SPEC-0003", "SPEC-0003")  # type: ignore[arg-type]


def test_issues_of_the_plan_are_found_by_their_keys() -> None:
    first, second = marked("1", KEY), marked("2", OTHER, spec="SPEC-0004")
    plain = stored("3", "Something")
    found = known(first, second, plain)
    assert found.by_key == {KEY: first}
    assert found.others == (second, plain)
    assert found.epic is None


def test_of_two_issues_the_open_one_counts_then_the_older() -> None:
    closed, late, early = (
        marked("1", KEY, status="closed"),
        marked("10", KEY),
        marked("9", KEY),
    )
    found = known(closed, late, early)
    assert found.by_key == {KEY: early}
    assert found.duplicates == ((early, late),)


def test_the_epic_is_marked_or_references_the_specification() -> None:
    made = marked("5", "epic")
    written = stored("4", "Implement SPEC-0003: Sessions")
    labelled = stored("6", "Sessions", "For SPEC-0003.", labels=("Epic",))
    assert known(written, made).epic == made
    assert known(written).epic == written
    assert known(labelled).epic == labelled
    assert known(labelled, written).others == ()
    assert known(stored("7", "Implement SPEC-0004: Other")).epic is None


@pytest.mark.parametrize(
    ("title", "body"),
    [
        ("Token validation for SPEC-0003", ""),
        ("Tokens", "SPEC-0003\r\n\r\n- [ ] **Token Validation** (line 4): it"),
        ("Tokens", "SPEC-0003\n\n## Requirement: Token Validation\n"),
        ("Tokens of SPEC-0003", '1. REQ "Token Validation"'),
    ],
)
def test_an_issue_covers_the_requirement_that_it_names(title: str, body: str) -> None:
    (one,) = planned(("Token Validation", "It MUST."))
    issue = stored("7", title, body)
    assert find_covering(one, "SPEC-0003", [issue]) == issue
    assert find_covering(one, "SPEC-0004", [issue]) is None


@pytest.mark.parametrize(
    ("title", "body"),
    [
        ("Bug in SPEC-0003", "The token validation of users fails."),
        ("SPEC-0003: tokens", "- See the token validation"),
    ],
)
def test_an_issue_that_mentions_a_requirement_does_not_cover_it(title: str, body: str) -> None:
    (one,) = planned(("Token Validation", "It MUST."))
    assert find_covering(one, "SPEC-0003", [stored("7", title, body)]) is None


def test_a_name_of_one_word_needs_the_word_requirement() -> None:
    (one,) = planned(("Sync", "It MUST."))
    plain = stored("7", "Sync of SPEC-0003", "- Sync everything")
    named = stored("8", "SPEC-0003", "- Requirement: Sync")
    assert find_covering(one, "SPEC-0003", [plain]) is None
    assert find_covering(one, "SPEC-0003", [plain, named]) == named


def test_an_open_issue_covers_before_a_closed_one() -> None:
    (one,) = planned(("Token Validation", "It MUST."))
    closed = stored("1", "Token Validation of SPEC-0003", status="closed")
    later = stored("2", "Token Validation of SPEC-0003")
    assert find_covering(one, "SPEC-0003", [closed, later]) == later
    assert find_covering(one, "SPEC-0003", [closed]) == closed
