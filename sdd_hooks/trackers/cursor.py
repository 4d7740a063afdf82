"""How far a tracker was fetched, and from when the next fetch starts.

A cursor is a time of the tracker's own clock. It advances when the last page of a fetch is written,
and the next fetch starts a little earlier: an issue that changes twice in a second, or during the
fetch, is fetched twice rather than never.
"""

# Governing: ADR-0018 (tracker issues as files), SPEC-0009 REQ "Sync"

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from sdd_hooks.remote.json_fields import parse_epoch
from sdd_hooks.trackers.protocol import Since

MAX_EDGE_RETRIES = 3
"""Fetches that fetch an issue again whose edges the tracker does not show."""
OVERLAP_SECONDS = 2.0
"""Seconds before the cursor from which a fetch starts."""


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


def _with_overlap(position: float | None) -> float | None:
    return None if position is None else max(position - OVERLAP_SECONDS, 0.0)
