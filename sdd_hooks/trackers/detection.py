"""The tracker of a repository: as declared, else by its origin, else by its files."""

# Governing: ADR-0018 (tracker issues as files), ADR-0019 (a token belongs to one host),
# SPEC-0009 REQ "Detection"

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from sdd_hooks import tracing
from sdd_hooks.config.configuration import load_configuration
from sdd_hooks.config.memory_file import normalize_key
from sdd_hooks.config.settings import TrackerSettings
from sdd_hooks.errors import (
    EXIT_USAGE,
    AccessRefused,
    ConfigurationError,
    Missing,
    RemoteError,
    SddError,
)
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.project import Project
from sdd_hooks.project.repository import Repository, discover
from sdd_hooks.system.gitpython import load_gitpython
from sdd_hooks.system.user_cache import read_cached, write_cached
from sdd_hooks.trackers.protocol import (
    TrackedRepository,
    TrackerEnvironment,
    TrackerLocation,
    TrackerVendor,
)
from sdd_hooks.trackers.registry import Registered, UnknownTracker, find_vendor, load_vendors

if TYPE_CHECKING:
    from sdd_hooks.remote.client import Client
    from sdd_hooks.remote.credentials import TokenSources
    from sdd_hooks.remote.response import RateLimitRule
    from sdd_hooks.remote.urls import RemoteUrl

CACHE = "tracker-hosts"
"""The name of the file in the user's cache: a vendor ("" for none) and a time for each host."""
DAY_SECONDS = 86400.0
KNOWN_SECONDS = 30 * DAY_SECONDS
"""Seconds for which the vendor of a host is not probed again."""
UNKNOWN_SECONDS = DAY_SECONDS
"""Seconds for which a host of no vendor is not probed again."""
UNREACHABLE_SECONDS = 3600.0
"""Seconds for which a host that does not respond is not probed again."""
STALE_SECONDS = 365 * DAY_SECONDS
"""Seconds for which an expired result is used while the host does not respond."""

NO_TRACKER = "none"
"""The `Type` of a repository whose issues are not synced."""


class DetectedTracker(NamedTuple):
    """A tracker by its registered name and its vendor, and the location of the issues."""

    name: str
    vendor: TrackerVendor
    location: TrackerLocation

    def __str__(self) -> str:
        """A description for messages: `GitHub, acme/shop at https://github.com`."""
        project = "/".join(filter(None, (self.location.owner, self.location.project)))
        named = ", ".join(filter(None, (self.vendor.label, project)))
        return f"{named} at {self.location.url}" if self.location.url else named


class Detection(NamedTuple):
    """The tracker of a repository, or None, and a line for each plug-in that cannot be loaded."""

    tracker: DetectedTracker | None
    broken: tuple[str, ...] = ()


class SeveralTrackers(SddError):
    """More than one tracker is possible; `names` are their registered names."""

    exit_code = EXIT_USAGE
    code = "usage"

    def __init__(self, labels: Sequence[str], names: Sequence[str]) -> None:
        super().__init__(
            f"the issues may be in {' or '.join(labels)}: choose with `--tracker"
            f" {'|'.join(names)}`, or write `- **Type**: {names[0]}` under `#### Tracker`"
        )
        self.names = tuple(names)


Candidates = Sequence[tuple[str, TrackerVendor]]
"""Vendors with their registered names."""

HostProbe = Callable[[Candidates], "str | None"]
"""Asks the host of an unrecognised origin which vendor it belongs to.

Returns a registered name, None for a host of no vendor. Raises nothing.
"""


def no_probe(_candidates: Candidates) -> None:
    """Asks no host."""


class Declaration(NamedTuple):
    """What `#### Tracker` says, the file that says it, and the line of its `Type` (0: none)."""

    settings: TrackerSettings
    memory_file: Path | None = None
    line: int = 0


def detect(
    declaration: Declaration,
    repository: TrackedRepository,
    registered: Registered,
    *,
    requested: str = "",
    probe: HostProbe = no_probe,
) -> Detection:
    """The `requested` or the declared tracker, else the one that recognises the repository.

    Only `probe` sends a request.

    Raises:
        UnknownTracker: no tracker is called `requested`.
        ConfigurationError: the declared tracker is unknown, or its location is incomplete.
        SeveralTrackers: several trackers recognise the repository.
        SddError: the tracker does not fit this repository, or cannot be loaded.
    """
    settings = declaration.settings
    if requested:
        name, vendor = find_vendor(requested, registered)
        location = vendor.locate(_settings_for(name, settings, registered), repository)
        return Detection(DetectedTracker(name, vendor, location))
    if normalize_key(settings.type) == NO_TRACKER:
        return Detection(None)
    if settings.type:
        return Detection(_declared(declaration, repository, registered))
    broken: list[str] = []
    candidates = tuple(load_vendors(registered, broken))
    return Detection(_recognised(settings, repository, candidates, probe), tuple(broken))


def cached_probe(environment: TrackerEnvironment, now: float, *, online: bool = True) -> HostProbe:
    """A probe of the origin's host whose results are cached for the user.

    `now` is in epoch seconds. Without `online` the probe only reads the cache.
    """
    environ = environment.repository.environ
    anonymous = _without_token(environment)

    def probe(candidates: Candidates) -> str | None:
        origin = environment.repository.origin
        if origin is None:
            return None
        hosts = _parse_cache(read_cached(CACHE, environ), now)
        vendor, until = hosts.get(origin.web_base, ("", now))
        if online and until <= now:
            name, valid_seconds = _probe(candidates, anonymous)
            # An unreachable host keeps its last result.
            vendor = vendor if name is None else name
            hosts[origin.web_base] = (vendor, now + valid_seconds)
            write_cached(CACHE, hosts, environ)
        return vendor if vendor in dict(candidates) else None

    return probe


def read_declaration(project: Project, module: str) -> Declaration:
    """What the memory file of a module ("" for the root) declares about its tracker.

    A module inherits from the root, unless it names another type: an owner on one tracker means
    nothing on another. Raises UnknownName and ConfigurationError.
    """
    configuration = project.module_configuration(module)
    inherited = project.configuration
    own_type = normalize_key(configuration.tracker.type)
    if module and own_type != normalize_key(inherited.tracker.type):
        root = next(part.root for part in project.modules if part.name == module)
        configuration = load_configuration(project.repository.root / root)
    memory_file, line = configuration.memory_file or inherited.memory_file, 0
    if place := configuration.locate("tracker", "type"):
        memory_file, line = place
    return Declaration(configuration.tracker, memory_file, line)


def repository_context(project: Project, module: str) -> TrackedRepository:
    """What identifies the tracker of a module ("" for the root)."""
    part = next((part for part in project.modules if part.name == module), None)
    module_root = part.root if part else ""
    root = project.repository.root / module_root
    collections = project.select(("specs",), module)
    specs = (
        os.path.relpath(directory, module_root or ".")
        for collection in collections
        for directory in collection.directories
    )
    # Without a `.git` the submodule is not checked out, and git would use the repository around it.
    is_repository = part is not None and part.submodule and (root / ".git").exists()

    @cache
    def find_origin() -> RemoteUrl | None:
        from sdd_hooks.remote.urls import parse_remote

        url = origin_url(discover(root, project.environ) if is_repository else project.repository)
        return parse_remote(url) if url else None

    return TrackedRepository(
        root,
        tuple(directory for directory in specs if directory.partition("/")[0] != ".."),
        find_origin,
        project.environ,
    )


def origin_url(repository: Repository) -> str | None:
    """Return the URL of the remote `origin` as `git fetch` uses it (`url.….insteadOf` applies).

    The first one of several URLs. None without such a remote.
    """
    command = ("remote", "get-url", "origin")
    gitpython = load_gitpython(repository.git.find_program())
    # They override the variables of a hook, which may point at another repository.
    variables = {
        **repository.git.variables(command),
        "GIT_DIR": str(repository.git_dir),
        "GIT_COMMON_DIR": str(repository.common_dir),
        "GIT_WORK_TREE": str(repository.root),
    }
    with tracing.span("git", *command):
        try:
            url = gitpython.Git(repository.root).remote(*command[1:], env=variables)
        except gitpython.GitCommandError:
            return None
    return str(url).partition("\n")[0] or None


def _settings_for(name: str, settings: TrackerSettings, registered: Registered) -> TrackerSettings:
    """The settings, if they are about the tracker `name` or name no tracker, else empty ones."""
    try:
        declared = find_vendor(settings.type, registered)[0] if settings.type else name
    except SddError:
        declared = ""
    return (settings if declared == name else TrackerSettings())._replace(type=name)


def _declared(
    declaration: Declaration, repository: TrackedRepository, registered: Registered
) -> DetectedTracker:
    """The tracker of the declared type, at the declared location."""
    settings, memory_file, line = declaration
    try:
        name, vendor = find_vendor(settings.type, registered)
        location = vendor.locate(settings._replace(type=name), repository)
        return DetectedTracker(name, vendor, location)
    except ConfigurationError:
        raise
    except SddError as error:
        if memory_file is None or type(error) not in {SddError, UnknownTracker}:
            raise
        raise ConfigurationError(str(error), memory_file, line) from None


def _recognised(
    settings: TrackerSettings,
    repository: TrackedRepository,
    candidates: Candidates,
    probe: HostProbe,
) -> DetectedTracker | None:
    """The tracker of the origin, else a local one, else the fallback."""
    if repository.origin is not None:
        remote = [candidate for candidate in candidates if not candidate[1].is_local]
        tracker = _only_match(remote, repository)
        name = tracker.name if tracker else probe(remote)
        if name is not None:
            vendor = dict(candidates)[name]
            if tracker is None or any(settings):
                # Settings without a type complete the location of the recognised tracker.
                location = vendor.locate(settings._replace(type=name), repository)
                tracker = DetectedTracker(name, vendor, location)
            return tracker
    local = [candidate for candidate in candidates if candidate[1].is_local]
    preferred = [candidate for candidate in local if not candidate[1].is_fallback]
    fallback = [candidate for candidate in local if candidate[1].is_fallback]
    return _only_match(preferred, repository) or _only_match(fallback, repository)


def _only_match(candidates: Candidates, repository: TrackedRepository) -> DetectedTracker | None:
    """The one vendor that detects the repository. Raises SeveralTrackers for more than one."""
    locations = ((name, vendor, vendor.detect(repository)) for name, vendor in candidates)
    matches = [
        DetectedTracker(name, vendor, location)
        for name, vendor, location in locations
        if location is not None
    ]
    if len(matches) > 1:
        labels = [match.vendor.label for match in matches]
        raise SeveralTrackers(labels, [match.name for match in matches])
    return matches[0] if matches else None


def _probe(candidates: Candidates, environment: TrackerEnvironment) -> tuple[str | None, float]:
    """The registered name of the host's vendor, and for how many seconds it is valid.

    "" is a host of no vendor, None an unreachable one.
    """
    for name, vendor in candidates:
        try:
            if vendor.probe(environment.repository, environment) is not None:
                return name, KNOWN_SECONDS
        except (AccessRefused, Missing):
            continue
        except RemoteError:
            return None, UNREACHABLE_SECONDS
    return "", UNKNOWN_SECONDS


def _parse_cache(facts: dict[str, object], now: float) -> dict[str, tuple[str, float]]:
    """The vendor of each cached host, and until when that is or was valid (epoch seconds)."""
    hosts = {}
    for host, fact in facts.items():
        if not (isinstance(fact, list) and len(fact) == 2):
            continue
        name, until = fact
        is_valid = isinstance(name, str) and isinstance(until, (int, float))
        # A time beyond the longest validity comes from a clock that was wrong.
        if is_valid and now - STALE_SECONDS < until <= now + KNOWN_SECONDS:
            hosts[host] = (name, float(until))
    return hosts


def _without_token(environment: TrackerEnvironment) -> TrackerEnvironment:
    """The same environment with a factory of clients that send no token."""

    def connect(
        api: str,
        sources: TokenSources | None,  # noqa: ARG001
        rate_limit: RateLimitRule | None = None,
    ) -> Client:
        return environment.connect(api, None, rate_limit)

    return environment._replace(connect=connect)
