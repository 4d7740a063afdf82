"""Read the issues of trackers: from their files, or from the tracker where a sync failed.

Issues change elsewhere, so that each read syncs first, if that is due. Where the sync fails, the
tracker is queried for what the caller needs. Where that fails too, the issues are those of the
last sync, and a warning says how old they are.
"""

# Governing: ADR-0018 (tracker issues as files), SPEC-0009 REQ "Issues when a tracker fails"

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sdd_hooks.errors import Missing, RemoteError, SddError
from sdd_hooks.freshness import tiers
from sdd_hooks.project.project import Project
from sdd_hooks.text.durations import format_duration
from sdd_hooks.trackers.issue_file import StoredIssue, to_stored
from sdd_hooks.trackers.protocol import IssueFilter
from sdd_hooks.trackers.source import TrackerSource
from sdd_hooks.trackers.stored_issues import lost_warning, read_issue, read_issues
from sdd_hooks.trackers.sync import last_synced
from sdd_hooks.usecases.upkeep.sync import DueSync, SyncCallbacks, open_tracker, sync_if_due

EVERY_ISSUE = IssueFilter()

# A tracker knows open and closed issues; the other states come from linked pull requests.
_TRACKER_STATUS = {"merged": "closed", "draft": "open"}


@dataclass(frozen=True)
class CurrentIssues:
    """Issues of one source. When `live`, they come from a query of the tracker: edges and pull
    requests may be missing."""

    issues: tuple[StoredIssue, ...]
    live: bool = False
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class IssueList:
    """Issues with the module ("" for the root) that each belongs to, the last updated first."""

    issues: tuple[tuple[str, StoredIssue], ...]
    live: bool
    warnings: tuple[str, ...]


@dataclass(frozen=True)
class FoundIssue:
    """An issue and the module ("" for the root) that it belongs to."""

    issue: StoredIssue
    module: str
    live: bool
    warnings: tuple[str, ...]


def list_issues(
    project: Project,
    sources: Sequence[TrackerSource],
    filter: IssueFilter,
    now: float,
    callbacks: SyncCallbacks,
) -> IssueList:
    """The issues of all sources that match, each source synced before if that is due.

    Raises RemoteError where a tracker fails whose issues were never synced.
    """
    issues: list[tuple[str, StoredIssue]] = []
    warnings: list[str] = []
    live = False
    for source in sources:
        sync = sync_if_due(project, source, now, callbacks)
        current = current_issues(source, sync, now, filter, callbacks)
        if sync.degraded and not current.live and _was_never_synced(source):
            # An empty list would say that there are no issues.
            raise RemoteError(sync.trace)
        issues += [(source.module, issue) for issue in current.issues]
        warnings += [*sync.warnings, *current.warnings]
        live = live or current.live
    issues.sort(key=lambda entry: entry[1].updated, reverse=True)
    return IssueList(tuple(issues), live, tuple(warnings))


def find_issue(
    project: Project,
    sources: Sequence[TrackerSource],
    id: str,
    now: float,
    callbacks: SyncCallbacks,
) -> FoundIssue:
    """The issue of this id, of the first source that has it.

    Sources are synced before, if that is due. An id that no file has is looked up in the trackers.
    Raises Missing.
    """
    warnings: list[str] = []
    up_to_date: list[TrackerSource] = []
    last = CurrentIssues(())
    for source in sources:
        sync = sync_if_due(project, source, now, callbacks)
        warnings += sync.warnings
        last = current_issue(source, sync, now, id, callbacks)
        if last.issues:
            return _found(source, last, warnings)
        if not sync.degraded:
            warnings += last.warnings
            up_to_date.append(source)
    for source in up_to_date:
        # The issue may be newer than the last sync.
        last = current_issue(source, DueSync(degraded=True), now, id, callbacks)
        if last.issues:
            return _found(source, last, warnings)
    raise Missing(next(iter(last.warnings), f"there is no issue {id}"))


def current_issues(
    source: TrackerSource,
    sync: DueSync,
    now: float,
    filter: IssueFilter,
    callbacks: SyncCallbacks,
) -> CurrentIssues:
    """The issues of a source that match: from their files, or live after a degraded sync.

    A status of `open` includes issues with a draft, `closed` those with a merged pull request.
    Where the query fails too, they are those of the files, with a warning that says how old these
    are. Raises StorageError for a folder that is a link.
    """
    warnings: tuple[str, ...] = ()
    if sync.degraded:
        status = _TRACKER_STATUS.get(filter.status or "", filter.status)
        try:
            with open_tracker(source, callbacks.on_wait) as tracker:
                answers = map(to_stored, tracker.query(filter._replace(status=status)))
                issues = tuple(issue for issue in answers if matches(issue, filter))
                return CurrentIssues(issues, live=True)
        except SddError as error:
            warnings = (_files_only_warning(source, error, now),)
    lost: list[str] = []
    stored = tuple(one for one in read_issues(source.folder, lost) if matches(one, filter))
    return CurrentIssues(stored, warnings=(*warnings, *lost_warning(source.folder, lost)))


def current_issue(
    source: TrackerSource, sync: DueSync, now: float, id: str, callbacks: SyncCallbacks
) -> CurrentIssues:
    """One issue of a source, in the same way; no issue where the source has none of this id."""
    warnings: tuple[str, ...] = ()
    if sync.degraded:
        try:
            with open_tracker(source, callbacks.on_wait) as tracker:
                return CurrentIssues((to_stored(tracker.issue(id)),), live=True)
        except Missing as error:
            return CurrentIssues((), live=True, warnings=(str(error),))
        except SddError as error:
            warnings = (_files_only_warning(source, error, now),)
    lost: list[str] = []
    stored = read_issue(source.folder, id, lost)
    found = (stored,) if stored else ()
    # Where nothing is found, the first warning is the reason.
    return CurrentIssues(found, warnings=(*lost_warning(source.folder, lost), *warnings))


def matches(issue: StoredIssue, filter: IssueFilter) -> bool:
    """Whether an issue has the status and all the labels of the filter. Ignores case."""
    if filter.status and filter.status not in {issue.status, _TRACKER_STATUS.get(issue.status)}:
        return False
    labels = {label.casefold() for label in issue.labels}
    return all(label.casefold() in labels for label in filter.labels)


def _was_never_synced(source: TrackerSource) -> bool:
    return last_synced(source.folder, source.tracker.name) is None


def _found(source: TrackerSource, current: CurrentIssues, warnings: list[str]) -> FoundIssue:
    (issue,) = current.issues
    return FoundIssue(issue, source.module, current.live, (*warnings, *current.warnings))


def _files_only_warning(source: TrackerSource, error: SddError, now: float) -> str:
    age = tiers.age(now, last_synced(source.folder))
    known = "" if age is None else f", of {format_duration(age)} ago"
    return f"{source.label} cannot be queried, issues are those last synced{known} ({error})"
