"""The times of issues on fake servers, and what a tracker fetches and lists."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping

from sdd_hooks.trackers.issue import Issue
from sdd_hooks.trackers.protocol import Since, Tracker

START = 1_777_640_000
"""2026-05-01T12:53:20Z, the time of the first issue. The clocks start at NOW."""
NOW = START + 86_400


def fetched(
    tracker: Tracker, since: Since | None = None, notes: MutableMapping[str, str] | None = None
) -> dict[str, Issue]:
    """The issues of a fetch, by id; the last occurrence of each counts."""
    pages = tracker.fetch(since or Since(), {} if notes is None else notes)
    return {issue.id: issue for page in pages for issue in page.issues}


def listed(tracker: Tracker) -> Iterator[str]:
    """The ids of the inventory."""
    for entry in tracker.inventory() or ():
        yield entry.id if isinstance(entry, Issue) else entry
