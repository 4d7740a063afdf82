"""Vendors for tests of the registry and of detection: each recognises one host or one file."""

from __future__ import annotations

from sdd_hooks.config.settings import TrackerSettings
from sdd_hooks.errors import SddError
from sdd_hooks.plugins import Plugin
from sdd_hooks.remote.credentials import TokenSources, TokenVariables
from sdd_hooks.trackers.protocol import (
    TrackedRepository,
    Tracker,
    TrackerEnvironment,
    TrackerLocation,
    TrackerVendor,
)
from sdd_hooks.trackers.registry import TRACKERS

_SOURCES = TokenSources(
    (TokenVariables(("FORGE_TOKEN",), homes=("127.0.0.1",)),),
    lambda secret: {"Authorization": f"Bearer {secret.value}"},
    "set FORGE_TOKEN",
)


def _open(location: TrackerLocation, environment: TrackerEnvironment) -> Tracker:
    raise AssertionError("no test opens this tracker")


def forge(label: str, host: str, *, aliases: tuple[str, ...] = ()) -> TrackerVendor:
    """A vendor that recognises `host`, and any other host that responds `label` at `/who`."""

    def locate(settings: TrackerSettings, repository: TrackedRepository) -> TrackerLocation:
        origin = repository.origin
        project = settings.repo or (origin.name if origin else "")
        if not project:
            raise SddError(f"{label} needs a Repo: add it to `#### Tracker`")
        owner = settings.owner or (origin.owner if origin else "")
        return TrackerLocation(
            settings.url or (origin.web_base if origin else host), owner, project
        )

    def detect(repository: TrackedRepository) -> TrackerLocation | None:
        origin = repository.origin
        if origin is None or origin.host != host:
            return None
        return TrackerLocation(origin.web_base, origin.owner, origin.name)

    def probe(
        repository: TrackedRepository, environment: TrackerEnvironment
    ) -> TrackerLocation | None:
        assert repository.origin is not None
        url = repository.origin.web_base
        client = environment.connect(url, _SOURCES)
        try:
            name = client.get("who", allow=(404,)).json()
        finally:
            client.close()
        return TrackerLocation(url, "", "") if name == label else None

    return TrackerVendor(label, _open, locate, detect, probe, aliases=aliases)


def folder(label: str, path: str, *, fallback: bool = False) -> TrackerVendor:
    """A vendor whose issues are at `path` in the repository."""

    def detect(repository: TrackedRepository) -> TrackerLocation | None:
        return TrackerLocation("", "", path) if (repository.root / path).exists() else None

    def locate(settings: TrackerSettings, repository: TrackedRepository) -> TrackerLocation:
        location = detect(repository)
        if location is None:
            raise SddError(f"there is no {path} here")
        return location

    return TrackerVendor(label, _open, locate, detect, is_local=True, is_fallback=fallback)


ACORN = forge("Acorn", "acorn.example", aliases=("oak",))
BIRCH = forge("Birch", "birch.example")
SECOND_BIRCH = forge("Second Birch", "birch.example")
CRATES = folder("Crates", ".crates")
DRAWERS = folder("Drawers", ".drawers")
LAST_PAGE = folder("last-page.md", "last-page.md", fallback=True)
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
