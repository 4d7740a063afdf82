"""`sdd show`: its options; `plain/show.py` runs it, `reporting/shown.py` has the words."""

# Governing: SPEC-0005 REQ "Show"

from __future__ import annotations

from pathlib import Path

import click

from sdd_hooks.cli.plain.show import ShowArguments, names_something, run_show
from sdd_hooks.cli.shared.options import json_option, module_option


@click.command()
@click.argument("target", metavar="ID|PATH[#ANCHOR]")
@module_option
@json_option
@click.pass_obj
def show(directory: Path | None, target: str, module: str | None, as_json: bool) -> int:
    """Show a record, a section or a definition as text, and what references it.

    For a record: its edges, the governing comments, issues, commits and records that name it, and
    what it governs. A section includes those below it. The id of a hit of `sdd search` is a target.
    A stale index (Staleness Threshold) is refreshed first.

    \b
    Example:
      sdd show ADR-0004
      sdd show docs/adrs/ADR-0004-events.md#decision-outcome
      sdd show src/parse.py#parse_user_id
    """
    if not names_something(target):
        raise click.UsageError("The name of what to show is empty")
    return run_show(directory, ShowArguments(target, module, as_json))
