"""What a rule is: a name, what it is for, and a function from a subject to findings."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from sdd_hooks.findings import Finding, RuleDescription, Severity
from sdd_hooks.review.subject import Subject


@dataclass(frozen=True)
class Rule:
    """A rule of the review.

    `id` is in kebab case, and the `rule` of each of its findings is that, or begins with it and a
    slash (`security/inner-html`). `severity` is the worst it finds. `summary` says in one line
    what it finds, `advice` in one or two sentences why, and what to do. `check` is a pure function
    of the subject, and raises nothing. One that `guards_records` is suppressed only where the base
    says so already.
    """

    id: str
    severity: Severity
    summary: str
    advice: str
    check: Callable[[Subject], Iterable[Finding]]
    guards_records: bool = False

    @property
    def description(self) -> RuleDescription:
        """What a report says about the rule."""
        return RuleDescription(self.id, self.severity, self.summary, self.advice)
