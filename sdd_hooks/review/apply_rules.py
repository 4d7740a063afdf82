"""Apply the rules of a review to a change."""

# Governing: ADR-0021 (rules are functions), ADR-0032 (a review ends in time),
# SPEC-0010 REQ "Rules"

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from sdd_hooks.findings import (
    INCOMPLETE,
    SEVERITIES,
    Finding,
    SuppressedFinding,
    incomplete_finding,
    worst_first,
)
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.plugins import PluginError
from sdd_hooks.review.rule import Rule
from sdd_hooks.review.subject import Subject
from sdd_hooks.review.suppressions import suppress
from sdd_hooks.system.time_limit import TimeLimitExceeded, time_limit
from sdd_hooks.text.display import describe_error, one_line

MAX_FINDINGS = 1_000
"""Findings of one rule that are kept."""
MAX_TEXT = 2_000
"""Characters that are kept of a message and of its evidence."""
MAX_SECONDS = 90.0
"""The time of all rules. They take a second for most changes."""
MAX_NAMED = 5
"""Rules that are named in the finding about rules that did not end in time."""


class RuleResults(NamedTuple):
    """The distinct findings of all rules, the worst first, then by path and line.

    `notes` name each rule that cannot be used, and the reason.
    """

    findings: tuple[Finding, ...] = ()
    suppressed: tuple[SuppressedFinding, ...] = ()
    notes: tuple[str, ...] = ()


def apply_rules(
    subject: Subject, rules: Sequence[Rule], seconds: float = MAX_SECONDS
) -> RuleResults:
    """Apply the rules to a change. A rule that raises an exception becomes a finding.

    After so many seconds the rules end, and those that did not are a finding. Raises
    RepositoryError when git cannot read a file that has a finding.
    """
    notes: list[str] = []
    found: set[Finding] = set()
    waiting = list(rules)
    try:
        with time_limit(seconds):
            while waiting:
                found.update(_apply(waiting[0], subject, notes))
                waiting.pop(0)
    except TimeLimitExceeded:
        found.add(_unfinished(subject, waiting, seconds))
    findings, suppressed = suppress(subject, worst_first(found), rules)
    return RuleResults(findings, suppressed, tuple(notes))


def _unfinished(subject: Subject, rules: Sequence[Rule], seconds: float) -> Finding:
    """The finding about rules that did not end in time.

    Which rules of decisions apply is not read again, because that may be what takes long.
    """
    severity = subject.settings.incomplete or "critical"
    names = ", ".join(one_line(rule.id) for rule in rules[:MAX_NAMED])
    more = f" and {len(rules) - MAX_NAMED} more" if len(rules) > MAX_NAMED else ""
    reason = f"{names}{more} did not end in {seconds:g} seconds: divide the change"
    return incomplete_finding(reason, severity)


def _apply(rule: Rule, subject: Subject, notes: list[str]) -> Iterator[Finding]:
    """The findings of one rule. When the rule fails, the findings before the failure are kept."""
    name = one_line(rule.id)
    count = 0
    try:
        for finding in rule.check(subject):
            if not _is_valid(finding, rule):
                notes.append(f"the rule {name} returned an invalid finding: the rest is left out")
                return
            if count == MAX_FINDINGS:
                yield _left_out(
                    subject, rule, f"what the rule {name} finds beyond {MAX_FINDINGS:,}"
                )
                return
            count += 1
            yield _shortened(finding)
    except PluginError as error:
        # It is not installed as it should be, which no change can bring about.
        notes.append(describe_error(error))
    except Exception as error:
        yield _left_out(subject, rule, f"the rule {name} failed: {describe_error(error)}")


def _left_out(subject: Subject, rule: Rule, reason: str) -> Finding:
    """The finding about a rule that did not complete, as severe as its worst finding."""
    return incomplete_finding(reason[:MAX_TEXT], subject.settings.incomplete or rule.severity)


def _shortened(finding: Finding) -> Finding:
    """The finding within its limits, with a message of one line: a path may hold a line break."""
    message = one_line(finding.message)[:MAX_TEXT]
    return replace(finding, message=message, evidence=finding.evidence[:MAX_TEXT])


def _is_valid(finding: object, rule: Rule) -> bool:
    """Whether this is a well-formed finding of `rule`. A plug-in can return any object."""
    return (
        isinstance(finding, Finding)
        and finding.rule.partition("/")[0] in (rule.id, INCOMPLETE)
        and finding.severity in SEVERITIES
        and all(isinstance(text, str) for text in (finding.path, finding.message, finding.evidence))
        and isinstance(finding.line, int)
    )
