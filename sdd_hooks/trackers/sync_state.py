"""`_meta.json`: the state of a folder of issues, and how far its tracker was fetched.

A cursor is a time of the tracker's own clock. It advances when the last page of a fetch is written,
and the next fetch starts a little earlier: an issue that changes twice in a second, or during the
fetch, is fetched twice rather than never.
"""

# Governing: ADR-0018 (tracker issues as files), SPEC-0009 REQ "Sync"

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sdd_hooks.errors import SddError
from sdd_hooks.remote.json_fields import format_utc, number, parse_epoch, text
from sdd_hooks.system.files import read_inside
from sdd_hooks.trackers.files import FileMark, digest_of
from sdd_hooks.trackers.protocol import Since

if TYPE_CHECKING:
    from pathlib import Path

    from sdd_hooks.trackers.store import IssueStore

FILE_NAME = "_meta.json"
SCHEMA_VERSION = 1
COUNTS = ("added", "updated", "removed", "unchanged", "failed")

MAX_NOTES = 100_000
"""Characters of all notes of a tracker; larger notes are not stored."""

MAX_BYTES = 20_000_000
"""Bytes of the file that are read."""
MAX_EDGE_RETRIES = 3
"""Fetches that fetch an issue again whose edges the tracker does not show."""
OVERLAP_SECONDS = 2.0
"""Seconds before the cursor from which a fetch starts."""

_HEXADECIMAL = frozenset("0123456789abcdef")


@dataclass(frozen=True)
class Cursor:
    """How far one project of a tracker was fetched.

    `issues` and `pulls` are times of the tracker's clock (epoch seconds). `reconciled` is when the
    ids of all issues were last compared, by the clock of this machine (epoch seconds). `notes` are
    the tracker's own (see `Tracker.fetch`). `links` are the issues of each pull request, by number.
    `retries` counts the fetches in succession in which the tracker did not show some edges.
    """

    issues: float | None = None
    pulls: float | None = None
    reconciled: float | None = None
    notes: Mapping[str, str] = field(default_factory=dict)
    links: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    retries: int = 0

    @property
    def since(self) -> Since:
        """The times from which the next fetch starts."""
        return Since(_with_overlap(self.issues), _with_overlap(self.pulls))


@dataclass(frozen=True)
class SyncState:
    """The state of a folder. `tracker` is a registered name, `key` that of the cursor.

    `revision` identifies the content of the files: every sync that changes a file gives the folder
    another one. It is "" while files are being changed, and after a sync that did not complete.
    `synced` is when the last complete sync ended (epoch seconds), `counts` is what it did. `files`
    has the mark of each issue's file at that time, by name (see `FileMark`).
    """

    tracker: str = ""
    key: str = ""
    cursor: Cursor = field(default_factory=Cursor)
    revision: str = ""
    synced: float | None = None
    counts: Mapping[str, int] = field(default_factory=dict)
    files: Mapping[str, FileMark] = field(default_factory=dict)


def cursor_key(tracker: str, identity: str) -> str:
    """The key under which the cursor of a tracker's project is stored."""
    return f"{tracker}|{identity}"


def read_sync_state(store: IssueStore) -> SyncState | None:
    """The state in the folder's file; SyncState() if there is none, None if it is unusable.

    Never raises, whatever the file contains.
    """
    data = store.read(FILE_NAME)
    if data is None:
        return None if store.exists(FILE_NAME) else SyncState()
    return parse_sync_state(data)


def load_sync_state(root: Path, relative: str) -> SyncState:
    """The state of the folder at `relative`, for reading alone; SyncState() if there is none.

    Never raises.
    """
    try:
        return (
            parse_sync_state(read_inside(root, f"{relative}/{FILE_NAME}", MAX_BYTES)) or SyncState()
        )
    except (OSError, SddError):
        return SyncState()


def parse_sync_state(data: bytes) -> SyncState | None:
    """The state in such a file; None if it is unusable. Never raises."""
    try:
        document = json.loads(data) if len(data) <= MAX_BYTES else None
    except (ValueError, RecursionError):
        return None
    if not isinstance(document, dict) or number(document, "schema_version") != SCHEMA_VERSION:
        return None
    # A changed time would hide issues. The file of an earlier version has no digest.
    digest = document.pop("digest", None)
    if digest is not None and digest != digest_of(_dumped(document)):
        return None
    cursors = document.get("cursor")
    counts = document.get("sync_counts")
    if not isinstance(cursors, dict) or not isinstance(counts, dict) or len(cursors) > 1:
        return None
    key, cursor = next(iter(cursors.items()), ("", None))
    revision = text(document, "state")
    return SyncState(
        text(document, "tracker"),
        key,
        _parse_cursor(cursor),
        revision if set(revision) <= _HEXADECIMAL else "",
        parse_epoch(text(document, "last_sync")),
        {name: number(counts, name) or 0 for name in COUNTS},
        dict(_parse_files(document.get("files"))),
    )


def write_sync_state(store: IssueStore, state: SyncState) -> None:
    """Replace the folder's file in one step. Raises StorageError."""
    cursor = state.cursor
    document: dict[str, object] = {
        "schema_version": SCHEMA_VERSION,
        "last_sync": _format_time(state.synced),
        "tracker": state.tracker,
        "sync_counts": {name: state.counts.get(name, 0) for name in COUNTS},
        "state": state.revision,
        "cursor": {
            state.key: {
                "issues": _format_time(cursor.issues),
                "pulls": _format_time(cursor.pulls),
                "reconciled": _format_time(cursor.reconciled),
                "notes": cursor.notes if _size(cursor.notes) <= MAX_NOTES else {},
                "links": {pull: list(issues) for pull, issues in cursor.links.items()},
                "retries": cursor.retries,
            }
        },
        "files": {name: list(mark) for name, mark in state.files.items()},
    }
    document["digest"] = digest_of(_dumped(document))
    store.write(FILE_NAME, _dumped(document) + b"\n")


def _dumped(document: Mapping[str, object]) -> bytes:
    return json.dumps(document, separators=(",", ":")).encode()


def latest_update(latest: float | None, times: Iterable[str]) -> float | None:
    """The latest of `latest` and of those times that can be parsed (epoch seconds)."""
    texts = list(times)
    # As text they are in the order of time, unless a tracker uses several formats.
    maximum = parse_epoch(max(texts)) if texts else None
    parsed = map(parse_epoch, texts) if texts and maximum is None else (maximum,)
    return max((time for time in (latest, *parsed) if time is not None), default=None)


def advance(position: float | None, latest: float | None, *limits: float | None) -> float | None:
    """The position after a fetch whose latest update is `latest`; it never moves back.

    The position does not advance beyond the `limits` that are not None.
    """
    if latest is None:
        return position
    reached = (
        min(latest, *(limit for limit in limits if limit is not None)) if any(limits) else latest
    )
    return reached if position is None else max(position, reached)


def _parse_cursor(fields: object) -> Cursor:
    """A cursor; a field of another type counts as missing."""
    if not isinstance(fields, dict):
        return Cursor()
    notes, links = fields.get("notes"), fields.get("links")
    if not isinstance(notes, dict) or not isinstance(links, dict):
        return Cursor()
    return Cursor(
        parse_epoch(text(fields, "issues")),
        parse_epoch(text(fields, "pulls")),
        parse_epoch(text(fields, "reconciled")),
        {name: value for name, value in notes.items() if isinstance(value, str)},
        {
            pull: tuple(issue for issue in issues if isinstance(issue, str))
            for pull, issues in links.items()
            if isinstance(issues, list)
        },
        number(fields, "retries") or 0,
    )


def _parse_files(files: object) -> Iterator[tuple[str, FileMark]]:
    """The marks of files; those of another form are left out."""
    for name, mark in files.items() if isinstance(files, dict) else ():
        match mark:
            case [int(size), int(modified), str(digest)]:
                yield name, FileMark(size, modified, digest)


def _format_time(seconds: float | None) -> str | None:
    return None if seconds is None else format_utc(seconds)


def _size(notes: Mapping[str, str]) -> int:
    return sum(len(name) + len(value) for name, value in notes.items())


def _with_overlap(position: float | None) -> float | None:
    return None if position is None else max(position - OVERLAP_SECONDS, 0.0)
