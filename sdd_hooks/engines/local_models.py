"""What the engines have in common that run the configured embedding model themselves."""

# Governing: ADR-0001 (engines, chosen, never fallen back to)

from __future__ import annotations

from sdd_hooks.engines.protocol import Download, EngineBackend
from sdd_hooks.project.project import Project


class LocalModelBackend(EngineBackend):
    """`EngineBackend` of an engine whose model is that of the module `models`."""

    @property
    def default_model(self) -> str:
        """The default model of the hub."""
        from sdd_hooks.models.embedding_model import DEFAULT_MODEL

        return DEFAULT_MODEL

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
