"""`sdd work`: the brief of an issue, the check of its branch, and tidying up after the merge."""

# Governing: SPEC-0026 (work on an issue)

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import click

from sdd_hooks.cli.shared.context import open_project
from sdd_hooks.cli.shared.issues import find_sources
from sdd_hooks.cli.shared.options import json_option, module_option
from sdd_hooks.cli.shared.output import CommandOutput, printable_line, show
from sdd_hooks.cli.shared.progress import SyncOutput
from sdd_hooks.errors import EXIT_FINDINGS, EXIT_OK, SddError
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.planning.work.branch_check import check_data, check_lines
from sdd_hooks.planning.work.brief import WorkBrief
from sdd_hooks.planning.work.brief_report import brief_data, brief_lines
from sdd_hooks.project.project import Project
from sdd_hooks.trackers.source import NoTracker, TrackerSources
from sdd_hooks.usecases.sprint.work import WorkRequest, write_brief
from sdd_hooks.usecases.sprint.work_check import BranchCheckRequest, check_branch
from sdd_hooks.usecases.sprint.work_finish import FinishedWork, finish_work
from sdd_hooks.usecases.upkeep.sync import sync_if_due


class WorkAction(NamedTuple):
    """What to do with an issue, "" for the one that the branch names: write its brief, or check its
    branch against `base` ("" for the main branch), or tidy up."""

    issue: str
    worktree: bool
    check: bool
    base: str
    finish: bool


@click.command()
@click.argument("issue", metavar="[ISSUE]", required=False, default="")
@click.option("--worktree", is_flag=True, help="Check its branch out in a worktree.")
@click.option("--check", is_flag=True, help="Check the finished branch instead.")
@click.option("--base", metavar="REV", default="", help="With --check: compare with this.")
@click.option("--finish", is_flag=True, help="Tidy up after the merge instead.")
@module_option
@json_option
@click.pass_obj
def work(directory: Path | None, /, *, module: str | None, as_json: bool, **options: Any) -> int:
    """Write the brief of an issue, and check its branch against existing code.

    The brief has the requirements in full, what governs them, existing code to import, and what
    others change at the same time. With --check, the branch that is checked out is compared with
    it: a new definition that exists already is a finding. ISSUE is then the one that the branch
    names. With --finish, the worktree and the branch of a merged issue are removed. Issues are
    synced, and a stale index is refreshed first.

    \b
    Example:
      sdd work 42 --worktree
      sdd work --check
      sdd work 42 --finish
    """
    action = WorkAction(**options)
    action = action._replace(issue=action.issue.strip().removeprefix("#"))
    if sum((action.check, action.finish, action.worktree)) > 1:
        raise click.UsageError("--worktree, --check and --finish exclude each other")
    if action.base and not action.check:
        raise click.UsageError("--base belongs to --check")
    if not action.issue and not action.check:
        raise click.UsageError("name the issue: sdd work 42")
    project = open_project(directory)
    if action.check:
        return _check(project, action, module, as_json)
    sources = find_sources(project, module, asks=not as_json)
    output = SyncOutput(as_json)
    with output.callbacks(progress=False) as callbacks:
        if action.finish:
            done = finish_work(project, sources.found, action.issue, time.time(), callbacks)
            return _show_finished(done, project, output, sources, as_json)
        request = WorkRequest(action.issue, module, action.worktree)
        brief = write_brief(project, sources.found, request, time.time(), callbacks)
    warnings = [*brief.warnings, *sources.warnings, *project.warnings]
    lines = list(brief_lines(brief))
    # The report has its own notes in its header.
    notes = [*output.notes, *(brief.notes if as_json else ())]
    return show(CommandOutput(brief_data(brief), lines, notes, warnings), as_json)


def _check(project: Project, action: WorkAction, module: str | None, as_json: bool) -> int:
    failure: SddError | None = None
    try:
        sources = find_sources(project, module, asks=not as_json)
    except NoTracker as error:
        if action.issue:
            raise
        sources, failure = TrackerSources((), ()), error
    output = SyncOutput(as_json)
    with output.callbacks(progress=False) as callbacks:

        def write(issue: str, branch: str) -> WorkBrief:
            if failure:
                raise failure
            request = WorkRequest(issue, module, needs_index=False, branch=branch)
            return write_brief(project, sources.found, request, time.time(), callbacks)

        # The name of the branch is understood by the issues that there are.
        for source in sources.found:
            sync_if_due(project, source, time.time(), callbacks)
        request = BranchCheckRequest(action.issue, action.base)
        folders = [source.folder for source in sources.found]
        checked = check_branch(project, folders, request, write)
    code = EXIT_FINDINGS if checked.fails else EXIT_OK
    warnings = [*checked.warnings, *sources.warnings, *project.warnings]
    notes = [*output.notes, *(checked.notes if as_json else ())]
    lines = list(check_lines(checked))
    return show(CommandOutput(check_data(checked), lines, notes, warnings, code), as_json)


def _show_finished(
    done: FinishedWork, project: Project, output: SyncOutput, sources: TrackerSources, as_json: bool
) -> int:
    lines = [f"{printable_line(done.branch)} is merged, as {done.merged_by} says"]
    if done.removed_worktree:
        lines.append(f"Removed the worktree {printable_line(done.removed_worktree)}")
    if done.deleted_branch:
        lines.append(f"Deleted the branch {printable_line(done.deleted_branch)}")
    data = {
        "branch": done.branch,
        "merged_by": done.merged_by,
        "removed_worktree": done.removed_worktree or None,
        "deleted_branch": done.deleted_branch or None,
    }
    warnings = [*done.warnings, *sources.warnings, *project.warnings]
    return show(CommandOutput(data, lines, output.notes, warnings), as_json)
