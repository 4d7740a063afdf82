"""Keep the decision records of other repositories up to date: at once, or in the background."""

# Governing: ADR-0035 (decisions of another repository are read, not run), ADR-0005 (hook shims
# decide in sh)

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from sdd_hooks.errors import NotIndexed, SddError, StorageError
from sdd_hooks.system import detached

if TYPE_CHECKING:
    from sdd_hooks.external.refresh import RefreshedSource
    from sdd_hooks.project.project import Project
    from sdd_hooks.project.repository import Repository

CHECK_INTERVAL = 600.0
"""Seconds after a fetch in which a hook does not fetch again."""

BACKGROUND_SECONDS = 60.0
"""Seconds of one transfer in the background."""

FOREGROUND_WAIT = 30.0
"""Seconds that a command waits for a fetch of another process."""

_NO_ACCESS: Mapping[str, str] = MappingProxyType({})


def fetch_external_records(
    project: Project,
    clock: Callable[[], float],
    access: Mapping[str, str] = _NO_ACCESS,
    base: str = "",
) -> tuple[str, ...]:
    """Fetch the records of the repositories that a commit declares. Returns a line for each
    problem.

    The commit is `base`, or that of the default branch for "". `access` holds git's variables for
    a host. A repository that only the work tree declares is not fetched, and a line says so. What
    was fetched for a line that the default branch has no more is deleted after a day.
    """
    repository = project.repository
    if not (base or project.external.sources or _has_records(repository)):
        return ()
    # Commands without such a declaration do not wait for these imports.
    from sdd_hooks.external.fetch import FetchOptions
    from sdd_hooks.external.records import read_committed_sources
    from sdd_hooks.external.refresh import (
        delete_undeclared,
        find_approved_sources,
        refresh_sources,
    )

    try:
        if base:
            declared = read_committed_sources(repository.git, base)
        else:
            declared = find_approved_sources(repository)
        options = FetchOptions(access)
        refreshed = refresh_sources(
            repository, declared.sources, options, clock, wait=FOREGROUND_WAIT
        )
    except SddError as error:
        return (f"no decisions of other repositories were fetched: {error}",)
    if not base:
        delete_undeclared(repository, declared.sources, clock())
    approved = {(one.address.url, one.paths) for one in declared.sources}
    unapproved = (
        ()
        if base
        else [
            f"{one.address.url} is not fetched: the default branch does not declare it yet"
            for one in project.external.sources
            if (one.address.url, one.paths) not in approved
        ]
    )
    return (*map(describe_failure, filter(_failed, refreshed)), *unapproved)


def _has_records(repository: Repository) -> bool:
    """Whether something was fetched, for any line."""
    with suppress(StorageError):
        return (repository.shared_dir / "records").is_dir()
    return False


def _failed(refreshed: RefreshedSource) -> bool:
    return bool(refreshed.error)


def describe_failure(refreshed: RefreshedSource) -> str:
    """The line about a source that could not be fetched."""
    return f"the decisions of {refreshed.source.name} were not fetched: {refreshed.error}"


def start_external_fetch(project: Project, clock: Callable[[], float]) -> bool:
    """Start a background process that fetches what the default branch declares, if that is due.

    Returns whether it was started. Raises nothing.
    """
    if not project.external.sources:
        return False
    with suppress(OSError, StorageError):
        if _is_due(project, clock()):
            root = str(project.repository.root)
            detached.start_detached(__name__, [root], project.environ)
            return True
    return False


def _is_due(project: Project, now: float) -> bool:
    from sdd_hooks.external.snapshots import read_snapshot

    snapshots = [read_snapshot(project.repository, one) for one in project.external.sources]
    return any(one is None or not 0 <= now - one.fetched < CHECK_INTERVAL for one in snapshots)


def main(arguments: Sequence[str]) -> None:
    """Run the background process. Argument: the top of the work tree."""
    from sdd_hooks.project.project import load_project

    (root,) = arguments
    # No user waits for this process, and a machine without a network is not an error.
    with suppress(SddError):
        project = load_project(Path(root), os.environ)
        if fetch_in_background(project.repository, time.time):
            _refresh_index(project)


def fetch_in_background(repository: Repository, clock: Callable[[], float]) -> bool:
    """Fetch what the default branch declares. Returns whether a repository has another commit."""
    from sdd_hooks.external.fetch import FetchOptions
    from sdd_hooks.external.refresh import find_approved_sources, refresh_sources

    sources = find_approved_sources(repository).sources
    options = FetchOptions(seconds=BACKGROUND_SECONDS)
    return any(one.changed for one in refresh_sources(repository, sources, options, clock))


def _refresh_index(project: Project) -> None:
    from sdd_hooks.freshness.refresh import RefreshOptions
    from sdd_hooks.usecases.upkeep.refresh import refresh_index

    with suppress(NotIndexed):
        refresh_index(project, None, RefreshOptions())
