"""The note of a search about chunks without vectors, for people: once a day, and while embedding.

What was shown last is in a file of the index's state, since a note after every search is not read.
A clone may contain a file of that name: what is not exactly what this module writes counts as
missing.
"""

# Governing: SPEC-0005 REQ "Output", ADR-0013 (hybrid search waits until every chunk has a vector)

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress

from sdd_hooks.embedding.lock import find_holder
from sdd_hooks.errors import SddError
from sdd_hooks.project.repository import Repository
from sdd_hooks.retrieval.search import pending_notes
from sdd_hooks.system.files import read_state, write_atomically

FILE = "reminder.json"
INTERVAL = 86_400.0
"""Seconds after which the same note is shown again."""

_MAX_BYTES = 200


def remind(
    repository: Repository, notes: Sequence[str], pending: int, now: float
) -> tuple[str, ...]:
    """Return the notes of a search for a person, `pending` chunks of which have no vector.

    The note about these chunks is left out if it was shown in the last day. While an embed runs,
    another one takes its place. `now` is in seconds since the epoch.
    """
    usual = pending_notes(pending)
    if not usual:
        return tuple(notes)
    kind = "running" if find_holder(repository) else "pending"
    shown = usual if kind == "pending" else (running_note(pending),)
    if _is_recent(repository, kind, now):
        shown = ()
    else:
        _write(repository, kind, now)
    return tuple(text for note in notes for text in (shown if note in usual else (note,)))


def running_note(pending: int) -> str:
    """Return the note about chunks without a vector while an embed runs."""
    return (
        f"{pending} chunks unembedded — an embed is running, and searches use words only until it"
        " ends: see `sdd index status`"
    )


def _is_recent(repository: Repository, kind: str, now: float) -> bool:
    with suppress(OSError, SddError, ValueError, RecursionError):
        match json.loads(read_state(repository.search_dir / FILE, _MAX_BYTES)):
            case [str(last), int() | float() as shown]:
                return last == kind and 0 <= now - shown < INTERVAL
    return False


def _write(repository: Repository, kind: str, now: float) -> None:
    """Store what is shown. A directory that cannot be written shows it each time."""
    with suppress(OSError, SddError):
        write_atomically(repository.search_dir / FILE, json.dumps([kind, now]).encode())
