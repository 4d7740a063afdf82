"""`sdd index`: sync, refresh and embed, or one of its commands."""

# Governing: SPEC-0005 REQ "Index"

from __future__ import annotations

import click

from sdd_hooks.cli.shared.context import open_project
from sdd_hooks.cli.shared.lazy import LazyCommand, LazyGroup
from sdd_hooks.cli.shared.options import json_option, kind_option, module_option
from sdd_hooks.cli.shared.output import show
from sdd_hooks.errors import EXIT_OK

COMMANDS = {
    "add": LazyCommand("index.update:add", "Index the declared collections that are missing."),
    "update": LazyCommand("index.update:update", "Bring the index up to date with the work tree."),
    "embed": LazyCommand("index.embed:embed", "Give a vector to every chunk without one."),
    "pull": LazyCommand("index.share:pull", "Take the vectors that other machines pushed."),
    "push": LazyCommand("index.share:push", "Give the vectors of the index to other machines."),
    "share": LazyCommand("index.share:share", "Repair what this machine has of shared vectors."),
    "status": LazyCommand(
        "index.status:status", "Show what is indexed, how fresh it is and where."
    ),
    "remove": LazyCommand("index.remove:remove", "Take collections out of the index."),
}


@click.group(
    cls=LazyGroup,
    table=COMMANDS,
    invoke_without_command=True,
    subcommand_metavar="[COMMAND] [ARGS]...",
)
@kind_option
@module_option
@json_option
@click.pass_context
def index(ctx: click.Context, kinds: tuple[str, ...], module: str | None, as_json: bool) -> int:
    """Index the repository, and keep the index up to date.

    Without a command: sync the issues of the tracker, add what is missing, update what changed,
    then embed where a model can run, on a CPU in the background. Without a model searches use words
    alone, and a note says so.

    \b
    Example:
      sdd index
      sdd index update --kind adrs --kind specs
    """
    if ctx.invoked_subcommand is not None:
        if kinds or module is not None or as_json:
            raise click.UsageError(f"put the options after `{ctx.invoked_subcommand}`", ctx)
        return EXIT_OK
    project = open_project(ctx.obj)
    from sdd_hooks.cli.index.update import full_update_output

    return show(full_update_output(project, project.select(kinds, module), as_json), as_json)
