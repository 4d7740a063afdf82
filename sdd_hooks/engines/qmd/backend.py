"""The qmd engine without an open index: its program and its models."""

# Governing: ADR-0001 (two engines, chosen), ADR-0014 (the qmd engine), SPEC-0006 REQ "Preflight"

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from sdd_hooks.engines.backend import Download, EngineBackend
from sdd_hooks.project.project import Project
from sdd_hooks.project.repository import has_search_dir

if TYPE_CHECKING:
    from sdd_hooks.engines.qmd.engine import QmdEngine

MODELS = Download("models of about 2 GB", during_embed=True)

# The default embedding model of qmd 2.8.
_DEFAULT_FILE = "embeddinggemma-300M-Q8_0.gguf"


class QmdBackend(EngineBackend):
    """`EngineBackend` of the engine over qmd."""

    @property
    def default_model(self) -> str:
        """The name of qmd's own model in messages."""
        from sdd_hooks.engines.qmd.embedding import DEFAULT_MODEL

        return DEFAULT_MODEL

    def open(self, project: Project, *, repair: bool = False) -> QmdEngine:
        """Open the index of a project. With `repair`, an unreadable state file is set aside.

        Raises:
            EngineUnavailable: qmd is missing or too old.
            IndexDamaged: the state file cannot be read, and `repair` is False.
            StorageError: the index was not made by sdd.
        """
        from sdd_hooks.engines.qmd.engine import QmdEngine
        from sdd_hooks.engines.qmd.installation import find_qmd

        return QmdEngine(project, find_qmd(project.environ), repair=repair)

    def is_indexed(self, project: Project) -> bool:
        """Whether the work tree has an index."""
        return has_search_dir(project.repository)

    def installation(self, project: Project) -> str:
        """Return the version and path of qmd. Raises EngineUnavailable."""
        from sdd_hooks.engines.qmd.installation import find_qmd, format_version

        qmd = find_qmd(project.environ)
        return f"qmd {format_version(qmd.version)} at {qmd.command}"

    def required_download(self, project: Project) -> Download | None:
        """Return qmd's models unless the configured one is in its cache. Runs nothing.

        Raises EngineUnavailable when the configured model is invalid.
        """
        from sdd_hooks.engines.qmd.embedding import check_configured_model

        environ = project.environ
        model = check_configured_model(project)
        model = model or environ.get("QMD_EMBED_MODEL", "") or _DEFAULT_FILE
        if model.startswith("/") or _is_cached(model.rpartition("/")[2], environ):
            return None
        return MODELS

    def embedder(self, project: Project) -> str:
        """Return the model and the device that qmd runs it on. Raises EngineUnavailable."""
        from sdd_hooks.engines.qmd.embedding import check_configured_model, find_device
        from sdd_hooks.engines.qmd.index_folder import index_folder
        from sdd_hooks.engines.qmd.installation import find_qmd

        name, environ = _model_name(project), project.environ
        check_configured_model(project)
        device = find_device(find_qmd(environ), environ, index_folder(project.repository))
        return f"{name or self.default_model} on {device}"


def _model_name(project: Project) -> str:
    return project.configuration.search.embed_model


def _is_cached(file: str, environ: Mapping[str, str]) -> bool:
    """Whether qmd's cache has a model downloaded from a file of that name."""
    cache = environ.get("XDG_CACHE_HOME") or f"{environ.get('HOME') or Path.home()}/.cache"
    with suppress(OSError):
        names = os.listdir(f"{cache}/qmd/models")  # noqa: PTH208 (only the names matter)
        # The name in the cache begins with the owner in the hub.
        return any(name.endswith(".gguf") and file in name for name in names)
    return False


ENGINE = QmdBackend()
