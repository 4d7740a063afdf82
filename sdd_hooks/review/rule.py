"""The type of a rule: its name, its description, and a function from a subject to findings."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from sdd_hooks.findings import Finding, RuleDescription, Severity
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.review.subject import Subject


class Rule(NamedTuple):
    """A rule of the review.

    `id` is in kebab case. The `rule` of each finding is this id, or begins with it and a slash
    (`decision-rule/ADR-0012`). `severity` is the worst severity of its findings. `summary` says in
    one line what the rule finds; `advice` says in one or two sentences why, and what to do. `check`
    is a pure function of the subject and raises no exception. With `guards_records`, a suppression
    takes effect only when the file has it at the base already. With `whole_tree`, the rule also
    works on a whole tree (`Subject.whole_tree`); a rule about history does not.
    """

    id: str
    severity: Severity
    summary: str
    advice: str
    check: Callable[[Subject], Iterable[Finding]]
    guards_records: bool = False
    whole_tree: bool = False

    @property
    def description(self) -> RuleDescription:
        """What a report says about the rule."""
        return RuleDescription(self.id, self.severity, self.summary, self.advice)
