"""Remove collections from the index, and update the state files of the hooks."""

# Governing: ADR-0004 (change detection from git)

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing

from sdd_hooks.engines.registry import open_engine
from sdd_hooks.errors import StorageError
from sdd_hooks.freshness.hook_state import distrust_state, write_state
from sdd_hooks.project.project import Project
from sdd_hooks.system.locks import hold_lock


def remove_collections(project: Project, names: Sequence[str], *, wait: float = 30.0) -> None:
    """Remove the collections of these names. Waits up to `wait` seconds for a running refresh.

    Raises:
        StorageError: the index cannot be written, or a refresh ran for longer.
    """
    repository = project.repository
    with hold_lock(repository.search_dir / "lock", wait) as is_locked:
        if not is_locked:
            raise StorageError(
                f"a refresh has been running for over {wait:.0f} s: try again when it has finished"
            )
        distrust_state(repository)
        with closing(open_engine(project)) as engine:
            engine.remove(names)
            write_state(project, engine.bookmarks())
