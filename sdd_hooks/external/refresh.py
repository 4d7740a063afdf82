"""Which sources may be fetched, and fetching them within a time.

A pull request edits the memory file, so only what the default branch declares is fetched.
"""

# Governing: ADR-0035 (decisions of another repository are read, not run), ADR-0031 (the base
# declares its records)

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Sequence
from contextlib import suppress

from sdd_hooks.changes.base import default_base
from sdd_hooks.errors import RepositoryError, SddError, StorageError
from sdd_hooks.external.fetch import FetchOptions, fetch_source
from sdd_hooks.external.records import read_committed_sources
from sdd_hooks.external.snapshots import (
    read_snapshot,
    records_directory,
    undeclared_directories,
)
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.external_sources import DeclaredSources, ExternalSource
from sdd_hooks.project.repository import Repository
from sdd_hooks.system.git import Git
from sdd_hooks.system.locks import hold_lock

MAX_SECONDS = 120.0
"""Seconds after which no other source is fetched."""

KEPT_SECONDS = 86_400.0
"""How long what was fetched of a source is kept that is declared no more."""

_BRANCH = "refs/heads/"
_LOCK = "lock"


class RefreshedSource(NamedTuple):
    """A source after its refresh: whether its commit is another one, and the error, "" for none."""

    source: ExternalSource
    changed: bool
    error: str = ""


def find_approved_sources(repository: Repository) -> DeclaredSources:
    """The sources that the default branch declares, as this clone knows it.

    That is HEAD if the branch of that name is checked out, or if there is no default branch. None
    for a repository without a commit.
    """
    git = repository.git
    commit = _approving_commit(repository)
    if git.try_output("rev-parse", "--verify", "--quiet", f"{commit}^{{commit}}") is None:
        return DeclaredSources()
    return read_committed_sources(git, commit)


def _approving_commit(repository: Repository) -> str:
    try:
        base = default_base(repository)
    except RepositoryError:
        return "HEAD"
    return "HEAD" if _checked_out(repository.git) == base.removeprefix("origin/") else base


def _checked_out(git: Git) -> str:
    name = os.fsdecode(git.try_output("symbolic-ref", "--quiet", "HEAD") or b"").strip()
    return name.removeprefix(_BRANCH)


def refresh_sources(
    repository: Repository,
    sources: Sequence[ExternalSource],
    options: FetchOptions,
    clock: Callable[[], float],
    wait: float = 0.0,
) -> list[RefreshedSource]:
    """Fetch the sources that another commit has now. A failure leaves what was fetched before.

    `clock` returns seconds since the epoch. Where another process fetches for longer than `wait`
    seconds, nothing is done. Raises StorageError where nothing can be written.
    """
    if not sources:
        return []
    directory = records_directory(repository)
    try:
        directory.mkdir(parents=True, exist_ok=True)
        with hold_lock(directory / _LOCK, wait) as is_locked:
            if not is_locked:
                return []
            started = clock()
            return [
                _refresh(repository, source, options, clock)
                for source in sources
                if clock() - started < MAX_SECONDS
            ]
    except OSError as error:
        raise StorageError(f"cannot write {directory} ({error.strerror}): check it") from None


def delete_undeclared(
    repository: Repository, sources: Sequence[ExternalSource], now: float
) -> None:
    """Delete what was fetched of other sources than these, and not for a day.

    Work trees without a default branch may declare different sources, so that a source is not
    deleted at once. Does nothing while another process fetches, and where nothing can be written.
    `now` is in seconds since the epoch.
    """
    with suppress(OSError, StorageError):
        directory = records_directory(repository)
        if not directory.is_dir():
            return
        with hold_lock(directory / _LOCK, 0.0) as is_locked:
            if not is_locked:
                return
            for path in undeclared_directories(repository, sources, now - KEPT_SECONDS):
                shutil.rmtree(path)
            if {path.name for path in directory.iterdir()} == {_LOCK}:
                # The hook after a merge starts sdd where this directory exists.
                (directory / _LOCK).unlink()
                directory.rmdir()


def _refresh(
    repository: Repository,
    source: ExternalSource,
    options: FetchOptions,
    clock: Callable[[], float],
) -> RefreshedSource:
    before = read_snapshot(repository, source)
    try:
        after = fetch_source(repository, source, options, clock)
    except SddError as error:
        return RefreshedSource(source, changed=False, error=str(error))
    return RefreshedSource(source, changed=before is None or before.commit != after.commit)
