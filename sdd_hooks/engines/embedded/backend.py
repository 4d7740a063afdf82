"""The embedded engine without an open index."""

# Governing: ADR-0001 (two engines, chosen, never fallen back to)

from __future__ import annotations

from typing import TYPE_CHECKING

from sdd_hooks.engines.backend import LocalModelBackend
from sdd_hooks.project.project import Project
from sdd_hooks.project.repository import has_search_dir

if TYPE_CHECKING:
    from sdd_hooks.engines.embedded.engine import EmbeddedEngine


class EmbeddedBackend(LocalModelBackend):
    """`EngineBackend` of the engine over SQLite."""

    def open(self, project: Project, *, repair: bool = False) -> EmbeddedEngine:
        """Open the index of a project. With `repair`, a damaged file is set aside first.

        Raises:
            IndexDamaged: the file cannot be read, and `repair` is False.
            StorageError: it cannot be opened or written.
        """
        from sdd_hooks.engines.embedded.engine import EmbeddedEngine, IndexFiles

        repository = project.repository
        files = IndexFiles(
            repository.root,
            repository.search_dir / "index.db",
            repository.shared_dir / "vectors.db",
        )
        settings = project.configuration.search
        return EmbeddedEngine(files, environ=project.environ, settings=settings, repair=repair)

    def is_indexed(self, project: Project) -> bool:
        """Whether the work tree has an index."""
        return has_search_dir(project.repository)


ENGINE = EmbeddedBackend()
