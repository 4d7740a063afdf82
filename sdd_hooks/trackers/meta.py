"""`_meta.json`: how far the folder of issues has come, for which tracker, and since when."""

# Governing: ADR-0018 (tracker issues as files), SPEC-0009 REQ "Sync"

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sdd_hooks.errors import SddError
from sdd_hooks.remote.json_fields import format_utc, number, parse_epoch, text
from sdd_hooks.system.files import read_inside

if TYPE_CHECKING:
    from pathlib import Path

    from sdd_hooks.trackers.store import IssueStore

NAME = "_meta.json"
SCHEMA_VERSION = 1
COUNTS = ("added", "updated", "removed", "unchanged", "failed")

LARGEST_NOTES = 100_000
"""Characters that a tracker's notes may have altogether; more are not kept."""

LARGEST = 20_000_000
"""Bytes of the file that are read."""
_HEXADECIMAL = frozenset("0123456789abcdef")


@dataclass(frozen=True)
class Cursor:
    """How far one project of a tracker was fetched. Times are the tracker's (epoch seconds).

    `reconciled` is when the ids were last compared (ours); `notes` are the tracker's own; `links`
    are the pull requests, by number, with the issues they are linked with.
    """

    issues: float | None = None
    pulls: float | None = None
    reconciled: float | None = None
    notes: Mapping[str, str] = field(default_factory=dict)
    links: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class SyncState:
    """What is known of a folder. `tracker` is a name, `key` its tracker and place.

    `state` names what the files are: another sync that changed one gave it another name. "" while
    files are being changed, and after a sync that did not come to its end. `synced` is when one
    last did (epoch seconds).
    """

    tracker: str = ""
    key: str = ""
    cursor: Cursor = Cursor()
    state: str = ""
    synced: float | None = None
    counts: Mapping[str, int] = field(default_factory=dict)


def cursor_key(tracker: str, place: str) -> str:
    """What a cursor is kept under."""
    return f"{tracker}|{place}"


def read_sync_state(store: IssueStore) -> SyncState | None:
    """What the folder's file says; Meta() without one, None for one that cannot be used.

    Never raises, whatever is in it.
    """
    data = store.read(NAME)
    if data is None:
        return None if store.there(NAME) else SyncState()
    return parse_sync_state(data)


def load_sync_state(root: Path, relative: str) -> SyncState:
    """What is known of the folder at `relative`, to those who only read; Meta() where nothing is.

    Never raises.
    """
    try:
        return parse_sync_state(read_inside(root, f"{relative}/{NAME}", LARGEST)) or SyncState()
    except (OSError, SddError):
        return SyncState()


def parse_sync_state(data: bytes) -> SyncState | None:
    """What such a file says; None for one that cannot be used. Never raises."""
    try:
        found = json.loads(data) if len(data) <= LARGEST else None
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict) or number(found, "schema_version") != SCHEMA_VERSION:
        return None
    cursors = found.get("cursor")
    counts = found.get("sync_counts")
    if not isinstance(cursors, dict) or not isinstance(counts, dict) or len(cursors) > 1:
        return None
    key, cursor = next(iter(cursors.items()), ("", None))
    state = text(found, "state")
    return SyncState(
        text(found, "tracker"),
        key,
        _cursor(cursor),
        state if set(state) <= _HEXADECIMAL else "",
        parse_epoch(text(found, "last_sync")),
        {name: number(counts, name) or 0 for name in COUNTS},
    )


def write_sync_state(store: IssueStore, meta: SyncState) -> None:
    """Put it there in one step. Raises StorageError."""
    cursor = meta.cursor
    document = {
        "schema_version": SCHEMA_VERSION,
        "last_sync": _stamp(meta.synced),
        "tracker": meta.tracker,
        "sync_counts": {name: meta.counts.get(name, 0) for name in COUNTS},
        "state": meta.state,
        "cursor": {
            meta.key: {
                "issues": _stamp(cursor.issues),
                "pulls": _stamp(cursor.pulls),
                "reconciled": _stamp(cursor.reconciled),
                "notes": cursor.notes if _size(cursor.notes) <= LARGEST_NOTES else {},
                "links": {pull: list(issues) for pull, issues in cursor.links.items()},
            }
        },
    }
    store.write(NAME, json.dumps(document, separators=(",", ":")).encode() + b"\n")


def _cursor(found: object) -> Cursor:
    """A cursor; what is odd about it counts as not there."""
    if not isinstance(found, dict):
        return Cursor()
    notes, links = found.get("notes"), found.get("links")
    if not isinstance(notes, dict) or not isinstance(links, dict):
        return Cursor()
    return Cursor(
        parse_epoch(text(found, "issues")),
        parse_epoch(text(found, "pulls")),
        parse_epoch(text(found, "reconciled")),
        {name: value for name, value in notes.items() if isinstance(value, str)},
        {
            pull: tuple(issue for issue in issues if isinstance(issue, str))
            for pull, issues in links.items()
            if isinstance(issues, list)
        },
    )


def _stamp(seconds: float | None) -> str | None:
    return None if seconds is None else format_utc(seconds)


def _size(notes: Mapping[str, str]) -> int:
    return sum(len(name) + len(value) for name, value in notes.items())
