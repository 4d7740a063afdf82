"""A click group that imports a command when it is invoked."""

# Governing: SPEC-0005 REQ "Lazy commands"

from __future__ import annotations

import sys
from importlib import import_module
from typing import NamedTuple

import click

from sdd_hooks import tracing


class LazyCommand(NamedTuple):
    """A command: `module:attribute` in this package, and a summary for the help."""

    target: str
    summary: str


def accept_verbose(command: click.Command) -> click.Command:
    """Add `--verbose` to a command, and to its subcommands unless the group is lazy. Returns it."""
    if not any(tracing.OPTION in param.opts for param in command.params):
        command.params.append(_verbose_option())
        for subcommand in command.commands.values() if isinstance(command, click.Group) else ():
            accept_verbose(subcommand)
    return command


def _verbose_option() -> click.Option:
    def enable(_context: click.Context, _option: click.Parameter, value: bool) -> None:
        if value:
            tracing.enable(sys.stderr)

    return click.Option(
        [tracing.OPTION],
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=enable,
        help="Log git calls, requests, locks and collections to stderr.",
    )


class LazyGroup(click.Group):
    """A group defined by a table. Its help and the completion of names import no command."""

    def __init__(self, *args: object, table: dict[str, LazyCommand], **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        self.table = table

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """The names, in the order of the table."""
        return list(self.table)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """The command, imported now; None for a name that is not in the table."""
        if cmd_name not in self.table:
            return None
        module, _, attribute = self.table[cmd_name].target.partition(":")
        command: click.Command = getattr(import_module(f"sdd_hooks.cli.{module}"), attribute)
        return accept_verbose(command)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """The list of commands, from the table."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.summary) for name, entry in self.table.items()])
