"""Run the commands of a CI job, from its inputs to its exit code."""

# Governing: ADR-0024 (the action is a command), SPEC-0012 REQ "Outputs",
# REQ "Which event does what"

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal

from sdd_hooks.action import upkeep
from sdd_hooks.action.inputs import Command, Inputs, select_commands
from sdd_hooks.action.results import (
    OUTPUTS,
    CommandResult,
    FinishedCommand,
    summary_lines,
    write_summary,
)
from sdd_hooks.action.step_log import StepLog
from sdd_hooks.action.tokens import client_factory, git_access
from sdd_hooks.errors import EXIT_FINDINGS, EXIT_OK, SddError
from sdd_hooks.forges.registry import CiJob, detect_job
from sdd_hooks.models.consent import VARIABLE as REMOTE_MODELS
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.project import Project, load_project
from sdd_hooks.reporting.escape import BREAK
from sdd_hooks.usecases.upkeep.sync import SyncCallbacks

SUMMARY = "GITHUB_STEP_SUMMARY"
"""The variable that names the file of the summary of the step."""

Step = Command | Literal["page"]
"""A command, or the page of an audit."""

ExplainError = Callable[[Exception], tuple[str, int]]
"""Returns the message and the exit code for an unexpected error."""


class JobSetup(NamedTuple):
    """The arguments of every command. The project is loaded with `environ`, which holds no token of
    the inputs."""

    inputs: Inputs
    ci_job: CiJob | None
    environ: Mapping[str, str]
    log: StepLog


def run_job(
    start: Path, inputs: Inputs, environ: Mapping[str, str], log: StepLog, explain: ExplainError
) -> int:
    """Run what `inputs` select in the repository that contains `start`. Returns the exit code.

    A failure of a command is reported, and the other commands still run.
    """
    notes: list[str] = []
    ci_job = detect_job(environ, notes)
    # A background process would be killed at the end of the job.
    setup = JobSetup(inputs, ci_job, {**environ, "CI": "true"}, log)
    allowed = select_commands(inputs.command, ci_job.context if ci_job else None)
    if allowed.commands and allowed.note:
        # The caller of `all` expects what the event allows: the note is not part of the summary.
        log.write(f"note: {allowed.note}")
    elif allowed.note:
        notes.append(allowed.note)
    finished = [
        FinishedCommand("sdd", CommandResult(notes=tuple(notes))),
        *_run_commands(start, _steps(allowed.commands, inputs), setup, explain),
    ]
    return _report(finished, setup)


def _steps(commands: Sequence[Command], inputs: Inputs) -> tuple[Step, ...]:
    """The commands, and the page after them if one is wanted."""
    return (*commands, "page") if inputs.page else tuple(commands)


def _run_commands(
    start: Path, commands: Sequence[Step], setup: JobSetup, explain: ExplainError
) -> Iterator[FinishedCommand]:
    """Run the commands in a project that is loaded once."""
    if not commands:
        return
    try:
        project = _configure(load_project(start, setup.environ), setup.inputs)
    except Exception as error:  # outputs and summary are written after any failure
        yield FinishedCommand(setup.inputs.command, _failure(error, explain))
        return
    yield FinishedCommand("sdd", CommandResult(notes=project.warnings))
    for command in commands:
        yield _run_and_log(command, project, setup, explain)


def _configure(project: Project, inputs: Inputs) -> Project:
    """The project with the engine and the model of the inputs.

    The workflow is the user's own configuration, which the memory file is not: only a model that an
    input names may receive texts.
    """
    environ = project.environ
    if inputs.embed_model:
        environ = {**environ, REMOTE_MODELS: inputs.embed_model}
    search = project.configuration.search
    search = search._replace(
        engine=inputs.engine or search.engine, embed_model=inputs.embed_model or search.embed_model
    )
    return project._replace(
        repository=project.repository._replace(environ=environ),
        configuration=project.configuration._replace(search=search),
    )


def _run_and_log(
    command: Step, project: Project, setup: JobSetup, explain: ExplainError
) -> FinishedCommand:
    log = setup.log
    with log.group("sdd audit --html" if command == "page" else f"sdd {command}"):
        try:
            result = _run(command, project, setup)
        except Exception as error:  # the other commands run after any failure
            result = _failure(error, explain)
        for line in result.log:
            log.write(line)
        if result.summary and not _has_summary(setup):
            # A log mentions no user: the characters that prevent mentions would only be visible.
            for line in result.summary.replace(BREAK, "").splitlines():
                log.write(line)
    for line in result.annotations:
        log.write_command(line)
    return FinishedCommand(command, result)


def _run(command: Step, project: Project, setup: JobSetup) -> CommandResult:
    inputs, ci_job, environ, log = setup
    progress = log.progress()
    if command == "sync":
        callbacks = SyncCallbacks(log.write, progress, log.write)
        return upkeep.sync(project, ci_job, inputs, time.time(), callbacks)
    if command == "page":
        from sdd_hooks.action.report_files import make_page

        return make_page(project, inputs, time.time(), progress)
    access = git_access(ci_job, inputs.token, environ)
    if command == "update":
        return upkeep.update(project, access, progress)
    if command == "embed":
        return upkeep.embed(project, access, progress)
    from sdd_hooks.action.review import review_pull

    connect = client_factory(inputs.token, log.write)
    return review_pull(project, ci_job, inputs, connect, access)


def _failure(error: Exception, explain: ExplainError) -> CommandResult:
    if isinstance(error, SddError):
        return CommandResult(exit_code=error.exit_code, errors=(str(error),))
    message, code = explain(error)
    return CommandResult(exit_code=code, errors=(message,))


def _report(finished: Sequence[FinishedCommand], setup: JobSetup) -> int:
    """Write outputs, summary, notes and errors. Returns the highest exit code."""
    log = setup.log
    outputs = {name: value for _, result in finished for name, value in result.outputs.items()}
    notes = [note for _, result in finished for note in result.notes]
    errors = [line for _, result in finished for line in result.errors]
    codes = [result.exit_code for _, result in finished]
    try:
        for name in OUTPUTS:
            log.set_output(name, outputs.get(name, ""))
    except SddError as error:
        errors.append(str(error))
        codes.append(error.exit_code)
    file = setup.environ.get(SUMMARY, "")
    if file:
        problem = write_summary(Path(file), list(summary_lines(finished)))
        notes += [problem] if problem else []
    for note in dict.fromkeys(notes):
        log.write(f"note: {note}")
    for line in errors:
        log.write_error(line)
    if not errors and EXIT_FINDINGS in codes:
        log.write_error("there are findings as severe as `fail-on`, or else `Fail On` of the base")
    return max(codes, default=EXIT_OK)


def _has_summary(setup: JobSetup) -> bool:
    """Whether the host shows the summary of the step; some runners write one that it discards."""
    ci_job = setup.ci_job
    has_file = bool(setup.environ.get(SUMMARY))
    return has_file and ci_job is not None and ci_job.context.shows_annotations
