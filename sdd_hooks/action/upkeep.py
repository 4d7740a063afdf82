"""Sync the issues of trackers, refresh the index, embed, and share the vectors."""

# Governing: ADR-0018 (tracker issues as files), ADR-0019 (a token belongs to one host), ADR-0024
# (the action is a command), ADR-0025 (vectors travel in a git ref), SPEC-0012 REQ "Inputs",
# REQ "Outputs", REQ "Devices and caches"

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import closing, nullcontext
from pathlib import Path

from sdd_hooks.action.inputs import Inputs
from sdd_hooks.action.results import CommandResult
from sdd_hooks.action.tokens import select_tracker_token
from sdd_hooks.engines.protocol import EmbedReport, Progress
from sdd_hooks.engines.registry import open_engine
from sdd_hooks.errors import EXIT_OK, EngineUnavailable, SddError
from sdd_hooks.forges.registry import CiJob
from sdd_hooks.project.project import Project
from sdd_hooks.remote.credentials import Secret
from sdd_hooks.system.processes import Program, find_executable, run_program
from sdd_hooks.text.display import format_count, one_line
from sdd_hooks.trackers.source import NoTracker, TrackerSource, find_source, find_sources
from sdd_hooks.trackers.sync import SyncResult
from sdd_hooks.usecases.upkeep.embed import EmbedOptions, EmbedOutcome, VectorSharing
from sdd_hooks.usecases.upkeep.embed import embed as embed_collections
from sdd_hooks.usecases.upkeep.external_records import fetch_external_records
from sdd_hooks.usecases.upkeep.refresh import refresh_index
from sdd_hooks.usecases.upkeep.sync import SyncCallbacks, sync_sources

GPU_PROGRAM = "nvidia-smi"
GPU_TIMEOUT = 20.0
"""Seconds: the driver may have to be loaded first."""


def sync(
    project: Project,
    ci_job: CiJob | None,
    inputs: Inputs,
    now: float,
    callbacks: SyncCallbacks,
) -> CommandResult:
    """Sync the issues of the repository and of its modules.

    A missing tracker is an error only for the command `sync`. The environment of the project holds
    no token of the inputs; `now` is in epoch seconds. Raises SddError where the only tracker cannot
    be determined.
    """
    try:
        sources = find_sources(project, None, lambda part: find_source(project, part, now))
    except NoTracker as error:
        if inputs.command == "sync":
            raise
        return CommandResult({"issues-synced": "0"}, notes=(f"no issues: {error}",))
    changed = 0
    log: list[str] = []
    notes: list[str] = []
    failures = list(sources.failures)
    vendor = sources.found[0].tracker.vendor
    if inputs.tracker_token and not vendor.token_variables:
        notes.append(f"tracker-token was not used: {vendor.label} takes none")
    with_tokens = [
        _with_token(source, select_tracker_token(inputs.tokens, source, sources.found, ci_job))
        for source in sources.found
    ]
    for done in sync_sources(project, with_tokens, lambda: now, callbacks):
        if done.error:
            failures.append(done.error)
        elif done.result:
            result = done.result
            changed += result.added + result.updated + result.removed
            log.append(_result_line(done.source, result))
            notes += done.warnings
    return CommandResult(
        {"issues-synced": str(changed)},
        notes=tuple(notes),
        log=tuple(log),
        exit_code=max((error.exit_code for error in failures), default=EXIT_OK),
        errors=tuple(map(str, failures)),
    )


def update(project: Project, access: Mapping[str, str], progress: Progress) -> CommandResult:
    """Refresh every declared collection, created when missing.

    `access` is git's environment for the host of the job. Raises SddError.
    """
    notes = fetch_external_records(project, time.time, access)
    refresh = refresh_index(project, project.select(), progress=progress).result
    total = refresh.total
    counts = {"added": total.added, "updated": total.updated, "removed": total.removed}
    text = ", ".join(f"{number:,} {change}" for change, number in counts.items() if number)
    return CommandResult(
        notes=(*notes, *refresh.notes), log=(f"documents: {text or 'none changed'}",)
    )


def embed(project: Project, access: Mapping[str, str], progress: Progress) -> CommandResult:
    """Refresh the index and give a vector to every chunk without one, in the foreground.

    With `Share Vectors`, those of other machines are pulled before and all are pushed after.
    `access` is git's environment for the remote. Raises SddError for an index that cannot be used.
    """
    updated = update(project, access, progress)
    options = EmbedOptions("foreground", push=True, access=access)
    outcome = embed_collections(
        project, project.collections, options, lambda _step: nullcontext(progress)
    )
    sharing = outcome.sharing
    embedded = _embedded(project, outcome)
    pushed = _pushed(sharing)
    return CommandResult(
        outputs=embedded.outputs,
        notes=(*updated.notes, *_pull_notes(sharing), *embedded.notes, *pushed.notes),
        log=(*updated.log, *_pull_log(sharing), *embedded.log, *pushed.log),
        exit_code=embedded.exit_code or pushed.exit_code,
        errors=embedded.errors or pushed.errors,
    )


def find_gpu(environ: Mapping[str, str], root: Path) -> str:
    """The name of the first NVIDIA GPU of this machine, "" without one that works.

    A program inside the repository at `root` is not run.
    """
    program = find_executable(GPU_PROGRAM, environ, outside=root)
    if program is None:
        return ""
    command = (program, "--query-gpu=name", "--format=csv,noheader")
    try:
        done = run_program(Program(GPU_PROGRAM, command, Path("/"), environ), GPU_TIMEOUT)
    except SddError:
        return ""
    names = done.out.splitlines()
    return one_line(names[0])[:100] if names and not done.code else ""


def _with_token(source: TrackerSource, token: Secret | None) -> TrackerSource:
    """The source with a token, if any, in the environment variables of its vendor."""
    variables = source.tracker.vendor.token_variables
    if token is None or not variables:
        return source
    environ = {**source.repository.environ, **dict.fromkeys(variables, token.value)}
    repository = source.repository._replace(environ=environ, token_name=token.source)
    return source._replace(repository=repository)


def _result_line(source: TrackerSource, result: SyncResult) -> str:
    """A sync in one line."""
    if not result.ran:
        return f"{source.collection.name}: another sync is running"
    counts = {
        "added": result.added,
        "updated": result.updated,
        "removed": result.removed,
        "failed": result.failed,
    }
    text = ", ".join(f"{number:,} {change}" for change, number in counts.items() if number)
    return f"issues of {source.label} in {source.collection.name}: {text or 'none changed'}"


def _embedded(project: Project, outcome: EmbedOutcome) -> CommandResult:
    if outcome.error is not None:
        return CommandResult(exit_code=outcome.error.exit_code, errors=(str(outcome.error),))
    report = outcome.report
    if report is None:
        outputs = {"chunks-embedded": "0", "device": _device(project)}
        return CommandResult(outputs, log=(f"nothing to embed ({outcome.model})",))
    return CommandResult(
        {"chunks-embedded": str(report.embedded), "device": report.device},
        notes=(*report.notes, *_cpu_notes(project, report)),
        log=(_report_line(report),),
    )


def _device(project: Project) -> str:
    """Where the engine would embed, "" where it cannot: nothing had to be embedded."""
    with closing(open_engine(project)) as engine:
        try:
            return engine.device()
        except EngineUnavailable:
            return ""


def _report_line(report: EmbedReport) -> str:
    """An embed in one line."""
    failed = f", {report.failed:,} failed" if report.failed else ""
    left = f", {format_count(report.remaining, 'chunk')} left" if report.remaining else ""
    embedded = format_count(report.embedded, "chunk")
    return (
        f"embedded {embedded} in {report.seconds:.1f} s on {report.device} with {report.model}"
        f"{failed}{left}"
    )


def _cpu_notes(project: Project, report: EmbedReport) -> tuple[str, ...]:
    """A note about an embed that used no GPU."""
    if report.device != "cpu":
        return ()
    gpu = find_gpu(project.environ, project.repository.root)
    if not gpu:
        return ("embedded on a CPU: no GPU was found",)
    return (
        f"embedded on a CPU, though there is a GPU ({gpu}): the model, or how it is installed, does"
        " not use it",
    )


def _pull_notes(sharing: VectorSharing) -> tuple[str, ...]:
    if isinstance(sharing.pull_error, EngineUnavailable):
        return (str(sharing.pull_error),)
    if sharing.pull_error is not None:
        return (f"no vectors were pulled: {sharing.pull_error}",)
    return sharing.pulled.notes if sharing.pulled else ()


def _pull_log(sharing: VectorSharing) -> tuple[str, ...]:
    pulled = sharing.pulled
    if pulled is None:
        return ()
    vectors = format_count(pulled.pulled, "vector")
    return (f"pulled {vectors} of {pulled.vectors:,} on {pulled.remote}",)


def _pushed(sharing: VectorSharing) -> CommandResult:
    """A push. A failure fails the job, whose purpose is to share the vectors."""
    error, pushed = sharing.push_error, sharing.pushed
    if error is not None:
        return CommandResult(
            exit_code=error.exit_code, errors=(f"the vectors were not pushed: {error}",)
        )
    if pushed is None:
        return CommandResult()
    vectors = format_count(pushed.pushed, "vector")
    return CommandResult(
        notes=pushed.notes,
        log=(f"pushed {vectors}: {pushed.remote} has {pushed.vectors:,}",),
    )
