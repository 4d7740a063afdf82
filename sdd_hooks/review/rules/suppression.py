"""A suppression without a reason, which has no effect."""

# Governing: SPEC-0010 REQ "Suppression"

from __future__ import annotations

from collections.abc import Iterator

from sdd_hooks.code.paths import is_sample, is_test
from sdd_hooks.findings import Finding
from sdd_hooks.review.rule import Rule
from sdd_hooks.review.subject import Subject
from sdd_hooks.review.suppressions import may_suppress, read_suppression
from sdd_hooks.text.lines import join_lines
from sdd_hooks.text.stated import has_reason


def check(subject: Subject) -> Iterator[Finding]:
    """Find each added line with a suppression that gives no reason. In tests it is test data."""
    for file in subject.change.files:
        if is_test(file.path) or is_sample(file.path):
            continue
        if not may_suppress(join_lines(file.added)):
            continue
        for line in file.added:
            suppression = read_suppression(line.text, line.number)
            if suppression and not has_reason(suppression.reason):
                rules = ", ".join(suppression.rules)
                message = (
                    f"this suppression of {rules} gives no reason and is not heeded: write"
                    f" `sdd-ignore: {rules} (reason)`"
                )
                yield Finding(file.path, line.number, RULE.id, "info", message, line.text.strip())


RULE = Rule(
    "suppression",
    "info",
    "A suppression without a reason.",
    "Who reads the code next needs to know why a finding was left alone. Write the reason in"
    " parentheses behind the rule; without it nothing is suppressed.",
    check,
    whole_tree=True,
)
