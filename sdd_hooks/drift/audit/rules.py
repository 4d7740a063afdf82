"""The rules that only an audit has. Another one is a function here, and a line in this table."""

# Governing: ADR-0021 (rules are functions), SPEC-0019 REQ "Right or silent"

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain

from sdd_hooks.drift.audit.against_spec import (
    find_opposing_decisions,
    find_specs_before_decisions,
)
from sdd_hooks.drift.audit.audited import Audited
from sdd_hooks.drift.audit.coverage import GAP, NearRecord, find_gaps
from sdd_hooks.drift.audit.overdue import find_overdue
from sdd_hooks.drift.audit.statuses import find_not_accepted, find_unimplemented
from sdd_hooks.drift.rules import described_rules
from sdd_hooks.findings import Finding, RuleDescription
from sdd_hooks.review.rule import Rule
from sdd_hooks.review.subject import Subject

AUDIT_RULES = (
    RuleDescription(
        "stale-artifact",
        "warning",
        "A record whose status or date does not fit what the repository shows.",
        "Readers and tools follow records by their status. Set it to what holds, or change the code"
        " or the date.",
    ),
    RuleDescription(
        "adr-against-spec",
        "critical",
        "A specification against a decision that it is linked with.",
        "Code cannot follow both. Change the specification, or supersede the decision.",
    ),
    RuleDescription(
        GAP,
        "info",
        "A directory of code that no record governs, in a repository where records govern most.",
        "Name the decision that the code rests on in a governing comment or under applies-to, or"
        " record it.",
    ),
)


def described_audit_rules() -> tuple[RuleDescription, ...]:
    """What a report of an audit says about every rule that may run."""
    return (*described_rules(), *AUDIT_RULES)


Near = Callable[[str], NearRecord | None]


def audit_rules(audited: Audited, near: Near) -> tuple[Rule, ...]:
    """The rules of an audit, for what is audited. `near` is as in `coverage.find_gaps`."""
    return tuple(_rule(one, audited, near) for one in AUDIT_RULES)


def _rule(description: RuleDescription, audited: Audited, near: Near) -> Rule:
    def check(_: Subject) -> Iterator[Finding]:
        return _find(description.id, audited, near)

    return Rule(*description, check, whole_tree=True)


def _find(id: str, audited: Audited, near: Near) -> Iterator[Finding]:
    if id == GAP:
        return find_gaps(audited, near)
    found = {
        "stale-artifact": (find_unimplemented, find_not_accepted, find_overdue),
        "adr-against-spec": (find_specs_before_decisions, find_opposing_decisions),
    }
    return chain.from_iterable(find(audited) for find in found[id])
