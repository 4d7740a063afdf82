"""A job of CI, from its inputs to its exit code."""

# Governing: ADR-0024 (the action is a command), SPEC-0012 REQ "Outputs",
# REQ "Which event does what"

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from sdd_hooks.action import index, sync
from sdd_hooks.action.access import access, connect_with
from sdd_hooks.action.console import Console
from sdd_hooks.action.events import plan
from sdd_hooks.action.inputs import Command, Inputs
from sdd_hooks.action.outcome import OUTPUTS, Outcome
from sdd_hooks.action.summary import Part, summary_lines, write_summary
from sdd_hooks.errors import EXIT_FINDINGS, EXIT_OK, SddError
from sdd_hooks.forges.registry import CiJob, detect_job
from sdd_hooks.project.project import Project, load_project
from sdd_hooks.reporting.escape import BREAK
from sdd_hooks.usecases.sync import SyncCallbacks

SUMMARY = "GITHUB_STEP_SUMMARY"
"""The variable that names the file of the step's summary."""

Explain = Callable[[Exception], tuple[str, int]]
"""Turns what nobody expected into a line for people and an exit code."""


class Job(NamedTuple):
    """The arguments of every command. The project is loaded with `environ`, which holds no token of
    the inputs."""

    inputs: Inputs
    ci_job: CiJob | None
    environ: Mapping[str, str]
    console: Console


def run(
    start: Path, inputs: Inputs, environ: Mapping[str, str], console: Console, explain: Explain
) -> int:
    """Do what `inputs` ask for in the repository that `start` is in. Returns the exit code.

    What fails is said, and the rest is done all the same. Raises nothing but what ends the process.
    """
    broken: list[str] = []
    ci_job = detect_job(environ, broken)
    # A part that would go on in the background ends with the job.
    job = Job(inputs, ci_job, {**environ, "CI": "true"}, console)
    planned = plan(inputs.command, ci_job.context if ci_job else None)
    notes = list(broken)
    if planned.commands and planned.note:
        # Whoever asked for all there is to do has got that.
        console.say(f"note: {planned.note}")
    elif planned.note:
        notes.append(planned.note)
    parts = [
        Part("sdd", Outcome(notes=tuple(notes))),
        *_parts(start, planned.commands, job, explain),
    ]
    return _finish(parts, job)


def _parts(start: Path, commands: Sequence[Command], job: Job, explain: Explain) -> Iterator[Part]:
    """Run the commands, in a project that is loaded once."""
    if not commands:
        return
    try:
        project = _configured(load_project(start, job.environ), job.inputs)
    except Exception as error:  # the outputs and the summary are written whatever it is
        yield Part(job.inputs.command, _failed(error, explain))
        return
    yield Part("sdd", Outcome(notes=project.warnings))
    for command in commands:
        yield _part(command, project, job, explain)


def _configured(project: Project, inputs: Inputs) -> Project:
    """The project with the engine and the model of this run."""
    search = project.configuration.search
    search = search._replace(
        engine=inputs.engine or search.engine, embed_model=inputs.embed_model or search.embed_model
    )
    return replace(project, configuration=replace(project.configuration, search=search))


def _part(command: Command, project: Project, job: Job, explain: Explain) -> Part:
    """Run one command, and log what it says while it does and after."""
    console = job.console
    with console.part(f"sdd {command}"):
        try:
            outcome = _done(command, project, job)
        except Exception as error:  # the other commands are run whatever it is
            outcome = _failed(error, explain)
        for line in outcome.log:
            console.say(line)
        if outcome.summary and not _shows_summaries(job):
            # Nobody is mentioned in a log, where what keeps that from happening could be seen.
            for line in outcome.summary.replace(BREAK, "").splitlines():
                console.say(line)
    for line in outcome.annotations:
        console.command(line)
    return Part(command, outcome)


def _done(command: Command, project: Project, job: Job) -> Outcome:
    inputs, ci_job, environ, console = job
    progress = console.progress()
    if command == "sync":
        callbacks = SyncCallbacks(console.say, progress, console.say)
        return sync.sync(project, ci_job, inputs, time.time(), callbacks)
    if command == "update":
        return index.update(project, progress)
    reach = access(ci_job, inputs.token, environ)
    if command == "embed":
        return index.embed(project, reach, progress)
    from sdd_hooks.action.review import review_pull

    connect = connect_with(inputs.token, console.say)
    return review_pull(project, ci_job, inputs, connect, reach)


def _failed(error: Exception, explain: Explain) -> Outcome:
    if isinstance(error, SddError):
        return Outcome(exit_code=error.exit_code, errors=(str(error),))
    message, code = explain(error)
    return Outcome(exit_code=code, errors=(message,))


def _finish(parts: Sequence[Part], job: Job) -> int:
    """Write what the parts have to say. Returns the worst of their exit codes."""
    console = job.console
    outputs = {name: value for part in parts for name, value in part.outcome.outputs.items()}
    said = [note for part in parts for note in part.outcome.notes]
    failures = [line for part in parts for line in part.outcome.errors]
    codes = [part.outcome.exit_code for part in parts]
    try:
        for name in OUTPUTS:
            console.output(name, outputs.get(name, ""))
    except SddError as error:
        failures.append(str(error))
        codes.append(error.exit_code)
    file = job.environ.get(SUMMARY, "")
    if file:
        problem = write_summary(Path(file), list(summary_lines(parts)))
        said += [problem] if problem else []
    for note in dict.fromkeys(said):
        console.say(f"note: {note}")
    for line in failures:
        console.fail(line)
    if not failures and EXIT_FINDINGS in codes:
        console.fail("there are findings as severe as `fail-on`, or `Fail On` of the base, says")
    return max(codes, default=EXIT_OK)


def _shows_summaries(job: Job) -> bool:
    """Whether people see the summary of the step; a runner may take one that its host drops."""
    return (
        bool(job.environ.get(SUMMARY))
        and job.ci_job is not None
        and job.ci_job.context.shows_annotations
    )
