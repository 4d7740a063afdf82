"""Create the issues of a plan that do not exist, and connect all of them.

A story is created after those that block it, so that its body names them; the bodies of these name
it afterwards. Each step looks at what is there, so that a plan can be created again after a failure
at any point.
"""

# Governing: ADR-0052 (an issue is created once), SPEC-0025 REQ "Creation"

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.planning.plan.issue_body import connection_text, epic_body, stories_text, story_body
from sdd_hooks.planning.plan.marker import EPIC
from sdd_hooks.planning.plan.story import Plan, Story
from sdd_hooks.trackers.issue import Issue, IssueDraft

STORY_LABELS = {"story": ("story",), "foundation": ("story", "foundation")}


class PlanWriter(Protocol):
    """The operations of a tracker that a plan needs. They raise RemoteError."""

    def create(self, draft: IssueDraft) -> Issue:
        """Create an issue."""
        ...

    def append(self, id: str, text: str) -> Issue:
        """Append Markdown to the body of an issue."""
        ...

    def issue(self, id: str) -> Issue:
        """Request an issue."""
        ...


class TrackerAbilities(NamedTuple):
    """What issues of the tracker have, as in `TrackerVendor`."""

    has_labels: bool = True
    has_epics: bool = True
    hides_comments: bool = True


class CreationEvents(NamedTuple):
    """Called before an issue with these keys is created, after it was, and after a change."""

    creating: Callable[[Sequence[str]], None]
    created: Callable[[Sequence[str], Issue], None]
    changed: Callable[[Issue], None]


def create_issues(
    plan: Plan,
    writer: PlanWriter,
    abilities: TrackerAbilities,
    events: CreationEvents,
    bodies: Mapping[str, str],
) -> None:
    """Create what the plan lacks, and connect its issues. Raises RemoteError and StorageError.

    Closed issues are not changed. A plan with one story has no epic. `bodies` are those of issues
    as they were read last: an issue that needs no change then is not requested.
    """
    epic = plan.epic.id if plan.epic else ""
    if not epic and abilities.has_epics and len(plan.stories) > 1:
        labels = ("epic", "spec") if abilities.has_labels else ()
        body = epic_body(plan, hides_comments=abilities.hides_comments)
        draft = IssueDraft(plan.epic_title, body, labels, spec=plan.spec)
        epic = _create(writer, draft, (EPIC,), events)
    ids: dict[int, str] = {}
    for story in plan.stories:
        if story.issue:
            ids[story.number] = story.issue.id
            continue
        draft = _draft(plan, story, ids, epic, abilities)
        ids[story.number] = _create(writer, draft, story.keys, events)
    for story in plan.stories:
        if not (story.issue and _is_closed(story.issue.status)):
            missing = _connection(plan, story, ids)
            _append(ids[story.number], missing, writer, events, bodies)
    is_open = plan.epic is None or not _is_closed(plan.epic.status)
    if epic and is_open:
        _append(epic, lambda body: stories_text(body, [*ids.values()]), writer, events, bodies)


def _draft(
    plan: Plan, story: Story, ids: Mapping[int, str], epic: str, abilities: TrackerAbilities
) -> IssueDraft:
    blockers = [ids[one.story] for one in story.blocked_by]
    body = story_body(plan, story, blockers, epic, hides_comments=abilities.hides_comments)
    labels = STORY_LABELS[story.kind] if abilities.has_labels else ()
    return IssueDraft(story.title, body, labels, epic, plan.spec)


def _create(
    writer: PlanWriter, draft: IssueDraft, keys: Sequence[str], events: CreationEvents
) -> str:
    events.creating(keys)
    issue = writer.create(draft)
    events.created(keys, issue)
    return issue.id


def _connection(plan: Plan, story: Story, ids: Mapping[int, str]) -> Callable[[str], str]:
    """Tells what a body lacks about the issues that a story blocks, and is blocked by."""
    blocks = [ids[number] for number in plan.blocks(story.number)]
    blocked_by = [ids[one.story] for one in story.blocked_by]
    return lambda body: connection_text(body, blocks, blocked_by)


def _append(
    id: str,
    missing: Callable[[str], str],
    writer: PlanWriter,
    events: CreationEvents,
    bodies: Mapping[str, str],
) -> None:
    """Append to the body of an issue what it lacks, as the tracker has it now."""
    known = bodies.get(id)
    if known is not None and not missing(known):
        return
    text = missing(writer.issue(id).body)
    if text:
        events.changed(writer.append(id, text))


def _is_closed(status: str) -> bool:
    return status in ("closed", "merged")
