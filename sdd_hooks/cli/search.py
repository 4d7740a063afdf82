"""`sdd search`: its options, and the search of an organisation.

`plain/search.py` runs it and prints the hits. The words are in `reporting/search/`: those of a list
and of a search that finds nothing in `listing.py`, those of a report in `markdown_report.py`.
"""

# Governing: SPEC-0005 REQ "Search", SPEC-0033 REQ "Search everywhere", ADR-0009 (score)

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sdd_hooks.cli.plain.search import OUTPUTS, SearchArguments, run_search
from sdd_hooks.cli.shared.context import open_project
from sdd_hooks.cli.shared.options import (
    everywhere_option,
    json_option,
    kind_option,
    limit_option,
    min_score_option,
    module_option,
    refuse_with_everywhere,
)
from sdd_hooks.cli.shared.output import CommandOutput, show
from sdd_hooks.cli.shared.progress import waiting_for_organisation
from sdd_hooks.project.collections import COLLECTION_KINDS
from sdd_hooks.retrieval.questions import DEFAULT_KINDS
from sdd_hooks.retrieval.search import HitLimits
from sdd_hooks.text.display import shortened

if TYPE_CHECKING:
    from sdd_hooks.usecases.reading.everywhere import EverywhereHit

_MAX_QUERY = 80
"""Columns of a query in a message."""

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
        refuse_with_everywhere(module=module, graph=graph, unfiltered=unfiltered, output=output)
        return _search_everywhere(directory, query, kinds, limits, as_json)
    given = SearchArguments(query, output, kinds, module, limits, graph, unfiltered, as_json)
    return run_search(directory, given)


def _search_everywhere(
    directory: Path | None, query: str, kinds: tuple[str, ...], limits: HitLimits, as_json: bool
) -> int:
    """Search all repositories of the organisation; no kinds mean ADRs, specs and code."""
    from sdd_hooks.reporting.everywhere import SCHEMA_VERSION, age_data, age_lines, hit_lines
    from sdd_hooks.usecases.reading.everywhere import search_everywhere

    for kind in kinds:
        if kind not in COLLECTION_KINDS:
            raise click.UsageError(f"no kind {kind!r}: it is one of {', '.join(COLLECTION_KINDS)}")
    project = open_project(directory)
    with waiting_for_organisation():
        found = search_everywhere(project, query, kinds or DEFAULT_KINDS, limits)
    data = {
        "schema_version": SCHEMA_VERSION,
        "query": query,
        "hits": [_hit_data(one) for one in found.hits],
        "repositories": age_data(found.repositories),
    }
    lines = []
    for one in found.hits:
        status = one.found.artifact.status.value if one.found else ""
        lines += hit_lines(one.label, status, one.hit.hit)
    lines += age_lines(found.repositories, time.time())
    nothing = (
        f'nothing found for "{shortened(query, _MAX_QUERY)}" in the repositories of the'
        " organisation"
    )
    return show(CommandOutput(data, lines or [nothing], found.notes, project.warnings), as_json)


def _hit_data(one: EverywhereHit) -> dict[str, object]:
    from sdd_hooks.reporting.everywhere import hit_data

    artifact = one.found.artifact if one.found else None
    return {
        "repository": one.repository,
        "label": one.label,
        "kind": one.kind,
        "id": str(artifact.id) if artifact and artifact.id else None,
        "status": (artifact.status.value or None) if artifact else None,
        **hit_data(one.hit.hit),
    }
