"""Bring the index up to date (sync issues, refresh collections, embed), or remove collections."""

# Governing: ADR-0004 (change detection from git), SPEC-0005 REQ "Index"

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, closing, suppress
from typing import TYPE_CHECKING

from sdd_hooks.engines.registry import open_engine
from sdd_hooks.errors import EngineUnavailable, NotIndexed, SddError, StorageError
from sdd_hooks.freshness.hook_state import distrust_state, write_state
from sdd_hooks.freshness.read_gate import open_index
from sdd_hooks.freshness.refresh import RefreshOptions, RefreshResult, lock_index, refresh
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.collections import EXTERNAL, Collection
from sdd_hooks.project.project import Project
from sdd_hooks.usecases.upkeep.external_records import fetch_external_records
from sdd_hooks.usecases.upkeep.refresh import ShowStep, refresh_index, show_nothing

if TYPE_CHECKING:
    from sdd_hooks.usecases.upkeep.embed import EmbedOutcome
    from sdd_hooks.usecases.upkeep.sync import SyncCallbacks

ShowSync = Callable[[], "AbstractContextManager[SyncCallbacks]"]
"""Returns a context, inside which the sync runs, that yields the callbacks of the sync."""


class IndexUpdate(NamedTuple):
    """A refresh, warnings about the sync before it, and the embed after it, if there is one.

    Where nothing could be embedded, `embed_error` says why; `pending` chunks are then without a
    vector.
    """

    refresh: RefreshResult
    warnings: Sequence[str]
    embed: EmbedOutcome | None = None
    embed_error: SddError | None = None
    pending: int = 0


def add_collections(
    project: Project, collections: Sequence[Collection], show_step: ShowStep = show_nothing
) -> RefreshResult:
    """Index those of `collections` that the index lacks."""
    indexed: set[str] = set()
    with suppress(NotIndexed), open_index(project) as engine:
        indexed.update(engine.bookmarks())
    missing = [collection for collection in collections if collection.name not in indexed]
    with show_step("refresh") as progress:
        return refresh_index(project, missing, progress=progress).result


class UpdateScope(NamedTuple):
    """The collections to update (None: those of the index). With `full`, the whole index is
    checked, and every document compared with its file."""

    collections: Sequence[Collection] | None = None
    full: bool = False


def update_index(
    project: Project,
    scope: UpdateScope,
    clock: Callable[[], float],
    show_sync: ShowSync,
    show_step: ShowStep = show_nothing,
) -> IndexUpdate:
    """Sync the issues among the collections, fetch decisions of other repositories, and refresh.

    `clock` returns seconds since the epoch. Raises what `refresh` raises; a sync or a fetch that
    fails is a warning.
    """
    collections, full = scope
    from sdd_hooks.usecases.upkeep.sync import sync_before_refresh

    with show_sync() as callbacks:
        warnings = sync_before_refresh(project, collections, clock, callbacks)
    if collections is None or any(one.kind == EXTERNAL for one in collections):
        warnings = (*warnings, *fetch_external_records(project, clock))
    with show_step("refresh") as progress:
        options = RefreshOptions(scan="full" if full else "all")
        result = refresh_index(project, collections, options, progress).result
    return IndexUpdate(result, warnings)


def sync_refresh_and_embed(
    project: Project,
    collections: Sequence[Collection],
    clock: Callable[[], float],
    show_sync: ShowSync,
    show_step: ShowStep = show_nothing,
) -> IndexUpdate:
    """Sync issues, create and refresh `collections`, and embed them as far as that is possible.

    An index without vectors is a working index: an engine that cannot embed is no error.
    """
    # `sdd index add` neither embeds nor syncs, and does not wait for these imports.
    from sdd_hooks.usecases.upkeep.sync import sync_before_refresh

    with show_sync() as callbacks:
        warnings = sync_before_refresh(project, collections, clock, callbacks)
    warnings = (*warnings, *fetch_external_records(project, clock))
    with show_step("refresh") as progress:
        result = refresh(project, collections, progress=progress)
    return embed_again(project, collections, IndexUpdate(result, warnings), show_step)


def embed_again(
    project: Project,
    collections: Sequence[Collection],
    update: IndexUpdate,
    show_step: ShowStep = show_nothing,
) -> IndexUpdate:
    """Embed `collections` after an update in which nothing could be embedded."""
    from sdd_hooks.usecases.upkeep.embed import embed

    result, warnings = update.refresh, update.warnings
    error: SddError | None
    try:
        outcome = embed(project, collections, show_step=show_step)
        error = outcome.error
    except (EngineUnavailable, StorageError) as failure:
        error = failure
    if error is None:
        return IndexUpdate(result, warnings, outcome)
    if not isinstance(error, (EngineUnavailable, StorageError)):
        raise error
    with open_index(project) as engine:
        pending = engine.status().pending
    return IndexUpdate(result, warnings, None, error, pending)


def remove_collections(project: Project, names: Sequence[str], *, wait: float = 30.0) -> None:
    """Remove the collections of these names from the index, and from the state files of the hooks.

    Waits up to `wait` seconds for a running refresh.

    Raises:
        StorageError: the index cannot be written, or a refresh ran for longer.
    """
    repository = project.repository
    with lock_index(repository, wait) as is_locked:
        if not is_locked:
            raise StorageError(
                f"a refresh has been running for over {wait:.0f} s: try again when it has finished"
            )
        distrust_state(repository)
        with closing(open_engine(project)) as engine:
            engine.remove(names)
            write_state(project, engine.bookmarks())
