"""Plug-ins by name: engines, trackers, forges, rules and report formats.

A plug-in is an object in a module. The plug-ins of this package are listed in its code, so that
finding one neither imports `importlib.metadata` nor searches the installed distributions, which
takes 20 ms. Other distributions register plug-ins as entry points.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from functools import lru_cache, reduce
from importlib import import_module
from typing import TypeVar, cast

from sdd_hooks import tracing
from sdd_hooks.errors import SddError
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.text.display import describe_error, one_line

T = TypeVar("T")

_METADATA = (".dist-info", ".egg-info")
_PATH_FINDER = "_frozen_importlib_external"


class PluginKind(NamedTuple):
    """A kind of plug-in.

    `noun` is what messages call it, `group` its group of entry points. `own` are the plug-ins of
    this package: the target of each, "module:attribute", by its name.
    """

    noun: str
    group: str
    own: Mapping[str, str]


class Plugin(NamedTuple):
    """A plug-in that is registered, and not imported yet.

    `target` is "module:attribute". `distribution` is the name and version of the distribution that
    registers it, "" for this package.
    """

    kind: PluginKind
    name: str
    target: str
    distribution: str = ""


class PluginError(SddError):
    """A plug-in cannot be imported, or is not of the type that its kind has."""

    def __init__(self, plugin: Plugin, why: str) -> None:
        origin = f" of the distribution '{plugin.distribution}'" if plugin.distribution else ""
        advice = "update or remove it" if plugin.distribution else "reinstall sdd-hooks"
        name = one_line(plugin.name)
        super().__init__(
            f"the {plugin.kind.noun} '{name}'{origin} cannot be loaded ({why}): {advice}"
        )
        self.code = plugin.kind.noun


def find_plugin(kind: PluginKind, name: str) -> Plugin | None:
    """The plug-in that is registered as `name`; None if there is none. Imports no plug-in."""
    if name in kind.own:
        return Plugin(kind, name, kind.own[name])
    return registered_plugins(kind).get(name)


def registered_plugins(kind: PluginKind) -> dict[str, Plugin]:
    """Every plug-in by its name: those of this package, then the others by name. Imports none.

    Another distribution cannot replace a plug-in of this package by registering its name.
    """
    plugins = {name: Plugin(kind, name, target) for name, target in kind.own.items()}
    if not _may_be_registered(kind.group, sys.path):
        return plugins
    from importlib.metadata import entry_points

    for point in sorted(entry_points(group=kind.group)):
        distribution = f"{point.dist.name} {point.dist.version}" if point.dist else ""
        plugin = Plugin(kind, point.name, point.value, one_line(distribution))
        plugins.setdefault(point.name, plugin)
    return plugins


def _may_be_registered(group: str, path: Sequence[str]) -> bool:
    """Whether a distribution may have entry points of a group, in the directories of `path`.

    Only then `importlib.metadata` is needed, whose import takes 20 ms. Where it finds metadata
    elsewhere than in directories beside the packages (archives, other finders), the answer is yes.
    """
    finders = (one for one in sys.meta_path if hasattr(one, "find_distributions"))
    if any(getattr(one, "__module__", "") != _PATH_FINDER for one in finders):
        return True
    name = group.encode()
    for directory in path:
        try:
            with os.scandir(directory or os.curdir) as entries:
                found = [entry.path for entry in entries if entry.name.lower().endswith(_METADATA)]
        except FileNotFoundError:
            continue
        except OSError:
            return True
        is_egg = directory.lower().endswith(".egg")
        if is_egg or any(name in _read_entry_points(one) for one in found):
            return True
    return False


def _read_entry_points(metadata: str) -> bytes:
    try:
        with open(f"{metadata}/entry_points.txt", "rb") as file:  # noqa: PTH123
            return file.read()
    except OSError:
        return b""


def load_plugin(plugin: Plugin, expected: type[T]) -> T:
    """Import a plug-in, which must be an instance of `expected`. Raises PluginError."""
    try:
        loaded = _import(plugin.kind.noun, plugin.name, plugin.target)
    except Exception as error:
        raise PluginError(plugin, describe_error(error)) from error
    if expected in type(loaded).__mro__:
        # `isinstance` would read every member of a protocol: one of an engine imports its models.
        return cast("T", loaded)
    if not isinstance(loaded, expected):
        raise PluginError(plugin, f"it is not of type {expected.__name__}")
    return loaded


@lru_cache(maxsize=64)
def _import(noun: str, name: str, target: str) -> object:
    """The object at a target. The cache makes the log name a plug-in once."""
    # An entry point may list extras of its distribution after the attribute.
    module, _, attribute = target.partition("[")[0].strip().partition(":")
    with tracing.span("plug-in", noun, name) as span:
        loaded: object = reduce(getattr, filter(None, attribute.split(".")), import_module(module))
        span.outcome = "loaded"
    return loaded
