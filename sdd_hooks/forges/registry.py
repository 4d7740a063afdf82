"""Which forges there are, and which of them this job of CI runs on."""

# Governing: SPEC-0011 REQ "One file for each forge"

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib.metadata import entry_points
from typing import NamedTuple

from sdd_hooks.forges.protocol import Run, Vendor
from sdd_hooks.text.display import describe_error, one_line

ENTRY_POINTS = "sdd_hooks.forges"


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
    """What is registered, our own first: nobody's distribution takes the place of one of ours."""
    points = entry_points(group=ENTRY_POINTS)
    seen = set()
    for point in sorted(points, key=lambda one: not one.value.startswith("sdd_hooks.forges.")):
        if point.name in seen:
            continue
        seen.add(point.name)
        try:
            vendor = point.load()
        except Exception as error:
            broken.append(
                f"the forge {one_line(point.name)} cannot be loaded ({describe_error(error)})"
            )
            continue
        if isinstance(vendor, Vendor):
            yield point.name, vendor
        else:
            broken.append(f"the forge {one_line(point.name)} is no Vendor: update or remove it")
