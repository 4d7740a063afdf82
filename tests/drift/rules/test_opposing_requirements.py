from __future__ import annotations

from sdd_hooks.drift.rules.opposing_requirements import RULE
from tests.drift.rules.specs import SPEC, found, requirement, spec
from tests.support.repos import Repo

YES = requirement("Cookies", "Tokens MUST be stored in a cookie.")
NO = requirement("No cookies", "Tokens MUST NOT be stored in a cookie.")


def test_a_requirement_that_forbids_what_another_demands(repo: Repo) -> None:
    (one,) = found(repo, {SPEC: spec(YES, NO)}, RULE)
    assert (one.severity, one.path, one.line) == ("critical", SPEC, 17)
    assert one.message == (
        '"No cookies" says MUST NOT, and "Cookies" (line 8) says MUST of the same: correct one'
    )
    assert one.evidence == "Tokens MUST NOT be stored in a cookie."


def test_two_numbers(repo: Repo) -> None:
    text = spec(
        requirement("Life", "Tokens MUST live 15 minutes."),
        requirement("Expiry", "Tokens MUST live 60 minutes."),
    )
    (one,) = found(repo, {SPEC: text}, RULE)
    assert one.message.startswith('"Expiry" demands 60, and "Life" (line 8) 15: correct one')


def test_should_is_a_warning(repo: Repo) -> None:
    texts = [part.replace("MUST", "SHOULD") for part in (YES, NO)]
    (one,) = found(repo, {SPEC: spec(*texts)}, RULE)
    assert one.severity == "warning"


def test_scenarios_and_deprecated_specifications_are_left_out(repo: Repo) -> None:
    scenario = requirement("Other", "It MUST work.", "S").replace(
        "it holds", "tokens MUST NOT be stored in a cookie."
    )
    assert not found(repo, {SPEC: spec(YES, scenario)}, RULE)
    assert not found(repo, {SPEC: spec(YES, NO, status="deprecated")}, RULE)
    assert not found(repo, {SPEC: spec(YES, NO)}, RULE, "src")
