"""Find the issues of a plan by their markers, and the other issues that cover its requirements."""

# Governing: ADR-0052 (an issue says what it covers), SPEC-0025 REQ "Existing issues"

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.planning.conventions import is_epic
from sdd_hooks.planning.plan.marker import EPIC, keys_for
from sdd_hooks.planning.plan.requirements import PlannedRequirement
from sdd_hooks.planning.plan.story import PlanIssue
from sdd_hooks.text.lazy_regex import lazy_regex
from sdd_hooks.trackers.issue import Issue
from sdd_hooks.trackers.issue_file import StoredIssue
from sdd_hooks.trackers.issue_references import natural_key

MIN_WORDS = 2
"""Words of a name that says by itself which requirement is meant."""

_WORD = lazy_regex(r"[^\W_]+")
_ITEM = lazy_regex(r"[ \t>]*(?:#{1,6}|[-*+]|[0-9]{1,4}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?(.{1,300})")
_LEAD = lazy_regex(r"(?:req|requirement)\b\W{0,5}", re.IGNORECASE)


class KnownIssues(NamedTuple):
    """What a tracker has about a specification.

    `by_key` has the issue of each key of the plan. `duplicates` are pairs of issues with one key:
    the one that counts, and the other. `others` are the issues that belong to no plan of it and are
    no epics.
    """

    epic: StoredIssue | None
    by_key: Mapping[str, StoredIssue]
    duplicates: tuple[tuple[StoredIssue, StoredIssue], ...]
    others: tuple[StoredIssue, ...]


def find_known(issues: Sequence[StoredIssue], spec: str, marked: str) -> KnownIssues:
    """Find what the issues have about a specification, by its id, and by that in markers.

    Of two issues with one key, the open one counts, then the older.
    """
    ordered = sorted(issues, key=lambda one: (is_closed(one), natural_key(one.id)))
    by_key: dict[str, StoredIssue] = {}
    duplicates: dict[tuple[str, str], tuple[StoredIssue, StoredIssue]] = {}
    others = []
    for issue in ordered:
        keys = keys_for(issue.body, marked)
        for key in sorted(keys):
            first = by_key.setdefault(key, issue)
            if first is not issue and not is_closed(issue):
                duplicates[first.id, issue.id] = (first, issue)
        if not keys:
            others.append(issue)
    epics = [one for one in others if is_epic(one.title, one.labels) and spec in one.specs]
    epic = by_key.pop(EPIC, None) or next(iter(epics), None)
    rest = tuple(one for one in others if not is_epic(one.title, one.labels))
    return KnownIssues(epic, by_key, tuple(duplicates.values()), rest)


def find_covering(
    requirement: PlannedRequirement, spec: str, issues: Sequence[StoredIssue]
) -> StoredIssue | None:
    """The issue that covers a requirement, an open one before a closed one; None if there is none.

    It references the specification, and the name of the requirement is in its title, or begins a
    heading or an item of a list in its body.
    """
    name = words_of(requirement.name)
    is_clear = len(name.split()) >= MIN_WORDS
    for issue in sorted(issues, key=is_closed):
        if spec not in issue.specs:
            continue
        if is_clear and name in words_of(issue.title):
            return issue
        for item in map(_ITEM.match, issue.body.splitlines()):
            text = item[1].strip(" *_`") if item else ""
            lead = _LEAD.match(text)
            rest = text[lead.end() :] if lead else text
            if (is_clear or lead) and words_of(rest).startswith(name):
                return issue
    return None


def is_closed(issue: StoredIssue | PlanIssue) -> bool:
    """Whether an issue is closed, merged or not."""
    return issue.status in ("closed", "merged")


def plan_issue(issue: Issue | StoredIssue) -> PlanIssue:
    """An issue as a plan names it."""
    return PlanIssue(issue.id, issue.title, issue.status, issue.url)


def words_of(text: str) -> str:
    """The words of a text in lower case between blanks, so that a part has whole words."""
    return f" {' '.join(_WORD.findall(text.lower()))} "
