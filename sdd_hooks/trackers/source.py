"""Where the issues of a project come from: the repository, and each module of a workspace."""

# Governing: ADR-0018 (tracker issues as files), SPEC-0009 REQ "Detection"

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from sdd_hooks.errors import SddError
from sdd_hooks.project.collections import Collection
from sdd_hooks.project.project import Project
from sdd_hooks.trackers.detection import (
    DetectedTracker,
    Detection,
    detect,
    surroundings,
    tracker_settings,
)
from sdd_hooks.trackers.host_probe import asking
from sdd_hooks.trackers.protocol import (
    RepositoryContext,
    Tracker,
    TrackerClientFactory,
    TrackerEnvironment,
)
from sdd_hooks.trackers.registry import registered
from sdd_hooks.trackers.store import IssueFolder

if TYPE_CHECKING:
    from sdd_hooks.remote.client import Client
    from sdd_hooks.remote.credentials import Sources
    from sdd_hooks.remote.response import RateLimitRule

OnWait = Callable[[str], None]
"""Is given a line about a wait while it begins."""


class NoTracker(SddError):
    """A repository or a module has no issues anywhere that is known."""

    code = "no-tracker"


class TrackerSource(NamedTuple):
    """The issues of a repository (module "") or of a module: their tracker, and the collection
    whose directory holds their files. `root` is the repository's."""

    root: Path
    collection: Collection
    found: DetectedTracker
    repository: RepositoryContext

    @property
    def module(self) -> str:
        """The module, "" for the repository itself."""
        return self.collection.module

    @property
    def label(self) -> str:
        """What people call the tracker."""
        return self.found.vendor.label

    @property
    def folder(self) -> IssueFolder:
        """Where the files are."""
        return IssueFolder(self.root, self.collection.directories[0])

    def open(self, tell: OnWait | None = None) -> Tracker:
        """Its tracker, for the caller to disconnect.

        Asks nobody yet; raises SddError where it cannot be opened.
        """
        environment = TrackerEnvironment(
            self.repository, _connecting(self.repository, self.label, tell)
        )
        return self.found.vendor.open(self.found.location, environment)


def find_source(
    project: Project,
    module: str,
    now: float,
    *,
    named: str = "",
    online: bool = True,
) -> tuple[TrackerSource | None, tuple[str, ...]]:
    """The source of a module ("" for the repository), and a line for each vendor that is broken.

    `named` is the tracker that is meant, whatever is declared. A module whose issues are those of
    the repository has none of its own. Only when `online` is a host asked whose it is. `now` is in
    epoch seconds. Raises like `detect`.
    """
    detected, repository = _look(project, module, now, named, online)
    found = detected.found
    if module and found is not None and not named:
        above = _above(project, now)
        if _same(above, (found, repository)):
            found = None
    if found is None:
        return None, detected.broken
    (collection,) = project.select(("issues",), module)
    return TrackerSource(project.repository.root, collection, found, repository), detected.broken


class SourcesFound(NamedTuple):
    """Where issues come from, one at least, and what is wrong with other parts of a workspace."""

    found: Sequence[TrackerSource]
    failures: Sequence[SddError]

    @property
    def warnings(self) -> list[str]:
        """The failures, a line each."""
        return list(map(str, self.failures))


def find_sources(
    project: Project,
    module: str | None,
    find: Callable[[str], tuple[TrackerSource | None, tuple[str, ...]]],
) -> SourcesFound:
    """Where the issues of the repository and its modules (None), or of one part, come from.

    `find` is `find_source` of a part. Raises NoTracker where there is none, and what `find` raises
    where nothing else is found.
    """
    parts = ["", *(one.name for one in project.modules)] if module is None else [module]
    found: list[TrackerSource] = []
    broken: list[str] = []
    failures: list[SddError] = []
    for part in parts:
        try:
            source, lines = find(part)
        except SddError as error:
            failures.append(error)
            continue
        found += [source] if source else []
        broken += lines
    if not found:
        raise failures[0] if failures else no_tracker(project, module or "", tuple(broken))
    return SourcesFound(found, failures)


def no_tracker(project: Project, module: str, broken: tuple[str, ...]) -> NoTracker:
    """The error for a part of the project that has no source."""
    if broken:
        return NoTracker(broken[0])
    if module:
        return NoTracker(
            f"the module {module!r} has no tracker of its own: leave --module out, or declare one"
            " under `#### Tracker` of its memory file"
        )
    return NoTracker(
        f"no tracker is known for {project.repository.slug}: declare one under `#### Tracker`"
        " of the memory file"
    )


def _look(
    project: Project,
    module: str,
    now: float,
    named: str,
    online: bool,
) -> tuple[Detection, RepositoryContext]:
    settings, memory_file = tracker_settings(project, module)
    # What the repository declares need not be meant for each of its modules.
    inherited = module != "" and not named and settings == project.configuration.tracker
    repository = surroundings(project, module)
    host = repository.origin.host if repository.origin else ""
    ask = asking(
        TrackerEnvironment(repository, _connecting(repository, host, None)), now, online=online
    )
    try:
        found = detect(
            settings, repository, registered(), named=named, memory_file=memory_file, ask=ask
        )
    except SddError:
        if not inherited:
            raise
        return Detection(None), repository
    if inherited and found.found and found.found.vendor.is_local:
        there = found.found.vendor.detect(repository) is not None
        found = found if there else Detection(None, found.broken)
    return found, repository


def _above(project: Project, now: float) -> tuple[DetectedTracker, RepositoryContext] | None:
    """The source of the repository itself; None where it has none that works."""
    try:
        detected, repository = _look(project, "", now, "", online=False)
    except SddError:
        return None
    return None if detected.found is None else (detected.found, repository)


def _same(
    one: tuple[DetectedTracker, RepositoryContext] | None,
    other: tuple[DetectedTracker, RepositoryContext],
) -> bool:
    """Whether two are the same issues."""
    if one is None:
        return False
    (found, repository), (second, elsewhere) = one, other
    nearby = not found.vendor.is_local or repository.root == elsewhere.root
    return (found.name, found.location) == (second.name, second.location) and nearby


def _connecting(
    repository: RepositoryContext, label: str, tell: OnWait | None
) -> TrackerClientFactory:
    def make(api: str, sources: Sources | None, limits: RateLimitRule | None = None) -> Client:
        # Not before it is needed: it brings httpx.
        from sdd_hooks.remote.connect import connect

        return connect(
            api,
            sources,
            limits,
            label=label,
            around_origin=repository.origin,
            root=repository.root,
            environ=repository.environ,
            tell=tell,
        )

    return make
