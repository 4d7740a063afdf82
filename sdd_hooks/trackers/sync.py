"""Write the issues of a tracker to a folder, so that a failure or a killed process loses nothing.

Pages are written as they arrive. The state of the folder is stored at the end: a sync that fails
before leaves whole files and the old cursor, from which the next sync starts again.
"""

# Governing: ADR-0018 (tracker issues as files), ADR-0033 (a deletion is confirmed),
# SPEC-0009 REQ "Sync", SPEC-0009 REQ "Reconciliation"

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from contextlib import nullcontext
from dataclasses import dataclass, replace

from sdd_hooks.errors import Missing, SddError, StorageError
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.remote.json_fields import parse_epoch
from sdd_hooks.system.locks import hold_open_lock
from sdd_hooks.text.display import one_line
from sdd_hooks.trackers.fetch import (
    FetchCallbacks,
    Fetched,
    FetchPlan,
    SyncProgress,
    fetch_changes,
    remembered,
)
from sdd_hooks.trackers.folder_update import FolderUpdate
from sdd_hooks.trackers.issue import Issue
from sdd_hooks.trackers.protocol import Tracker
from sdd_hooks.trackers.store import LOCK, IssueFolder, IssueStore, open_store
from sdd_hooks.trackers.sync_state import (
    FILE_NAME,
    OVERLAP_SECONDS,
    Cursor,
    SyncState,
    cursor_key,
    load_sync_state,
    read_sync_state,
    write_sync_state,
)

RECONCILE_SECONDS = 24 * 3600.0
"""Seconds after which the issues are compared with a listing of all again."""
DOUBT_SECONDS = 3600.0
"""Seconds until the next comparison, after one in which the tracker contradicted itself."""
MANY = 20
"""Missing issues above which a deletion is a mass deletion, if they are also more than a FIFTH."""
FIFTH = 5
MAX_ASKED = 50
"""Missing issues that the tracker is asked for; of more, these are spread evenly."""

_MAX_ID = 60


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
    environ: Mapping[str, str] | None = None,
) -> SyncResult:
    """Fetch what changed since the last sync, or all issues with `full`, and write it.

    `wait` is how many seconds to wait for another sync of the folder. `on_start` and `on_progress`
    are those of FetchCallbacks. `clock` returns the time of the sync (epoch seconds); what is
    fetched depends on the tracker's clock alone. `environ` is the environment of a second process,
    which writes files if there are many; None for no such process. The caller disconnects the
    tracker.

    Raises:
        RemoteError, SddError: the tracker failed. The files are whole, and the next sync starts
            where this one did.
        StorageError: the folder cannot be written, or is a link.
    """
    with open_store(folder, create=True) as store:
        if store is None:
            raise StorageError(f"cannot open {folder.path}: it was removed just now")
        with hold_open_lock(folder.path / LOCK, wait) as lock:
            if lock is None:
                return SyncResult(ran=False)
            store.scan()
            store.remove_partial_files()
            callbacks = FetchCallbacks(on_start, on_progress)
            beside = nullcontext() if environ is None else store.writing_beside(lock, environ)
            with beside:
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
    is_same = state.key in {key, ""}
    if state.key != key:
        # The revision of the files stays; the cursor of another project means nothing here.
        state = replace(state, tracker=tracker.name, key=key, cursor=Cursor(), files={})
    reconciles = _is_reconciliation_due(now, state.cursor.reconciled)
    complete = full or state.cursor.issues is None
    listing = tracker.inventory() if reconciles and not complete else None
    complete = complete or (reconciles and listing is None)
    fetched = _fetch(tracker, store, FetchPlan(state, complete), callbacks)
    with remembered(store, state, fetched.update):
        listed = None if listing is None or fetched.is_complete else _read(listing, fetched)
        has_lost_files = fetched.update.lost_files()
        if not fetched.is_complete and (has_lost_files or (listed and listed.is_behind)):
            again = FetchPlan(state, complete=True, before=fetched.update)
            fetched = _fetch(tracker, store, again, callbacks)
            fetched.update.lost_files()
        cursor, warning = fetched.cursor, ""
        if fetched.is_complete:
            fetched.update.remove_unconfirmed_links()
        if fetched.is_complete or listed:
            existing = fetched.update.seen | (listed.ids if listed else set())
            warning = _remove_missing(tracker, fetched.update, existing, is_same=is_same)
            recent = now if not warning else now - RECONCILE_SECONDS + DOUBT_SECONDS
            cursor = replace(cursor, reconciled=recent)
    result = _result(fetched, state.revision)
    if warning:
        result = replace(result, warnings=(*result.warnings, warning))
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
            files=fetched.update.marks(),
        ),
    )
    return result


class _Listed(NamedTuple):
    """The ids of a listing, and whether it shows an update of an issue that no fetch returned."""

    ids: set[str]
    is_behind: bool


def _read(listing: Iterator[str | Issue], fetched: Fetched) -> _Listed:
    """Read a listing, and write what it shows of issues that the fetch has not returned."""
    ids: set[str] = set()
    is_behind = False
    update = fetched.update
    for entry in listing:
        id = entry.id if isinstance(entry, Issue) else entry
        ids.add(id)
        if id in update.seen:
            continue
        if isinstance(entry, Issue):
            updated = parse_epoch(entry.updated)
            if fetched.at is None or updated is None or updated < fetched.at - OVERLAP_SECONDS:
                is_behind = not update.follow(entry) or is_behind
            # The next sync fetches an issue that was updated since.
        else:
            is_behind = is_behind or not update.has_file(id)
    return _Listed(ids, is_behind)


def _remove_missing(
    tracker: Tracker, update: FolderUpdate, existing: Set[str], *, is_same: bool
) -> str:
    """Remove the issues that the tracker does not have any more.

    With `is_same` the files are those of this tracker, so that it is asked for each issue. Returns
    a warning, "" for none.
    """
    stored = update.stored_ids()
    missing = [id for id in stored if id not in existing]
    deletions = _Deletions(tuple(missing))
    if is_same:
        deletions = _confirm_deletions(tracker, missing, len(stored))
    for id in deletions.ids:
        update.remove(id)
    return deletions.warning


class _Deletions(NamedTuple):
    """The issues to remove, and a line about those that a listing lacks and that stay."""

    ids: tuple[str, ...] = ()
    warning: str = ""


def _confirm_deletions(tracker: Tracker, missing: Sequence[str], stored: int) -> _Deletions:
    """Ask for the issues `missing` in a listing, of `stored` issues here.

    A listing may be empty or short for a while, because of a cache on the way, a server that
    starts, or a wrong total. The address of a single issue is another source.

    Nothing is removed if the tracker cannot say, if it still has one of a mass deletion, or if it
    still has one of those asked in place of all. An archived issue is rightly in no listing: it
    stays, and those that were not asked for wait. Raises nothing that the tracker raises.
    """
    if not missing:
        return _Deletions()
    step = max(len(missing) / MAX_ASKED, 1.0)
    asked = [missing[int(number * step)] for number in range(min(len(missing), MAX_ASKED))]
    there: list[str] = []
    archived: set[str] = set()
    for id in asked:
        try:
            issue = tracker.issue(id)
        except Missing:
            continue
        except SddError as error:
            return _Deletions(
                warning=f"{_lacking(tracker, missing, stored)}: kept, because {error}"
            )
        if issue.id == id and issue.archived:
            archived.add(id)
        elif issue.id == id:
            there.append(id)
    if archived:
        missing = [id for id in asked if id not in archived]
    if not there:
        return _Deletions(tuple(missing))
    is_mass = len(missing) > MANY and len(missing) * FIFTH > stored
    shown = ", ".join(one_line(id)[:_MAX_ID] for id in there[:3])
    if is_mass or len(asked) < len(missing):
        advice = "nothing was deleted, try again later"
        return _Deletions(
            warning=f"{_lacking(tracker, missing, stored)}, but still has {shown}: {advice}"
        )
    gone = tuple(id for id in missing if id not in set(there))
    return _Deletions(gone, f"{tracker.label} does not list {shown}, but still has it: kept")


def _lacking(tracker: Tracker, missing: Sequence[str], stored: int) -> str:
    return f"{tracker.label} does not list {len(missing):,} of the {stored:,} issues here"


def _fetch(
    tracker: Tracker, store: IssueStore, plan: FetchPlan, callbacks: FetchCallbacks
) -> Fetched:
    """Fetch since the cursor; fetch all issues if the tracker's clock is behind it."""
    fetched = fetch_changes(tracker, store, plan, callbacks)
    if fetched is None:
        cursor = Cursor(retries=plan.state.cursor.retries)
        plan = FetchPlan(replace(plan.state, cursor=cursor), complete=True)
        fetched = fetch_changes(tracker, store, plan, callbacks)
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
