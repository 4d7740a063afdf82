"""The issues of a specification: its epic, and its stories."""

# Governing: SPEC-0027 REQ "Groups"

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.planning.conventions import is_epic
from sdd_hooks.trackers.issue_file import StoredIssue
from sdd_hooks.trackers.issue_references import natural_key

OPEN = frozenset({"open", "draft"})
"""The statuses of issues whose work is not finished."""


class SpecIssues(NamedTuple):
    """The issues that name a specification, by id. `epic` is None where no single one is its epic.

    `others` are further epics. `stories` are all other issues, open and closed.
    """

    spec: str
    epic: StoredIssue | None
    others: tuple[StoredIssue, ...]
    stories: tuple[StoredIssue, ...]

    @property
    def open_stories(self) -> tuple[StoredIssue, ...]:
        """The stories whose work is not finished."""
        return tuple(one for one in self.stories if one.status in OPEN)


def find_spec_issues(
    issues: Iterable[StoredIssue], spec: str, *, has_epics: bool = True
) -> SpecIssues:
    """Find the issues that name a specification.

    A label marks an epic more certainly than a title, so that titles count only where no issue of
    the specification has the label. Without `has_epics` the tracker has none.
    """
    of_spec = sorted(
        (issue for issue in issues if spec in issue.specs),
        key=lambda issue: natural_key(issue.id),
    )
    epics = [one for one in of_spec if has_epics and is_epic("", one.labels)]
    if has_epics and not epics:
        epics = [one for one in of_spec if is_epic(one.title, ())]
    current = [one for one in epics if one.status in OPEN] or epics
    epic = current[0] if len(current) == 1 else None
    return SpecIssues(
        spec,
        epic,
        tuple(one for one in epics if one is not epic),
        tuple(one for one in of_spec if one not in epics),
    )


def named_specs(issues: Iterable[StoredIssue]) -> Sequence[str]:
    """The specifications that open issues name, sorted."""
    return sorted({spec for issue in issues if issue.status in OPEN for spec in issue.specs})
