"""`sdd issues sync`: its options; `plain/sync.py` runs it, and prints what changed."""

# Governing: SPEC-0009 REQ "Commands"

from __future__ import annotations

from pathlib import Path

import click

from sdd_hooks.cli.plain.sync import SyncArguments, run_sync
from sdd_hooks.cli.shared.options import json_option, module_option


@click.command()
@click.option("--full", is_flag=True, help="Fetch everything, and remove what is no longer there.")
@click.option("--tracker", "named", metavar="NAME", default="", help="This tracker, just once.")
@module_option
@json_option
@click.pass_obj
def sync(directory: Path | None, full: bool, named: str, module: str | None, as_json: bool) -> int:
    """Bring the issues of the tracker into files.

    Writes the issues that changed since the last sync to `.sdd/issues/`, one file for each issue.
    Once a day, and with --full, issues that the tracker no longer has are removed. In a workspace,
    the issues of every module with a separate tracker are synced too.

    \b
    Example:
      sdd issues sync
      sdd issues sync --full --tracker github
    """
    return run_sync(directory, SyncArguments(full, named, module, as_json))
