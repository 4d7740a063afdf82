"""Which trackers there are: what is registered as an entry point, imported when it is needed."""

# Governing: ADR-0018 (tracker issues as files), SPEC-0009 REQ "One file for each tracker"

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from sdd_hooks.config.entries import squeezed
from sdd_hooks.errors import EXIT_USAGE, SddError
from sdd_hooks.text.display import describe_error, one_line
from sdd_hooks.trackers.protocol import Vendor

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

ENTRY_POINTS = "sdd_hooks.trackers"

Registered = Mapping[str, "EntryPoint"]
"""What is registered, by name."""


class UnknownTracker(SddError):
    """A tracker was named that nobody registered."""

    exit_code = EXIT_USAGE
    code = "usage"


class BrokenTracker(SddError):
    """A registered tracker cannot be imported, or is none."""

    code = "tracker"


def registered() -> Registered:
    """What is registered on this machine, in the order of names. Imports none of it.

    Nobody's distribution takes the place of a tracker that comes with this package.
    """
    from importlib.metadata import entry_points

    found = sorted(entry_points(group=ENTRY_POINTS), key=_ours)
    return dict(sorted((point.name, point) for point in found))


def vendor(name: str, known: Registered) -> tuple[str, Vendor]:
    """The registered name of the tracker that people call `name`, and its vendor.

    Case, blanks and punctuation do not matter (`tasks.md` is `tasks-md`). Other vendors are only
    imported when this is no registered name, for what else they are called.

    Raises:
        UnknownTracker: there is none; the message names those there are.
        BrokenTracker: it cannot be imported.
    """
    wanted = squeezed(name)
    for registered_name in known:
        if squeezed(registered_name) == wanted:
            return registered_name, load(registered_name, known)
    for registered_name, one in vendors(known, []):
        if wanted in map(squeezed, (one.label, *one.aliases)):
            return registered_name, one
    raise UnknownTracker(f"no tracker is called {name[:60]!r}: choose one of {', '.join(known)}")


def vendors(known: Registered, broken: list[str]) -> Iterator[tuple[str, Vendor]]:
    """Every vendor with its name. A line for each that cannot be imported is added to `broken`."""
    for name in known:
        try:
            one = load(name, known)
        except BrokenTracker as error:
            broken.append(str(error))
        else:
            yield name, one


def load(name: str, known: Registered) -> Vendor:
    """Import the vendor registered under `name`. Raises BrokenTracker."""
    point = known[name]
    try:
        found = point.load()
    except Exception as error:
        raise BrokenTracker(_broken(point, describe_error(error))) from error
    if not isinstance(found, Vendor):
        raise BrokenTracker(_broken(point, "it is no Vendor"))
    return found


def _broken(point: EntryPoint, why: str) -> str:
    brought = f"update or remove {point.dist.name}" if point.dist else "remove it"
    return f"the tracker {one_line(point.name)} cannot be loaded ({why}): {brought}"


def _ours(point: EntryPoint) -> bool:
    return point.value.startswith("sdd_hooks.trackers.")
