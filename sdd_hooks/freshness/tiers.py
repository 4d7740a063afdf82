"""When an index is looked at again, and what is said about it: four tiers, each a pure rule.

Times are seconds since the epoch; settings are those of `#### Index Freshness`. The words are those
of the requirements, to the letter.
"""

# Governing: ADR-0015 (tiers of freshness), SPEC-0007 REQ "Rules without effects"

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sdd_hooks.text.durations import format_duration

if TYPE_CHECKING:
    from sdd_hooks.config.settings import FreshnessSettings
    from sdd_hooks.engines.protocol import Counts

DEGRADED = "Issues sync failed — degrading to live tracker queries for this run"

MOST_NAMES = 8
"""Collections named in one line: the four kinds of two modules."""


def age(now: float, since: float | None) -> float | None:
    """Seconds from `since` to `now`.

    None when it never was, or cannot have been: a clock that was wrong, a file somebody forged.
    """
    # Written so that no comparison with a NaN is true.
    return now - since if since is not None and 0 <= since <= now else None


def look_is_due(now: float, touched: float | None, settings: FreshnessSettings) -> bool:
    """Tier 2: whether to look, for no reason but the time, at an index last touched at `touched`
    (`prime_interval`)."""
    return _older(age(now, touched), settings.prime_interval)


def is_stale(now: float, touched: float | None, settings: FreshnessSettings) -> bool:
    """Tier 3: whether a command that reads has to refresh first (`staleness_threshold`)."""
    return _older(age(now, touched), settings.staleness_threshold)


def sync_is_due(now: float, synced: float | None, settings: FreshnessSettings) -> bool:
    """Tier 4: whether to fetch the issues that were last synced at `synced` (`issues_interval`)."""
    return _older(age(now, synced), settings.issues_interval)


def refresh_failed(collections: Sequence[str]) -> str:
    """The warning of a refresh that failed. `collections` are names, or what stands for them."""
    named = ", ".join(collections[:MOST_NAMES])
    if len(collections) > MOST_NAMES:
        named += f" and {len(collections) - MOST_NAMES} more"
    return f"Index refresh failed for {named} — run `sdd index update` manually"


def refreshed(counts: Counts) -> str | None:
    """The line of tier 2 about a look that found something; None where nothing was different."""
    if not counts.changed:
        return None
    return (
        f"Refreshed index ({counts.added} added, {counts.updated} updated,"
        f" {counts.removed} removed across all collections)"
    )


def unembedded(pending: int, seconds: int | None) -> str | None:
    """The note of tier 2 about chunks without a vector; None for none.

    `seconds` is what embedding them would take here, None when that was never measured.
    """
    if not pending:
        return None
    estimate = "" if seconds is None else f"≈{seconds}s on this machine, "
    return (
        f"{pending} chunks unembedded — run `sdd index embed` ({estimate}foreground;"
        " or wait for the next mutation command to backfill)"
    )


def was_stale(seconds: float | None) -> str | None:
    """The note of tier 3 about an index of that age; None when its age was not known."""
    if seconds is None:
        return None
    return f"Index was {format_duration(seconds)} stale — refreshed before running."


def syncing(issues: int | None, tracker: str) -> str:
    """The note of tier 4 before a sync. `issues` is None when their number is not known yet."""
    return f"Syncing {'' if issues is None else f'{issues} '}issues from {tracker}…"


def sync_skipped(seconds: float, tracker: str) -> str:
    """What a trace says of a sync that was not needed."""
    return f"issues sync skipped: {tracker} was synced {format_duration(seconds)} ago"


def _older(seconds: float | None, than: float) -> bool:
    return seconds is None or seconds > than
