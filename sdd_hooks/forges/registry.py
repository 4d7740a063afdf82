"""The registered forges, and the job of CI that an environment belongs to."""

# Governing: SPEC-0011 REQ "One file for each forge"

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sdd_hooks.forges.protocol import ForgeVendor, JobContext
from sdd_hooks.named_tuple import NamedTuple
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


class CiJob(NamedTuple):
    """A job of CI, on the forge that is registered as `name`."""

    name: str
    vendor: ForgeVendor
    context: JobContext


def detect_job(environ: Mapping[str, str], broken: list[str]) -> CiJob | None:
    """The job of CI that this environment belongs to; None outside CI.

    Adds a line to `broken` for each registered forge that cannot be loaded.
    """
    for name, vendor in _load_vendors(broken):
        context = vendor.detect_job(environ)
        if context is not None:
            return CiJob(name, vendor, context)
    return None


def _load_vendors(broken: list[str]) -> Iterator[tuple[str, ForgeVendor]]:
    """The vendors that can be loaded, those of this package first."""
    for name, plugin in registered_plugins(FORGES).items():
        try:
            yield name, load_plugin(plugin, ForgeVendor)
        except PluginError as error:
            broken.append(str(error))
