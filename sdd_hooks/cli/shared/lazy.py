"""A click group that imports a command when it is invoked."""

# Governing: SPEC-0005 REQ "Lazy commands"

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING

import click

from sdd_hooks import tracing
from sdd_hooks.named_tuple import NamedTuple

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


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


class CommandGroup(click.Group):
    """A group that prints its help when it gets no command, and suggests names for a wrong one."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments; without any, print the help and exit with 0."""
        if not args and self.no_args_is_help and not ctx.resilient_parsing:
            click.echo(ctx.get_help())
            ctx.exit()
        return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that the arguments name. Raises UsageError for an unknown name."""
        name = args[0]
        if ctx.resilient_parsing or name.startswith("-") or self.get_command(ctx, name):
            return super().resolve_command(ctx, args)
        raise click.UsageError(f"No such command '{name}'{self._suggestion(ctx, name)}", ctx)

    def _suggestion(self, ctx: click.Context, name: str) -> str:
        from difflib import get_close_matches

        names = self.list_commands(ctx)
        close = get_close_matches(name, names)
        for group_name in names:
            group = self.get_command(ctx, group_name)
            if isinstance(group, click.Group) and name in group.list_commands(ctx):
                close.append(f"{group_name} {name}")
        return suggest(close)


def suggest(names: Sequence[str]) -> str:
    """The end of a message about an unknown name; "" without a similar one."""
    quoted = " or ".join(f"'{name}'" for name in names)
    return f": did you mean {quoted}?" if quoted else ""


class LazyGroup(CommandGroup):
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

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """The names that begin with `incomplete`, from the table, and options."""
        from click.shell_completion import CompletionItem

        found = [
            CompletionItem(name, help=entry.summary)
            for name, entry in self.table.items()
            if name.startswith(incomplete)
        ]
        return found + click.Command.shell_complete(self, ctx, incomplete)
