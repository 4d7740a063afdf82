"""Open the forge of a project outside CI: where the pull requests of its `origin` are."""

# Governing: ADR-0054 (pull requests are reviewed and merged together),
# ADR-0019 (a token belongs to one host), SPEC-0027 REQ "The forge of a checkout"

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING

from sdd_hooks.config.settings import TrackerSettings
from sdd_hooks.errors import SddError
from sdd_hooks.forges.protocol import (
    ForgeVendor,
    JobContext,
    PullRequestMerger,
)
from sdd_hooks.forges.registry import FORGES
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.plugins import load_plugin, registered_plugins
from sdd_hooks.project.project import Project
from sdd_hooks.trackers.detection import cached_probe, read_declaration, repository_context
from sdd_hooks.trackers.protocol import (
    TrackedRepository,
    TrackerEnvironment,
    TrackerLocation,
    TrackerVendor,
)
from sdd_hooks.trackers.registry import find_vendor, registered_trackers
from sdd_hooks.trackers.source import client_factory

if TYPE_CHECKING:
    from sdd_hooks.forges.protocol import ForgeClientFactory
    from sdd_hooks.remote.client import Client, Waiting
    from sdd_hooks.remote.credentials import Secret, TokenSources
    from sdd_hooks.remote.response import RateLimitRule
    from sdd_hooks.trackers.source import OnWait

READ_SECONDS = 5.0
"""Seconds without a byte after which a request fails that a command can do without."""


class NoForge(SddError):
    """No forge is known for the `origin` of a repository."""

    code = "no-forge"


class ForgeSource(NamedTuple):
    """The forge of a repository by its registered name, and the repository on it."""

    name: str
    vendor: ForgeVendor
    tracker: TrackerVendor
    location: TrackerLocation
    repository: TrackedRepository

    @property
    def label(self) -> str:
        """The forge's name in messages."""
        return self.vendor.label


def find_forge(project: Project, now: float) -> ForgeSource:
    """The forge of the `origin`: the declared one of that host, else the one that recognises it.

    `now` is in epoch seconds. Raises NoForge.
    """
    repository = repository_context(project, "")
    settings = read_declaration(project, "").settings
    candidates = dict(_candidates())
    found = _declared(settings, repository, candidates) or _recognised(repository, candidates, now)
    if found is None:
        raise NoForge(
            "no forge is known for `origin`: pull requests are read from"
            f" {', '.join(tracker.label for _, tracker in candidates.values())}; set `origin` to"
            " the address of the repository there"
        )
    name, location = found
    return ForgeSource(name, *candidates[name], location, repository)


@contextmanager
def forge_at_hand(project: Project, now: float) -> Iterator[PullRequestMerger | None]:
    """The forge of the `origin` for the block, None without one.

    For commands that do without it: a request that fails takes seconds, and is not waited for.
    `now` is as in `find_forge`.
    """
    with ExitStack() as stack:
        forge = None
        with suppress(NoForge):
            source = find_forge(project, now)
            # Imported here, since it imports httpx.
            from sdd_hooks.remote.client import Waiting

            waiting = Waiting(max_wait=0.0, read_timeout=READ_SECONDS)
            forge = stack.enter_context(open_forge(source, waiting=waiting))
        yield forge


@contextmanager
def open_forge(
    source: ForgeSource, on_wait: OnWait | None = None, waiting: Waiting | None = None
) -> Iterator[PullRequestMerger]:
    """The forge for the block. Raises NoForge for one that cannot list pull requests."""
    location = source.location
    assert source.vendor.api_url is not None
    context = JobContext(
        web_url=location.url,
        api_url=source.vendor.api_url(location.url),
        repository=f"{location.owner}/{location.project}",
        event="",
    )
    assert source.tracker.token_sources is not None
    sources = source.tracker.token_sources(source.repository.environ)
    connect = _client_factory(source.repository, sources, on_wait, waiting)
    forge = source.vendor.open(context, connect)
    try:
        if not isinstance(forge, PullRequestMerger):
            raise NoForge(f"{source.label} does not list pull requests: update its plug-in")
        yield forge
    finally:
        forge.disconnect()


def _candidates() -> Iterator[tuple[str, tuple[ForgeVendor, TrackerVendor]]]:
    """The forges whose hosts a tracker of the same name recognises."""
    trackers = registered_trackers()
    for name, plugin in registered_plugins(FORGES).items():
        try:
            forge = load_plugin(plugin, ForgeVendor)
            _, tracker = find_vendor(name, trackers)
        except SddError:
            continue
        if forge.api_url is not None and tracker.token_sources is not None:
            yield name, (forge, tracker)


def _declared(
    settings: TrackerSettings,
    repository: TrackedRepository,
    candidates: Mapping[str, tuple[ForgeVendor, TrackerVendor]],
) -> tuple[str, TrackerLocation] | None:
    """The declared tracker if it is a forge on the host of the origin, or there is no such host."""
    try:
        name, tracker = find_vendor(settings.type, registered_trackers())
        if name not in candidates:
            return None
        if repository.origin is None:
            return name, tracker.locate(settings, repository)
        # The issues may be those of another repository on the host.
        return name, tracker.locate(TrackerSettings(type=name, url=settings.url), repository)
    except SddError:
        return None


def _recognised(
    repository: TrackedRepository,
    candidates: Mapping[str, tuple[ForgeVendor, TrackerVendor]],
    now: float,
) -> tuple[str, TrackerLocation] | None:
    if repository.origin is None:
        return None
    trackers = [(name, tracker) for name, (_, tracker) in candidates.items()]
    for name, tracker in trackers:
        location = tracker.detect(repository)
        if location is not None:
            return name, location
    connect = client_factory(repository, repository.origin.host)
    found = cached_probe(TrackerEnvironment(repository, connect), now)(trackers)
    if found is None:
        return None
    try:
        return found, dict(trackers)[found].locate(TrackerSettings(type=found), repository)
    except SddError:
        return None


def _client_factory(
    repository: TrackedRepository,
    sources: TokenSources,
    on_wait: OnWait | None,
    waiting: Waiting | None,
) -> ForgeClientFactory:
    """A factory of clients with the token that belongs to their host."""

    def connect(
        api: str,
        *,
        label: str,
        headers: Callable[[Secret], Mapping[str, str]],  # noqa: ARG001
        rate_limit: RateLimitRule | None = None,
        advice: str = "",  # noqa: ARG001
    ) -> Client:
        # A token of git's credential helper may have a user, so its own headers are used.
        create = client_factory(repository, label, on_wait=on_wait, waiting=waiting)
        return create(api, sources, rate_limit)

    return connect
