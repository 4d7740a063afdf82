"""Work trees with a specification, and what the rules find in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sdd_hooks.drift.whole_tree import Scope, whole_tree_subject
from sdd_hooks.findings import Finding
from sdd_hooks.review.apply_rules import apply_rules
from sdd_hooks.review.rule import Rule
from tests.review.repositories import MEMORY_TEXT
from tests.support.repos import Repo

SPEC = "docs/openspec/specs/s/spec.md"
DESIGN = {"docs/openspec/specs/s/design.md": "# Design of SPEC-0001\n"}


def requirement(name: str, text: str = "It MUST hold.", *scenarios: str) -> str:
    """A requirement with scenarios; without any, one with the name of the requirement."""
    steps = "\n\n- **WHEN** it runs\n- **THEN** it holds\n"
    named = scenarios or (f"{name} in use",)
    shown = "".join(f"\n#### Scenario: {one}{steps}" for one in named)
    return f"\n### Requirement: {name}\n\n{text}\n{shown}"


def spec(*requirements: str, status: str = "approved", title: str = "S") -> str:
    """A specification."""
    return f"---\nstatus: {status}\n---\n# SPEC-0001: {title}\n{''.join(requirements)}"


def found(repo: Repo, files: Mapping[str, str], rule: Rule, *scope: str) -> Sequence[Finding]:
    """The findings of a rule on a work tree with these files."""
    for path, text in {"CLAUDE.md": MEMORY_TEXT, **DESIGN, **files}.items():
        repo.write(path, text)
    subject = whole_tree_subject(repo.project(), Scope(scope or ("",)))
    results = apply_rules(subject, [rule])
    assert not results.notes
    return results.findings
