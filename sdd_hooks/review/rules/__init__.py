"""The rules of a review: those of this package, and those that other distributions register.

A rule is a `RULE` of a module, and one line in `_OWN`. A rule of another distribution is an
entry point of the group `sdd_hooks.rules` whose object is a `Rule`.
"""

# Governing: ADR-0021 (rules are functions), SPEC-0010 REQ "Rules"

from __future__ import annotations

from collections.abc import Iterable

from sdd_hooks.findings import Finding, RuleDescription
from sdd_hooks.plugins import Plugin, PluginError, PluginKind, load_plugin, registered_plugins
from sdd_hooks.review.rule import Rule
from sdd_hooks.review.subject import Subject
from sdd_hooks.text.display import one_line

_OWN = {
    "accepted-decision": "accepted_decision:RULE",
    "conflict-marker": "conflict_marker:RULE",
    "dangling-reference": "dangling_reference:RULE",
    "decision-rule": "decision.rule:RULE",
    "duplicate-number": "duplicate_number:RULE",
    "frontmatter": "frontmatter:RULE",
    "incomplete": "incomplete:RULE",
    "security": "scan:SECURITY",
    "spec-pair": "spec_pair:RULE",
    "superseded-reference": "superseded_reference:RULE",
    "suppression": "suppression:RULE",
    "template": "scan:TEMPLATE",
}

RULES = PluginKind(
    "rule",
    "sdd_hooks.rules",
    {id: f"{__name__}.{target}" for id, target in _OWN.items()},
)


def own() -> tuple[Rule, ...]:
    """The rules of this package, in the order of their ids."""
    plugins = [Plugin(RULES, name, target) for name, target in RULES.own.items()]
    return tuple(sorted((load_plugin(plugin, Rule) for plugin in plugins), key=_id))


def registered() -> tuple[Rule, ...]:
    """Every rule that is installed, in the order of their ids. Never raises.

    Another distribution cannot replace a rule of this package by registering its id. A rule that
    cannot be loaded is listed under its registered name, and its `check` raises PluginError.
    """
    rules = {rule.id: rule for rule in own()}
    for name, plugin in registered_plugins(RULES).items():
        if name not in RULES.own:
            rule = _load(plugin)
            rules.setdefault(rule.id, rule)
    return tuple(sorted(rules.values(), key=_id))


def rule_descriptions() -> tuple[RuleDescription, ...]:
    """What a report says about every rule that is installed, the judge included."""
    from sdd_hooks.review.judge.contradictions import JUDGE

    return tuple(rule.description for rule in (*registered(), JUDGE))


def _load(plugin: Plugin) -> Rule:
    try:
        return load_plugin(plugin, Rule)
    except PluginError as error:
        # A variable that an except clause binds is gone after the clause.
        failure = error

    def check(_: Subject) -> Iterable[Finding]:
        raise failure

    advice = f"Update or remove {plugin.distribution}."
    return Rule(one_line(plugin.name), "info", "A rule that cannot be loaded.", advice, check)


def _id(rule: Rule) -> str:
    return rule.id
