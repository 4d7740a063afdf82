"""`sdd search`: print the best hits of a query."""

# Governing: SPEC-0005 REQ "Search", SPEC-0007 REQ "Before reading", ADR-0009 (score)

from __future__ import annotations

import os
import sys
import time
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
from sdd_hooks.cli.output import CommandOutput, Terminal, detect_terminal, printable_line, show
from sdd_hooks.engines.protocol import Hit
from sdd_hooks.freshness.read_gate import open_fresh_index
from sdd_hooks.retrieval.search import HitLimits
from sdd_hooks.retrieval.search import search as find

INDENT = " " * 6
SNIPPET_LINES = 3
NOTHING = "No relevant ADRs, specs, or code found for '{query}'. Try a broader search term."


@click.command()
@click.argument("words", metavar="QUERY", nargs=-1, required=True)
@kind_option
@module_option
@limit_option
@min_score_option
@json_option
@click.pass_obj
def search(  # noqa: PLR0913 (an argument for each option)
    directory: Path | None,
    *,
    words: tuple[str, ...],
    kinds: tuple[str, ...],
    module: str | None,
    limit: int,
    min_score: float,
    as_json: bool,
) -> int:
    """Find the sections and definitions that answer a query.

    Searches by words, and by meaning once `sdd index embed` has run. A score is between 0 and 1.
    A stale index (Staleness Threshold) is refreshed first.

    \b
    Example:
      sdd search "which database do we use"
      sdd search --kind code parse user id
    """
    query = " ".join(words)
    project = open_project(directory)
    with open_fresh_index(project, time.time()) as (engine, freshness):
        collections = project.select(kinds, module)
        result = find(project, engine, query, collections, HitLimits(limit, min_score))
    data = {
        "query": query,
        "hits": [hit._asdict() for hit in result.hits],
        "pending": result.pending,
    }
    screen = detect_terminal(sys.stdout, os.environ)
    lines = [line for hit in result.hits for line in _hit_lines(hit, screen)]
    if not lines:
        lines = [NOTHING.format(query=printable_line(query))]
    notes = (*freshness.notes, *result.notes)
    warnings = (*freshness.warnings, *project.warnings)
    return show(CommandOutput(data, lines, notes, warnings), as_json)


def _hit_lines(hit: Hit, screen: Terminal) -> list[str]:
    location = f"{hit.path}:{hit.first_line}-{hit.last_line}"
    anchor = hit.id.rpartition("#")[2]
    title = " › ".join(dict.fromkeys(part for part in (hit.title, hit.section) if part))
    return [
        f"{hit.score:.2f}  {screen.strong(printable_line(title or hit.path))}",
        f"{INDENT}{printable_line(location)} {screen.faint(printable_line(f'#{anchor}'))}",
        *(f"{INDENT}{line}" for line in _wrapped(printable_line(hit.snippet), screen.width)),
        "",
    ]


def _wrapped(text: str, width: int) -> list[str]:
    """The text in lines that fit into the width; one line where the width is 0 (unknown)."""
    if not text or not width:
        return [text] if text else []
    from textwrap import wrap

    room = max(width - len(INDENT), 20)
    return wrap(text, room, max_lines=SNIPPET_LINES, placeholder=" …")
