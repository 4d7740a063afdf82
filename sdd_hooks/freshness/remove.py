"""Take collections out of the index, so that the hooks and the next refresh know it too."""

# Governing: ADR-0004 (change detection from git)

from __future__ import annotations

from collections.abc import Sequence

from sdd_hooks.engines.registry import open_engine
from sdd_hooks.errors import StorageError
from sdd_hooks.freshness.hook_state import distrust_state, write_state
from sdd_hooks.project.project import Project
from sdd_hooks.system.locks import held


def forget(project: Project, names: Sequence[str], *, wait: float = 30.0) -> None:
    """Remove the collections of these names. `wait` is how long a running refresh is waited for.

    Raises:
        StorageError: the index cannot be written, or a refresh went on for longer.
    """
    repository = project.repository
    with held(repository.search_dir / "lock", wait) as mine:
        if not mine:
            raise StorageError(
                f"a refresh has been running for over {wait:.0f} s: try again when it has finished"
            )
        distrust_state(repository)
        engine = open_engine(project)
        try:
            engine.remove(names)
            write_state(project, engine.bookmarks())
        finally:
            engine.close()
