"""Tier 1: a command that wrote files refreshes their collections before it reports."""

# Governing: ADR-0015 (tiers of freshness), SPEC-0007 REQ "After a mutation"

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

from sdd_hooks.embedding.backfill import start_backfill
from sdd_hooks.errors import NotIndexed, SddError
from sdd_hooks.freshness.refresh import (
    SHORT_WAIT_SECONDS,
    RefreshInProgress,
    RefreshOptions,
    refresh,
)
from sdd_hooks.freshness.tiers import failed_refresh_warning
from sdd_hooks.project.collections import Collection
from sdd_hooks.project.project import Project

if TYPE_CHECKING:
    from sdd_hooks.trackers.sync import SyncResult


def collections_containing(project: Project, paths: Iterable[str]) -> tuple[Collection, ...]:
    """The declared collections that contain one of `paths`, relative to the repository's root."""
    written = tuple(paths)
    return tuple(
        collection for collection in project.collections if any(map(collection.contains, written))
    )


def refresh_after_write(
    project: Project,
    written: Sequence[Collection],
    *,
    synced: Mapping[str, SyncResult] = MappingProxyType({}),
) -> tuple[str, ...]:
    """Refresh those of the written collections that are indexed, and backfill what was added.

    Returns warnings for the report: that the refresh failed, or what the engine found wrong with
    the files. A failure is not raised, because the files stay written. Where another refresh is
    running, that one also does this work. `synced` is as in
    `RefreshOptions`.
    """
    if not written:
        return ()
    try:
        options = RefreshOptions(create=False, wait=SHORT_WAIT_SECONDS, synced=synced)
        update = refresh(project, written, options)
    except (NotIndexed, RefreshInProgress):
        return ()
    except SddError:
        return (failed_refresh_warning([collection.name for collection in written]),)
    if update.total.changed:
        start_backfill(project, update.total)
    return update.notes
