"""Records and specs for tests of rules."""

from __future__ import annotations

from collections.abc import Iterable

from sdd_hooks.findings import Finding
from sdd_hooks.review.rule import Rule
from sdd_hooks.review.subject import Subject

ADRS = "docs/adrs"
SPECS = "docs/openspec/specs"


def adr(
    number: int,
    title: str = "Keep it simple",
    *,
    status: str = "accepted",
    matter: str = "",
    decision: str = "We keep it simple.\n",
    more: str = "",
) -> dict[str, str]:
    """A record by its path. `matter` is added to the frontmatter, `more` follows the decision."""
    slug = title.lower().replace(" ", "-")
    text = (
        f"---\nstatus: {status}\ndate: 2026-01-02\n{matter}---\n# ADR-{number:04d}: {title}\n\n"
        f"## Context\n\nThere is a choice.\n\n## Decision\n\n{decision}{more}"
    )
    return {f"{ADRS}/ADR-{number:04d}-{slug}.md": text}


def spec(number: int, name: str = "search", *requirements: str, matter: str = "") -> dict[str, str]:
    """A spec and its design by their paths."""
    wanted = "".join(
        f"### Requirement: {requirement}\n\nIt MUST hold.\n\n"
        f"#### Scenario: {requirement} as seen\n\n- WHEN it is tried\n- THEN it holds\n\n"
        for requirement in requirements or ("Typo tolerance",)
    )
    head = f"---\nstatus: approved\n{matter}---\n"
    return {
        f"{SPECS}/{name}/spec.md": f"{head}# SPEC-{number:04d}: {name.title()}\n\n{wanted}",
        f"{SPECS}/{name}/design.md": "# Design\n\nTrigrams.\n",
    }


def run_rule(rule: Rule, subject: Subject) -> list[Finding]:
    """The findings of a rule by path and line, each checked for its rule and its message."""
    findings = sorted(rule.check(subject))
    for finding in findings:
        assert finding.rule.partition("/")[0] == rule.id
        assert "\n" not in finding.message
    return findings


def places(findings: Iterable[Finding]) -> list[tuple[str, int]]:
    """The path and the line of each finding."""
    return [(finding.path, finding.line) for finding in findings]
