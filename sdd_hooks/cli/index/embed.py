"""`sdd index embed`."""

# Governing: SPEC-0008 REQ "Mode", SPEC-0005 REQ "Index", ADR-0016 (embedding in the background)

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from sdd_hooks.cli.context import open_index, open_project
from sdd_hooks.cli.index.pull import pull_if_shared
from sdd_hooks.cli.options import json_option, kind_option, module_option
from sdd_hooks.cli.output import Report, format_count, printable_line, show
from sdd_hooks.cli.progress import progress_line
from sdd_hooks.embedding.background import start_background_embed
from sdd_hooks.embedding.lock import stop_embed
from sdd_hooks.embedding.policy import ModeChoice, in_ci, select_mode
from sdd_hooks.embedding.rates import RateKey, estimate_seconds
from sdd_hooks.embedding.run import embed_in_foreground, find_task
from sdd_hooks.engines.protocol import EmbedReport
from sdd_hooks.engines.registry import find_backend
from sdd_hooks.errors import EngineUnavailable, StorageError
from sdd_hooks.project.collections import Collection
from sdd_hooks.project.project import Project
from sdd_hooks.retrieval.search import pending_notes
from sdd_hooks.text.durations import format_duration

SKIPPED = "Embed skipped per --skip flag"
NEXT = "see how far it is with `sdd index status`, end it with `sdd index embed --stop`"


@dataclass(frozen=True)
class Embed:
    """What became of an embed. `mode` is `foreground`, `background`, `skip`, `stop`, `running`
    where there was one already, or `none` where nothing was to be done.

    `pending` is how many chunks had no vector, once `pulled` vectors came from other machines;
    `estimate` is in seconds. What is None does not apply.
    """

    mode: str
    device: str | None = None
    model: str | None = None
    pending: int | None = None
    report: EmbedReport | None = None
    estimate: int | None = None
    pid: int | None = None
    log: str | None = None
    pulled: int | None = None
    notes: tuple[str, ...] = ()


@click.command()
@kind_option
@module_option
@click.option("--foreground", is_flag=True, help="Wait for it, on a CPU too.")
@click.option("--skip", is_flag=True, help="Do nothing, and say so.")
@click.option("--stop", is_flag=True, help="End the embed that runs in the background.")
@json_option
@click.pass_obj
def embed(
    directory: Path | None,
    kinds: tuple[str, ...],
    module: str | None,
    foreground: bool,
    skip: bool,
    stop: bool,
    as_json: bool,
) -> int:
    """Give a vector to every chunk without one.

    On a CPU in the background, with a log in /tmp; on anything faster, and in CI, this waits for
    it. Each text is embedded once, whatever branch or work tree it turns up in. An embed that was
    interrupted goes on where it was.

    \b
    Example:
      sdd index embed
      sdd index embed --kind adrs --foreground
    """
    if foreground + skip + stop > 1:
        raise click.UsageError("choose one of --foreground, --skip and --stop")
    project = open_project(directory)
    if stop:
        ended = stop_embed(project.repository)
        done = Embed("stop", pid=ended.pid if ended else None)
    else:
        choice: ModeChoice = "foreground" if foreground else "skip" if skip else ""
        done = embed_as(project, project.select(kinds, module), choice)
    return show(
        Report(embed_data(done), embed_lines(done), _notes(done), project.warnings), as_json
    )


def embed_if_possible(
    project: Project, collections: Sequence[Collection]
) -> tuple[Embed | None, tuple[str, ...]]:
    """Embed, or say why not in a note: an index without vectors is a working index."""
    try:
        done = embed_as(project, collections, "")
    except (EngineUnavailable, StorageError) as error:
        with open_index(project) as engine:
            pending = engine.status().pending
        return None, (f"not embedded: {error}", *pending_notes(pending))
    return done, _notes(done)


def embed_as(project: Project, collections: Sequence[Collection], choice: ModeChoice) -> Embed:
    """Embed in the mode that was chosen, or that the device asks for, what no other machine has."""
    if choice == "skip":
        return Embed("skip")
    pulled: int | None = None
    notes: tuple[str, ...] = ()
    with open_index(project) as engine:
        todo = find_task(project, engine, collections)
        if todo.wanted:
            pulled, notes = pull_if_shared(project, engine)
        if pulled:
            todo = find_task(project, engine, collections)
        if not todo.wanted:
            return Embed("none", model=todo.model, pending=0, pulled=pulled, notes=notes)
        device = engine.device()
        mode = select_mode(device, choice, ci=in_ci(os.environ))
        if mode == "foreground":
            with progress_line(sys.stderr) as progress:
                report = embed_in_foreground(project, engine, todo, device, progress)
            return Embed(
                mode,
                report.device,
                report.model,
                todo.wanted,
                report,
                pulled=pulled,
                notes=notes,
            )
        expected = estimate_seconds(
            RateKey(engine.name, todo.model, device), todo.wanted, os.environ
        )
    # Where it cannot be had, that is said here and not in a log.
    find_backend(project).download(project)
    begun = start_background_embed(project, todo, device)
    return Embed(
        "background" if begun.started else "running",
        device,
        todo.model,
        todo.wanted,
        estimate=expected if begun.started else None,
        pid=begun.pid or None,
        log=begun.log or None,
        pulled=pulled,
        notes=notes,
    )


def embed_data(done: Embed) -> dict[str, object]:
    """An embed for programs."""
    report = done.report
    return {
        "mode": done.mode,
        "device": done.device,
        "model": done.model,
        "pulled": done.pulled,
        "pending": done.pending,
        "embedded": report.embedded if report else None,
        "failed": report.failed if report else None,
        "remaining": report.remaining if report else None,
        "seconds": report.seconds if report else None,
        "estimate": done.estimate,
        "pid": done.pid,
        "log": done.log,
    }


def embed_lines(done: Embed) -> list[str]:
    """An embed for people."""
    if done.mode == "skip":
        return [SKIPPED]
    if done.mode == "stop":
        return [_stopped(done.pid)]
    pulled = [f"pulled {format_count(done.pulled, 'vector')}"] if done.pulled else []
    if done.mode == "none":
        return [*pulled, f"nothing to embed ({done.model})"]
    model = f" (model {done.model})" if done.model else ""
    header = [*pulled, printable_line(f"device: {done.device}{model}")]
    if done.report is not None:
        return [*header, _embedded(done.report)]
    log = f", log: {done.log}" if done.log else ""
    if done.mode == "running":
        pid = f" (pid {done.pid})" if done.pid else ""
        return [*header, f"an embed of this repository is running already{pid}{log}", NEXT]
    about = f", about {format_duration(done.estimate)}" if done.estimate is not None else ""
    chunks = format_count(done.pending or 0, "chunk")
    return [*header, f"embedding {chunks} in the background{about}{log}", NEXT]


def _notes(done: Embed) -> tuple[str, ...]:
    return (*done.notes, *(done.report.notes if done.report else ()))


def _embedded(report: EmbedReport) -> str:
    """What an embed that was waited for did."""
    failed = f", {report.failed:,} failed" if report.failed else ""
    left = f", {format_count(report.remaining, 'chunk')} left" if report.remaining else ""
    return (
        f"embedded {format_count(report.embedded, 'chunk')} in {report.seconds:.1f} s{failed}{left}"
    )


def _stopped(pid: int | None) -> str:
    if pid is None:
        return "no embed is running"
    return (
        f"stopped the embed (pid {pid}): what it embedded is kept,"
        " and `sdd index embed` goes on from there"
    )
