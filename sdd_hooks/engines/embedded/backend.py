"""The embedded engine without an open index."""

# Governing: ADR-0001 (two engines, chosen, never fallen back to)

from __future__ import annotations

from typing import TYPE_CHECKING

from sdd_hooks.engines.local_index import has_local_index
from sdd_hooks.engines.protocol import Download, EngineBackend
from sdd_hooks.project.project import Project

if TYPE_CHECKING:
    from sdd_hooks.engines.embedded.engine import EmbeddedEngine


class EmbeddedBackend(EngineBackend):
    """`EngineBackend` of the engine over SQLite."""

    @property
    def default_model(self) -> str:
        """The default model of the hub."""
        from sdd_hooks.models.embedding_model import DEFAULT_MODEL

        return DEFAULT_MODEL

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
        return has_local_index(project.repository)

    def required_download(self, project: Project) -> Download | None:
        """Return the model of the hub that is not in the cache. Raises EngineUnavailable."""
        missing = self._missing_model(project)
        return Download(f"the model {missing}") if missing else None

    def download(self, project: Project) -> None:
        """Download the model. Raises EngineUnavailable."""
        missing = self._missing_model(project)
        if missing:
            from sdd_hooks.models.hub import fetch_model

            fetch_model(missing, project.environ)

    def embedder(self, project: Project) -> str:
        """Return the model, which is loaded to make sure that it runs. Raises EngineUnavailable."""
        from sdd_hooks.models.embedding_model import load_model

        name, root = project.configuration.search.embed_model, project.repository.root
        model = load_model(name, root, project.environ)
        return f"{model.id} on {model.device}"

    def _missing_model(self, project: Project) -> str:
        from sdd_hooks.models.embedding_model import find_missing_model

        name, root = project.configuration.search.embed_model, project.repository.root
        return find_missing_model(name, root, project.environ)


ENGINE = EmbeddedBackend()
