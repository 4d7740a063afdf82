"""Two requirements of one specification that cannot both be met."""

# Governing: SPEC-0018 REQ "Statements"

from __future__ import annotations

from collections.abc import Iterator

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.drift.rules import specs_in_scope
from sdd_hooks.drift.statements import Opposition, Statement, find_oppositions, read_statements
from sdd_hooks.findings import Finding, Severity
from sdd_hooks.review.rule import Rule
from sdd_hooks.review.subject import Subject


def check(subject: Subject) -> Iterator[Finding]:
    """Find each pair of requirements of a spec in scope of which one demands what the other
    forbids, or both demand different numbers."""
    for spec in specs_in_scope(subject):
        for opposition in find_oppositions(spec_statements(spec, subject.text(spec.path))):
            yield _finding(spec, opposition)


def spec_statements(spec: Artifact, text: str) -> list[Statement]:
    """The statements of the requirements of a spec, whose file has this text.

    Those of scenarios are left out: they hold under the conditions of the scenario.
    """
    lines = text.split("\n")
    found: list[Statement] = []
    for one in spec.requirements:
        last = min((scenario.first_line - 1 for scenario in one.scenarios), default=one.last_line)
        body = "\n".join(lines[one.first_line : last])
        found += read_statements(spec.path, body, one.first_line + 1, one.name)
    return found


def _finding(spec: Artifact, opposition: Opposition) -> Finding:
    first, second = opposition
    place = f'"{first.requirement}" (line {first.line})'
    if first.negative == second.negative:
        demanded = " ".join(first.numbers)
        message = (
            f'"{second.requirement}" demands {" ".join(second.numbers)}, and {place} {demanded}'
        )
    else:
        message = (
            f'"{second.requirement}" says {second.word}, and {place} says {first.word} of the same'
        )
    severity: Severity = "critical" if "must" in (first.level, second.level) else "warning"
    return Finding(
        spec.path, second.line, RULE.id, severity, f"{message}: correct one", second.text
    )


RULE = Rule(
    "opposing-requirements",
    "critical",
    "Two requirements of a specification that exclude each other.",
    "No code can meet both. Decide which one holds, and correct the other, or say under which"
    " condition each of them does.",
    check,
    whole_tree=True,
)
