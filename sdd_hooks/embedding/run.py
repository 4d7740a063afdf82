"""Embed: here and now, or in a process of its own that outlives the terminal."""

# Governing: ADR-0016 (embedding in the background), SPEC-0008 REQ "Mode", REQ "Single flight"

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from sdd_hooks.embedding import lock as embed_lock
from sdd_hooks.embedding import rates
from sdd_hooks.embedding.lock import Holder
from sdd_hooks.embedding.log import DIRECTORY, open_embed_log
from sdd_hooks.embedding.state import Run, parse_run, read_run, write_run
from sdd_hooks.engines.protocol import EmbedReport, Engine, Progress
from sdd_hooks.engines.registry import open_engine
from sdd_hooks.errors import EXIT_BUG, EXIT_INTERRUPTED, EXIT_OK, SddError, StorageError
from sdd_hooks.project.collections import Collection
from sdd_hooks.project.project import Project, not_indexed, project_of
from sdd_hooks.project.repository import Repository, discover
from sdd_hooks.system import detached
from sdd_hooks.text import display

NICENESS = 10
"""What is added to the niceness of an embed in the background: everybody else goes first."""


@dataclass(frozen=True)
class Task:
    """What there is to embed: the collections, how many chunks the whole index lacks a vector for
    (`pending`), and of those how many are of these collections (`wanted`)."""

    names: tuple[str, ...]
    pending: int
    wanted: int
    model: str


@dataclass(frozen=True)
class Background:
    """An embed under way: its process (0: being started) and its log ("" in the foreground).

    `started` says whether it is the one that was asked for, or was there before.
    """

    pid: int
    log: str
    started: bool


def task(project: Project, engine: Engine, collections: Sequence[Collection]) -> Task:
    """What of `collections` is to be embedded. No model is loaded for it.

    Raises NotIndexed when none of them is indexed.
    """
    found = engine.status()
    chosen = {one.name for one in collections}
    here = [one for one in found.collections if one.name in chosen]
    if not here:
        raise not_indexed(project)
    wanted = 0
    for one in here:
        if one.pending is None:
            # Not counted by collection: it may be any of them.
            wanted = found.pending
            break
        wanted += one.pending
    return Task(tuple(one.name for one in here), found.pending, wanted, found.model)


def model_to_fetch(project: Project) -> str:
    """The model that has to be downloaded before anything is embedded; "" for none.

    Engines besides the embedded one fetch theirs while they embed, and are not asked.
    """
    search = project.configuration.search
    if search.engine != "embedded":
        return ""
    from sdd_hooks.models.model import to_fetch

    return to_fetch(search.embed_model, project.repository.root)


def fetch_model(project: Project) -> None:
    """Download the model now, where somebody can see that it fails. Raises EngineUnavailable."""
    name = model_to_fetch(project)
    if name:
        from sdd_hooks.models.hub import hub_folder

        hub_folder(name)


def in_foreground(
    project: Project,
    engine: Engine,
    todo: Task,
    device: str,
    progress: Progress | None = None,
) -> EmbedReport:
    """Embed while the caller waits.

    Raises:
        StorageError: another embed of this repository is running.
        EngineUnavailable: the model cannot run.
    """
    repository = project.repository
    lock = embed_lock.take(repository)
    if lock is None:
        raise StorageError(
            f"another embed of this repository is running{_pid(embed_lock.holder(repository))}:"
            " run `sdd index embed` after it"
        )
    try:
        embed_lock.sign(lock, Holder(os.getpid(), str(repository.root), background=False))
        run = Run(time.time(), todo.pending, todo.wanted, device, todo.model)
        write_run(repository, run)
        return carry_out(project, engine, todo.names, run, progress)
    finally:
        os.close(lock)


def in_background(
    project: Project,
    todo: Task,
    device: str,
    *,
    logs: Path = DIRECTORY,
) -> Background:
    """Start an embed and return at once; where one is running already, say which.

    Raises StorageError when its log cannot be written.
    """
    repository = project.repository
    lock = embed_lock.take(repository)
    if lock is None:
        return under_way(project)
    try:
        log, path = open_embed_log(repository, logs)
        try:
            run = Run(time.time(), todo.pending, todo.wanted, device, todo.model, str(path))
            write_run(repository, run)
            arguments = [str(repository.root), json.dumps(asdict(run)), *todo.names]
            pid = detached.start(__name__, arguments, project.environ, log=log, keep=[lock])
            embed_lock.sign(lock, Holder(pid, str(repository.root), background=True))
        finally:
            os.close(log)
    finally:
        os.close(lock)
    return Background(pid, str(path), started=True)


def under_way(project: Project) -> Background:
    """The embed of this repository that is running, as far as it says who it is."""
    repository = project.repository
    holder = embed_lock.holder(repository)
    if holder is None or not holder.root:
        return Background(0, "", started=False)
    run = read_run(replace(repository, root=Path(holder.root)))
    return Background(holder.pid, run.log if run else "", started=False)


def carry_out(
    project: Project,
    engine: Engine,
    names: Sequence[str],
    run: Run,
    progress: Progress | None = None,
) -> EmbedReport:
    """Embed, and remember how it ended and how fast it was. The caller has the lock.

    Raises what the engine raises.
    """
    repository = project.repository
    try:
        report = engine.embed(names, progress)
    except BaseException as error:
        done = _done(engine, run)
        write_run(
            repository,
            replace(run, finished=time.time(), embedded=done, error=reason(error)),
        )
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
    # In what `pending` counts, which need not be what a report counts.
    rates.record(
        engine.name, run.model, run.device, _done(engine, run), report.seconds, project.environ
    )
    return report


def reason(error: BaseException) -> str:
    """An error in one line."""
    if isinstance(error, KeyboardInterrupt):
        return "stopped"
    return display.describe_error(error)


def main(arguments: Sequence[str]) -> None:
    """The process that `in_background` starts: the top of the work tree, the run, collections."""
    root, text, *names = arguments
    run = parse_run(text.encode())
    assert run is not None
    be_stoppable()
    try:
        sys.exit(_work_in(discover(Path(root), os.environ), names, run))
    except (SddError, KeyboardInterrupt) as error:
        sys.exit(_failed(error))


def be_stoppable() -> None:
    """Let other processes go first, and end in good order when asked to."""
    import signal

    os.nice(NICENESS)
    # An engine ends what it has started when it is interrupted.
    signal.signal(signal.SIGTERM, signal.default_int_handler)


def work(
    project: Project,
    engine: Engine,
    names: Sequence[str],
    run: Run,
) -> int:
    """Embed in a process of its own, and say in its log what came of it. Returns an exit code."""
    _say(f"embedding {run.wanted} chunks on {run.device} with {run.model or 'no model'}")
    try:
        report = carry_out(project, engine, names, run)
    # A library may raise anything, and this is where the process ends.
    except (Exception, KeyboardInterrupt) as error:
        return _failed(error)
    for note in report.notes:
        _say(f"note: {note}")
    failed = f", {report.failed} failed" if report.failed else ""
    _say(f"embedded {report.embedded} chunks in {report.seconds:.1f} s{failed}")
    return EXIT_OK


def _work_in(repository: Repository, names: Sequence[str], run: Run) -> int:
    try:
        project = project_of(repository)
        engine = open_engine(project)
    except SddError as error:
        write_run(repository, replace(run, finished=time.time(), error=reason(error)))
        raise
    try:
        return work(project, engine, names, run)
    finally:
        engine.close()


def _done(engine: Engine, run: Run) -> int:
    """How many of the chunks that had no vector when it began have one now."""
    with suppress(Exception):
        return max(run.pending - engine.status().pending, 0)
    return 0


def _failed(error: BaseException) -> int:
    _say(f"sdd: embed failed — run `sdd index embed` ({reason(error)})")
    if isinstance(error, KeyboardInterrupt):
        return EXIT_INTERRUPTED
    return error.exit_code if isinstance(error, SddError) else EXIT_BUG


def _say(text: str) -> None:
    sys.stdout.write(f"{display.one_line(text)}\n")
    sys.stdout.flush()


def _pid(holder: Holder | None) -> str:
    return f" (pid {holder.pid})" if holder is not None and holder.pid else ""
