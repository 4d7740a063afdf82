"""Tier 4: issues are fetched when a sprint command begins, since they change elsewhere.

Where that fails, the tracker itself is asked for what a command needs; where that fails, too, there
are the issues of the last sync, and a warning that says how old they are.
"""

# Governing: ADR-0015 (tiers of freshness), ADR-0018 (tracker issues as files),
# SPEC-0007 REQ "Issues of the tracker", SPEC-0009 REQ "Issues when a tracker fails"

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NamedTuple

from sdd_hooks.errors import Missing, SddError
from sdd_hooks.freshness import tiers
from sdd_hooks.freshness.after_write import refresh_after_write
from sdd_hooks.freshness.refresh import SHORT_WAIT_SECONDS
from sdd_hooks.project.project import Project
from sdd_hooks.text.durations import format_duration
from sdd_hooks.trackers.fetch import SyncProgress
from sdd_hooks.trackers.issue_file import StoredIssue, to_stored
from sdd_hooks.trackers.protocol import IssueFilter, Tracker
from sdd_hooks.trackers.store import IssueFolder, read_issue, read_issues
from sdd_hooks.trackers.sync import SyncResult, last_synced, sync

ALL = IssueFilter()

_ASKED = {"merged": "closed", "draft": "open"}


class IssueSource(NamedTuple):
    """Where a module ("" for the root) has its issues.

    `label` is what people call the tracker. `open` opens it, and may raise SddError: it is called
    only when the tracker is needed. `name` is what it is registered as: issues of another one are
    not fresh.
    """

    label: str
    open: Callable[[], Tracker]
    module: str = ""
    name: str = ""


@dataclass(frozen=True)
class IssuesFreshness:
    """What became of the issues. `synced` says that they were fetched now.

    When `degraded`, the files may be out of date: this run asks the tracker itself.
    """

    synced: bool = False
    degraded: bool = False
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class IssuesNow:
    """Issues as they are now, as far as that can be had. When `live`, the tracker was asked for
    them: edges and pull requests may be missing."""

    issues: tuple[StoredIssue, ...]
    live: bool = False
    warnings: tuple[str, ...] = ()


def issue_folder(project: Project, module: str = "") -> IssueFolder:
    """Where the issues of a module ("" for the root) are kept. Raises UnknownName."""
    (collection,) = project.select(("issues",), module)
    (directory,) = collection.directories
    return IssueFolder(project.repository.root, directory)


def bring_in(
    project: Project,
    tracker: Tracker,
    module: str = "",
    *,
    now: float,
    full: bool = False,
    wait: float = SHORT_WAIT_SECONDS,
    begun: Callable[[int | None], None] | None = None,
    progress: SyncProgress | None = None,
) -> tuple[SyncResult, tuple[str, ...]]:
    """Sync the issues of a module, then refresh their collection, if it is indexed, with the files
    that changed.

    Returns what the sync did, and the warnings of both. Raises what `sync` raises; an index that
    cannot follow is a warning.
    """
    folder = issue_folder(project, module)
    done = sync(
        tracker,
        folder,
        full=full,
        clock=lambda: now,
        wait=wait,
        on_start=begun,
        on_progress=progress,
    )
    if not done.ran:
        return done, done.warnings
    issues = project.select(("issues",), module)
    refreshed = refresh_after_write(project, issues, synced={one.name: done for one in issues})
    return done, (*done.warnings, *refreshed)


def sync_issues(
    project: Project,
    source: IssueSource,
    now: float,
    *,
    say: Callable[[str], None],
    trace: Callable[[str], None],
) -> IssuesFreshness:
    """Fetch the issues unless that was done a moment ago, then refresh their collection (tier 4).

    `say` is given the note for people once the tracker has answered, `trace` what they need not
    know. No failure of the tracker is raised: a run goes on without.
    """
    try:
        synced = last_synced(issue_folder(project, source.module), source.name)
        if not tiers.sync_is_due(now, synced, project.configuration.freshness):
            trace(tiers.sync_skipped_line(tiers.age(now, synced) or 0.0, source.label))
            return IssuesFreshness()
        with _opened(source) as tracker:
            done, warnings = bring_in(
                project,
                tracker,
                source.module,
                now=now,
                begun=lambda issues: say(tiers.syncing_note(issues, source.label)),
            )
    except SddError as error:
        trace(f"issues sync failed: {error}")
        return IssuesFreshness(degraded=True, warnings=(tiers.DEGRADED_WARNING,))
    if not done.ran:
        trace("issues sync skipped: another one is at work")
    return IssuesFreshness(synced=done.ran, warnings=warnings)


def issues_now(
    project: Project,
    source: IssueSource,
    freshness: IssuesFreshness,
    now: float,
    wanted: IssueFilter = ALL,
) -> IssuesNow:
    """The issues that match: from their files, or from the tracker where its sync failed.

    A status of `open` includes issues with a draft, `closed` those with a merged pull request. When
    the tracker cannot be asked either, they are those of the files, with a warning that says how
    old these are. Raises StorageError for a folder that is a link.
    """
    folder = issue_folder(project, source.module)
    warnings: tuple[str, ...] = ()
    if freshness.degraded:
        status = _ASKED.get(wanted.status or "", wanted.status)
        try:
            with _opened(source) as tracker:
                found = map(to_stored, tracker.query(wanted._replace(status=status)))
                return IssuesNow(tuple(one for one in found if matches(one, wanted)), live=True)
        except SddError as error:
            warnings = (_stored_only(source, folder, error, now),)
    stored = (one for one in read_issues(folder) if matches(one, wanted))
    return IssuesNow(tuple(stored), warnings=warnings)


def issue_now(
    project: Project, source: IssueSource, freshness: IssuesFreshness, now: float, id: str
) -> IssuesNow:
    """One issue, the same way; none where it is not there, or no longer."""
    folder = issue_folder(project, source.module)
    warnings: tuple[str, ...] = ()
    if freshness.degraded:
        try:
            with _opened(source) as tracker:
                return IssuesNow((to_stored(tracker.issue(id)),), live=True)
        except Missing as error:
            return IssuesNow((), live=True, warnings=(str(error),))
        except SddError as error:
            warnings = (_stored_only(source, folder, error, now),)
    stored = read_issue(folder, id)
    return IssuesNow((stored,) if stored else (), warnings=warnings)


def matches(issue: StoredIssue, wanted: IssueFilter) -> bool:
    """Whether an issue has the status and all the labels that are wanted, in any case."""
    if wanted.status and wanted.status not in {issue.status, _ASKED.get(issue.status)}:
        return False
    labels = {label.casefold() for label in issue.labels}
    return all(label.casefold() in labels for label in wanted.labels)


@contextmanager
def _opened(source: IssueSource) -> Iterator[Tracker]:
    tracker = source.open()
    try:
        yield tracker
    finally:
        tracker.disconnect()


def _stored_only(source: IssueSource, folder: IssueFolder, error: SddError, now: float) -> str:
    age = tiers.age(now, last_synced(folder))
    known = "" if age is None else f", of {format_duration(age)} ago"
    return f"{source.label} cannot be asked, issues are those last synced{known} ({error})"
