"""Bring the issues of a tracker into a folder, so that a failure or a kill loses nothing.

Pages are written as they come. How far that came, the cursor, is a time of the tracker's clock; it
moves when the last page was written, and the next fetch begins a little before it: an issue that
changes twice in a second, or while pages are being fetched, is fetched again rather than missed.
"""

# Governing: ADR-0018 (tracker issues as files), SPEC-0009 REQ "Sync",
# SPEC-0009 REQ "Reconciliation"

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import chain
from typing import NamedTuple

from sdd_hooks.errors import StorageError
from sdd_hooks.remote.json_fields import parse_epoch
from sdd_hooks.system.locks import hold_lock
from sdd_hooks.trackers.backlog import FolderUpdate
from sdd_hooks.trackers.meta import (
    NAME,
    Cursor,
    SyncState,
    cursor_key,
    load_sync_state,
    read_sync_state,
    write_sync_state,
)
from sdd_hooks.trackers.prefetch import ahead
from sdd_hooks.trackers.protocol import IssuePage, Since, Tracker
from sdd_hooks.trackers.store import IssueFolder, IssueStore, opened

OVERLAP = 2.0
"""Seconds before the cursor from which a fetch begins."""
RECONCILE = 24 * 3600.0
"""Seconds after which the ids of all issues are compared again."""
LOCK = ".lock"

Progress = Callable[[str, int, int], object]
"""Called with (what is being done, how many are done, how many there are; 0 is not known)."""


class _Told(NamedTuple):
    """Who is told how it goes."""

    begun: Callable[[int | None], None] | None
    progress: Progress | None


@dataclass(frozen=True)
class SyncResult:
    """What a sync did, in issues. `changed` are the files written or removed, relative to the
    repository's root.

    With `ran` False another sync of the folder was at work, and nothing was done. `since` names the
    state of the folder that `changed` is the difference to, "" where that is not known; `state` is
    the one it is in now.
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
    state: str = ""


def sync(
    tracker: Tracker,
    folder: IssueFolder,
    *,
    full: bool = False,
    clock: Callable[[], float] = time.time,
    wait: float = 0.0,
    begun: Callable[[int | None], None] | None = None,
    progress: Progress | None = None,
) -> SyncResult:
    """Fetch what changed since the last time, or everything with `full`, and write it.

    `wait` is how many seconds another sync of the folder is waited for. `begun` is told, once the
    tracker has answered, how many issues come, None where it does not say. `clock` says when this
    was; what is fetched depends on the tracker's own alone. Does not disconnect the tracker.

    Raises:
        RemoteError, SddError: the tracker failed. Files are whole, the next sync begins again where
            this one did.
        StorageError: the folder cannot be written, or is a link.
    """
    with opened(folder, create=True) as store:
        if store is None:
            raise StorageError(f"cannot open {folder.path}: it was removed just now")
        with hold_lock(folder.path / LOCK, wait) as mine:
            if not mine:
                return SyncResult(ran=False)
            store.look()
            return _synced(tracker, store, clock(), full, _Told(begun, progress))


def last_synced(folder: IssueFolder, tracker: str = "") -> float | None:
    """When a sync of the folder last came to its end (epoch seconds); None for never, or where that
    cannot be told. With the name of a `tracker`, None where the issues are another one's, too."""
    meta = load_sync_state(folder.root, folder.relative)
    return meta.synced if tracker in {"", meta.tracker} else None


@dataclass(frozen=True)
class _Fetched:
    """What a fetch that came to its end did; `everything` says that all issues there are came."""

    backlog: FolderUpdate
    cursor: Cursor
    everything: bool
    warnings: tuple[str, ...]


def _synced(tracker: Tracker, store: IssueStore, now: float, full: bool, told: _Told) -> SyncResult:
    store.clear()
    found = read_sync_state(store)
    meta = found or SyncState()
    key = cursor_key(tracker.name, tracker.identity)
    if meta.key != key:
        # What the files are is known as before; how far this tracker was fetched is not.
        meta = replace(meta, tracker=tracker.name, key=key, cursor=Cursor())
    compare = _is_due(now, meta.cursor.reconciled)
    # A power cut may leave a file that was renamed before its content was on the disk.
    lost = compare and any(map(store.is_empty, store.names))
    everything = full or lost or meta.cursor.issues is None
    ids = tracker.inventory() if compare and not everything else None
    everything = everything or (compare and ids is None)
    fetched = _fetched(tracker, store, meta, everything, told)
    if fetched is None:
        fetched = _fetched(tracker, store, replace(meta, cursor=Cursor()), True, told)
    assert fetched is not None
    backlog, cursor = fetched.backlog, fetched.cursor
    if fetched.everything:
        backlog.settle()
    if fetched.everything or compare:
        kept = backlog.seen.union(() if ids is None or fetched.everything else ids)
        for id in backlog.there():
            if id not in kept:
                backlog.remove(id)
        cursor = replace(cursor, reconciled=now)
    counts, changed = backlog.counts(), backlog.changed()
    state = os.urandom(8).hex() if changed or not meta.state else meta.state
    cursor = replace(cursor, links=backlog.links())
    write_sync_state(store, replace(meta, cursor=cursor, state=state, synced=now, counts=counts))
    damaged = f"{store.path(NAME)} could not be used: all issues were fetched again"
    return SyncResult(
        counts["added"],
        counts["updated"],
        counts["removed"],
        counts["unchanged"],
        counts["failed"],
        changed=changed,
        warnings=(*([] if found else [damaged]), *fetched.warnings, *backlog.failures()),
        since=meta.state,
        state=state,
    )


def _fetched(
    tracker: Tracker, store: IssueStore, meta: SyncState, everything: bool, told: _Told
) -> _Fetched | None:
    """Fetch and write. None, and nothing written, where the tracker's clock is behind the cursor:
    what changed since a time that has not come yet says nothing."""

    def before() -> None:
        write_sync_state(store, replace(meta, state=""))

    then = Cursor() if everything else meta.cursor
    since = Since(_earlier(then.issues), _earlier(then.pulls))
    notes = dict(then.notes)
    warnings: dict[str, None] = {}
    issues = pulls = None
    done = 0
    with closing(ahead(tracker.fetch(since, notes))) as pages:
        first = next(pages, None)
        at = first.at if first else None
        if at is not None and any(one is not None and one > at for one in since):
            return None
        everything = everything or bool(first and first.is_complete)
        backlog = FolderUpdate(store, then.links, before, everything=everything)
        total = first.total if first else 0
        if told.begun:
            told.begun(total)
        for page in chain([first] if first else [], pages):
            _write(backlog, page)
            issues = _newest(issues, (one.updated for one in page.issues))
            pulls = _newest(pulls, (one.updated for one in page.pulls))
            warnings.update(dict.fromkeys(page.warnings))
            done += len(page.issues)
            if told.progress:
                what = f"Syncing issues from {tracker.label}"
                told.progress(what, done, max(done, total) if total else 0)
    issues = _moved(then.issues, issues, at, backlog.retry)
    pulls = _moved(then.pulls, pulls, at)
    # A tracker that has none of one kind so far is asked for those that come.
    issues, pulls = (pulls if issues is None else issues), (issues if pulls is None else pulls)
    # With an issue left to do, nothing may say that nothing changed.
    cursor = Cursor(issues, pulls, then.reconciled, notes if backlog.retry is None else {})
    return _Fetched(backlog, cursor, everything, tuple(warnings))


def _write(backlog: FolderUpdate, page: IssuePage) -> None:
    for issue in page.issues:
        backlog.put(issue)
    for id in page.deleted:
        backlog.remove(id)
    for pull in page.pulls:
        backlog.link(pull)


def _newest(known: float | None, times: Iterable[str]) -> float | None:
    """The latest of these times that can be read, or `known`."""
    seen = list(times)
    # As text they are in the order of time, unless a tracker has some in another form.
    latest = parse_epoch(max(seen)) if seen else None
    found = map(parse_epoch, seen) if seen and latest is None else (latest,)
    return max((one for one in (known, *found) if one is not None), default=None)


def _moved(then: float | None, seen: float | None, *limits: float | None) -> float | None:
    """The cursor after a fetch: what was seen, within these limits; never backwards."""
    if seen is None:
        return then
    found = min(seen, *(one for one in limits if one is not None)) if any(limits) else seen
    return found if then is None else max(then, found)


def _earlier(cursor: float | None) -> float | None:
    return None if cursor is None else max(cursor - OVERLAP, 0.0)


def _is_due(now: float, then: float | None) -> bool:
    return then is None or not 0 <= now - then < RECONCILE
