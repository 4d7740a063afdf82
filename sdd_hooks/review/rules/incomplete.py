"""The parts of a change that were not read, and that no rule has checked."""

# Governing: ADR-0031 (what could not be checked is a finding), SPEC-0010 REQ "Incomplete"

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from sdd_hooks.changes.change import UnreadPart
from sdd_hooks.findings import INCOMPLETE, Finding, Severity, incomplete_finding
from sdd_hooks.review.mentions import MAX_MENTIONS, MAX_TEXT
from sdd_hooks.review.rule import Rule
from sdd_hooks.review.rules.decision.applied import severity_of_unchecked
from sdd_hooks.review.subject import Subject
from sdd_hooks.text.display import format_count

MAX_NAMED = 20
"""Files that are named for one reason; the others are counted."""


def check(subject: Subject) -> Iterator[Finding]:
    """Find each part of the change that was not read, its description included."""
    named: Counter[tuple[str, Severity]] = Counter()
    for part in subject.change.unread:
        severity = severity_of_unchecked(subject, part.path)
        named[part.reason, severity] += 1
        if named[part.reason, severity] <= MAX_NAMED:
            yield _finding(part, severity)
    for (reason, severity), count in named.items():
        if count > MAX_NAMED:
            more = format_count(count - MAX_NAMED, "more file")
            yield incomplete_finding(f"{more}: {reason}", severity)
    for reason in _unread_texts(subject):
        # Rules of decisions search files only.
        yield incomplete_finding(reason, subject.settings.incomplete or "warning")


def _unread_texts(subject: Subject) -> Iterator[str]:
    """What was not read of the description, of the messages, and of the ids that files name."""
    change = subject.change
    messages = max(map(len, change.messages), default=0)
    for place, length in (("description", len(change.body)), ("longest message", messages)):
        if length > MAX_TEXT:
            yield (
                f"the {place} has {length:,} characters, and only the first {MAX_TEXT:,} are read:"
                " make it shorter"
            )
    if len(subject.mentions) >= MAX_MENTIONS:
        yield (
            f"this change names records more than {MAX_MENTIONS:,} times, and the rest is not read:"
            " divide it"
        )


def _finding(part: UnreadPart, severity: Severity) -> Finding:
    return incomplete_finding(part.reason, severity, part.path, part.line)


RULE = Rule(
    INCOMPLETE,
    "critical",
    "A part of the change that was not checked.",
    "What was not read may break a rule that a decision states as MUST. Change what the finding"
    " names, or review that part without this tool.",
    check,
    guards_records=True,
    whole_tree=True,
)
