"""Create the issues of a plan that do not exist, and connect all of them; or rehearse that.

A story is created after those that block it, so that its body names them; the bodies of these name
it afterwards. Each step looks at what is there, so that a plan can be created again after a failure
at any point.

The journal has the issues that this machine created, and the one it is creating: a search index of
a tracker may not show them yet. It is in the git directory, which all work trees share and no
commit changes.
"""

# Governing: ADR-0052 (an issue is created once), SPEC-0025 REQ "Creation", REQ "Dry run"

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any, Protocol

from sdd_hooks.errors import StorageError
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.planning.plan.issue_body import connection_text, epic_body, stories_text, story_body
from sdd_hooks.planning.plan.known_issues import is_closed
from sdd_hooks.planning.plan.marker import EPIC
from sdd_hooks.planning.plan.story import Plan, Story
from sdd_hooks.system.files import read_state, state_directory, write_atomically
from sdd_hooks.trackers.issue import Issue, IssueDraft
from sdd_hooks.trackers.protocol import TrackerVendor

STORY_LABELS = {"story": ("story",), "foundation": ("story", "foundation")}

DIRECTORY = "plans"
_MAX_BYTES = 4 << 20


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


class CreationEvents(NamedTuple):
    """Called before an issue with these keys is created, after it was, and after a change."""

    creating: Callable[[Sequence[str]], None]
    created: Callable[[Sequence[str], Issue], None]
    changed: Callable[[Issue], None]


def create_issues(
    plan: Plan,
    writer: PlanWriter,
    vendor: TrackerVendor,
    events: CreationEvents,
    bodies: Mapping[str, str],
) -> None:
    """Create what the plan lacks, and connect its issues. Raises RemoteError and StorageError.

    Closed issues are not changed. A plan with one story has no epic. `bodies` are those of issues
    as they were read last: an issue that needs no change then is not requested.
    """
    epic = plan.epic.id if plan.epic else ""
    if not epic and vendor.has_epics and len(plan.stories) > 1:
        labels = ("epic", "spec") if vendor.has_labels else ()
        body = epic_body(plan, hides_comments=vendor.hides_comments)
        draft = IssueDraft(plan.epic_title, body, labels, spec=plan.spec)
        epic = _create(writer, draft, (EPIC,), events)
    ids: dict[int, str] = {}
    for story in plan.stories:
        if story.issue:
            ids[story.number] = story.issue.id
            continue
        draft = _draft(plan, story, ids, epic, vendor)
        ids[story.number] = _create(writer, draft, story.keys, events)
    for story in plan.stories:
        if not (story.issue and is_closed(story.issue)):
            missing = _connection(plan, story, ids)
            _append(ids[story.number], missing, writer, events, bodies)
    is_open = plan.epic is None or not is_closed(plan.epic)
    if epic and is_open:
        _append(epic, lambda body: stories_text(body, [*ids.values()]), writer, events, bodies)


def _draft(
    plan: Plan, story: Story, ids: Mapping[int, str], epic: str, vendor: TrackerVendor
) -> IssueDraft:
    blockers = [ids[one.story] for one in story.blocked_by]
    body = story_body(plan, story, blockers, epic, hides_comments=vendor.hides_comments)
    labels = STORY_LABELS[story.kind] if vendor.has_labels else ()
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
    vendor: TrackerVendor,
    issue: Callable[[str], Issue],
    bodies: Mapping[str, str],
) -> PlannedChanges:
    """What `create_issues` would do. `issue` returns an issue that exists, and may raise."""
    writer = _Recorder(issue)
    events = CreationEvents(lambda _keys: None, lambda _keys, _issue: None, lambda _issue: None)
    create_issues(plan, writer, vendor, events, bodies)
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


class Creating(NamedTuple):
    """The issue whose creation has no result yet: its keys, and when it began (epoch seconds)."""

    keys: tuple[str, ...]
    at: float


class JournalState(NamedTuple):
    """The ids of the created issues by their keys, and what is being created."""

    issues: Mapping[str, str]
    creating: Creating | None = None


class PlanJournal:
    """The journal of one specification in one tracker, below the directory `shared`."""

    def __init__(self, shared: Path, tracker: str, spec: str) -> None:
        name = blake2b(f"{tracker}\0{spec}".encode("utf-8", "replace"), digest_size=8).hexdigest()
        directory = state_directory(shared, DIRECTORY)
        directory.mkdir(parents=True, exist_ok=True)
        self._path = directory / f"{name}.json"
        self.lock = directory / f"{name}.lock"
        self.state = self._read()

    def begin(self, keys: Sequence[str], at: float) -> None:
        """Write down that an issue is being created, before the request. Raises StorageError."""
        self._write(self.state._replace(creating=Creating(tuple(keys), at)))

    def finish(self, keys: Sequence[str], id: str) -> None:
        """Write down the id of a created issue. Raises StorageError."""
        self._write(JournalState({**self.state.issues, **dict.fromkeys(keys, id)}))

    def forget(self, ids: Sequence[str]) -> None:
        """Remove issues that the tracker does not have any more. Raises StorageError."""
        kept = {key: id for key, id in self.state.issues.items() if id not in ids}
        self._write(self.state._replace(issues=kept))

    def settle(self) -> None:
        """Remove what was being created, since the tracker shows it or never got it."""
        if self.state.creating:
            self._write(self.state._replace(creating=None))

    def _read(self) -> JournalState:
        """The stored state; an empty one where there is none, or it is damaged."""
        try:
            match json.loads(read_state(self._path, _MAX_BYTES)):
                case {"issues": dict(issues), "creating": creating}:
                    known = {str(key): str(id) for key, id in issues.items()}
                    return JournalState(known, _creating(creating))
        except (FileNotFoundError, ValueError, RecursionError):
            pass
        return JournalState({})

    def _write(self, state: JournalState) -> None:
        creating = state.creating and {"keys": state.creating.keys, "at": state.creating.at}
        data = {"issues": dict(state.issues), "creating": creating}
        try:
            write_atomically(self._path, json.dumps(data).encode())
        except OSError as error:
            raise StorageError(f"cannot write {self._path}: {error.strerror}") from None
        self.state = state


def _creating(data: Any) -> Creating | None:
    match data:
        case {"keys": list(keys), "at": float(at) | int(at)}:
            return Creating(tuple(map(str, keys)), float(at))
    return None
