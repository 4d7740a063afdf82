"""What the qmd engine finds on this machine, told without opening an index; and its daemon."""

# Governing: ADR-0001 (two engines, chosen), ADR-0014 (the qmd engine), SPEC-0006 REQ "Preflight"

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

from sdd_hooks.engines.qmd.installation import dotted, find
from sdd_hooks.engines.qmd.model import DEFAULT, configured_model
from sdd_hooks.engines.qmd.process import place_of
from sdd_hooks.project.project import Project, not_indexed

MODELS = "models of about 2 GB"

# qmd 2.8's own, which an index without a configured model is embedded with.
_DEFAULT_FILE = "embeddinggemma-300M-Q8_0.gguf"


def installed(project: Project) -> str:
    """The qmd that would run. Raises EngineUnavailable."""
    qmd = find(project.environ)
    return f"qmd {dotted(qmd.version)} at {qmd.command}"


def to_download(project: Project) -> str:
    """What the first embed downloads; "" when nothing. Looks for files, and runs nothing.

    Raises EngineUnavailable when the configured model is none.
    """
    model = configured_model(_name(project), project.repository.root)
    model = model or project.environ.get("QMD_EMBED_MODEL", "") or _DEFAULT_FILE
    if model.startswith("/") or _cached(model.rpartition("/")[2], project.environ):
        return ""
    return MODELS


def embedder(project: Project) -> str:
    """The model that embeds, and where qmd runs it. Raises EngineUnavailable."""
    from sdd_hooks.engines.qmd.device import device

    configured_model(_name(project), project.repository.root)
    place = place_of(project.repository)
    return f"{_name(project) or DEFAULT} on {device(find(project.environ), project.environ, place)}"


def serve(
    project: Project,
    port: int,
    announce: Callable[[str, int], None],
) -> None:
    """Run qmd's daemon on the index of a project until a signal tells this process to end.

    Raises NotIndexed where there is no index, EngineUnavailable when qmd cannot run.
    """
    from sdd_hooks.engines.qmd import daemon

    place = place_of(project.repository)
    if not place.database.is_file():
        raise not_indexed(project)
    daemon.serve(find(project.environ), place, project.environ, port, announce)


def _name(project: Project) -> str:
    return project.configuration.search.embed_model


def _cached(file: str, environ: Mapping[str, str]) -> bool:
    """Whether qmd's cache has a model downloaded from a file of that name."""
    cache = environ.get("XDG_CACHE_HOME") or f"{environ.get('HOME') or Path.home()}/.cache"
    with suppress(OSError):
        names = os.listdir(f"{cache}/qmd/models")  # noqa: PTH208 (names are all that matters)
        # The hub's owner stands before it.
        return any(name.endswith(".gguf") and file in name for name in names)
    return False
