"""Fetch the pages of a tracker and write each one to the folder while the next is requested."""

# Governing: ADR-0018 (tracker issues as files), SPEC-0009 REQ "Sync"

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, replace
from itertools import chain
from queue import Empty, Full, Queue
from typing import TypeVar

from sdd_hooks.errors import StorageError
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.trackers.folder_update import FolderUpdate, KnownFiles
from sdd_hooks.trackers.protocol import IssuePage, Since, Tracker
from sdd_hooks.trackers.store import IssueStore
from sdd_hooks.trackers.sync_state import (
    MAX_EDGE_RETRIES,
    Cursor,
    SyncState,
    advance,
    latest_update,
    write_sync_state,
)

_T = TypeVar("_T")

SyncProgress = Callable[[str, int, int], object]
"""Called with (a description of the step, issues done, issues in all; 0 if that is unknown)."""

_PUT_SECONDS = 0.1
_GET_SECONDS = 1.0
_SWITCH_SECONDS = 0.0005
"""How long the thread that decodes a page may run until the one that writes files goes on. With the
5 ms of Python, each of five calls of the system for a file could wait so long."""


class FetchCallbacks(NamedTuple):
    """What a sync calls on its way.

    `on_start` is called once the tracker has responded, with the number of issues to come, None if
    the tracker does not send it. `on_progress` is called after each page.
    """

    on_start: Callable[[int | None], None] | None = None
    on_progress: SyncProgress | None = None


class FetchPlan(NamedTuple):
    """Fetch what changed since the cursor of `state`, or all issues if `complete`.

    `before` is the update of a fetch before this one in the same sync.
    """

    state: SyncState
    complete: bool
    before: FolderUpdate | None = None


@dataclass(frozen=True)
class Fetched:
    """The outcome of a complete fetch.

    `cursor` is the one after it. `is_complete` says that the fetch returned all issues. `at` is the
    tracker's time at its start (epoch seconds), None if the fetch had no page.
    """

    update: FolderUpdate
    cursor: Cursor
    is_complete: bool
    warnings: tuple[str, ...]
    at: float | None = None


def fetch_changes(
    tracker: Tracker,
    store: IssueStore,
    plan: FetchPlan,
    callbacks: FetchCallbacks,
) -> Fetched | None:
    """Fetch what `plan` says, and write it.

    Returns None, and writes nothing, if the tracker's clock is behind the cursor: a list of the
    changes since a time in the future says nothing. Raises RemoteError, SddError and StorageError.
    """
    state, complete, before = plan
    cursor = Cursor() if complete else state.cursor
    notes = dict(cursor.notes)
    with closing(prefetched(tracker.fetch(cursor.since, notes))) as pages:
        first = next(pages, None)
        at = first.at if first else None
        if _is_ahead(cursor.since, at):
            return None
        complete = complete or bool(first and first.is_complete)
        update = FolderUpdate(
            store,
            KnownFiles(cursor.links, state.files),
            # Until the end of the sync the files are in no known state.
            lambda: write_sync_state(store, replace(state, revision="")),
            complete=complete,
            before=before,
        )
        writer = _PageWriter(update, tracker.label, first.total if first else 0, callbacks)
        with remembered(store, state, update):
            writer.write(chain([first] if first else [], pages))
            update.finish_writing()
    retry_from, retries = update.retry_from, 0
    if update.unknown_from is not None:
        # A tracker that never shows an edge is not asked for ever.
        retries = min(state.cursor.retries + 1, MAX_EDGE_RETRIES)
        if state.cursor.retries < MAX_EDGE_RETRIES:
            retry_from = min(update.unknown_from, retry_from or update.unknown_from)
    issues = advance(cursor.issues, writer.latest_issue, at, retry_from)
    pulls = advance(cursor.pulls, writer.latest_pull, at)
    # If the tracker has had no entries of one kind, its position follows the other one.
    issues, pulls = (pulls if issues is None else issues), (issues if pulls is None else pulls)
    # A tag in the notes could report "nothing changed" while an issue waits to be written again.
    notes = notes if retry_from is None else {}
    moved = Cursor(issues, pulls, cursor.reconciled, notes, retries=retries)
    return Fetched(update, moved, complete, tuple(writer.warnings), at)


@contextmanager
def remembered(store: IssueStore, state: SyncState, update: FolderUpdate) -> Iterator[None]:
    """Store the marks of the files that `update` wrote if the sync fails in this block.

    They are not damaged, although the cursor of `state` does not move.
    """
    try:
        yield
    except BaseException:
        with suppress(StorageError):
            update.finish_writing()
        if update.changed():
            with suppress(StorageError):
                write_sync_state(store, replace(state, revision="", files=update.marks_so_far()))
        raise


class _PageWriter:
    """Writes pages, and notes the latest update of each kind (epoch seconds) and the warnings."""

    def __init__(
        self, update: FolderUpdate, label: str, total: int | None, callbacks: FetchCallbacks
    ) -> None:
        self.latest_issue: float | None = None
        self.latest_pull: float | None = None
        self.warnings: dict[str, None] = {}
        self._update = update
        self._label = label
        self._total = total
        self._callbacks = callbacks

    def write(self, pages: Iterator[IssuePage]) -> None:
        on_start, on_progress = self._callbacks
        if on_start:
            on_start(self._total)
        done = 0
        for page in pages:
            for issue in page.issues:
                self._update.put(issue)
            for id in page.deleted:
                self._update.remove(id)
            for pull in page.pulls:
                self._update.link(pull)
            self.latest_issue = latest_update(
                self.latest_issue, (issue.updated for issue in page.issues)
            )
            self.latest_pull = latest_update(
                self.latest_pull, (pull.updated for pull in page.pulls)
            )
            self.warnings.update(dict.fromkeys(page.warnings))
            done += len(page.issues)
            if on_progress:
                total = max(done, self._total) if self._total else 0
                on_progress(f"Syncing issues from {self._label}", done, total)


def _is_ahead(since: Since, at: float | None) -> bool:
    """Whether `since` is later than `at`, the tracker's own time."""
    return at is not None and any(time is not None and time > at for time in since)


def prefetched(items: Iterator[_T]) -> Generator[_T, None, None]:
    """Yield the same items, produced by a thread that is at most one item ahead.

    An exception of `items` is raised here. If the consumer stops early, the thread ends after the
    item that it is producing, and this generator does not wait for that.
    """
    queue: Queue[_T | _End] = Queue(1)
    is_abandoned = threading.Event()

    def put(item: _T | _End) -> None:
        while not is_abandoned.is_set():
            with suppress(Full):
                queue.put(item, timeout=_PUT_SECONDS)
                return

    def produce() -> None:
        end = _End()
        try:
            for item in items:
                put(item)
                if is_abandoned.is_set():
                    return
        except BaseException as error:
            end = _End(error)
        put(end)

    thread = threading.Thread(target=produce, name="sdd-pages", daemon=True)
    usual = sys.getswitchinterval()
    sys.setswitchinterval(_SWITCH_SECONDS)
    thread.start()
    try:
        while True:
            try:
                # A blocking get without a timeout would ignore Ctrl-C.
                item = queue.get(timeout=_GET_SECONDS)
            except Empty:
                continue
            if isinstance(item, _End):
                if item.error is not None:
                    raise item.error
                return
            yield item
    finally:
        is_abandoned.set()
        sys.setswitchinterval(usual)


class _End:
    """The end of the items, or the exception that ended them."""

    def __init__(self, error: BaseException | None = None) -> None:
        self.error = error
