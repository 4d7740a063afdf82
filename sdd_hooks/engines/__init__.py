"""Engines behind one protocol: chosen by the configuration, never fallen back to."""

# Governing: ADR-0001 (two engines, chosen, never fallen back to)

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from sdd_hooks.engines.protocol import Engine
from sdd_hooks.errors import EngineUnavailable
from sdd_hooks.project.project import Project

ENTRY_POINTS = "sdd_hooks.engines"

# Looking through the installed distributions takes 20 ms, which these are spared.
_OWN = {
    "embedded": "sdd_hooks.engines.embedded.engine",
    "qmd": "sdd_hooks.engines.qmd.engine",
}


def open_engine(project: Project, *, repair: bool = False) -> Engine:
    """Open the engine the configuration names. With `repair`, a damaged index is set aside.

    Raises:
        EngineUnavailable: nobody registered an engine of that name, or it cannot run here.
        StorageError: the index cannot be used.
    """
    return _opener(project)(project, repair=repair)


def require_engine(project: Project) -> None:
    """Make sure that the engine the configuration names can run here, without opening an index.

    Raises:
        EngineUnavailable: nobody registered an engine of that name, or it cannot run here.
    """
    chosen = project.configuration.search.engine
    if chosen in _OWN:
        import_module(_OWN[chosen]).require(project)
    else:
        _opener(project)


def _opener(project: Project) -> Callable[..., Engine]:
    chosen = project.configuration.search.engine
    opener: Callable[..., Engine]
    if chosen in _OWN:
        opener = import_module(_OWN[chosen]).open_engine
        return opener
    from importlib.metadata import entry_points

    registered = {point.name: point for point in entry_points(group=ENTRY_POINTS)}
    if chosen not in registered:
        names = ", ".join(sorted(registered))
        raise EngineUnavailable(f"no engine is called {chosen!r}: choose one of {names}")
    opener = registered[chosen].load()
    return opener
