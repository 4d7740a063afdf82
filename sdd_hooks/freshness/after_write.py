"""Tier 1: the index follows what a command has written, before the command reports."""

# Governing: ADR-0015 (tiers of freshness), SPEC-0007 REQ "After a mutation"

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from sdd_hooks.embedding.backfill import start_backfill
from sdd_hooks.errors import NotIndexed, SddError
from sdd_hooks.freshness.refresh import PATIENCE, AnotherRefresh, refresh
from sdd_hooks.freshness.tiers import refresh_failed
from sdd_hooks.project.collections import Collection
from sdd_hooks.project.project import Project

if TYPE_CHECKING:
    from sdd_hooks.trackers.sync import SyncResult


def containing(project: Project, paths: Iterable[str]) -> tuple[Collection, ...]:
    """The declared collections that hold one of `paths`, relative to the repository's root."""
    written = tuple(paths)
    return tuple(one for one in project.collections if any(map(one.contains, written)))


def after_mutation(
    project: Project,
    written: Sequence[Collection],
    *,
    synced: Mapping[str, SyncResult] | None = None,
) -> tuple[str, ...]:
    """Refresh those of the collections that are indexed, and backfill what that leaves unembedded.

    Returns warnings for the report: that the refresh failed, or what the engine found wrong with
    what was written. Else it is silent. What was written stays written, so that nothing is raised
    for an index that cannot follow. Another refresh that goes on takes this one over. `synced` is
    as in `refresh`.
    """
    if not written:
        return ()
    try:
        update = refresh(project, collections=written, create=False, wait=PATIENCE, synced=synced)
    except (NotIndexed, AnotherRefresh):
        return ()
    except SddError:
        return (refresh_failed([one.name for one in written]),)
    if update.total.changed:
        start_backfill(project, update.total)
    return update.notes
