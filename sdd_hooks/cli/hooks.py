"""`sdd hooks`: install, uninstall and show the git hooks; `sdd hook`, which they call.

Where git waits, `entry` runs a hook before click is imported: `hook` is for help and `sdd -C`.
"""

# Governing: SPEC-0004 REQ "Installing hooks", SPEC-0010 REQ "Review in hooks",
# ADR-0005 (hook shims decide in sh)

from __future__ import annotations

import os
import sys
from dataclasses import asdict, replace
from pathlib import Path

import click

from sdd_hooks import tracing
from sdd_hooks.cli.shared.context import start_directory
from sdd_hooks.cli.shared.edits import changes_data, done_lines, print_edits
from sdd_hooks.cli.shared.lazy import CommandGroup
from sdd_hooks.cli.shared.options import json_option, yes_option
from sdd_hooks.cli.shared.output import CommandOutput, printable_line, show, table
from sdd_hooks.cli.shared.prompts import can_ask, confirm
from sdd_hooks.errors import EXIT_FINDINGS, EXIT_OK
from sdd_hooks.githooks.context import HookContext
from sdd_hooks.githooks.events import run_hook
from sdd_hooks.githooks.install import (
    InstallReport,
    inspect_hooks,
    install_hooks,
    uninstall_hooks,
)
from sdd_hooks.githooks.manager_edits import write_edits
from sdd_hooks.project.repository import Repository, discover


@click.group(cls=CommandGroup)
def hooks() -> None:
    """Install the git hooks that keep the index fresh.

    \b
    Example:
      sdd hooks install
      sdd hooks status
    """


@hooks.command()
@click.option("--review", is_flag=True, help="Also review commits, messages and pushes.")
@yes_option
@json_option
@click.pass_obj
def install(directory: Path | None, review: bool, yes: bool, as_json: bool) -> int:
    """Install the hooks beside existing ones.

    An existing hook runs first, and uninstall restores it. Where pre-commit, husky, lefthook or a
    folder of the team run the hooks, their files need lines: on a terminal they are shown as a diff
    and written if you say so, elsewhere they are printed, and written with --yes. With --review,
    pre-commit applies the rules to what is staged, and commit-msg and pre-push are installed too;
    once installed, they stay until they are uninstalled.

    \b
    Example:
      sdd hooks install
      sdd hooks install --review
    """
    repository = discover(start_directory(directory), os.environ)
    report = install_hooks(repository, own_command(), review=review)
    return show(offer_edits(repository, report, yes, as_json), as_json)


@hooks.command()
@yes_option
@json_option
@click.pass_obj
def uninstall(directory: Path | None, yes: bool, as_json: bool) -> int:
    """Remove the hooks, and restore those that were there before.

    The lines that `install` wrote into files of husky, lefthook or a team's folder are shown as a
    diff, and removed if you say so or with --yes.

    \b
    Example:
      sdd hooks uninstall
    """
    repository = discover(start_directory(directory), os.environ)
    return show(offer_edits(repository, uninstall_hooks(repository), yes, as_json), as_json)


@hooks.command()
@json_option
@click.pass_obj
def status(directory: Path | None, as_json: bool) -> int:
    """Show which hooks are in place. Exits with 1 when one cannot run.

    \b
    Example:
      sdd hooks status
    """
    repository = discover(start_directory(directory), os.environ)
    return show(hooks_output(inspect_hooks(repository)), as_json)


@click.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.argument("event")
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="[ARGUMENT]...")
@click.pass_obj
def hook(directory: Path | None, event: str, arguments: tuple[str, ...]) -> int:
    """Act on a git event; the hooks call this.

    EVENT is the name of a git hook, followed by what git gave it, or `auto` under pre-commit. A
    refresh that fails is a line on stderr and never fails git; `pre-commit` checks the artifacts
    that are staged and fails when they are not right.

    The events of the review are `check` (the rules, on staged changes), `commit-msg` (the ids that
    a message names) and `pre-push` (the whole review of each branch). With --fail-on SEVERITY they
    fail for findings of critical, warning or info, in place of the setting `Fail On`.

    \b
    Example:
      sdd hook post-commit
      sdd hook check --fail-on critical
    """
    cwd = start_directory(directory)
    stdin = sys.stdin.buffer if sys.stdin else None
    given = tracing.take_option(arguments, sys.stderr)
    return run_hook(event, given, HookContext(cwd, os.environ, sys.stderr, stdin))


def offer_edits(
    repository: Repository, report: InstallReport, yes: bool, as_json: bool
) -> CommandOutput:
    """The state of the hooks after the edits of a manager's files, if the user wants those."""
    if not report.edits or not (yes or can_ask(as_json)):
        return hooks_output(report)
    if not yes:
        print_edits(report.edits)
        if not confirm(f"Change the files of {report.manager}?"):
            return hooks_output(report)
    write_edits(repository.root, report.edits)
    after = replace(inspect_hooks(repository), snippet="", edits=report.edits)
    output = hooks_output(after)
    lines = [*output.lines, *done_lines(report.edits)]
    if report.manager == "lefthook":
        lines.append("then run `lefthook install`")
    # What lefthook has not installed yet, or runs no more, is no failure of this command.
    return output._replace(lines=lines, exit_code=EXIT_OK)


def hooks_output(report: InstallReport) -> CommandOutput:
    """The state of the hooks, with the lines that another hook manager needs."""
    lines = [f"hooks in {printable_line(str(report.folder))}"]
    lines += table([(hook.event, hook.state, hook.detail) for hook in report.hooks], wraps=True)
    if report.snippet:
        manager = printable_line(report.manager)
        lines += ["", f"{manager} runs the hooks here. Add these lines to its files:", ""]
        lines += [f"    {line}" for line in report.snippet.splitlines()]
        if report.edits:
            lines += ["", "`sdd hooks install` adds them with `--yes`."]
    data = {**asdict(report), "folder": str(report.folder)}
    notes, data["edits"] = data.pop("notes"), changes_data(report.edits)
    unfit = any(hook.is_unfit for hook in report.hooks)
    return CommandOutput(data, lines, notes, (), EXIT_FINDINGS if unfit else EXIT_OK)


def own_command() -> Path:
    """The absolute path of the running `sdd`, which the hooks start."""
    running = Path(os.path.abspath(sys.argv[0]))  # noqa: PTH100 (a link to it stays a link)
    beside = Path(sys.executable).with_name("sdd")
    return running if running.name == "sdd" else beside
