"""Engines behind one protocol: chosen by the configuration, never fallen back to."""

# Governing: ADR-0001 (two engines, chosen, never fallen back to)

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, cast

from sdd_hooks.engines.protocol import Engine
from sdd_hooks.errors import EngineUnavailable
from sdd_hooks.plugins import PluginError, PluginKind, find_plugin, load_plugin, registered_plugins
from sdd_hooks.project.project import Project

ENGINES = PluginKind(
    "engine",
    "sdd_hooks.engines",
    {
        "embedded": "sdd_hooks.engines.embedded.engine:open_engine",
        "qmd": "sdd_hooks.engines.qmd.engine:open_engine",
    },
)


def open_engine(project: Project, *, repair: bool = False) -> Engine:
    """Open the engine the configuration names. With `repair`, a damaged index is set aside.

    Raises:
        EngineUnavailable: nobody registered an engine of that name, or it cannot run here.
        StorageError: the index cannot be used.
    """
    return _opener(project)(project, repair=repair)


def require_engine(project: Project) -> str:
    """Make sure that the engine the configuration names can run here, without opening an index.

    Returns what would run: its name, with the version and place of what it needs besides.

    Raises:
        EngineUnavailable: nobody registered an engine of that name, or it cannot run here.
    """
    machine = _machine(project)
    if machine is not None:
        return str(machine.installed(project))
    _opener(project)
    return project.configuration.search.engine


def to_download(project: Project) -> str:
    """What the first embed downloads, to be read after "downloads"; "" when nothing, or not known.

    Asks nobody.

    Raises:
        EngineUnavailable: the configured model cannot run here.
    """
    machine = _machine(project)
    return "" if machine is None else str(machine.to_download(project))


def embedder(project: Project) -> str:
    """The model that embeds, and where it runs; "" when that is not known.

    Raises:
        EngineUnavailable: the configured model cannot run here.
    """
    machine = _machine(project)
    return "" if machine is None else str(machine.embedder(project))


def engine_names() -> list[str]:
    """What engines are called that somebody registered."""
    return sorted(registered_plugins(ENGINES))


def serve(project: Project, port: int, announce: Callable[[str, int], None]) -> bool:
    """Run the engine's daemon until a signal tells this process to end. `port` 0 takes a free one.

    `announce` is told its URL and its process once it answers. False, at once, for an engine that
    has none.

    Raises:
        EngineUnavailable: it cannot run here.
        NotIndexed: there is no index to serve.
    """
    runs = getattr(_machine(project), "serve", None)
    if runs is None:
        return False
    runs(project, port, announce)
    return True


def _machine(project: Project) -> Any:
    """The module that knows what the engine finds on this machine; one from outside has none."""
    chosen = project.configuration.search.engine
    if chosen not in ENGINES.own:
        return None
    return import_module(ENGINES.own[chosen].replace(".engine:open_engine", ".machine"))


def _opener(project: Project) -> Callable[..., Engine]:
    chosen = project.configuration.search.engine
    plugin = find_plugin(ENGINES, chosen)
    if plugin is None:
        names = ", ".join(engine_names())
        raise EngineUnavailable(f"no engine is called {chosen!r}: choose one of {names}")
    try:
        opener = load_plugin(plugin, object)
    except PluginError as error:
        raise EngineUnavailable(str(error)) from error
    if not callable(opener):
        raise EngineUnavailable(str(PluginError(plugin, "it is not callable")))
    return cast("Callable[..., Engine]", opener)
