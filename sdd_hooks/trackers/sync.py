"""Write the issues of a tracker to a folder, so that a failure or a killed process loses nothing.

Pages are written as they arrive. The state of the folder is stored at the end: a sync that fails
before leaves whole files and the old cursor, from which the next sync starts again.
"""

# Governing: ADR-0018 (tracker issues as files), SPEC-0009 REQ "Sync",
# SPEC-0009 REQ "Reconciliation"

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from sdd_hooks.errors import StorageError
from sdd_hooks.system.locks import hold_lock
from sdd_hooks.trackers.cursor import Cursor
from sdd_hooks.trackers.fetch import FetchCallbacks, Fetched, SyncProgress, fetch_changes
from sdd_hooks.trackers.protocol import Tracker
from sdd_hooks.trackers.store import IssueFolder, IssueStore, open_store
from sdd_hooks.trackers.sync_state import (
    FILE_NAME,
    SyncState,
    cursor_key,
    load_sync_state,
    read_sync_state,
    write_sync_state,
)

RECONCILE_SECONDS = 24 * 3600.0
"""Seconds after which the ids of all issues are compared again."""
LOCK = ".lock"


@dataclass(frozen=True)
class SyncResult:
    """What a sync did, in issues. `changed` are the files that it wrote or removed, relative to the
    repository's root.

    If `ran` is False, another sync of the folder was running, and nothing was done. `changed` is
    the difference between the revisions `since` and `revision` of the folder; `since` is "" if it
    is unknown.
    """

    added: int = 0
    updated: int = 0
    removed: int = 0
    unchanged: int = 0
    failed: int = 0
    changed: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    ran: bool = True
    since: str = ""
    revision: str = ""


def sync(  # noqa: PLR0913 (each caller needs another part of it)
    tracker: Tracker,
    folder: IssueFolder,
    *,
    full: bool = False,
    clock: Callable[[], float] = time.time,
    wait: float = 0.0,
    on_start: Callable[[int | None], None] | None = None,
    on_progress: SyncProgress | None = None,
) -> SyncResult:
    """Fetch what changed since the last sync, or all issues with `full`, and write it.

    `wait` is how many seconds to wait for another sync of the folder. `on_start` and `on_progress`
    are those of FetchCallbacks. `clock` returns the time of the sync (epoch seconds); what is
    fetched depends on the tracker's clock alone. The caller disconnects the tracker.

    Raises:
        RemoteError, SddError: the tracker failed. The files are whole, and the next sync starts
            where this one did.
        StorageError: the folder cannot be written, or is a link.
    """
    with open_store(folder, create=True) as store:
        if store is None:
            raise StorageError(f"cannot open {folder.path}: it was removed just now")
        with hold_lock(folder.path / LOCK, wait) as is_locked:
            if not is_locked:
                return SyncResult(ran=False)
            store.scan()
            store.remove_partial_file()
            callbacks = FetchCallbacks(on_start, on_progress)
            return _sync_store(tracker, store, clock(), callbacks, full=full)


def last_synced(folder: IssueFolder, tracker: str = "") -> float | None:
    """When the last complete sync of the folder ended (epoch seconds).

    None if there was none, if the time is unknown, and if `tracker` is the name of another tracker
    than the one whose issues the folder has.
    """
    state = load_sync_state(folder.root, folder.relative)
    return state.synced if tracker in {"", state.tracker} else None


def _sync_store(
    tracker: Tracker, store: IssueStore, now: float, callbacks: FetchCallbacks, *, full: bool
) -> SyncResult:
    stored = read_sync_state(store)
    state = stored or SyncState()
    key = cursor_key(tracker.name, tracker.identity)
    if state.key != key:
        # The revision of the files stays; the cursor of another project means nothing here.
        state = replace(state, tracker=tracker.name, key=key, cursor=Cursor())
    reconciles = _is_reconciliation_due(now, state.cursor.reconciled)
    # After a power cut a renamed file may be empty.
    has_lost_files = reconciles and any(map(store.is_empty, store.names))
    complete = full or has_lost_files or state.cursor.issues is None
    ids = tracker.inventory() if reconciles and not complete else None
    complete = complete or (reconciles and ids is None)
    fetched = _fetch(tracker, store, state, callbacks, complete=complete)
    cursor = fetched.cursor
    if fetched.is_complete or reconciles:
        existing = fetched.update.seen.union(() if ids is None or fetched.is_complete else ids)
        fetched.update.reconcile(existing, complete=fetched.is_complete)
        cursor = replace(cursor, reconciled=now)
    result = _result(fetched, state.revision)
    if stored is None:
        damaged = f"{store.path(FILE_NAME)} could not be used: all issues were fetched again"
        result = replace(result, warnings=(damaged, *result.warnings))
    write_sync_state(
        store,
        replace(
            state,
            cursor=replace(cursor, links=fetched.update.links()),
            revision=result.revision,
            synced=now,
            counts=fetched.update.counts(),
        ),
    )
    return result


def _fetch(
    tracker: Tracker,
    store: IssueStore,
    state: SyncState,
    callbacks: FetchCallbacks,
    *,
    complete: bool,
) -> Fetched:
    """Fetch since the cursor; fetch all issues if the tracker's clock is behind it."""
    fetched = fetch_changes(tracker, store, state, callbacks, complete=complete)
    if fetched is None:
        restarted = replace(state, cursor=Cursor())
        fetched = fetch_changes(tracker, store, restarted, callbacks, complete=True)
    # Without a cursor no clock is behind it.
    assert fetched is not None
    return fetched


def _result(fetched: Fetched, since: str) -> SyncResult:
    """The result of a sync that started at the revision `since`."""
    counts, changed = fetched.update.counts(), fetched.update.changed()
    return SyncResult(
        counts["added"],
        counts["updated"],
        counts["removed"],
        counts["unchanged"],
        counts["failed"],
        changed=changed,
        warnings=(*fetched.warnings, *fetched.update.failures()),
        since=since,
        revision=os.urandom(8).hex() if changed or not since else since,
    )


def _is_reconciliation_due(now: float, reconciled: float | None) -> bool:
    return reconciled is None or not 0 <= now - reconciled < RECONCILE_SECONDS
