"""`sdd show`: a record, a section or a definition as text, with its references."""

# Governing: SPEC-0005 REQ "Show"

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import click

from sdd_hooks.cli.context import open_project, start_directory
from sdd_hooks.cli.options import json_option, module_option
from sdd_hooks.cli.output import CommandOutput, detect_terminal
from sdd_hooks.cli.output import show as print_output
from sdd_hooks.usecases.reading.show import ShowRequest
from sdd_hooks.usecases.reading.show import show as find_part


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
    if not target.strip("# "):
        raise click.UsageError("The name of what to show is empty")
    request = ShowRequest(target, module, start_directory(directory))
    shown = find_part(open_project(directory), request, time.time())
    if as_json:
        from sdd_hooks.reporting.shown import shown_data

        output = CommandOutput(shown_data(shown), (), shown.notes, shown.warnings)
    else:
        from sdd_hooks.reporting.shown import shown_lines

        screen = detect_terminal(sys.stdout, os.environ)
        output = CommandOutput({}, shown_lines(shown, screen), shown.notes, shown.warnings)
    return print_output(output, as_json)
