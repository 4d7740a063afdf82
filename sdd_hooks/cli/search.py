"""`sdd search`: print the best hits of a query, of each kind."""

# Governing: SPEC-0005 REQ "Search", SPEC-0007 REQ "Before reading", ADR-0009 (score)

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import click

from sdd_hooks.cli.context import open_project
from sdd_hooks.cli.options import (
    json_option,
    kind_option,
    limit_option,
    min_score_option,
    module_option,
)
from sdd_hooks.cli.output import CommandOutput, detect_terminal, show
from sdd_hooks.reporting.search.wording import nothing_found
from sdd_hooks.retrieval.search import HitLimits
from sdd_hooks.usecases.search import GraphRequest, SearchOutcome, SearchRequest
from sdd_hooks.usecases.search import search as run_search

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
    type=click.Choice(["markdown", "json"]),
    help="Print a report in Markdown, the default without a terminal, or the report's JSON object.",
)
@kind_option
@module_option
@limit_option
@min_score_option
@click.option("--graph", is_flag=True, help="Add a call graph on a terminal or to --json.")
@click.option("--unfiltered", is_flag=True, help="Draw the call graph of all code.")
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
    if output == "json":
        from sdd_hooks.reporting.search.json_report import require_places

        require_places(kinds)
    as_list = output is None and sys.stdout.isatty()
    now = time.time()
    drawing = None
    if graph or not (as_json or as_list):
        drawing = GraphRequest(time.strftime("%Y-%m-%d", time.localtime(now)), unfiltered)
    warning = _warn_unfiltered(drawing, as_json)
    request = SearchRequest(query, kinds, module, HitLimits(limit, min_score), drawing)
    found = run_search(open_project(directory), request, now)
    lines: Sequence[str] = ()
    data: dict[str, object] = {}
    if as_json:
        data = _versioned(found)
    else:
        lines = _list(found) if as_list else _report(found, output)
    notes = found.notes
    if output == "json" and found.report.is_empty and not as_json:
        notes = (nothing_found(found.report), *notes)
    return show(CommandOutput(data, lines, notes, (*warning, *found.warnings)), as_json)


def _warn_unfiltered(drawing: GraphRequest | None, as_json: bool) -> tuple[str, ...]:
    """Print the warning before the graph is generated. Returns it where it belongs into JSON."""
    if drawing is None or not drawing.unfiltered:
        return ()
    from sdd_hooks.callgraph.generate import UNFILTERED

    if as_json:
        return (UNFILTERED,)
    click.echo(f"warning: {UNFILTERED}", err=True)
    return ()


def _versioned(found: SearchOutcome) -> dict[str, object]:
    from sdd_hooks.reporting.search.json_report import versioned_data

    data = versioned_data(found.report)
    if found.drawn is None:
        return data
    from sdd_hooks.reporting.search.call_graph_sections import call_graph_data

    return {**data, "call_graphs": [call_graph_data(found.drawn.graph)]}


def _list(found: SearchOutcome) -> Sequence[str]:
    from sdd_hooks.reporting.search.listing import list_hits

    lines = list_hits(found.report, detect_terminal(sys.stdout, os.environ))
    if found.drawn is None:
        return lines
    from sdd_hooks.reporting.search.call_graph_sections import list_graph

    return [*lines, *list_graph(found.drawn)]


def _report(found: SearchOutcome, output: str | None) -> Sequence[str]:
    from sdd_hooks.reporting.search.call_graph_sections import (
        call_graph_data,
        call_graph_sections,
    )

    if output == "json":
        import json

        from sdd_hooks.reporting.search.json_report import skill_data

        graphs = [call_graph_data(found.drawn.graph)] if found.drawn else []
        return [json.dumps(skill_data(found.report, graphs), indent=2)]
    from sdd_hooks.reporting.search.markdown_report import render_markdown

    further = call_graph_sections(found.report, found.drawn) if found.drawn else ()
    return render_markdown(found.report, further)
