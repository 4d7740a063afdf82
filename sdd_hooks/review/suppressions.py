"""Findings that somebody said to leave alone, in a comment beside them.

    # sdd-ignore: security/inner-html (sanitised by bleach)

The comment stands on the line of the finding or on the line above, in any syntax. It names rules by
their ids, or by the part before the slash, with commas between them, and gives the reason. For a
finding about a file as a whole it may stand anywhere in the file.

Comments are read as the change leaves them, since that is where an exception is explained, and
every one that is heeded is reported. A rule that guards records heeds only those that the file had
at the base: nobody excuses their own change to a decision.
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

LONGEST_REASON = 300
MOST = 1_000
"""Suppressions of a file that are read."""

_NAME = "sdd-ignore:"
# Bounded everywhere: lines are hostile.
_COMMENT = lazy_regex(
    r"""(?:^|[\s{(;])(?://+|\#+|--+|;+|%+|/\*+|<!--+|\*+|\(\*+|\{-+|!+|\"\"\"|'''|'|::|rem)
    [ \t]{0,8}sdd-ignore:[ \t]{0,8}
    (?P<rules>[a-z0-9][a-z0-9/._-]{0,80}(?:[ \t]{0,8},[ \t]{0,8}[a-z0-9][a-z0-9/._-]{0,80}){0,20})
    (?:[ \t]{0,8}\((?P<reason>[^\n]{1,400}))?""",
    re.VERBOSE | re.IGNORECASE,
)


class Suppression(NamedTuple):
    """A comment that suppresses `rules`, on `line`; `reason` is "" where it gives none."""

    line: int
    rules: tuple[str, ...]
    reason: str
    text: str

    def names(self, rule: str) -> bool:
        """Whether it is about the rule `rule`: by its id, or by the part before the slash."""
        return rule in self.rules or rule.partition("/")[0] in self.rules


def suppressions(text: str) -> tuple[Suppression, ...]:
    """Every suppression in a file, in order. Never raises."""
    if _NAME not in text.lower():
        return ()
    found: list[Suppression] = []
    for number, line in enumerate(text.split("\n"), 1):
        if (one := read_suppression(line, number)) and len(found) < MOST:
            found.append(one)
    return tuple(found)


def read_suppression(line: str, number: int) -> Suppression | None:
    """The suppression in a line, None where it has none."""
    if _NAME not in line.lower() or not (match := _COMMENT.search(line)):
        return None
    rules = tuple(name.strip().lower() for name in match["rules"].split(","))
    return Suppression(number, rules, _reason(match["reason"] or ""), line.strip())


def _reason(opened: str) -> str:
    """What stands in the parentheses, of which the first is open already; "" if nothing does."""
    depth = 1
    for at, character in enumerate(opened):
        depth += (character == "(") - (character == ")")
        if not depth:
            return " ".join(opened[:at].split())[:LONGEST_REASON]
    return ""


def suppress(
    subject: Subject, findings: Iterable[Finding], rules: Sequence[Rule]
) -> tuple[tuple[Finding, ...], tuple[SuppressedFinding, ...]]:
    """The findings that stay, and those that are suppressed, both in the order given."""
    guards = {rule.id for rule in rules if rule.guards_records}
    before = {file.path: file.before for file in subject.change.files}
    read: dict[str, tuple[Suppression, ...]] = {}
    stay: list[Finding] = []
    suppressed: list[SuppressedFinding] = []
    for finding in findings:
        path = finding.path
        if path not in read:
            read[path] = suppressions(subject.text(path)) if path else ()
        heeded = [one for one in read[path] if one.reason and one.names(finding.rule)]
        if heeded and finding.rule.partition("/")[0] in guards:
            agreed = _texts(subject, before, path)
            heeded = [one for one in heeded if one.text in agreed]
        one = next((one for one in heeded if _covers(one, finding)), None)
        if one is None:
            stay.append(finding)
        else:
            suppressed.append(SuppressedFinding(finding, one.reason))
    return tuple(stay), tuple(suppressed)


def _covers(suppression: Suppression, finding: Finding) -> bool:
    return not finding.line or suppression.line in (finding.line, finding.line - 1)


def _texts(subject: Subject, before: Mapping[str, str], path: str) -> frozenset[str]:
    """The suppressions that the file has at the base, as they are written."""
    at_base = before.get(path, path)
    text = subject.text_before(at_base) if at_base else ""
    return frozenset(one.text for one in suppressions(text))
