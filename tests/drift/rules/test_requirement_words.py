from __future__ import annotations

from sdd_hooks.drift.rules.requirement_words import RULE
from tests.drift.rules.specs import SPEC, found, requirement, spec
from tests.support.repos import Repo

USUAL = [requirement(f"Usual {number}") for number in "ABCD"]


def rules(repo: Repo, *requirements: str) -> list[tuple[str, int]]:
    findings = found(repo, {SPEC: spec(*requirements)}, RULE)
    assert all(one.severity == "info" for one in findings)
    return [(one.rule, one.line) for one in findings]


def test_a_requirement_unlike_the_others(repo: Repo) -> None:
    bare = "\n### Requirement: Bare\n\nIt holds.\n"
    assert rules(repo, bare, *USUAL) == [
        ("requirement-words/no-keyword", 6),
        ("requirement-words/no-scenario", 6),
    ]


def test_must_in_lower_case(repo: Repo) -> None:
    text = "The caller must close it. A list (it must be short) of `must`."
    assert rules(repo, requirement("Lower", text), *USUAL) == [("requirement-words/lower-case", 8)]
    beside = f"It MUST hold. {text}"
    assert rules(repo, requirement("Lower", beside), *USUAL) == []


def test_must_in_a_clause_that_describes(repo: Repo) -> None:
    text = (
        "It holds.\n\n- **Steps**: conditions that must hold\n- what the agent must not do\n"
        "- If a caller must wait, it waits.\n"
    )
    assert rules(repo, requirement("Lower", text), *USUAL) == [("requirement-words/no-keyword", 6)]
    text += "- When it ends, the caller must close it.\n"
    assert rules(repo, requirement("Lower", text), *USUAL) == [("requirement-words/lower-case", 13)]


def test_the_style_of_a_specification_is_no_finding(repo: Repo) -> None:
    bare = [f"\n### Requirement: R{number}\n\nIt must hold.\n" for number in "ABCD"]
    assert rules(repo, *bare) == []
    assert rules(repo, *bare, USUAL[0]) == []
    assert rules(repo, bare[0], *USUAL[:2]) == []
