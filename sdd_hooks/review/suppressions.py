"""Findings that a comment in the file suppresses.

    # sdd-ignore: security/inner-html (sanitised by bleach)

The comment is on the line of the finding or on the line above it, in any comment syntax. It names
rules by their ids or by the part before the slash, separated by commas, and gives the reason in
parentheses. For a finding about a whole file the comment can be on any line.

Comments are read from the files after the change, and every suppression that takes effect is
reported. For a rule that guards records, only a suppression that the file has at the base takes
effect: a change cannot exempt itself.
"""

# Governing: SPEC-0010 REQ "Suppression"

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from sdd_hooks.findings import Finding, SuppressedFinding
from sdd_hooks.review.rule import Rule
from sdd_hooks.review.subject import Subject
from sdd_hooks.text.lazy_regex import lazy_regex

MAX_REASON = 300
"""Characters of a reason that are kept."""
MAX_SUPPRESSIONS = 1_000
"""Suppressions of one file that are read."""

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
    """A comment on `line` that suppresses `rules`; `reason` is "" when the comment gives none."""

    line: int
    rules: tuple[str, ...]
    reason: str
    text: str

    def names(self, rule: str) -> bool:
        """Whether the comment names this rule, by its id or by the part before the slash."""
        return rule in self.rules or rule.partition("/")[0] in self.rules


def read_suppressions(text: str) -> tuple[Suppression, ...]:
    """Read the suppressions of a file in order, MAX_SUPPRESSIONS at most. Never raises."""
    if _NAME not in text.lower():
        return ()
    found: list[Suppression] = []
    for number, line in enumerate(text.split("\n"), 1):
        if (suppression := read_suppression(line, number)) and len(found) < MAX_SUPPRESSIONS:
            found.append(suppression)
    return tuple(found)


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
    """Split findings into those that remain and those that are suppressed, both in order."""
    guards = {rule.id for rule in rules if rule.guards_records}
    before = {file.path: file.before for file in subject.change.files}
    by_path: dict[str, tuple[Suppression, ...]] = {}
    remaining: list[Finding] = []
    suppressed: list[SuppressedFinding] = []
    for finding in findings:
        path = finding.path
        if path not in by_path:
            by_path[path] = read_suppressions(subject.text(path)) if path else ()
        valid = [one for one in by_path[path] if one.reason and one.names(finding.rule)]
        if valid and finding.rule.partition("/")[0] in guards:
            at_base = _texts_at_base(subject, before, path)
            valid = [one for one in valid if one.text in at_base]
        suppression = next((one for one in valid if _covers(one, finding)), None)
        if suppression is None:
            remaining.append(finding)
        else:
            suppressed.append(SuppressedFinding(finding, suppression.reason))
    return tuple(remaining), tuple(suppressed)


def _covers(suppression: Suppression, finding: Finding) -> bool:
    return not finding.line or suppression.line in (finding.line, finding.line - 1)


def _texts_at_base(subject: Subject, before: Mapping[str, str], path: str) -> frozenset[str]:
    """The lines with suppressions that the file has at the base."""
    path_before = before.get(path, path)
    text = subject.text_before(path_before) if path_before else ""
    return frozenset(one.text for one in read_suppressions(text))
