"""`sdd plan`: the stories of a specification, and their issues."""

# Governing: SPEC-0025 (planning)

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import click

from sdd_hooks.cli.shared.context import open_project
from sdd_hooks.cli.shared.issues import find_sources
from sdd_hooks.cli.shared.options import json_option, module_option
from sdd_hooks.cli.shared.output import CommandOutput, printable_line, show
from sdd_hooks.cli.shared.progress import SyncOutput, waiting_line
from sdd_hooks.errors import EXIT_OK
from sdd_hooks.planning.plan.report import (
    change_lines,
    changes_data,
    issue_list,
    plan_data,
    plan_lines,
)
from sdd_hooks.planning.plan.story import PlanIssue
from sdd_hooks.text.display import format_count
from sdd_hooks.trackers.source import NoTracker, TrackerSource
from sdd_hooks.usecases.sprint.plan import PlanCallbacks, PlanOutcome, PlanRequest
from sdd_hooks.usecases.sprint.plan import plan as make_plan
from sdd_hooks.usecases.sprint.plan_creation import Creation


@click.command()
@click.argument("name", metavar="SPEC")
@click.option("--create", is_flag=True, help="Create the issues that are missing.")
@click.option("--dry-run", is_flag=True, help="Show what --create would send, and change nothing.")
@module_option
@json_option
@click.pass_obj
def plan(directory: Path | None, /, *, as_json: bool, **options: Any) -> int:
    """Plan a specification as stories, and create their issues.

    The plan says what exists for each story, its size, and what blocks it. SPEC is an id, or the
    path of a specification. Issues are synced before, unless the last sync is
    within Issues Interval (5 minutes). With --create, issues are created for the stories that have
    none; a run that was stopped is completed by the next one.

    \b
    Example:
      sdd plan SPEC-0003
      sdd plan SPEC-0003 --dry-run
      sdd plan SPEC-0003 --create
    """
    request = PlanRequest(**options)
    project = open_project(directory)
    sources: Sequence[TrackerSource] = ()
    notes: list[str] = []
    warnings: list[str] = []
    try:
        found = find_sources(project, None, asks=not as_json)
        sources, warnings = found.found, found.warnings
    except NoTracker as error:
        if request.create or request.dry_run:
            raise
        notes.append(f"no issues are compared: {error}")
    output = SyncOutput(as_json)
    # A line on the terminal would mix with those about created issues.
    waiting = nullcontext() if request.create else waiting_line(sys.stderr, "Planning")
    with waiting, output.callbacks(progress=False) as callbacks:
        show_issue = _ignore if as_json else _print_created
        outcome = make_plan(
            project, request, sources, time.time, PlanCallbacks(callbacks, show_issue)
        )
    notes += output.notes
    return show(_output(outcome, notes, warnings), as_json)


def _output(outcome: PlanOutcome, notes: list[str], warnings: list[str]) -> CommandOutput:
    data: dict[str, object] = {
        **plan_data(outcome.plan, outcome.header),
        "tracker": outcome.tracker or None,
    }
    lines = [*plan_lines(outcome.plan, outcome.header)]
    exit_code = EXIT_OK
    if outcome.changes:
        data["changes"] = changes_data(outcome.changes)
        lines += change_lines(outcome.changes)
    if creation := outcome.creation:
        lines = [*_creation_lines(outcome.plan.spec, creation)]
        failure = creation.failure
        data["created"] = issue_list(creation.created)
        data["changed"] = issue_list(creation.changed)
        data["missing"] = creation.missing
        data["error"] = {"code": failure.code, "message": str(failure)} if failure else None
        exit_code = failure.exit_code if failure else EXIT_OK
    all_warnings = [*outcome.warnings, *warnings]
    return CommandOutput(data, lines, notes, all_warnings, exit_code)


def _print_created(issue: PlanIssue) -> None:
    """Print a created issue at once: it exists, even if the run is stopped."""
    click.echo(printable_line(f"created {issue.id}: {issue.title} {issue.url}".rstrip()))


def _ignore(_issue: PlanIssue) -> None:
    """Print nothing."""


def _creation_lines(spec: str, creation: Creation) -> Iterator[str]:
    """What was changed, and how to go on after a failure."""
    for issue in creation.changed:
        yield printable_line(f"changed {issue.id}: {issue.title} {issue.url}".rstrip())
    for kept, other in creation.plan.duplicates:
        yield printable_line(f"{other.id} is for the same as {kept.id}: close one of them")
    if creation.failure is None:
        if not creation.created and not creation.changed:
            yield f"nothing to create: every story of {spec} has its issue"
        return
    count = format_count(creation.missing, "story").replace("storys", "stories")
    rest = f"{count} without an issue" if creation.missing else "not all dependencies are written"
    yield printable_line(f"stopped, {rest}: {creation.failure}")
    yield f"run `sdd plan {spec} --create` again: it creates only what is missing"
