"""`sdd agent`: the hooks of coding agents."""

# Governing: SPEC-0029 (hooks of coding agents), ADR-0056 (agents are handed the deciding sentence)

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import click

from sdd_hooks.agents.hook import HookStreams, run_agent_hook
from sdd_hooks.agents.install import (
    NoProgram,
    install_plugin,
    plan_install,
    plan_uninstall,
    remove_empty_directories,
    uninstall_plugin,
)
from sdd_hooks.agents.programs import PROGRAMS, AgentProgram, detect_programs
from sdd_hooks.cli.shared.context import open_project, start_directory
from sdd_hooks.cli.shared.edits import changes_data, done_lines, print_edits
from sdd_hooks.cli.shared.lazy import CommandGroup
from sdd_hooks.cli.shared.options import dry_run_option, json_option, yes_option
from sdd_hooks.cli.shared.output import CommandOutput, show
from sdd_hooks.cli.shared.prompts import can_ask, confirm
from sdd_hooks.project.repository import Repository, discover
from sdd_hooks.system.file_edits import FileEdit, apply_edits
from sdd_hooks.usecases.agents.prepare import prepare_table

NOTHING = "nothing to change"

_program_argument = click.argument(
    "names", nargs=-1, type=click.Choice(list(PROGRAMS)), metavar="[PROGRAM]..."
)


@click.group(cls=CommandGroup)
def agent() -> None:
    """Hand the deciding sentence to a coding agent before it edits a file.

    \b
    Example:
      sdd agent install claude
      sdd agent uninstall
    """


@agent.command()
@_program_argument
@click.option("--prime", is_flag=True, help="Start sessions with what `sdd prime` prints.")
@click.option("--plugin", is_flag=True, help="Also install Claude Code's plug-in, for the user.")
@dry_run_option
@yes_option
@json_option
@click.pass_obj
def install(directory: Path | None, /, names: tuple[str, ...], **options: bool) -> int:
    """Install the hooks of coding agents in this repository.

    The programs are claude, codex, cursor, copilot and opencode; without one, those that the
    repository has files for. Existing settings stay as they are, byte for byte, and a section of
    CLAUDE.md or AGENTS.md tells the agent of the commands. On a terminal it shows every change and
    asks; elsewhere it goes ahead, as with --yes.

    \b
    Example:
      sdd agent install --dry-run
      sdd agent install claude codex --prime
      sdd agent install claude --plugin
    """
    project = open_project(directory)
    root = project.repository.root
    programs = _named(names) or detect_programs(root)
    if not programs:
        raise NoProgram(
            f"no files of a coding agent here: name the program, one of {', '.join(PROGRAMS)}"
        )
    edits = plan_install(root, programs, prime=options["prime"])
    plugin = _plugin(options, programs, install_plugin, root)
    code = _change(project.repository, edits, programs, options, plugin)
    if not options["dry_run"]:
        prepare_table(project)
    return code


@agent.command()
@_program_argument
@click.option("--plugin", is_flag=True, help="Also remove Claude Code's plug-in, of the user.")
@dry_run_option
@yes_option
@json_option
@click.pass_obj
def uninstall(directory: Path | None, /, names: tuple[str, ...], **options: bool) -> int:
    """Remove the hooks of coding agents, and nothing else.

    Without a program, all of them. A file that only sdd has written is deleted.

    \b
    Example:
      sdd agent uninstall claude
    """
    repository = discover(start_directory(directory), os.environ)
    programs = _named(names) or list(PROGRAMS.values())
    edits = plan_uninstall(repository.root, programs)
    plugin = _plugin(options, programs, uninstall_plugin, repository.root)
    return _change(repository, edits, programs, options, plugin)


@agent.command(context_settings={"ignore_unknown_options": True})
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="PROGRAM EVENT")
def hook(arguments: tuple[str, ...]) -> int:
    """Answer the hook of a coding agent; its settings call this.

    Reads the program's JSON object from stdin and prints one, or nothing. EVENT is before, after,
    prompt or session. A failure is silent; `.git/sdd/agents/hooks.log` has it.

    \b
    Example:
      sdd agent hook claude before <event.json
    """
    stdin = sys.stdin.buffer if sys.stdin else None
    return run_agent_hook(arguments, HookStreams(os.environ, stdin, sys.stdout, sys.stderr))


def _named(names: Sequence[str]) -> list[AgentProgram]:
    return [PROGRAMS[name] for name in dict.fromkeys(names)]


def _plugin(
    options: dict[str, bool],
    programs: Sequence[AgentProgram],
    change: Callable[[Path, Mapping[str, str]], str],
    root: Path,
) -> Callable[[], str] | None:
    """What changes the plug-in, if that is wanted. Returns a line about it."""
    if not options["plugin"]:
        return None
    if PROGRAMS["claude"] not in programs:
        raise click.UsageError("--plugin is for claude")
    return lambda: change(root, os.environ)


def _change(
    repository: Repository,
    edits: Sequence[FileEdit],
    programs: Sequence[AgentProgram],
    options: dict[str, bool],
    plugin: Callable[[], str] | None,
) -> int:
    """Make the edits, unless the user declines or only wants to see them."""
    dry_run, as_json = options["dry_run"], options["as_json"]
    asks = can_ask(options["yes"], as_json, dry_run)
    if (dry_run or asks) and not as_json:
        print_edits(edits)
    if plugin and (dry_run or asks) and not as_json:
        click.echo("run `claude plugin`, which changes the plug-ins of the user")
    declined = bool(edits or plugin) and asks and not confirm("Go ahead?", default=True)
    data = {
        "programs": [one.name for one in programs],
        "changes": changes_data(edits),
        "dry_run": dry_run,
    }
    if declined:
        return show(CommandOutput({**data, "changes": []}, ["nothing changed"]), as_json)
    if dry_run:
        return show(CommandOutput(data, [] if edits or plugin else [NOTHING]), as_json)
    apply_edits(repository.root, edits)
    remove_empty_directories(repository.root, edits)
    lines = done_lines(edits)
    if plugin:
        lines.append(plugin())
    lines = lines or [NOTHING]
    return show(CommandOutput(data, lines), as_json)
