"""Which trackers there are: those of this package and of other distributions, by name."""

# Governing: ADR-0018 (tracker issues as files), SPEC-0009 REQ "One file for each tracker"

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sdd_hooks.config.memory_file import normalize_key
from sdd_hooks.errors import EXIT_USAGE, SddError
from sdd_hooks.plugins import Plugin, PluginError, PluginKind, load_plugin, registered_plugins
from sdd_hooks.trackers.protocol import TrackerVendor

TRACKERS = PluginKind(
    "tracker",
    "sdd_hooks.trackers",
    {
        "beads": "sdd_hooks.trackers.beads.tracker:VENDOR",
        "gitea": "sdd_hooks.trackers.gitea.vendor:VENDOR",
        "github": "sdd_hooks.trackers.github.vendor:VENDOR",
        "gitlab": "sdd_hooks.trackers.gitlab.vendor:VENDOR",
        "jira": "sdd_hooks.trackers.jira.vendor:VENDOR",
        "linear": "sdd_hooks.trackers.linear.vendor:VENDOR",
        "tasks-md": "sdd_hooks.trackers.tasks_md.tracker:VENDOR",
    },
)

Registered = Mapping[str, Plugin]
"""What is registered, by name."""


class UnknownTracker(SddError):
    """No tracker is registered under the given name."""

    exit_code = EXIT_USAGE
    code = "usage"


def registered() -> Registered:
    """Every tracker that is installed, in the order of names. Imports none of them."""
    return dict(sorted(registered_plugins(TRACKERS).items()))


def vendor(name: str, known: Registered) -> tuple[str, TrackerVendor]:
    """The registered name of the tracker that people call `name`, and its vendor.

    Case, blanks and punctuation do not matter (`tasks.md` is `tasks-md`). Other vendors are only
    imported when this is no registered name, for what else they are called.

    Raises:
        UnknownTracker: there is none; the message names those there are.
        PluginError: it cannot be imported.
    """
    wanted = normalize_key(name)
    for registered_name in known:
        if normalize_key(registered_name) == wanted:
            return registered_name, load(registered_name, known)
    for registered_name, one in vendors(known, []):
        if wanted in map(normalize_key, (one.label, *one.aliases)):
            return registered_name, one
    raise UnknownTracker(f"no tracker is called {name[:60]!r}: choose one of {', '.join(known)}")


def vendors(known: Registered, broken: list[str]) -> Iterator[tuple[str, TrackerVendor]]:
    """Every vendor with its name. A line for each that cannot be imported is added to `broken`."""
    for name in known:
        try:
            one = load(name, known)
        except PluginError as error:
            broken.append(str(error))
        else:
            yield name, one


def load(name: str, known: Registered) -> TrackerVendor:
    """Import the vendor registered under `name`. Raises PluginError."""
    return load_plugin(known[name], TrackerVendor)
