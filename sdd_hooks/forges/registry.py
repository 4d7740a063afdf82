"""Which forges there are, and which of them this job of CI runs on."""

# Governing: SPEC-0011 REQ "One file for each forge"

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from sdd_hooks.forges.protocol import Run, Vendor
from sdd_hooks.plugins import PluginError, PluginKind, load_plugin, registered_plugins

FORGES = PluginKind(
    "forge",
    "sdd_hooks.forges",
    {
        "gitea": "sdd_hooks.forges.gitea.vendor:VENDOR",
        "github": "sdd_hooks.forges.github.vendor:VENDOR",
        "gitlab": "sdd_hooks.forges.gitlab.vendor:VENDOR",
    },
)


class Here(NamedTuple):
    """The job that runs, on the forge registered as `name`."""

    name: str
    vendor: Vendor
    run: Run


def here(environ: Mapping[str, str], broken: list[str]) -> Here | None:
    """The job of CI that this environment belongs to; None on a machine that is nobody's runner.

    A line for each registered forge that cannot be loaded is added to `broken`.
    """
    for name, vendor in _vendors(broken):
        run = vendor.here(environ)
        if run is not None:
            return Here(name, vendor, run)
    return None


def _vendors(broken: list[str]) -> Iterator[tuple[str, Vendor]]:
    """The vendors that can be loaded, those of this package first."""
    for name, plugin in registered_plugins(FORGES).items():
        try:
            yield name, load_plugin(plugin, Vendor)
        except PluginError as error:
            broken.append(str(error))
