"""After a mutation, embed the few chunks it made: in the background, while the machine is idle.

Whoever mutates pays for starting a process. Whether there is anything to do is found out in there,
since opening the index and asking for a model would take longer.
"""

# Governing: ADR-0016 (embedding in the background), SPEC-0008 REQ "Backfill"

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from sdd_hooks.embedding import lock as embed_lock
from sdd_hooks.embedding.policy import in_ci, worth_a_backfill
from sdd_hooks.errors import SddError, StorageError
from sdd_hooks.system import detached

if TYPE_CHECKING:
    from sdd_hooks.engines.protocol import Engine
    from sdd_hooks.freshness.refresh import Refresh
    from sdd_hooks.project.project import Project


def backfill(
    project: Project,
    update: Refresh,
    load: Callable[[], tuple[float, float, float]] = os.getloadavg,
) -> bool:
    """Start embedding what `update` made, where that is wanted and cheap.

    Returns whether a process was started, and raises nothing. Whether it finds anything to embed is
    in `sdd index status`.
    """
    if wanted(project, update, load):
        with suppress(OSError):
            detached.start(__name__, [str(project.repository.root)], project.environ)
            return True
    return False


def wanted(
    project: Project,
    update: Refresh,
    load: Callable[[], tuple[float, float, float]] = os.getloadavg,
) -> bool:
    """Whether what `update` made should be embedded now. Raises nothing."""
    total = update.total
    ci = in_ci(project.environ)
    settings = project.configuration.freshness
    if not worth_a_backfill(
        settings, total.added + total.updated, ci=ci, load=_for_each_core(load)
    ):
        return False
    # Where nothing was ever embedded, that is for somebody to begin; vectors that came from another
    # machine leave no lock.
    if project.configuration.search.share_vectors:
        return True
    try:
        return embed_lock.path_of(project.repository).exists()
    except OSError:
        return False


def main(arguments: Sequence[str]) -> None:
    """The process that `backfill` starts: the top of the work tree."""
    from sdd_hooks.embedding.run import be_stoppable
    from sdd_hooks.engines.registry import open_engine
    from sdd_hooks.project.project import load_project

    be_stoppable()
    # Nobody asked for this, and nobody hears of what keeps it from beginning.
    with suppress(SddError):
        project = load_project(Path(arguments[0]), os.environ)
        engine = open_engine(project)
        try:
            _embed(project, engine)
        finally:
            engine.close()


def _embed(project: Project, engine: Engine) -> None:
    from sdd_hooks.embedding.log import open_embed_log
    from sdd_hooks.embedding.run import model_to_fetch, work
    from sdd_hooks.embedding.state import Run, write_run

    coverage = engine.coverage()
    limit = project.configuration.freshness.backfill_limit
    if not coverage.begun or not 0 < coverage.pending <= limit or model_to_fetch(project):
        return
    device = engine.device()
    # A service elsewhere may cost money, and gets texts only when somebody says so.
    if device == "remote":
        return
    repository = project.repository
    lock = embed_lock.take(repository)
    if lock is None:
        return
    embed_lock.sign(lock, embed_lock.Holder(os.getpid(), str(repository.root), background=True))
    found = engine.status()
    run = Run(time.time(), found.pending, found.pending, device, found.model)
    try:
        log, path = open_embed_log(repository)
    except StorageError as error:
        write_run(repository, replace(run, finished=run.started, error=str(error)))
        raise
    for descriptor in (1, 2):
        os.dup2(log, descriptor)
    run = replace(run, log=str(path))
    write_run(repository, run)
    # The lock and the log are let go of by the end of the process.
    work(project, engine, [one.name for one in found.collections], run)


def _for_each_core(load: Callable[[], tuple[float, float, float]]) -> float | None:
    try:
        return load()[0] / (os.cpu_count() or 1)
    except OSError:
        return None
