"""Specifications against the decisions that they are linked with."""

from __future__ import annotations

import pytest

from sdd_hooks.drift.audit.rules import (
    find_opposing_decisions,
    find_specs_before_decisions,
)
from tests.drift.audit.repositories import adr, audited, places
from tests.support.repos import Repo

DECISION = "docs/adrs/ADR-0001-tokens.md"
SPEC = "docs/openspec/specs/tokens/spec.md"


def spec(statement: str, status: str = "approved", edge: str = "implements: [ADR-0001]") -> str:
    return (
        f"---\nstatus: {status}\n{edge}\n---\n\n# SPEC-0001: Tokens\n\n"
        f"### Requirement: Storage\n\n{statement}\n\n"
        f"#### Scenario: One\n\n- **WHEN** Session tokens MUST be stored in the database\n"
    )


def files(decided: str, required: str, **options: str) -> dict[str, str]:
    return {DECISION: adr(1, text=decided), SPEC: spec(required, **options)}


MUST = "Session tokens MUST be stored in the database."
NOT = "Session tokens MUST NOT be stored in the database."


def test_a_requirement_against_the_decision(repo: Repo) -> None:
    (found,) = find_opposing_decisions(audited(repo, files(MUST, NOT)))
    assert (found.path, found.line, found.rule, found.severity, found.evidence) == (
        SPEC,
        10,
        "adr-against-spec/opposing",
        "critical",
        NOT,
    )
    assert found.message == (
        "SPEC-0001 says MUST NOT where ADR-0001 decides MUST (docs/adrs/ADR-0001-tokens.md:10):"
        " change the spec, or supersede the decision"
    )


def test_another_number(repo: Repo) -> None:
    tree = files(
        "Session tokens MUST expire after 10 minutes.",
        "Session tokens MUST expire after 60 minutes.",
    )
    # `after` is a condition, and sentences with one are not compared.
    assert list(find_opposing_decisions(audited(repo, tree))) == []
    tree = files("Session tokens MUST live 10 minutes.", "Session tokens MUST live 60 minutes.")
    (found,) = find_opposing_decisions(audited(repo, tree))
    assert "demands 60 where ADR-0001 decides 10" in found.message


@pytest.mark.parametrize(
    "tree",
    [
        files(MUST, MUST),
        files(MUST, NOT, edge="requires: []"),
        files(MUST, NOT, status="deprecated"),
        files("", NOT),
        {**files(MUST, NOT), DECISION: adr(1, "superseded", text=MUST)},
        {**files(MUST, NOT), DECISION: "# ADR-0001: Tokens\n\n" + MUST},
        files(f"```\n{MUST}\n```", NOT),
    ],
)
def test_without_a_link_in_force_and_a_decision_there_is_no_finding(
    repo: Repo, tree: dict[str, str]
) -> None:
    assert list(find_opposing_decisions(audited(repo, tree))) == []


def test_the_link_may_be_written_in_the_decision(repo: Repo) -> None:
    tree = files(MUST, NOT, edge="requires: []")
    tree[DECISION] = tree[DECISION].replace("date:", "governs: [SPEC-0001]\ndate:")
    assert len(list(find_opposing_decisions(audited(repo, tree)))) == 1
    assert len(list(find_opposing_decisions(audited(repo, tree, scope="docs/adrs")))) == 1
    assert not list(find_opposing_decisions(audited(repo, tree, scope="src")))


def test_a_spec_is_ahead_of_its_decision(repo: Repo) -> None:
    tree = {DECISION: adr(1, "proposed"), SPEC: spec(MUST)}
    (found,) = find_specs_before_decisions(audited(repo, tree))
    assert (found.path, found.line, found.severity) == (SPEC, 3, "warning")
    assert found.message == (
        "SPEC-0001 is approved and implements ADR-0001, which is proposed: decide it, or set the"
        " spec back to draft"
    )


@pytest.mark.parametrize(
    ("decided", "status"), [("accepted", "approved"), ("proposed", "draft"), ("proposed", "review")]
)
def test_a_spec_that_is_not_ahead(repo: Repo, decided: str, status: str) -> None:
    tree = {DECISION: adr(1, decided), SPEC: spec(MUST, status)}
    assert places(find_specs_before_decisions(audited(repo, tree))) == []
