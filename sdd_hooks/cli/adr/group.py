"""`sdd adr`: create a decision record, or one of its commands."""

# Governing: SPEC-0024 (authoring)

from __future__ import annotations

import click

from sdd_hooks.cli.shared.lazy import LazyCommand, LazyGroup, suggest

COMMANDS = {
    "new": LazyCommand("adr.new:new", "Create a decision record with the next free number."),
    "import": LazyCommand(
        "adr.import_records:import_records",
        "Take over records of adr-tools, log4brains, MADR and other tools.",
    ),
    "renumber": LazyCommand(
        "adr.renumber:renumber",
        "Give a decision record another number, and rewrite what refers to it.",
    ),
}


class AdrGroup(LazyGroup):
    """A group whose command `new` may be left out: `sdd adr "Use gRPC"`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments, with `new` before those that begin with no command."""
        known = {*self.list_commands(ctx), "-h", "--help", "--verbose"}
        if args and args[0] not in known and not ctx.resilient_parsing:
            self._refuse_misspelling(ctx, args[0])
            args = ["new", *args]
        return super().parse_args(ctx, args)

    def _refuse_misspelling(self, ctx: click.Context, name: str) -> None:
        from difflib import get_close_matches

        close = get_close_matches(name, self.list_commands(ctx), cutoff=0.75)
        if close:
            advice = f"{suggest(close)} For a title, write `sdd adr new {name}`"
            raise click.UsageError(f"No such command '{name}'{advice}", ctx)


@click.group(cls=AdrGroup, table=COMMANDS, subcommand_metavar="TITLE | COMMAND [ARGS]...")
def adr() -> None:
    """Create a decision record, in the form of those that are there.

    \b
    Example:
      sdd adr "Switch from REST to gRPC"
      sdd adr "Switch from REST to gRPC" --edge supersedes=ADR-0008
    """
