"""The sources of a project's issues: the tracker of the repository, and of each module."""

# Governing: ADR-0018 (tracker issues as files), ADR-0019 (a token belongs to one host),
# ADR-0052 (an issue is created once), SPEC-0007 REQ "After a mutation", SPEC-0009 REQ "Detection"

from __future__ import annotations

from collections.abc import Callable, Iterator, MutableMapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from sdd_hooks.errors import Missing, SddError
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.collections import Collection
from sdd_hooks.project.project import Project
from sdd_hooks.trackers.detection import (
    DetectedTracker,
    Detection,
    cached_probe,
    detect,
    read_declaration,
    repository_context,
)
from sdd_hooks.trackers.protocol import (
    IssuePage,
    Since,
    TrackedRepository,
    Tracker,
    TrackerClientFactory,
    TrackerEnvironment,
    TrackerLocation,
)
from sdd_hooks.trackers.registry import registered_trackers
from sdd_hooks.trackers.store import IssueFolder

if TYPE_CHECKING:
    from sdd_hooks.remote.client import Client, Waiting
    from sdd_hooks.remote.credentials import TokenSources
    from sdd_hooks.remote.response import RateLimitRule


OnWait = Callable[[str], None]
"""Called with a line before a wait."""


class NoTracker(SddError):
    """No tracker is known for a repository or a module."""

    code = "no-tracker"


class TrackerSource(NamedTuple):
    """The tracker of a repository or of a module, and the collection of its issues.

    `root` is the root of the repository; `repository` describes the repository or the module.
    """

    root: Path
    collection: Collection
    tracker: DetectedTracker
    repository: TrackedRepository

    @property
    def module(self) -> str:
        """The module, "" for the repository itself."""
        return self.collection.module

    @property
    def label(self) -> str:
        """The tracker's name in messages."""
        return self.tracker.vendor.label

    @property
    def folder(self) -> IssueFolder:
        """The folder of the issue files."""
        return IssueFolder(self.root, self.collection.directories[0])

    def open(self, on_wait: OnWait | None = None) -> Tracker:
        """Open the tracker, which the caller disconnects. No request is sent.

        `on_wait` is called with a line before the client waits. Raises SddError.
        """
        connect = client_factory(self.repository, self.label, on_wait=on_wait)
        environment = TrackerEnvironment(self.repository, connect)
        return self.tracker.vendor.open(self.tracker.location, environment)


class TrackerSources(NamedTuple):
    """One or more sources, and the failures of other parts of a workspace."""

    found: Sequence[TrackerSource]
    failures: Sequence[SddError]

    @property
    def warnings(self) -> list[str]:
        """A line for each failure."""
        return list(map(str, self.failures))


def find_source(
    project: Project, module: str, now: float, *, requested: str = "", online: bool = True
) -> tuple[TrackerSource | None, tuple[str, ...]]:
    """The source of a module ("" for the repository), and a line for each broken plug-in.

    A `requested` tracker has precedence over a declared one. A module without issues of its own has
    no source. Only with `online` is an unknown host probed. `now` is in epoch seconds. Raises what
    `detect` raises.
    """
    detection, repository = _detect(project, module, now, requested, online=online)
    tracker = detection.tracker
    is_inherited = (
        module != ""
        and not requested
        and tracker is not None
        and _is_same(tracker, repository, _root_tracker(project, now))
    )
    if tracker is None or is_inherited:
        return None, detection.broken
    (collection,) = project.select(("issues",), module)
    source = TrackerSource(project.repository.root, collection, tracker, repository)
    return source, detection.broken


def find_sources(
    project: Project,
    module: str | None,
    find: Callable[[str], tuple[TrackerSource | None, tuple[str, ...]]],
) -> TrackerSources:
    """The sources of the repository and its modules (None), or of one part.

    `find` is `find_source` for one part. Raises NoTracker if there is no source, or the first
    error that `find` raised.
    """
    parts = ["", *(part.name for part in project.modules)] if module is None else [module]
    sources: list[TrackerSource] = []
    broken: list[str] = []
    failures: list[SddError] = []
    for part in parts:
        try:
            source, lines = find(part)
        except SddError as error:
            failures.append(error)
            continue
        sources += [source] if source else []
        broken += lines
    if not sources:
        raise failures[0] if failures else no_tracker(project, module or "", tuple(broken))
    return TrackerSources(sources, failures)


def with_written(source: TrackerSource, ids: Sequence[str]) -> TrackerSource:
    """The source, whose fetch also has the issues `ids`, each requested alone.

    Returns the source itself if its listing shows new issues at once.
    """
    vendor = source.tracker.vendor
    if not ids or not vendor.listing_delay:
        return source

    def open_tracker(location: TrackerLocation, environment: TrackerEnvironment) -> Tracker:
        return cast("Tracker", _WithWritten(vendor.open(location, environment), ids))

    return source._replace(
        tracker=source.tracker._replace(vendor=replace(vendor, open=open_tracker))
    )


def no_tracker(project: Project, module: str, broken: tuple[str, ...]) -> NoTracker:
    """The error for a part of the project without a source."""
    if broken:
        return NoTracker(broken[0])
    names = ", ".join(registered_trackers())
    if module:
        return NoTracker(
            f"the module {module!r} has no tracker of its own: leave --module out, or write"
            " `- **Type**: NAME` under `#### Tracker`, below `## SDD Configuration` in its"
            f" CLAUDE.md, with one of {names}"
        )
    memory_file = project.configuration.memory_file
    name = memory_file.name if memory_file else "CLAUDE.md"
    return NoTracker(
        f"no tracker is known for {project.repository.slug}: write `- **Type**: NAME` under"
        f" `#### Tracker`, below `## SDD Configuration` in {name}, with one of {names}"
    )


def client_factory(
    repository: TrackedRepository,
    label: str,
    *,
    on_wait: OnWait | None = None,
    waiting: Waiting | None = None,
) -> TrackerClientFactory:
    """A factory of clients with the tokens that belong to their hosts.

    `label` names the tracker in messages. `waiting` is for tests.
    """

    def connect(
        api: str, sources: TokenSources | None, rate_limit: RateLimitRule | None = None
    ) -> Client:
        # Imported here, since it imports httpx.
        from sdd_hooks.remote.client import Access, Client, Waiting
        from sdd_hooks.remote.credentials import TokenLookup

        limits = (waiting or Waiting())._replace(on_wait=on_wait)
        if sources is None:
            return Client(api, label=label, waiting=limits._replace(max_wait=0.0))
        lookup = TokenLookup(
            sources,
            lambda: repository.origin,
            repository.root,
            repository.environ,
            repository.token_name,
        )
        secret = lookup.find(api)
        headers = sources.headers(secret) if secret else {}
        access = Access(headers, secret, lookup.advice(api))
        return Client(api, label=label, access=access, rate_limit=rate_limit, waiting=limits)

    return connect


def _detect(
    project: Project, module: str, now: float, requested: str, *, online: bool
) -> tuple[Detection, TrackedRepository]:
    declaration = read_declaration(project, module)
    # The declaration of the root may not fit each of its modules.
    is_inherited = (
        module != "" and not requested and declaration.settings == project.configuration.tracker
    )
    repository = repository_context(project, module)

    def connect(
        api: str, sources: TokenSources | None, rate_limit: RateLimitRule | None = None
    ) -> Client:
        host = repository.origin.host if repository.origin else ""
        return client_factory(repository, host)(api, sources, rate_limit)

    environment = TrackerEnvironment(repository, connect)
    probe = cached_probe(environment, now, online=online)
    try:
        detection = detect(
            declaration, repository, registered_trackers(), requested=requested, probe=probe
        )
    except SddError:
        if not is_inherited:
            raise
        return Detection(None), repository
    tracker = detection.tracker
    if is_inherited and tracker and tracker.vendor.is_local:
        has_own_files = tracker.vendor.detect(repository) is not None
        detection = detection if has_own_files else detection._replace(tracker=None)
    return detection, repository


def _root_tracker(project: Project, now: float) -> tuple[DetectedTracker, TrackedRepository] | None:
    """The tracker of the repository itself; None without one that works."""
    try:
        detection, repository = _detect(project, "", now, "", online=False)
    except SddError:
        return None
    return None if detection.tracker is None else (detection.tracker, repository)


def _is_same(
    tracker: DetectedTracker,
    repository: TrackedRepository,
    other: tuple[DetectedTracker, TrackedRepository] | None,
) -> bool:
    """Whether the other tracker has the same issues."""
    if other is None:
        return False
    other_tracker, other_repository = other
    is_same_place = not tracker.vendor.is_local or repository.root == other_repository.root
    is_same_location = (tracker.name, tracker.location) == (
        other_tracker.name,
        other_tracker.location,
    )
    return is_same_location and is_same_place


class _WithWritten:
    """A tracker whose fetch ends with the issues that it did not list."""

    def __init__(self, tracker: Tracker, ids: Sequence[str]) -> None:
        self._tracker = tracker
        self._ids = ids

    def __getattr__(self, name: str) -> Any:
        return getattr(self._tracker, name)

    def fetch(self, since: Since, notes: MutableMapping[str, str]) -> Iterator[IssuePage]:
        """The pages, and a page with the issues that are in none of them."""
        listed: set[str] = set()
        at = None
        for page in self._tracker.fetch(since, notes):
            at = page.at if at is None else at
            listed.update(issue.id for issue in page.issues)
            yield page
        if at is None:
            return
        issues = []
        for id in self._ids:
            if id not in listed:
                try:
                    issues.append(self._tracker.issue(id))
                except Missing:
                    continue
        if issues:
            yield IssuePage(tuple(issues), at)
