"""Refresh the index, and give vectors to what was added: pulled ones, or ones embedded here.

Vectors come from a background process. It pulls those that other machines made, where vectors are
shared and the change may come from another machine, and then does what a backfill does.
"""

# Governing: ADR-0015 (tiers of freshness), ADR-0025 (vectors travel in a git ref),
# SPEC-0007 REQ "After a mutation", SPEC-0008 REQ "Backfill", SPEC-0013 REQ "After a merge"

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, closing, nullcontext, suppress
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

from sdd_hooks.engines.protocol import Progress
from sdd_hooks.engines.registry import is_indexed
from sdd_hooks.errors import NotIndexed, SddError
from sdd_hooks.freshness.refresh import (
    DEFAULT_OPTIONS,
    SHORT_WAIT_SECONDS,
    RefreshInProgress,
    RefreshOptions,
    RefreshResult,
    refresh,
)
from sdd_hooks.freshness.tiers import failed_refresh_warning
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.system import detached

if TYPE_CHECKING:
    from sdd_hooks.engines.protocol import Counts
    from sdd_hooks.project.collections import Collection
    from sdd_hooks.project.project import Project
    from sdd_hooks.trackers.sync import SyncResult

LARGE_REPOSITORY = 5_000
"""Files from which on the first index takes longer than a command may."""

_BACKFILL = "backfill"
_INDEX = "index"

Step = Literal["refresh", "pull", "embed", "push"]

ShowStep = Callable[[Step], AbstractContextManager[Progress | None]]
"""Called with each step of a use case. The step runs inside the context that this returns, and
reports its progress to the callback that the context yields."""


def show_nothing(_step: Step) -> AbstractContextManager[Progress | None]:
    """Show no step."""
    return nullcontext()


class IndexRefresh(NamedTuple):
    """A refresh, and whether it started a background process that gives vectors to new chunks."""

    result: RefreshResult
    embeds: bool


def refresh_index(
    project: Project,
    collections: Sequence[Collection] | None = None,
    options: RefreshOptions = DEFAULT_OPTIONS,
    progress: Progress | None = None,
    *,
    pull: bool = False,
) -> IndexRefresh:
    """Refresh `collections` (None: those of the index), then start giving vectors to what is new.

    With `pull`, the change may come from another machine, which may have shared its vectors.
    Raises what `freshness.refresh.refresh` raises.
    """
    result = refresh(project, collections, options, progress)
    embeds = bool(result.total.changed) and start_embedding(project, result.total, pull=pull)
    return IndexRefresh(result, embeds)


def ensure_index(project: Project, *, waits: bool = False) -> tuple[str, ...]:
    """Make the index of a project that has none: in the background if it is large.

    With `waits` it is made at once. Returns notes. Raises what `refresh_index` raises.
    """
    if is_indexed(project):
        return ()
    root = project.repository.root
    files = project.repository.git.output("ls-files", "-z").count(b"\0")
    if files < LARGE_REPOSITORY or waits:
        refresh_index(project, project.collections)
        return ()
    detached.start_detached(__name__, [str(root), _INDEX], project.environ)
    return ("the index is made in the background: `sdd index status` shows it",)


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
    from sdd_hooks.embedding.backfill import start_backfill

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


def start_embedding(project: Project, counts: Counts, *, pull: bool) -> bool:
    """Start a background process for new chunks, if that is wanted. Raises nothing."""
    from sdd_hooks.embedding.backfill import should_backfill, start_backfill
    from sdd_hooks.embedding.policy import in_ci

    shared = pull and project.configuration.search.share_vectors and not in_ci(project.environ)
    if not shared or not counts.added + counts.updated:
        return start_backfill(project, counts)
    steps = [_BACKFILL] if should_backfill(project, counts) else []
    with suppress(OSError):
        detached.start_detached(__name__, [str(project.repository.root), *steps], project.environ)
        return True
    return False


def main(arguments: Sequence[str]) -> None:
    """Run the background process. Arguments: the top of the work tree, and whether to embed."""
    root, *steps = arguments
    if steps == [_INDEX]:
        from sdd_hooks.project.project import load_project

        project = load_project(Path(root), os.environ)
        refresh_index(project, project.collections)
        return
    # No user waits for this process, and a machine without a network is not an error.
    with suppress(SddError):
        _pull_vectors(Path(root))
    if steps == [_BACKFILL]:
        from sdd_hooks.embedding import backfill

        backfill.main([root])


def _pull_vectors(root: Path) -> None:
    from sdd_hooks.engines.registry import open_engine
    from sdd_hooks.project.project import load_project
    from sdd_hooks.sharing.options import SharingOptions
    from sdd_hooks.sharing.pull import pull

    project = load_project(root, os.environ)
    with closing(open_engine(project)) as engine:
        if engine.coverage().pending:
            pull(project, engine, SharingOptions(wait=0.0))
