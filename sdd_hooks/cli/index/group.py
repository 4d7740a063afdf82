"""`sdd index`: alone it does what is needed; its commands do one thing each."""

# Governing: SPEC-0005 REQ "Index"

from __future__ import annotations

from collections.abc import Sequence

import click

from sdd_hooks.cli.context import open_project
from sdd_hooks.cli.lazy import Entry, LazyGroup
from sdd_hooks.cli.options import json_option, kind_option, module_option
from sdd_hooks.cli.output import Report, show
from sdd_hooks.errors import EXIT_OK
from sdd_hooks.project.collections import Collection
from sdd_hooks.project.project import Project

COMMANDS = {
    "add": Entry("index.update:add", "Index the declared collections that are missing."),
    "update": Entry("index.update:update", "Bring the index up to date with the work tree."),
    "embed": Entry("index.embed:embed", "Give a vector to every chunk without one."),
    "pull": Entry("index.pull:pull", "Take the vectors that other machines pushed."),
    "push": Entry("index.push:push", "Give the vectors of the index to other machines."),
    "status": Entry("index.status:status", "Show what is indexed, how fresh it is and where."),
    "serve": Entry("index.serve:serve", "Keep the daemon of the engine running."),
    "remove": Entry("index.remove:remove", "Take collections out of the index."),
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
    then embed where a model can run, on a CPU in the background. Without a model the index answers
    by words, and says so.

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
    return show(bring_up_to_date(project, project.select(kinds, module), as_json), as_json)


def bring_up_to_date(project: Project, collections: Sequence[Collection], as_json: bool) -> Report:
    """Sync issues, add, update and embed, as far as each is needed and possible."""
    from sdd_hooks.cli.index.embed import embed_data, embed_if_possible, embed_lines
    from sdd_hooks.cli.index.update import refresh_data, refresh_lines, refreshed, synced_issues

    issues = synced_issues(project, collections, as_json)
    update = refreshed(project, collections)
    embed, notes = embed_if_possible(project, collections)
    return Report(
        {**refresh_data(update), "embed": embed_data(embed) if embed else None},
        [*refresh_lines(update), *(embed_lines(embed) if embed else ())],
        [*issues.notes, *update.notes, *notes],
        [*issues.warnings, *project.warnings],
    )
