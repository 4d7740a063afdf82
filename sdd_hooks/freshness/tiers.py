"""The four tiers of freshness: when to scan again, each a pure rule, and the texts about it.

Times are seconds since the epoch; settings are those of `#### Index Freshness`. The texts are
those of the requirements, to the letter.
"""

# Governing: ADR-0015 (tiers of freshness), SPEC-0007 REQ "Rules without effects"

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sdd_hooks.text.durations import format_duration

if TYPE_CHECKING:
    from sdd_hooks.config.settings import FreshnessSettings
    from sdd_hooks.engines.protocol import Counts

DEGRADED_WARNING = "Issues sync failed — degrading to live tracker queries for this run"

MAX_NAMES = 8
"""Collections named in one line: the four kinds of two modules."""


def age(now: float, since: float | None) -> float | None:
    """Seconds from `since` to `now`.

    None when `since` is unknown or impossible: a wrong clock, a forged file.
    """
    # Written so that no comparison with a NaN is true.
    return now - since if since is not None and 0 <= since <= now else None


def scan_is_due(now: float, touched: float | None, settings: FreshnessSettings) -> bool:
    """Tier 2: whether to scan for changes again, judged by time alone (`prime_interval`).

    `touched` is when the index was last compared with the work tree.
    """
    return _is_older(age(now, touched), settings.prime_interval)


def is_stale(now: float, touched: float | None, settings: FreshnessSettings) -> bool:
    """Tier 3: whether a command that reads has to refresh first (`staleness_threshold`)."""
    return _is_older(age(now, touched), settings.staleness_threshold)


def sync_is_due(now: float, synced: float | None, settings: FreshnessSettings) -> bool:
    """Tier 4: whether to fetch the issues that were last synced at `synced` (`issues_interval`)."""
    return _is_older(age(now, synced), settings.issues_interval)


def failed_refresh_warning(collections: Sequence[str]) -> str:
    """The warning about a refresh that failed. `collections` are names of collections, or one
    name for all of them."""
    names = ", ".join(collections[:MAX_NAMES])
    if len(collections) > MAX_NAMES:
        names += f" and {len(collections) - MAX_NAMES} more"
    return f"Index refresh failed for {names} — run `sdd index update` manually"


def refreshed_note(counts: Counts) -> str | None:
    """The note of tier 2 about a refresh; None when it changed nothing."""
    if not counts.changed:
        return None
    return (
        f"Refreshed index ({counts.added} added, {counts.updated} updated,"
        f" {counts.removed} removed across all collections)"
    )


def unembedded_note(pending: int, seconds: int) -> str | None:
    """The note of tier 2 about chunks without a vector; None when every chunk has one.

    `seconds` is what embedding them would take on this machine.
    """
    if not pending:
        return None
    return (
        f"{pending} chunks unembedded — run `sdd index embed` (≈{seconds}s on this machine,"
        " foreground; or wait for the next mutation command to backfill)"
    )


def stale_note(seconds: float | None) -> str | None:
    """The note of tier 3 about an index of that age; None when its age is unknown."""
    if seconds is None:
        return None
    return f"Index was {format_duration(seconds)} stale — refreshed before running."


def syncing_note(issues: int | None, tracker: str) -> str:
    """The note of tier 4 before a sync. `issues` is None when their number is not known yet."""
    return f"Syncing {'' if issues is None else f'{issues} '}issues from {tracker}…"


def sync_skipped_line(seconds: float, tracker: str) -> str:
    """The trace line about a sync that was not due."""
    return f"issues sync skipped: {tracker} was synced {format_duration(seconds)} ago"


def _is_older(seconds: float | None, limit: float) -> bool:
    return seconds is None or seconds > limit
