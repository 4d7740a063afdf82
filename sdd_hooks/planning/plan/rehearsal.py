"""Create a plan without a tracker: what `--dry-run` shows is what a tracker would be sent."""

# Governing: SPEC-0025 REQ "Dry run"

from __future__ import annotations

from collections.abc import Callable, Mapping

from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.planning.plan.creation import CreationEvents, TrackerAbilities, create_issues
from sdd_hooks.planning.plan.story import Plan
from sdd_hooks.trackers.issue import Issue, IssueDraft


class PlannedIssue(NamedTuple):
    """An issue that would be created, with a name in place of its id."""

    id: str
    draft: IssueDraft


class PlannedAddition(NamedTuple):
    """An issue that would be changed: what would be appended to its body."""

    id: str
    title: str
    text: str


class PlannedChanges(NamedTuple):
    """What creating a plan would do, in order."""

    created: tuple[PlannedIssue, ...]
    changed: tuple[PlannedAddition, ...]


def rehearse(
    plan: Plan,
    abilities: TrackerAbilities,
    issue: Callable[[str], Issue],
    bodies: Mapping[str, str],
) -> PlannedChanges:
    """What `create_issues` would do. `issue` returns an issue that exists, and may raise."""
    writer = _Recorder(issue)
    events = CreationEvents(lambda _keys: None, lambda _keys, _issue: None, lambda _issue: None)
    create_issues(plan, writer, abilities, events, bodies)
    return PlannedChanges(tuple(writer.created), tuple(writer.changed))


class _Recorder:
    """A writer that keeps what it is asked to do."""

    def __init__(self, read: Callable[[str], Issue]) -> None:
        self._read = read
        self.created: list[PlannedIssue] = []
        self.changed: list[PlannedAddition] = []
        self._made: dict[str, Issue] = {}

    def create(self, draft: IssueDraft) -> Issue:
        """Keep a draft. The id of the issue is a name."""
        id = f"(new issue {len(self.created) + 1})"
        self.created.append(PlannedIssue(id, draft))
        made = Issue(id, draft.title, "open", draft.labels, (), "", "", "", "", "", "", draft.body)
        self._made[id] = made
        return made

    def issue(self, id: str) -> Issue:
        """A kept issue, else one that exists."""
        return self._made.get(id) or self._read(id)

    def append(self, id: str, text: str) -> Issue:
        """Keep an addition."""
        issue = self.issue(id)
        self.changed.append(PlannedAddition(id, issue.title, text))
        return issue
