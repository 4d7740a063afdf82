"""Embed the chunks that lack a vector, under the lock, and record how it ended."""

# Governing: ADR-0016 (embedding in the background), SPEC-0008 REQ "Mode", REQ "Single flight"

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from sdd_hooks import tracing
from sdd_hooks.embedding.lock import LockHolder, acquire_lock, find_holder, write_holder
from sdd_hooks.embedding.rates import RateKey, record_rate
from sdd_hooks.embedding.state import STOPPED, EmbedRun, write_run
from sdd_hooks.engines.protocol import EmbedReport, Engine, Progress
from sdd_hooks.engines.registry import find_backend, not_indexed
from sdd_hooks.errors import StorageError
from sdd_hooks.project.collections import Collection
from sdd_hooks.project.project import Project
from sdd_hooks.text.display import describe_error, format_count


@dataclass(frozen=True)
class EmbedTask:
    """The chunks to embed. `collections` are names. `pending` chunks of the whole index have no
    vector; `wanted` of those belong to the collections."""

    collections: tuple[str, ...]
    pending: int
    wanted: int
    model: str


def find_task(project: Project, engine: Engine, collections: Sequence[Collection]) -> EmbedTask:
    """Count what is to be embedded of `collections`. Loads no model.

    Raises NotIndexed when none of them is indexed.
    """
    status = engine.status()
    names = {collection.name for collection in collections}
    indexed = [collection for collection in status.collections if collection.name in names]
    if not indexed:
        raise not_indexed(project)
    wanted = 0
    for collection in indexed:
        if collection.pending is None:
            # The engine does not count by collection: every pending chunk may belong to this one.
            wanted = status.pending
            break
        wanted += collection.pending
    indexed_names = tuple(collection.name for collection in indexed)
    return EmbedTask(indexed_names, status.pending, wanted, status.model)


def needs_download(project: Project) -> bool:
    """Whether a download must precede an embed. Raises EngineUnavailable."""
    download = find_backend(project).required_download(project)
    return download is not None and not download.during_embed


def embed_in_foreground(
    project: Project,
    engine: Engine,
    task: EmbedTask,
    device: str,
    progress: Progress | None = None,
) -> EmbedReport:
    """Embed while the caller waits.

    Raises:
        StorageError: another embed of this repository is running.
        EngineUnavailable: the model cannot run.
    """
    repository = project.repository
    lock = acquire_lock(repository)
    if lock is None:
        holder = find_holder(repository)
        pid = f" (pid {holder.pid})" if holder is not None and holder.pid else ""
        raise StorageError(
            f"another embed of this repository is running{pid}: run `sdd index embed` after it"
        )
    try:
        write_holder(lock, LockHolder(os.getpid(), str(repository.root), background=False))
        run = EmbedRun(time.time(), task.pending, task.wanted, device, task.model)
        write_run(repository, run)
        return embed_and_record(project, engine, task.collections, run, progress)
    finally:
        os.close(lock)


def embed_and_record(
    project: Project,
    engine: Engine,
    collections: Sequence[str],
    run: EmbedRun,
    progress: Progress | None = None,
) -> EmbedReport:
    """Embed these collections, and record how the run ended and how fast it was.

    The caller holds the lock. Raises what the engine raises.
    """
    repository = project.repository
    try:
        with tracing.span("embed", *collections) as span:
            report = engine.embed(collections, progress)
            span.outcome = f"{format_count(report.embedded, 'chunk')} embedded"
    except BaseException as error:
        embedded = _embedded_since(engine, run)
        failure = describe_failure(error)
        write_run(repository, replace(run, finished=time.time(), embedded=embedded, error=failure))
        raise
    ended = replace(
        run,
        finished=time.time(),
        embedded=report.embedded,
        failed=report.failed,
        device=report.device,
        model=report.model,
    )
    write_run(repository, ended)
    # Estimates multiply a rate by `pending`, which may count other units than the report.
    embedded = _embedded_since(engine, run)
    key = RateKey(engine.name, run.model, run.device)
    record_rate(key, embedded, report.seconds, project.environ)
    return report


def describe_failure(error: BaseException) -> str:
    """Why an embed ended early, in one line."""
    if isinstance(error, KeyboardInterrupt):
        return STOPPED
    return describe_error(error)


def _embedded_since(engine: Engine, run: EmbedRun) -> int:
    """How many of the chunks that were pending at the start of the run have a vector now."""
    with suppress(Exception):
        return max(run.pending - engine.status().pending, 0)
    return 0
