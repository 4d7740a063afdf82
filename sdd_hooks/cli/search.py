"""`sdd search`: print the best hits of a query, of each kind."""

# Governing: SPEC-0005 REQ "Search", SPEC-0007 REQ "Before reading", ADR-0009 (score)

from __future__ import annotations

from pathlib import Path

import click

from sdd_hooks.cli.options import (
    everywhere_option,
    json_option,
    kind_option,
    limit_option,
    min_score_option,
    module_option,
)
from sdd_hooks.cli.run_search import OUTPUTS, SearchArguments, run_search
from sdd_hooks.retrieval.search import HitLimits

USAGE = """\
Usage: sdd search <query> [--output markdown|json] [--unfiltered] [--module <name>]

Examples:
sdd search "JWT authentication"
sdd search "payment processing" --output json
sdd search "token validation" --unfiltered
sdd search "auth middleware" --module api

Searches ADRs, specs, and code with qmd hybrid retrieval, then generates
call graphs with cgg for the most relevant code matches.
"""
"""The usage text of the search skill."""


class SearchCommand(click.Command):
    """A command whose help begins with the usage text, which it also prints without arguments."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments; without any, print the help and exit with 0."""
        if not args and not ctx.resilient_parsing:
            click.echo(ctx.get_help())
            ctx.exit()
        return super().parse_args(ctx, args)

    def format_usage(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the usage text."""
        formatter.write(USAGE)


@click.command(cls=SearchCommand)
@click.argument("words", metavar="QUERY", nargs=-1)
@click.option(
    "--output",
    "output",
    type=click.Choice(OUTPUTS),
    help="Print a report in Markdown, the default without a terminal, or the report's JSON object.",
)
@kind_option
@module_option
@limit_option
@min_score_option
@click.option("--graph", is_flag=True, help="Add a call graph on a terminal or to --json.")
@click.option("--unfiltered", is_flag=True, help="Draw the call graph of all code.")
@everywhere_option
@json_option
@click.pass_obj
def search(  # noqa: PLR0913 (an argument for each option)
    directory: Path | None,
    *,
    words: tuple[str, ...],
    output: str | None,
    kinds: tuple[str, ...],
    module: str | None,
    limit: int,
    min_score: float,
    graph: bool,
    unfiltered: bool,
    everywhere: bool,
    as_json: bool,
) -> int:
    """Find the ADRs, specs and code that answer a query.

    Searches each kind by words, and by meaning once `sdd index embed` has run. A score is between 0
    and 1. A query may be an id, the name of a file, or that of a definition. A stale index
    (Staleness Threshold) is refreshed first.

    \b
    Example:
      sdd search "which database do we use"
      sdd search --kind code parse user id
      sdd search ADR-0008
    """
    query = " ".join(words)
    if not query.strip():
        raise click.UsageError("The query is empty")
    limits = HitLimits(limit, min_score)
    if everywhere:
        from sdd_hooks.cli.run_everywhere import EverywhereSearch, refuse, run_search_everywhere

        refuse(module=module, graph=graph, unfiltered=unfiltered, output=output)
        return run_search_everywhere(directory, EverywhereSearch(query, kinds, limits, as_json))
    given = SearchArguments(query, output, kinds, module, limits, graph, unfiltered, as_json)
    return run_search(directory, given)
