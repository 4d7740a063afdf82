"""Sync issues that were just written, in a tracker whose listing shows them late."""

# Governing: ADR-0052 (an issue is created once), SPEC-0007 REQ "After a mutation"

from __future__ import annotations

from collections.abc import Iterator, MutableMapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from sdd_hooks.errors import Missing
from sdd_hooks.trackers.protocol import IssuePage, Since, Tracker

if TYPE_CHECKING:
    from sdd_hooks.trackers.protocol import TrackerEnvironment, TrackerLocation
    from sdd_hooks.trackers.source import TrackerSource


def with_written(source: TrackerSource, ids: Sequence[str]) -> TrackerSource:
    """The source, whose fetch also has the issues `ids`, each requested alone.

    Returns the source itself if its listing shows new issues at once.
    """
    vendor = source.tracker.vendor
    if not ids or not vendor.listing_delay:
        return source

    def open_tracker(location: TrackerLocation, environment: TrackerEnvironment) -> Tracker:
        return cast("Tracker", _WithWritten(vendor.open(location, environment), ids))

    return source._replace(
        tracker=source.tracker._replace(vendor=replace(vendor, open=open_tracker))
    )


class _WithWritten:
    """A tracker whose fetch ends with the issues that it did not list."""

    def __init__(self, tracker: Tracker, ids: Sequence[str]) -> None:
        self._tracker = tracker
        self._ids = ids

    def __getattr__(self, name: str) -> Any:
        return getattr(self._tracker, name)

    def fetch(self, since: Since, notes: MutableMapping[str, str]) -> Iterator[IssuePage]:
        """The pages, and a page with the issues that are in none of them."""
        listed: set[str] = set()
        at = None
        for page in self._tracker.fetch(since, notes):
            at = page.at if at is None else at
            listed.update(issue.id for issue in page.issues)
            yield page
        if at is None:
            return
        issues = []
        for id in self._ids:
            if id not in listed:
                try:
                    issues.append(self._tracker.issue(id))
                except Missing:
                    continue
        if issues:
            yield IssuePage(tuple(issues), at)
