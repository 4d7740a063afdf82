"""Embed the few chunks that a change made, in the background, while the machine is idle.

The caller only starts a process. The process itself finds out whether anything is to be embedded:
opening the index and looking for a model would take the caller longer.
"""

# Governing: ADR-0016 (embedding in the background), SPEC-0008 REQ "Backfill",
# SPEC-0008 REQ "Survival"

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from sdd_hooks.embedding.lock import LockHolder, acquire_lock, lock_path, write_holder
from sdd_hooks.embedding.policy import allows_backfill, in_ci
from sdd_hooks.errors import SddError, StorageError
from sdd_hooks.system import detached

if TYPE_CHECKING:
    from sdd_hooks.engines.protocol import Counts, Engine
    from sdd_hooks.project.project import Project

LoadAverages = Callable[[], tuple[float, float, float]]
"""Returns the load averages of the last 1, 5 and 15 minutes, like `os.getloadavg`."""


def start_backfill(
    project: Project, counts: Counts, load: LoadAverages = detached.load_averages
) -> bool:
    """Start embedding what an update added, where that is wanted and cheap.

    Returns whether a process was started, and raises nothing. `sdd index status` shows whether the
    process embedded anything.
    """
    if should_backfill(project, counts, load):
        with suppress(OSError):
            detached.start_detached(__name__, [str(project.repository.root)], project.environ)
            return True
    return False


def should_backfill(
    project: Project, counts: Counts, load: LoadAverages = detached.load_averages
) -> bool:
    """Whether what an update added should be embedded now. Raises nothing."""
    settings = project.configuration.freshness
    changed = counts.added + counts.updated
    ci = in_ci(project.environ)
    if not allows_backfill(settings, changed, ci=ci, load=_load_per_core(load)):
        return False
    # The first embed of a repository is left to its user. Vectors that were pulled from another
    # machine leave no lock file.
    if project.configuration.search.share_vectors:
        return True
    try:
        return lock_path(project.repository).exists()
    except OSError:
        return False


def main(arguments: Sequence[str]) -> None:
    """Run the process that `start_backfill` starts. The argument is the top of the work tree."""
    from sdd_hooks.embedding.background import become_interruptible
    from sdd_hooks.engines.registry import open_engine
    from sdd_hooks.project.project import load_project

    become_interruptible()
    # No user waits for this process: an error before the log is open has no reader.
    with suppress(SddError):
        project = load_project(Path(arguments[0]), os.environ)
        with closing(open_engine(project)) as engine:
            _embed_pending(project, engine, sys.stdout)


def _embed_pending(project: Project, engine: Engine, stdout: TextIO) -> None:
    from dataclasses import replace

    from sdd_hooks.embedding.background import embed_with_log, open_embed_log
    from sdd_hooks.embedding.run import needs_download
    from sdd_hooks.embedding.state import EmbedRun, write_run

    coverage = engine.coverage()
    limit = project.configuration.freshness.backfill_limit
    if not coverage.begun or not 0 < coverage.pending <= limit or needs_download(project):
        return
    device = engine.device()
    # A remote service may cost money: only an embed that the user starts sends texts to it.
    if device == "remote":
        return
    repository = project.repository
    lock = acquire_lock(repository)
    if lock is None:
        return
    write_holder(lock, LockHolder(os.getpid(), str(repository.root), background=True))
    status = engine.status()
    run = EmbedRun(time.time(), status.pending, status.pending, device, status.model)
    try:
        log, path = open_embed_log(repository)
    except StorageError as error:
        write_run(repository, replace(run, finished=run.started, error=str(error)))
        raise
    for descriptor in (1, 2):
        os.dup2(log, descriptor)
    run = replace(run, log=str(path))
    write_run(repository, run)
    collections = [collection.name for collection in status.collections]
    # The kernel releases the lock and the log when the process ends.
    embed_with_log(project, engine, collections, run, stdout)


def _load_per_core(load: LoadAverages) -> float | None:
    try:
        return load()[0] / (os.cpu_count() or 1)
    except OSError:
        return None
