"""Sync the issues of trackers into files, and refresh their collections in the index."""

# Governing: ADR-0015 (tiers of freshness), ADR-0018 (tracker issues as files),
# SPEC-0007 REQ "Issues of the tracker", SPEC-0009 REQ "Commands"

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from sdd_hooks import tracing
from sdd_hooks.errors import SddError
from sdd_hooks.freshness import tiers
from sdd_hooks.freshness.read_gate import open_index
from sdd_hooks.freshness.refresh import SHORT_WAIT_SECONDS
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.collections import ISSUES_DIRECTORY, Collection
from sdd_hooks.project.project import Project
from sdd_hooks.trackers.fetch import SyncProgress
from sdd_hooks.trackers.protocol import Tracker
from sdd_hooks.trackers.source import (
    NoTracker,
    OnWait,
    TrackerSource,
    find_source,
    find_sources,
)
from sdd_hooks.trackers.store import IssueFolder
from sdd_hooks.trackers.sync import SyncResult, last_synced, sync
from sdd_hooks.usecases.upkeep.refresh import refresh_after_write

SYNC_WAIT_SECONDS = 30.0
"""How long a sync on request waits for another sync of the same issues."""


class SyncOptions(NamedTuple):
    """How to sync. `full` fetches every issue and removes those that the tracker no longer has;
    `wait` is how many seconds to wait for another sync of the same issues."""

    full: bool = False
    wait: float = SYNC_WAIT_SECONDS


DEFAULT_OPTIONS = SyncOptions()


class SyncCallbacks(NamedTuple):
    """What a sync calls while it runs.

    `on_note` is called with a note for the user when the tracker has responded, `on_progress` after
    each page of issues, `on_wait` with a line when a request has to wait, and `on_failure` with
    the reason for which a sync that was due failed.
    """

    on_note: Callable[[str], None]
    on_progress: SyncProgress | None = None
    on_wait: OnWait | None = None
    on_failure: Callable[[str], None] = lambda _reason: None


@dataclass(frozen=True)
class SourceSync:
    """The sync of one source. When it failed, `result` is None and `error` says why."""

    source: TrackerSource
    result: SyncResult | None
    warnings: tuple[str, ...] = ()
    error: SddError | None = None


@dataclass(frozen=True)
class DueSync:
    """The sync of a source before its issues are read (tier 4).

    `synced` says that the issues were fetched now. When `degraded`, their files may be out of
    date, and the caller queries the tracker itself. `trace` is a line about a sync that was
    skipped or failed, "" otherwise.
    """

    synced: bool = False
    degraded: bool = False
    warnings: tuple[str, ...] = ()
    trace: str = ""


def sync_and_index(
    project: Project,
    source: TrackerSource,
    clock: Callable[[], float],
    callbacks: SyncCallbacks,
    options: SyncOptions = DEFAULT_OPTIONS,
) -> SourceSync:
    """Sync the issues of a source, then refresh their collection with the files that changed.

    `clock` returns seconds since the epoch. Raises what opening the tracker and `sync` raise. A
    refresh that fails is a warning.
    """
    result = _sync_files(source, clock, callbacks, options)
    if not result.ran:
        return SourceSync(source, result, result.warnings)
    collection = source.collection
    refreshed = refresh_after_write(project, (collection,), synced={collection.name: result})
    return SourceSync(source, result, (*result.warnings, *refreshed))


def sync_sources(
    project: Project,
    sources: Sequence[TrackerSource],
    clock: Callable[[], float],
    callbacks: SyncCallbacks,
    options: SyncOptions = DEFAULT_OPTIONS,
) -> list[SourceSync]:
    """Sync and index several sources. A failure of one is in its result, and is not raised."""
    results = []
    for source in sources:
        try:
            results.append(sync_and_index(project, source, clock, callbacks, options))
        except SddError as error:
            results.append(SourceSync(source, None, error=error))
    return results


def sync_before_refresh(
    project: Project,
    collections: Sequence[Collection] | None,
    clock: Callable[[], float],
    callbacks: SyncCallbacks,
) -> tuple[str, ...]:
    """Sync the issues among `collections` (None: those that are indexed) into files alone.

    The caller refreshes the index. Parts of the project without a tracker are left out. Returns
    warnings; a failure is one of them.
    """
    warnings: list[str] = []
    for collection in _issue_collections(project, collections):
        try:
            (source,) = find_sources(
                project, collection.module, lambda module: find_source(project, module, clock())
            ).found
            result = _sync_files(source, clock, callbacks)
        except NoTracker:
            continue
        except SddError as error:
            warnings.append(f"{collection.name} is not synced: {error}")
        else:
            warnings += result.warnings
    return tuple(warnings)


def sync_if_due(
    project: Project, source: TrackerSource, now: float, callbacks: SyncCallbacks
) -> DueSync:
    """Sync and index the issues unless that was done within `issues_interval` (tier 4).

    `now` is in seconds since the epoch. A failure of the tracker is not raised: the result is
    degraded.
    """
    try:
        synced = last_synced(source.folder, source.tracker.name)
        if not tiers.sync_is_due(now, synced, project.configuration.freshness):
            age = tiers.age(now, synced) or 0.0
            return _traced(DueSync(trace=tiers.sync_skipped_line(age, source.label)))
        options = SyncOptions(wait=SHORT_WAIT_SECONDS)
        done = sync_and_index(project, source, lambda: now, callbacks, options)
    except SddError as error:
        failure = f"issues sync failed: {error}"
        callbacks.on_failure(failure)
        return _traced(DueSync(degraded=True, warnings=(tiers.DEGRADED_WARNING,), trace=failure))
    ran = done.result is not None and done.result.ran
    trace = "" if ran else "issues sync skipped: another one is running"
    return _traced(DueSync(synced=ran, warnings=done.warnings, trace=trace))


def sync_known_if_due(project: Project, now: float, callbacks: SyncCallbacks) -> tuple[str, ...]:
    """Sync the issues of the repository, if that is due and was ever done (tier 4).

    `now` is in epoch seconds. Returns warnings. Raises nothing: the caller reads the files.
    """
    if last_synced(IssueFolder(project.repository.root, ISSUES_DIRECTORY)) is None:
        return ()
    try:
        source, _ = find_source(project, "", now)
        return sync_if_due(project, source, now, callbacks).warnings if source else ()
    except SddError as error:
        tracing.log("sync", outcome=f"issues sync failed: {error}")
        return (tiers.DEGRADED_WARNING,)


def _traced(sync: DueSync) -> DueSync:
    if sync.trace:
        tracing.log("sync", outcome=sync.trace)
    return sync


@contextmanager
def open_tracker(source: TrackerSource, on_wait: OnWait | None = None) -> Iterator[Tracker]:
    """The tracker of a source for the block. Raises SddError where it cannot be opened."""
    tracker = source.open(on_wait)
    try:
        yield tracker
    finally:
        tracker.disconnect()


def _sync_files(
    source: TrackerSource,
    clock: Callable[[], float],
    callbacks: SyncCallbacks,
    options: SyncOptions = DEFAULT_OPTIONS,
) -> SyncResult:
    with open_tracker(source, callbacks.on_wait) as tracker:
        return sync(
            tracker,
            source.folder,
            full=options.full,
            clock=clock,
            wait=options.wait,
            on_start=lambda issues: callbacks.on_note(tiers.syncing_note(issues, source.label)),
            on_progress=callbacks.on_progress,
            environ=source.repository.environ,
        )


def _issue_collections(
    project: Project, collections: Sequence[Collection] | None
) -> list[Collection]:
    issues = project.select(("issues",))
    if collections is not None:
        return [collection for collection in issues if collection in collections]
    indexed: set[str] = set()
    # A damaged index is repaired, or reported, by the refresh that follows.
    with suppress(SddError), open_index(project) as engine:
        indexed.update(engine.bookmarks())
    return [collection for collection in issues if collection.name in indexed]
