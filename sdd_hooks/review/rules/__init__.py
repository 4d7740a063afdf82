"""The rules of a review: those that come with this package, and what others register.

A rule is one module with a `RULE`, and one line in `_OWN`. One from another distribution is an
entry point of `sdd_hooks.rules` that leads to a `Rule`.
"""

# Governing: ADR-0021 (rules are functions), SPEC-0010 REQ "Rules"

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from typing import TYPE_CHECKING

from sdd_hooks.errors import SddError
from sdd_hooks.findings import Finding, RuleDescription
from sdd_hooks.review.rule import Rule
from sdd_hooks.review.subject import Subject
from sdd_hooks.text.display import describe_error, one_line

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

ENTRY_POINTS = "sdd_hooks.rules"

# Ours are there whatever the installed distributions say about themselves.
_OWN = (
    "accepted_decision",
    "conflict_marker",
    "dangling_reference",
    "decision.rule",
    "duplicate_number",
    "frontmatter",
    "security.rule",
    "spec_pair",
    "superseded_reference",
    "suppression",
    "template.rule",
)


class BrokenRule(SddError):
    """A registered rule cannot be imported, or is none."""

    code = "rule"


def own() -> tuple[Rule, ...]:
    """The rules that come with this package, in the order of their ids."""
    found: list[Rule] = [import_module(f"{__name__}.{name}").RULE for name in _OWN]
    return tuple(sorted(found, key=_id))


def registered() -> tuple[Rule, ...]:
    """Every rule on this machine, in the order of their ids. Never raises.

    Nobody's distribution takes the place of a rule that comes with this package. One that cannot be
    loaded is there under its registered name, and its `check` raises BrokenRule, which says why.
    """
    from importlib.metadata import entry_points

    found = {rule.id: rule for rule in own()}
    for point in sorted(entry_points(group=ENTRY_POINTS)):
        rule = _load(point)
        found.setdefault(rule.id, rule)
    return tuple(sorted(found.values(), key=_id))


def rule_descriptions() -> tuple[RuleDescription, ...]:
    """What a report says about every rule on this machine, the judge included."""
    from sdd_hooks.review.judge.contradictions import JUDGE

    return tuple(rule.description for rule in (*registered(), JUDGE))


def _load(point: EntryPoint) -> Rule:
    try:
        rule = point.load()
    except Exception as error:
        return _broken(point, describe_error(error))
    return rule if isinstance(rule, Rule) else _broken(point, "it is no Rule")


def _broken(point: EntryPoint, why: str) -> Rule:
    brought = f"update or remove {point.dist.name}" if point.dist else "remove it"
    name = one_line(point.name)

    def check(_: Subject) -> Iterable[Finding]:
        raise BrokenRule(f"the rule {name} cannot be loaded ({why}): {brought}")

    return Rule(name, "info", "A rule that cannot be loaded.", f"{brought.capitalize()}.", check)


def _id(rule: Rule) -> str:
    return rule.id
