"""`sdd init`: set a repository up, or add what its set-up lacks."""

# Governing: SPEC-0005 REQ "Initialisation", ADR-0001 (two engines, chosen)

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

import click

from sdd_hooks.artifacts.work_tree import WOULD_BE_ONE
from sdd_hooks.cli.hooks import hooks_output, offer_edits, own_command
from sdd_hooks.cli.shared.context import open_project
from sdd_hooks.cli.shared.edits import changes_data, done_lines, print_edits
from sdd_hooks.cli.shared.options import json_option, yes_option
from sdd_hooks.cli.shared.output import CommandOutput, printable_line, show
from sdd_hooks.cli.shared.prompts import can_ask, confirm
from sdd_hooks.engines.registry import find_backend, require_engine
from sdd_hooks.errors import EngineUnavailable, SddError
from sdd_hooks.githooks.folder import HooksRefused
from sdd_hooks.githooks.install import inspect_hooks, install_hooks
from sdd_hooks.project.project import Project
from sdd_hooks.setup.plan import plan_setup
from sdd_hooks.setup.records import NOTHING_FOUND, FoundRecords, describe_records
from sdd_hooks.system.file_edits import FileEdit, apply_edits
from sdd_hooks.trackers.source import find_source

NOTHING = "nothing to change"
NEXT = "next: sdd index"
NEXT_FIRST = 'next: sdd adr "Title of the first decision"'
IN_PLACE = frozenset({"installed", "shipped", "chained", "managed"})


@click.command()
@yes_option
@click.option("--no-hooks", is_flag=True, help="Leave the git hooks alone.")
@json_option
@click.pass_obj
def init(directory: Path | None, yes: bool, no_hooks: bool, as_json: bool) -> int:
    """Set this repository up for sdd.

    Adds `.sdd/` to .gitignore and the sections that sdd reads to the memory file (CLAUDE.md,
    AGENTS.md or CRUSH.md), creates an empty knowledge base, installs the git hooks, and says which
    decisions and specifications it found. Run again, it adds what is missing and nothing else. On a
    terminal it shows every change and asks; elsewhere it goes ahead, as with --yes.

    \b
    Example:
      sdd init
      sdd init --yes --no-hooks
    """
    project = open_project(directory, "all")
    require_engine(project)
    planned = plan_setup(project)
    edits = (*planned.edits, *planned.knowledge)
    found = [
        {"kind": one.kind, "directory": one.directory, "count": one.total}
        for one in planned.records
    ]
    asks = can_ask(yes, as_json)
    if edits and asks and not _confirmed(edits):
        unchanged = CommandOutput(
            {"changes": [], "found": found, "hooks": None}, ["nothing changed"]
        )
        return show(unchanged, as_json)
    apply_edits(project.repository.root, edits)
    lines = done_lines(edits)
    hooks = CommandOutput({}) if no_hooks else _hooks(project, asks, yes)
    data = {
        "changes": changes_data(edits),
        "found": found,
        "hooks": hooks.data or None,
    }
    lines = [*lines, *hooks.lines] or [NOTHING]
    lines.append(printable_line(_found(planned.records)))
    notes = [*planned.notes, *hooks.notes, *_model_notes(project), *_tracker_notes(project)]
    warnings = [*project.warnings, *hooks.warnings]
    return show(
        CommandOutput(data, [*lines, NEXT if planned.records else NEXT_FIRST], notes, warnings),
        as_json,
    )


def _found(records: Sequence[FoundRecords]) -> str:
    if not records:
        return f"{NOTHING_FOUND}: sdd recognises the first when it is written: {WOULD_BE_ONE}"
    return f"found {describe_records(records)}"


def _confirmed(edits: Sequence[FileEdit]) -> bool:
    print_edits(edits)
    return confirm("Go ahead?", default=True)


def _model_notes(project: Project) -> list[str]:
    try:
        missing = find_backend(project).required_download(project)
    except EngineUnavailable:
        # Searches use words alone here, which `sdd index` reports.
        return []
    return [f"the first `sdd index embed` downloads {missing.content}, once"] if missing else []


def _tracker_notes(project: Project) -> list[str]:
    """The tracker of the issues, as far as it is known without a request."""
    try:
        source, _ = find_source(project, "", time.time(), online=False)
    except SddError as error:
        return [str(error)]
    return [f"`sdd index` brings issues from {source.tracker}"] if source else []


def _hooks(project: Project, asks: bool, yes: bool) -> CommandOutput:
    """Install the hooks unless they are in place. A folder that sdd must not use is a warning."""
    repository, sdd = project.repository, own_command()
    try:
        report = inspect_hooks(repository, sdd)
        if all(hook.state in IN_PLACE for hook in report.hooks) and not report.snippet:
            return CommandOutput(hooks_output(report).data)
        if asks and not confirm("Install the git hooks?", default=True):
            return CommandOutput({})
        return offer_edits(repository, install_hooks(repository, sdd), yes, not asks)
    except HooksRefused as error:
        return CommandOutput({}, warnings=[f"no hooks installed: {error}"])
