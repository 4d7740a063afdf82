"""The rules of checks and audits about the whole work tree, besides those of a review."""

# Governing: ADR-0040 (a whole tree is checked as a change that adds it), SPEC-0018 REQ "Rules"

from __future__ import annotations

from collections.abc import Iterator

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.findings import RuleDescription
from sdd_hooks.review.subject import Subject


def described_rules() -> tuple[RuleDescription, ...]:
    """What a report of a check says about every rule that may run, the judge included."""
    from sdd_hooks.drift.baseline import STALE_RULE
    from sdd_hooks.drift.rules import (
        opposing_requirements,
        requirement_coverage,
        requirement_words,
        ungoverned_code,
    )
    from sdd_hooks.drift.whole_tree import whole_tree_rules
    from sdd_hooks.review.judge.contradictions import JUDGE
    from sdd_hooks.review.rules import registered

    own = (
        opposing_requirements.RULE,
        requirement_coverage.RULE,
        requirement_words.RULE,
        ungoverned_code.RULE,
    )
    rules = (*whole_tree_rules(registered()), *own, JUDGE)
    return (*(rule.description for rule in rules), STALE_RULE)


def specs_in_scope(subject: Subject) -> Iterator[Artifact]:
    """The specifications in force with a file in scope, by path."""
    found = (subject.corpus.by_path.get(file.path) for file in subject.change.files)
    for artifact in {one.path: one for one in found if one}.values():
        if artifact.kind == "SPEC" and artifact.status.authoritative:
            yield artifact
