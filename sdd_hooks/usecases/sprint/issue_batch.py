"""What batches of issues share: their issues, the order of writes, failures, and the refresh."""

# Governing: ADR-0054 (pull requests and issues are changed in batches),
# SPEC-0027 REQ "Interrupted batches", ADR-0015 (tiers of freshness)

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import cast

from sdd_hooks.errors import AccessRefused, Missing, RateLimited, RemoteError, SddError
from sdd_hooks.freshness.tiers import failed_refresh_warning
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.planning.conventions import Conventions
from sdd_hooks.project.project import Project
from sdd_hooks.trackers.issue_file import StoredIssue
from sdd_hooks.trackers.protocol import Tracker, TrackerWriter, Unsupported
from sdd_hooks.trackers.source import TrackerSource
from sdd_hooks.trackers.sync import last_synced
from sdd_hooks.usecases.sprint.read_issues import EVERY_ISSUE, CurrentIssues, current_issues
from sdd_hooks.usecases.upkeep.refresh import refresh_after_write
from sdd_hooks.usecases.upkeep.sync import SyncCallbacks, SyncOptions, sync_and_index, sync_if_due

MAX_FAILURES = 2
"""Failures one after the other until a batch stops: the tracker does not answer any more."""
WRITE_WAIT_SECONDS = 5.0
"""Seconds to wait for another sync after a write."""


@dataclass(frozen=True)
class IssueChange:
    """What a batch changes, or would change, in one issue.

    `what` is one line without the id. `diff` shows the body before and after, "" for another
    change.
    """

    id: str
    title: str
    what: str
    diff: str = ""


class Untouched(NamedTuple):
    """An issue that is left as it is, and the reason in one line."""

    id: str
    reason: str


@dataclass
class IssueBatch:
    """What a batch did. With a dry run, `done` is what would be done.

    `failed` are issues that the tracker refused, `left` the ids of those that were not reached.
    `error` is the last failure. `unchanged` are ids of issues that had everything.
    """

    done: list[IssueChange] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    skipped: list[Untouched] = field(default_factory=list)
    failed: list[Untouched] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    error: SddError | None = None
    warnings: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def read_batch_issues(
    project: Project, source: TrackerSource, now: float, callbacks: SyncCallbacks
) -> CurrentIssues:
    """Sync the issues of a source if that is due, and read them all (tier 4).

    `now` is in epoch seconds. Raises RemoteError where the tracker fails and was never synced.
    """
    sync = sync_if_due(project, source, now, callbacks)
    current = current_issues(source, sync, now, EVERY_ISSUE, callbacks)
    if sync.degraded and not current.live and last_synced(source.folder) is None:
        # An empty list would say that there are no issues.
        raise RemoteError(sync.trace)
    return replace(current, warnings=(*sync.warnings, *current.warnings))


def conventions_of(project: Project, source: TrackerSource) -> Conventions:
    """The conventions of the module that a source belongs to."""
    configuration = project.module_configuration(source.module)
    return Conventions(source.tracker.name, configuration.branches, configuration.pull_requests)


def writer_of(source: TrackerSource, tracker: Tracker) -> TrackerWriter:
    """The tracker for writing. Raises Unsupported for one that is only read."""
    if not hasattr(tracker, "append"):
        raise Unsupported(f"{source.label} cannot change issues: update its plug-in")
    return cast(TrackerWriter, tracker)


def run_batch(
    batch: IssueBatch,
    issues: Sequence[StoredIssue],
    change: Callable[[StoredIssue], IssueChange | Untouched | None],
) -> None:
    """Call `change` for each issue, and collect the results in `batch`.

    `change` returns None for an issue that has everything. An issue that fails is left out; after
    MAX_FAILURES failures in a row, and where access ends, the batch stops.
    """
    failures = 0
    for position, issue in enumerate(issues):
        try:
            result = change(issue)
        except (Missing, Unsupported) as error:
            batch.skipped.append(Untouched(issue.id, str(error)))
            continue
        except SddError as error:
            failures += 1
            batch.error = error
            batch.failed.append(Untouched(issue.id, str(error)))
            if failures == MAX_FAILURES or isinstance(error, (AccessRefused, RateLimited)):
                batch.left += [other.id for other in issues[position + 1 :]]
                return
            continue
        failures = 0
        if result is None:
            batch.unchanged.append(issue.id)
        elif isinstance(result, Untouched):
            batch.skipped.append(result)
        else:
            batch.done.append(result)


def refresh_issues(
    project: Project,
    source: TrackerSource,
    clock: Callable[[], float],
    callbacks: SyncCallbacks,
) -> tuple[str, ...]:
    """Sync and index the issues after a write (tier 1), silently. A failure is a warning."""
    silent = _without_notes(callbacks)
    try:
        options = SyncOptions(wait=WRITE_WAIT_SECONDS)
        warnings = sync_and_index(project, source, clock, silent, options).warnings
    except SddError:
        warnings = (failed_refresh_warning([source.collection.name]),)
    if source.tracker.vendor.is_local:
        # The issues are files of the repository, such as tasks.md beside a specification.
        warnings += refresh_after_write(project, project.select(("specs",)))
    return warnings


def _without_notes(callbacks: SyncCallbacks) -> SyncCallbacks:
    """The same callbacks without notes and progress."""
    return callbacks._replace(on_note=lambda _note: None, on_progress=None)


def go_on(batch: IssueBatch, command: str) -> str:
    """How to go on after a batch that failed, in one line."""
    total = len(batch.done) + len(batch.failed) + len(batch.left)
    return f"{len(batch.done)} of {total} changes made: run `{command}` again to go on"
