"""Findings that a comment in the file suppresses.

    # sdd-ignore: decision-rule (the last caller of the old client)

The comment is on the line of the finding or on the line above it, in any comment syntax. It names
rules by their ids or by the part before the slash, separated by commas, and gives the reason in
parentheses. For a finding about a whole file the comment can be on any line.

Comments are read from the files after the change, and every suppression that takes effect is
reported. For a rule that guards records, and for every rule with `Suppressions: base`, only a
suppression that the file has at the base takes effect: a change cannot exempt itself. Where it can,
a remark says so for each critical finding.
"""

# Governing: ADR-0031 (exemptions are visible), SPEC-0010 REQ "Suppression"

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from sdd_hooks.code.paths import is_markdown
from sdd_hooks.findings import Finding, SuppressedFinding, worst_first
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.review.rule import Rule
from sdd_hooks.review.subject import Subject
from sdd_hooks.text.lazy_regex import lazy_regex
from sdd_hooks.text.stated import has_reason, read_stated

MAX_REASON = 300
"""Characters of a reason that are kept."""
MAX_SUPPRESSIONS = 1_000
"""Suppressions of one file that are read."""
NEW = "suppression/critical"
"""The rule of the remark about a critical finding that the change suppresses."""

_NAME = "sdd-ignore:"
# Every repetition has a limit: a line can be written to make the search slow.
_COMMENT = lazy_regex(
    r"""(?:^|[\s{(;])(?://+|\#+|--+|;+|%+|/\*+|<!--+|\*+|\(\*+|\{-+|!+|\"\"\"|'''|'|::|rem)
    [ \t]{0,8}sdd-ignore:[ \t]{0,8}
    (?P<rules>[a-z0-9][a-z0-9/._-]{0,80}(?:[ \t]{0,8},[ \t]{0,8}[a-z0-9][a-z0-9/._-]{0,80}){0,20})
    (?:[ \t]{0,8}\((?P<reason>[^\n]{1,400}))?""",
    re.VERBOSE | re.IGNORECASE,
)


class Suppression(NamedTuple):
    """A comment on `line` that suppresses `rules`, in small letters.

    `reason` is "" when the comment gives none.
    """

    line: int
    rules: tuple[str, ...]
    reason: str
    text: str

    def names(self, rule: str) -> bool:
        """Whether the comment names this rule, by its id or by the part before the slash."""
        name = rule.lower()
        return name in self.rules or name.partition("/")[0] in self.rules


def read_suppressions(path: str, text: str) -> tuple[Suppression, ...]:
    """Read the suppressions of a file in order, MAX_SUPPRESSIONS at most. Never raises.

    Those in the code of a Markdown file are examples.
    """
    if not may_suppress(text):
        return ()
    if is_markdown(path):
        text = read_stated(text, comments=True)
    found: list[Suppression] = []
    for number, line in enumerate(text.split("\n"), 1):
        if (suppression := read_suppression(line, number)) and len(found) < MAX_SUPPRESSIONS:
            found.append(suppression)
    return tuple(found)


def may_suppress(text: str) -> bool:
    """Whether a text may have a suppression."""
    return _NAME in text.lower()


def read_suppression(line: str, number: int) -> Suppression | None:
    """Read the suppression in a line; None when the line has none."""
    if _NAME not in line.lower() or not (match := _COMMENT.search(line)):
        return None
    rules = tuple(name.strip().lower() for name in match["rules"].split(","))
    return Suppression(number, rules, _reason(match["reason"] or ""), line.strip())


def _reason(opened: str) -> str:
    """The text up to the parenthesis that closes; `opened` begins behind the opening one."""
    depth = 1
    for at, character in enumerate(opened):
        depth += (character == "(") - (character == ")")
        if not depth:
            return " ".join(opened[:at].split())[:MAX_REASON]
    return ""


def suppress(
    subject: Subject, findings: Iterable[Finding], rules: Sequence[Rule]
) -> tuple[tuple[Finding, ...], tuple[SuppressedFinding, ...]]:
    """Split findings into those that remain and those that are suppressed, both in order.

    A critical finding that a comment of this change suppresses leaves a remark about it. In a whole
    tree every suppression takes effect: it has no base.
    """
    guards = {rule.id for rule in rules if rule.guards_records and not subject.whole_tree}
    only_base = subject.settings.suppressions == "base" and not subject.whole_tree
    files = _Files(subject)
    remaining: list[Finding] = []
    remarks: list[Finding] = []
    suppressed: list[SuppressedFinding] = []
    for finding in findings:
        found = [
            one
            for one in files.suppressions(finding.path)
            if has_reason(one.reason) and one.names(finding.rule) and _covers(one, finding)
        ]
        at_base = [one for one in found if files.is_at_base(finding.path, one)]
        if only_base or finding.rule.partition("/")[0] in guards:
            found = at_base
        if not found:
            remaining.append(finding)
            continue
        suppression = (at_base or found)[0]
        suppressed.append(SuppressedFinding(finding, suppression.reason))
        if finding.severity == "critical" and not at_base:
            remarks.append(_remark(finding, suppression))
    return worst_first((*remaining, *remarks)), tuple(suppressed)


def _remark(finding: Finding, suppression: Suppression) -> Finding:
    message = (
        f"this change suppresses a critical finding of {finding.rule}"
        f" ({finding.message}): check the reason"
    )
    return Finding(finding.path, suppression.line, NEW, "info", message, suppression.text)


class _Files:
    """The suppressions of files after a change, and whether the base has them."""

    def __init__(self, subject: Subject) -> None:
        self._subject = subject
        self._changed = {file.path: file for file in subject.change.files}
        self._after: dict[str, tuple[Suppression, ...]] = {}
        self._before: dict[str, frozenset[str]] = {}

    def suppressions(self, path: str) -> tuple[Suppression, ...]:
        """The suppressions of a file, none for "", the change as a whole."""
        if path not in self._after:
            text = self._subject.text(path) if path else ""
            self._after[path] = read_suppressions(path, text)
        return self._after[path]

    def is_at_base(self, path: str, suppression: Suppression) -> bool:
        """Whether the base has a suppression. A copy of it on an added line is a new one."""
        file = self._changed.get(path)
        if file is None or self._subject.whole_tree:
            return True
        if path not in self._before:
            text = self._subject.text_before(file.before) if file.before else ""
            self._before[path] = frozenset(one.text for one in read_suppressions(path, text))
        is_added = any(line.number == suppression.line for line in file.added)
        return suppression.text in self._before[path] and not is_added


def _covers(suppression: Suppression, finding: Finding) -> bool:
    return not finding.line or suppression.line in (finding.line, finding.line - 1)
