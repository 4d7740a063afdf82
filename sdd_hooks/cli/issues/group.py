"""`sdd issues`: the issues of the tracker, as files."""

# Governing: SPEC-0009 REQ "Commands"

from __future__ import annotations

import click

from sdd_hooks.cli.shared.lazy import LazyCommand, LazyGroup

COMMANDS = {
    "sync": LazyCommand("issues.sync:sync", "Bring the issues of the tracker into files."),
    "list": LazyCommand(
        "issues.list:list_issues", "List issues by status, label and specification."
    ),
    "show": LazyCommand("issues.show:show_issue", "Show one issue."),
}


@click.group(cls=LazyGroup, table=COMMANDS, subcommand_metavar="COMMAND [ARGS]...")
def issues() -> None:
    """Sync, list and show the issues of the tracker.

    They are kept as files in `.sdd/issues/`, where searches find them. Which tracker it is follows
    from `#### Tracker` in the memory file, else from the remote `origin`, else from what is in the
    repository.

    \b
    Example:
      sdd issues sync
      sdd issues list --status open --label story
    """
