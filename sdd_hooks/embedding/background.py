"""Embed in a background process that outlives the terminal, with a log in `/tmp`."""

# Governing: ADR-0016 (embedding in the background), SPEC-0008 REQ "Mode", REQ "Single flight",
# REQ "Log"

from __future__ import annotations

import hashlib
import json
import os
import signal
import sys
import time
from collections.abc import Sequence
from contextlib import closing, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TextIO

from sdd_hooks.embedding.lock import LockHolder, acquire_lock, find_holder, write_holder
from sdd_hooks.embedding.run import EmbedTask, describe_failure, embed_and_record
from sdd_hooks.embedding.state import EmbedRun, parse_run, read_run, write_run
from sdd_hooks.engines.protocol import Engine
from sdd_hooks.engines.registry import open_engine
from sdd_hooks.errors import EXIT_BUG, EXIT_INTERRUPTED, EXIT_OK, SddError, StorageError
from sdd_hooks.project.project import Project, read_project
from sdd_hooks.project.repository import Repository, discover
from sdd_hooks.system import detached
from sdd_hooks.system.detached import ForeignLog, claim_log, open_log
from sdd_hooks.text.display import one_line

LOG_DIRECTORY = Path("/tmp")  # noqa: S108 (logs are opened so that no other user can redirect them)

NICENESS = 10
"""What is added to the niceness of the process: interactive programs run first."""

# A file name has at most 255 bytes.
_MAX_SLUG_LENGTH = 200


@dataclass(frozen=True)
class BackgroundEmbed:
    """A running embed: its process (0: being started) and its log ("" in the foreground).

    `started` says whether this call started it; else it was running already.
    """

    pid: int
    log: str
    started: bool


def start_background_embed(
    project: Project, task: EmbedTask, device: str, *, logs: Path = LOG_DIRECTORY
) -> BackgroundEmbed:
    """Start an embed and return at once. Where one is running already, return that one.

    Raises StorageError when its log cannot be written.
    """
    repository = project.repository
    lock = acquire_lock(repository)
    if lock is None:
        return running_embed(project)
    try:
        log, path = open_embed_log(repository, logs)
        try:
            run = EmbedRun(
                time.time(), task.pending, task.wanted, device, task.model, log=str(path)
            )
            write_run(repository, run)
            arguments = [str(repository.root), json.dumps(asdict(run)), *task.collections]
            pid = detached.start_detached(
                __name__, arguments, project.environ, log=log, keep=[lock]
            )
            write_holder(lock, LockHolder(pid, str(repository.root), background=True))
        finally:
            os.close(log)
    finally:
        os.close(lock)
    return BackgroundEmbed(pid, str(path), started=True)


def running_embed(project: Project) -> BackgroundEmbed:
    """The embed of this repository that is running, as far as its lock file describes it."""
    repository = project.repository
    holder = find_holder(repository)
    if holder is None or not holder.root:
        return BackgroundEmbed(0, "", started=False)
    run = read_run(repository._replace(root=Path(holder.root)))
    return BackgroundEmbed(holder.pid, run.log if run else "", started=False)


def open_embed_log(repository: Repository, directory: Path = LOG_DIRECTORY) -> tuple[int, Path]:
    """Open, empty and lock the log `qmd-embed-{slug}.log`. Returns its descriptor and its path.

    Where another user, or another repository of the same name, has that log, the name gets a
    digest of this repository's path.

    Raises StorageError, which names the log that cannot be used.
    """
    stem = f"qmd-embed-{repository.slug[:_MAX_SLUG_LENGTH]}"
    digest = hashlib.sha256(os.fsencode(repository.root)).hexdigest()[:8]
    path = directory / f"{stem}.log"
    with suppress(ForeignLog):
        log = open_log(path, private=True)
        if claim_log(log):
            return log, path
        os.close(log)
    path = directory / f"{stem}-{digest}.log"
    log = open_log(path, private=True)
    if not claim_log(log):
        os.close(log)
        raise StorageError(f"the log {path} is being written by another process: try again later")
    return log, path


def main(arguments: Sequence[str]) -> None:
    """Run the background process. Arguments: the top of the work tree, the run, collections."""
    root, text, *collections = arguments
    run = parse_run(text.encode())
    assert run is not None
    become_interruptible()
    try:
        repository = discover(Path(root), os.environ)
        sys.exit(_embed_repository(repository, collections, run, sys.stdout))
    except (SddError, KeyboardInterrupt) as error:
        sys.exit(_log_failure(error, sys.stdout))


def become_interruptible() -> None:
    """Lower the priority of this process, and make SIGTERM raise KeyboardInterrupt."""
    os.nice(NICENESS)
    # An engine that is interrupted ends the processes it started.
    signal.signal(signal.SIGTERM, signal.default_int_handler)


def embed_with_log(
    project: Project, engine: Engine, collections: Sequence[str], run: EmbedRun, log: TextIO
) -> int:
    """Embed, and write to the log what was done. Returns an exit code."""
    _write_line(
        log, f"embedding {run.wanted} chunks on {run.device} with {run.model or 'no model'}"
    )
    try:
        report = embed_and_record(project, engine, collections, run)
    # A library may raise anything, and the process ends here.
    except (Exception, KeyboardInterrupt) as error:
        return _log_failure(error, log)
    for note in report.notes:
        _write_line(log, f"note: {note}")
    failed = f", {report.failed} failed" if report.failed else ""
    _write_line(log, f"embedded {report.embedded} chunks in {report.seconds:.1f} s{failed}")
    return EXIT_OK


def _embed_repository(
    repository: Repository, collections: Sequence[str], run: EmbedRun, log: TextIO
) -> int:
    try:
        project = read_project(repository)
        engine = open_engine(project)
    except SddError as error:
        write_run(repository, replace(run, finished=time.time(), error=describe_failure(error)))
        raise
    with closing(engine):
        return embed_with_log(project, engine, collections, run, log)


def _log_failure(error: BaseException, log: TextIO) -> int:
    if isinstance(error, KeyboardInterrupt):
        _write_line(log, "sdd: embed stopped — `sdd index embed` goes on from there")
        return EXIT_INTERRUPTED
    failure = describe_failure(error)
    _write_line(log, f"sdd: embed failed — run `sdd index embed` ({failure})")
    return error.exit_code if isinstance(error, SddError) else EXIT_BUG


def _write_line(log: TextIO, text: str) -> None:
    log.write(f"{one_line(text)}\n")
    log.flush()
