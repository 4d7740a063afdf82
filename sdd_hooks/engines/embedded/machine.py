"""What the embedded engine finds on this machine, told without opening an index."""

# Governing: ADR-0001 (two engines, chosen, never fallen back to)

from __future__ import annotations

from sdd_hooks.models.model import load_model, to_fetch
from sdd_hooks.project.project import Project


def installed(project: Project) -> str:
    """What would run: this very installation."""
    return project.configuration.search.engine


def to_download(project: Project) -> str:
    """What the first embed downloads; "" when nothing. Raises EngineUnavailable when it cannot."""
    missing = to_fetch(
        project.configuration.search.embed_model, project.repository.root, project.environ
    )
    return f"the model {missing}" if missing else ""


def embedder(project: Project) -> str:
    """The model that embeds, loaded to see that it can, and where. Raises EngineUnavailable."""
    model = load_model(
        project.configuration.search.embed_model, project.repository.root, project.environ
    )
    return f"{model.id} on {model.device}"
