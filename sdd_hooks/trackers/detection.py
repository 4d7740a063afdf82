"""Which tracker a repository has: as declared, else by its origin, else by what is in it."""

# Governing: ADR-0018 (tracker issues as files), SPEC-0009 REQ "Detection"

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from sdd_hooks import tracing
from sdd_hooks.config.configuration import load_configuration
from sdd_hooks.config.memory_file import normalize_key
from sdd_hooks.config.settings import TrackerSettings
from sdd_hooks.errors import EXIT_USAGE, ConfigurationError, SddError
from sdd_hooks.project.project import Project
from sdd_hooks.project.repository import Repository, discover
from sdd_hooks.trackers.protocol import RepositoryContext, TrackerLocation, TrackerVendor
from sdd_hooks.trackers.registry import Registered, UnknownTracker, vendor, vendors

NO_TRACKER = "none"
"""The `Type` of a repository whose issues are nobody's business."""


class DetectedTracker(NamedTuple):
    """A tracker by its registered name, its vendor, and where the issues are."""

    name: str
    vendor: TrackerVendor
    location: TrackerLocation

    def __str__(self) -> str:
        """For people: `GitHub, acme/shop at https://github.com`."""
        project = "/".join(filter(None, (self.location.owner, self.location.project)))
        named = ", ".join(filter(None, (self.vendor.label, project)))
        return f"{named} at {self.location.url}" if self.location.url else named


class Detection(NamedTuple):
    """The tracker of a repository, None for none, and a line for each that cannot be loaded."""

    found: DetectedTracker | None
    broken: tuple[str, ...] = ()


class SeveralTrackers(SddError):
    """More than one tracker is possible; `names` are what they are registered as."""

    exit_code = EXIT_USAGE
    code = "usage"

    def __init__(self, labels: Sequence[str], names: Sequence[str]) -> None:
        super().__init__(
            f"the issues may be in {' or '.join(labels)}: choose with `--tracker"
            f" {'|'.join(names)}`, or write `- **Type**: {names[0]}` under `#### Tracker`"
        )
        self.names = tuple(names)


Candidates = Sequence[tuple[str, TrackerVendor]]

HostProbe = Callable[[Candidates], "str | None"]
"""Finds out whose host an origin is that nobody recognised: a registered name, None for nobody's.

It raises nothing.
"""


def no_probe(_candidates: Candidates) -> None:
    """Asks no host."""


def detect(
    settings: TrackerSettings,
    repository: RepositoryContext,
    known: Registered,
    *,
    named: str = "",
    memory_file: Path | None = None,
    ask: HostProbe = no_probe,
) -> Detection:
    """The tracker that `named` or `settings` name, else the one recognised `around` the repository.

    Only `ask` makes a request. `memory_file` is where the settings stand.

    Raises:
        UnknownTracker: `named` is nobody's name.
        ConfigurationError: the settings name nobody, or do not say where the issues are.
        SeveralTrackers: more than one is possible, and nothing says which.
        SddError: what is named does not fit this repository, or cannot be loaded.
    """
    if named:
        name, one = vendor(named, known)
        return Detection(
            DetectedTracker(name, one, one.locate(_about(settings, name, known), repository))
        )
    if normalize_key(settings.type) == NO_TRACKER:
        return Detection(None)
    if settings.type:
        return Detection(_declared(settings, repository, known, memory_file))
    broken: list[str] = []
    candidates = tuple(vendors(known, broken))
    found = _recognised(settings, repository, candidates, ask)
    return Detection(found, tuple(broken))


def tracker_settings(project: Project, module: str) -> tuple[TrackerSettings, Path | None]:
    """What is declared about the tracker of a module ("" for the root), and the file it stands in.

    A module that names another type than the root has nothing from there: an owner at one tracker
    means nothing at another. Raises UnknownName and ConfigurationError.
    """
    whole = project.module_configuration(module)
    inherited = project.configuration
    if module and normalize_key(whole.tracker.type) != normalize_key(inherited.tracker.type):
        root = next(one.root for one in project.modules if one.name == module)
        whole = load_configuration(project.repository.root / root)
    return whole.tracker, whole.memory_file or inherited.memory_file


def surroundings(project: Project, module: str) -> RepositoryContext:
    """What the tracker of a module ("" for the root) may be recognised by."""
    from sdd_hooks.remote.urls import parse_remote

    part = next((one for one in project.modules if one.name == module), None)
    top = part.root if part else ""
    root = project.repository.root / top
    specs = [d for one in project.select(("specs",), module) for d in one.directories]
    inside = (os.path.relpath(directory, top or ".") for directory in specs)
    # Without a `.git` of its own it is not checked out, and git would answer for what is around it.
    own = part is not None and part.submodule and (root / ".git").exists()
    url = origin_url(discover(root, project.environ) if own else project.repository)
    return RepositoryContext(
        root,
        tuple(directory for directory in inside if directory.partition("/")[0] != ".."),
        parse_remote(url) if url else None,
        project.environ,
    )


def origin_url(repository: Repository) -> str | None:
    """Return the URL of the remote `origin` as `git fetch` uses it (`url.….insteadOf` applies).

    The first one of several URLs. None without such a remote.
    """
    import git

    # They override the variables of a hook, which may point at another repository.
    variables = {
        "GIT_DIR": str(repository.git_dir),
        "GIT_COMMON_DIR": str(repository.common_dir),
        "GIT_WORK_TREE": str(repository.root),
    }
    with tracing.span("git", "remote", "get-url", "origin"):
        try:
            url = git.Git(repository.root).remote("get-url", "origin", env=variables)
        except git.GitCommandError:
            return None
    return str(url).partition("\n")[0] or None


def _about(settings: TrackerSettings, name: str, known: Registered) -> TrackerSettings:
    """What the settings say about that tracker: nothing, where they name another one."""
    try:
        declared = vendor(settings.type, known)[0] if settings.type else name
    except SddError:
        declared = ""
    return (settings if declared == name else TrackerSettings())._replace(type=name)


def _declared(
    settings: TrackerSettings,
    repository: RepositoryContext,
    known: Registered,
    memory_file: Path | None,
) -> DetectedTracker:
    """The tracker that the settings name, as they say and nowhere else."""
    try:
        name, one = vendor(settings.type, known)
        return DetectedTracker(name, one, one.locate(settings._replace(type=name), repository))
    except ConfigurationError:
        raise
    except SddError as error:
        if memory_file is None or type(error) not in {SddError, UnknownTracker}:
            raise
        raise ConfigurationError(str(error), memory_file) from None


def _recognised(
    settings: TrackerSettings, repository: RepositoryContext, candidates: Candidates, ask: HostProbe
) -> DetectedTracker | None:
    """The tracker of the origin, else a local one, else the last resort."""
    if repository.origin is not None:
        remote = [one for one in candidates if not one[1].is_local]
        found = _detected(remote, repository)
        by_host = found.name if found else ask(remote)
        if by_host is not None:
            one = dict(candidates)[by_host]
            if found is None or any(settings):
                # What is written besides the type holds for the one that was recognised.
                told = settings._replace(type=by_host)
                found = DetectedTracker(by_host, one, one.locate(told, repository))
            return found
    local = [one for one in candidates if one[1].is_local]
    return _detected([one for one in local if not one[1].is_fallback], repository) or _detected(
        [one for one in local if one[1].is_fallback], repository
    )


def _detected(candidates: Candidates, repository: RepositoryContext) -> DetectedTracker | None:
    """The one that recognises the repository as its own. Raises SeveralTrackers."""
    asked = ((name, one, one.detect(repository)) for name, one in candidates)
    found = [
        DetectedTracker(name, one, location)
        for name, one, location in asked
        if location is not None
    ]
    if len(found) > 1:
        labels = [one.vendor.label for one in found]
        raise SeveralTrackers(labels, [one.name for one in found])
    return found[0] if found else None
