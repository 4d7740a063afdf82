"""Apply rules to a change."""

# Governing: ADR-0021 (rules are functions), SPEC-0010 REQ "Rules"

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from sdd_hooks.errors import SddError
from sdd_hooks.findings import SEVERITIES, Finding, SuppressedFinding, worst_first
from sdd_hooks.review.rule import Rule
from sdd_hooks.review.subject import Subject
from sdd_hooks.review.suppressions import suppress
from sdd_hooks.text.display import describe_error, one_line

MOST = 1_000
"""Findings of one rule that are kept."""
LONGEST = 2_000
"""Characters of a message, and of what shows it, that are kept."""


@dataclass(frozen=True)
class Checked:
    """What the rules have found: the worst first, then by path and line, each once.

    `notes` say which rule did not come to its end, and why.
    """

    findings: tuple[Finding, ...] = ()
    suppressed: tuple[SuppressedFinding, ...] = ()
    notes: tuple[str, ...] = ()


def check(subject: Subject, rules: Sequence[Rule]) -> Checked:
    """What these rules say about a change. A rule that raises is a note.

    Raises RepositoryError when git cannot read a file that has a finding.
    """
    notes: list[str] = []
    found = {finding for rule in rules for finding in _apply(rule, subject, notes)}
    findings, suppressed = suppress(subject, worst_first(found), rules)
    return Checked(findings, suppressed, tuple(notes))


def _apply(rule: Rule, subject: Subject, notes: list[str]) -> Iterator[Finding]:
    """The findings of one rule; those before it failed hold."""
    name = one_line(rule.id)
    count = 0
    try:
        for finding in rule.check(subject):
            if not _belongs(finding, rule):
                notes.append(f"the rule {name} found what is no finding of its own: left out")
                return
            if count == MOST:
                notes.append(f"the rule {name} found more than {MOST:,}: the rest is left out")
                return
            count += 1
            yield _told(finding)
    except SddError as error:
        notes.append(describe_error(error))
    except Exception as error:
        notes.append(f"the rule {name} failed: {describe_error(error)}")


def _told(finding: Finding) -> Finding:
    """The finding as it can be told: paths and titles within a message may have any characters."""
    message = one_line(finding.message)[:LONGEST]
    return replace(finding, message=message, evidence=finding.evidence[:LONGEST])


def _belongs(finding: object, rule: Rule) -> bool:
    """Whether this is a finding as rules may make them; one from outside returns what it likes."""
    return (
        isinstance(finding, Finding)
        and finding.rule.partition("/")[0] == rule.id
        and finding.severity in SEVERITIES
        and all(isinstance(text, str) for text in (finding.path, finding.message, finding.evidence))
        and isinstance(finding.line, int)
    )
