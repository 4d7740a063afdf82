"""Create the issues of a plan once: look first, write down each step, refresh the index behind."""

# Governing: ADR-0052 (an issue is created once), SPEC-0025 REQ "Creation", SPEC-0007 REQ "After a
# mutation"

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import ceil
from typing import cast

from sdd_hooks.errors import Missing, RemoteError, SddError
from sdd_hooks.freshness.tiers import DEGRADED_WARNING, failed_refresh_warning
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.planning.plan.creation import (
    CreationEvents,
    PlanJournal,
    PlannedChanges,
    PlanWriter,
    create_issues,
    rehearse,
)
from sdd_hooks.planning.plan.known_issues import plan_issue
from sdd_hooks.planning.plan.marker import EPIC, keys_for, marked_spec
from sdd_hooks.planning.plan.story import Plan, PlanIssue
from sdd_hooks.project.project import Project
from sdd_hooks.system.locks import hold_lock
from sdd_hooks.trackers.issue import Issue
from sdd_hooks.trackers.issue_file import StoredIssue, to_stored
from sdd_hooks.trackers.protocol import Tracker, Unsupported
from sdd_hooks.trackers.source import TrackerSource, with_written
from sdd_hooks.usecases.sprint.read_issues import EVERY_ISSUE, CurrentIssues, current_issues
from sdd_hooks.usecases.upkeep.sync import DueSync, SyncCallbacks, open_tracker, sync_and_index

MakePlan = Callable[[Sequence[StoredIssue]], Plan]
"""Makes the plan, given the issues of the tracker."""


class PlanIsBeingCreated(SddError):
    """Another process creates the issues of the same plan."""

    code = "busy"


class Creation(NamedTuple):
    """What was created and changed. `failure` is what stopped it, None if all was done.

    `missing` counts the stories that have no issue yet.
    """

    plan: Plan
    created: tuple[PlanIssue, ...]
    changed: tuple[PlanIssue, ...]
    missing: int = 0
    failure: SddError | None = None
    warnings: tuple[str, ...] = ()


class PlanTarget(NamedTuple):
    """Where issues are created: the project and the source of its issues.

    `clock` returns seconds since the epoch. `on_created` is called with each issue when the tracker
    has it.
    """

    project: Project
    source: TrackerSource
    clock: Callable[[], float]
    callbacks: SyncCallbacks
    on_created: Callable[[PlanIssue], None] = lambda _issue: None


def rehearse_plan(target: PlanTarget, plan: Plan, issues: Sequence[StoredIssue]) -> PlannedChanges:
    """What creating a plan would do. Raises RemoteError for an issue that is not shown."""
    with open_tracker(target.source, target.callbacks.on_wait) as tracker:
        bodies = {issue.id: issue.body for issue in issues}
        return rehearse(plan, target.source.tracker.vendor, tracker.issue, bodies)


def create_plan(target: PlanTarget, spec: str, make: MakePlan) -> Creation:
    """Create the issues that a plan lacks. A failure of the tracker is in the result.

    The tracker is read at once, however recent the last sync is: another run may have created
    issues since. Raises PlanIsBeingCreated, StorageError, and RemoteError if the tracker cannot be
    read.
    """
    with open_tracker(target.source, target.callbacks.on_wait) as tracker:
        writer = _writer(tracker)
        shared = target.project.repository.shared_dir
        journal = PlanJournal(shared, f"{tracker.name}:{tracker.identity}", spec)
        with hold_lock(journal.lock, 0.0) as is_locked:
            if not is_locked:
                raise PlanIsBeingCreated(
                    f"another `sdd plan {spec} --create` is running: wait for it"
                )
            current = _read_issues(target)
            issues = _with_journal(current.issues, tracker, journal)
            _refuse_doubt(target, journal, issues, marked_spec(spec))
            journal.settle()
            plan = make(issues)
            creation = _create(plan, writer, target, journal, issues)
            written = [issue.id for issue in (*creation.created, *creation.changed)]
            warnings = (*current.warnings, *_refresh(target, written))
    return creation._replace(warnings=warnings)


def _writer(tracker: Tracker) -> PlanWriter:
    """The tracker as a writer. Raises Unsupported for one that is read only."""
    if not all(hasattr(tracker, name) for name in ("create", "append")):
        raise Unsupported(f"{tracker.label} cannot create issues: choose another tracker")
    return cast("PlanWriter", tracker)


def _read_issues(target: PlanTarget) -> CurrentIssues:
    """All issues as the tracker has them now. Raises RemoteError if it cannot be read."""
    project, source, clock, callbacks, _ = target
    try:
        result = sync_and_index(project, source, clock, callbacks).result
        degraded = result is None or not result.ran
        warnings: tuple[str, ...] = ()
    except SddError as error:
        callbacks.on_failure(f"issues sync failed: {error}")
        degraded, warnings = True, (DEGRADED_WARNING,)
    sync = DueSync(degraded=degraded)
    current = current_issues(source, sync, clock(), EVERY_ISSUE, callbacks)
    if degraded and not current.live:
        reason = next(iter(current.warnings), f"{source.label} cannot be read")
        raise RemoteError(f"nothing was created: {reason}")
    return replace(current, warnings=(*warnings, *current.warnings))


def _with_journal(
    listed: Sequence[StoredIssue], tracker: Tracker, journal: PlanJournal
) -> Sequence[StoredIssue]:
    """The issues, and those of the journal that the tracker has and does not list yet."""
    issues = list(listed)
    ids = {issue.id for issue in listed}
    gone = []
    for id in dict.fromkeys(journal.state.issues.values()):
        if id not in ids:
            try:
                issues.append(to_stored(tracker.issue(id)))
            except Missing:
                gone.append(id)
    if gone:
        journal.forget(gone)
    return issues


def _refuse_doubt(
    target: PlanTarget, journal: PlanJournal, issues: Sequence[StoredIssue], marked: str
) -> None:
    """Raise RemoteError while the tracker may not list yet what a stopped run created."""
    creating = journal.state.creating
    if creating is None:
        return
    if any(not keys_for(one.body, marked).isdisjoint(creating.keys) for one in issues):
        return
    source = target.source
    rest = source.tracker.vendor.listing_delay - (target.clock() - creating.at)
    if rest > 0:
        raise RemoteError(
            f"a run was stopped while it created an issue, which {source.label} may not list yet:"
            f" try again in {ceil(rest)} seconds"
        )


def _create(
    plan: Plan,
    writer: PlanWriter,
    target: PlanTarget,
    journal: PlanJournal,
    issues: Sequence[StoredIssue],
) -> Creation:
    created: dict[str, PlanIssue] = {}
    changed: dict[str, PlanIssue] = {}
    stories: set[str] = set()

    def on_created(keys: Sequence[str], issue: Issue) -> None:
        journal.finish(keys, issue.id)
        created[issue.id] = plan_issue(issue)
        if EPIC not in keys:
            stories.add(issue.id)
        target.on_created(created[issue.id])

    def on_changed(issue: Issue) -> None:
        changed[issue.id] = plan_issue(issue)

    events = CreationEvents(
        lambda keys: journal.begin(keys, target.clock()), on_created, on_changed
    )
    bodies = {issue.id: issue.body for issue in issues}
    failure = None
    try:
        create_issues(plan, writer, target.source.tracker.vendor, events, bodies)
    except SddError as error:
        failure = error
    others = tuple(issue for id, issue in changed.items() if id not in created)
    missing = sum(story.issue is None for story in plan.stories) - len(stories)
    return Creation(plan, tuple(created.values()), others, missing, failure)


def _refresh(target: PlanTarget, written: Sequence[str]) -> tuple[str, ...]:
    """Refresh the collection of issues (tier 1). Silent unless it fails."""
    project, clock, callbacks = target.project, target.clock, target.callbacks
    source = with_written(target.source, written)
    silent = SyncCallbacks(lambda _note: None, on_wait=callbacks.on_wait)
    try:
        return sync_and_index(project, source, clock, silent).warnings
    except SddError as error:
        callbacks.on_failure(f"issues sync failed: {error}")
        return (failed_refresh_warning([source.collection.name]),)
