"""Vendors made for tests of the registry and of detection: each knows one host or one file."""

from __future__ import annotations

from sdd_hooks.config.settings import TrackerSettings
from sdd_hooks.errors import SddError
from sdd_hooks.plugins import Plugin
from sdd_hooks.remote.credentials import Sources, Variables
from sdd_hooks.trackers.protocol import (
    RepositoryContext,
    Tracker,
    TrackerEnvironment,
    TrackerLocation,
    TrackerVendor,
)
from sdd_hooks.trackers.registry import TRACKERS

_SOURCES = Sources(
    (Variables(("FORGE_TOKEN",), homes=("127.0.0.1",)),),
    lambda secret: {"Authorization": f"Bearer {secret.value}"},
    "set FORGE_TOKEN",
)


def _open(where: TrackerLocation, machine: TrackerEnvironment) -> Tracker:
    raise AssertionError("nothing is opened here")


def forge(label: str, host: str, *, aliases: tuple[str, ...] = ()) -> TrackerVendor:
    """A vendor that knows `host`, and any other host that says `label` at `/who`."""

    def declared(settings: TrackerSettings, around: RepositoryContext) -> TrackerLocation:
        origin = around.origin
        project = settings.repo or (origin.name if origin else "")
        if not project:
            raise SddError(f"{label} needs a Repo: add it to `#### Tracker`")
        owner = settings.owner or (origin.owner if origin else "")
        return TrackerLocation(settings.url or (origin.web if origin else host), owner, project)

    def detected(around: RepositoryContext) -> TrackerLocation | None:
        origin = around.origin
        if origin is None or origin.host != host:
            return None
        return TrackerLocation(origin.web, origin.owner, origin.name)

    def asked(around: RepositoryContext, machine: TrackerEnvironment) -> TrackerLocation | None:
        assert around.origin is not None
        client = machine.connect(around.origin.web, _SOURCES)
        try:
            said = client.get("who", allow=(404,)).json()
        finally:
            client.close()
        return TrackerLocation(around.origin.web, "", "") if said == label else None

    return TrackerVendor(label, _open, declared, detected, asked, aliases=aliases)


def folder(label: str, path: str, *, last: bool = False) -> TrackerVendor:
    """A vendor whose issues are at `path` in the repository."""

    def detected(around: RepositoryContext) -> TrackerLocation | None:
        return TrackerLocation("", "", path) if (around.root / path).exists() else None

    def declared(settings: TrackerSettings, around: RepositoryContext) -> TrackerLocation:
        found = detected(around)
        if found is None:
            raise SddError(f"there is no {path} here")
        return found

    return TrackerVendor(label, _open, declared, detected, is_local=True, is_fallback=last)


ACORN = forge("Acorn", "acorn.example", aliases=("oak",))
BIRCH = forge("Birch", "birch.example")
SECOND_BIRCH = forge("Second Birch", "birch.example")
CRATES = folder("Crates", ".crates")
DRAWERS = folder("Drawers", ".drawers")
LAST_PAGE = folder("last-page.md", "last-page.md", last=True)
NO_VENDOR = "a string"


def point(name: str, attribute: str, module: str = __name__) -> Plugin:
    """A registration of `attribute` in `module`."""
    return Plugin(TRACKERS, name, f"{module}:{attribute}", "woods 1.0")


KNOWN = {
    "acorn": point("acorn", "ACORN"),
    "birch": point("birch", "BIRCH"),
    "crates": point("crates", "CRATES"),
    "drawers": point("drawers", "DRAWERS"),
    "last-page": point("last-page", "LAST_PAGE"),
}
