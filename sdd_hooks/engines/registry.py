"""The registered engines, and the one that the configuration of a project chooses."""

# Governing: ADR-0001 (two engines, chosen, never fallen back to),
# ADR-0017 (embedded is the default)

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress

from sdd_hooks.config.settings import SearchSettings
from sdd_hooks.engines.backend import EngineBackend
from sdd_hooks.engines.organisation import SearchesOrganisation
from sdd_hooks.engines.protocol import Engine
from sdd_hooks.errors import EngineUnavailable, NotIndexed, StorageError
from sdd_hooks.plugins import PluginError, PluginKind, find_plugin, load_plugin, registered_plugins
from sdd_hooks.project.project import Project
from sdd_hooks.project.repository import has_search_dir

ENGINES = PluginKind(
    "engine",
    "sdd_hooks.engines",
    {
        "embedded": "sdd_hooks.engines.embedded.backend:ENGINE",
        "postgres": "sdd_hooks.engines.postgres.backend:ENGINE",
        "qmd": "sdd_hooks.engines.qmd.backend:ENGINE",
    },
)


def find_backend(project: Project) -> EngineBackend:
    """Return the engine that the configuration names, without opening an index.

    Raises EngineUnavailable: no engine of that name is registered, or it cannot be loaded.
    """
    name = project.configuration.search.engine
    plugin = find_plugin(ENGINES, name)
    if plugin is None:
        place = project.configuration.locate("search", "engine")
        where = f"{place[0]}:{place[1]}: " if place else ""
        names = ", ".join(engine_names())
        raise EngineUnavailable(f"{where}no engine is called {name!r}: choose one of {names}")
    try:
        return load_plugin(plugin, EngineBackend)  # type: ignore[type-abstract]
    except PluginError as error:
        raise EngineUnavailable(str(error)) from error


def open_engine(project: Project, *, repair: bool = False) -> Engine:
    """Open the index of a project with the configured engine; see `EngineBackend.open`."""
    return find_backend(project).open(project, repair=repair)


def require_engine(project: Project) -> str:
    """Make sure that the configured engine can run here, without opening an index.

    Returns what would run: its name, or the version and path of its program. Raises
    EngineUnavailable: no engine of that name is registered, or it cannot run here.
    """
    return find_backend(project).installation(project) or project.configuration.search.engine


def is_indexed(project: Project) -> bool:
    """Whether the project may have an index; False only if opening it would find nothing.

    Raises nothing. If the engine cannot find out, opening the index raises the reason.
    """
    try:
        backend = find_backend(project)
    except EngineUnavailable:
        return has_search_dir(project.repository)
    try:
        return backend.is_indexed(project)
    except (EngineUnavailable, StorageError):
        return True


def not_indexed(project: Project) -> NotIndexed:
    """Return the error for a project without indexed collections, in the words of SPEC-0019."""
    name = project.configuration.search.engine
    engine = "" if name == SearchSettings().engine else f"{name} "
    slug = project.repository.slug
    return NotIndexed(f"No {engine}collections found for {slug}. Run `sdd index` first.")


def find_organisation(project: Project) -> SearchesOrganisation:
    """Return the engine with the organisation's index: the configured one, else `find_shared`."""
    configured = find_backend(project)
    if isinstance(configured, SearchesOrganisation):
        return configured
    return find_shared(project.environ)


def find_shared(environ: Mapping[str, str]) -> SearchesOrganisation:
    """Return the engine with an organisation's index whose address is in the environment.

    Without an address it is any such engine, which says what to set. Raises EngineUnavailable if
    there is none.
    """
    shared: list[SearchesOrganisation] = []
    for plugin in registered_plugins(ENGINES).values():
        with suppress(PluginError):
            backend: object = load_plugin(plugin, EngineBackend)  # type: ignore[type-abstract]
            if isinstance(backend, SearchesOrganisation):
                shared.append(backend)
    for one in shared:
        if one.has_organisation(environ):
            return one
    if not shared:
        raise EngineUnavailable("no engine has an organisation's index: reinstall sdd-hooks")
    return shared[0]


def engine_names() -> list[str]:
    """Return the names of all registered engines, sorted."""
    return sorted(registered_plugins(ENGINES))
