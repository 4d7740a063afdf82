"""The registered trackers, of this package and of other distributions, by name."""

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
"""Every registered tracker, by name."""


class UnknownTracker(SddError):
    """No tracker is registered under the given name."""

    exit_code = EXIT_USAGE
    code = "usage"


def registered_trackers() -> Registered:
    """Every installed tracker, in the order of names. Imports none of them."""
    return dict(sorted(registered_plugins(TRACKERS).items()))


def find_vendor(name: str, registered: Registered) -> tuple[str, TrackerVendor]:
    """The registered name and the vendor of the tracker that a user calls `name`.

    Case, blanks and punctuation do not matter (`tasks.md` is `tasks-md`). A name that is not a
    registered one is looked up among the labels and aliases of all vendors, which imports them.

    Raises:
        UnknownTracker: there is no such tracker; the message lists the registered names.
        PluginError: it cannot be imported.
    """
    wanted = normalize_key(name)
    for registered_name in registered:
        if normalize_key(registered_name) == wanted:
            return registered_name, _load(registered_name, registered)
    for registered_name, vendor in load_vendors(registered, []):
        if wanted in map(normalize_key, (vendor.label, *vendor.aliases)):
            return registered_name, vendor
    raise UnknownTracker(
        f"no tracker is called {name[:60]!r}: choose one of {', '.join(registered)}"
    )


def closing_words_of(name: str) -> str:
    """What a pull request says to close the issue `{}` of a tracker; of an unknown one, as most."""
    try:
        return find_vendor(name, registered_trackers())[1].closing
    except (UnknownTracker, PluginError):
        return TrackerVendor.closing


def load_vendors(registered: Registered, broken: list[str]) -> Iterator[tuple[str, TrackerVendor]]:
    """Yield every vendor with its name. Adds a line to `broken` for each that cannot be loaded."""
    for name in registered:
        try:
            vendor = _load(name, registered)
        except PluginError as error:
            broken.append(str(error))
        else:
            yield name, vendor


def _load(name: str, registered: Registered) -> TrackerVendor:
    return load_plugin(registered[name], TrackerVendor)
