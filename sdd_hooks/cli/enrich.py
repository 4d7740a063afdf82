"""`sdd enrich`: complete the bodies of issues."""

# Governing: SPEC-0027 REQ "Branch and PR sections"

from __future__ import annotations

import time
from pathlib import Path

import click

from sdd_hooks.cli.shared.context import open_project
from sdd_hooks.cli.shared.issue_batches import BatchReport, find_batch_source, show_batch
from sdd_hooks.cli.shared.options import dry_run_option, json_option, module_option
from sdd_hooks.cli.shared.progress import SyncOutput
from sdd_hooks.usecases.sprint.enrich import EnrichRequest
from sdd_hooks.usecases.sprint.enrich import enrich as enrich_bodies


@click.command()
@click.argument("names", metavar="SPEC|ISSUE...", nargs=-1, required=True)
@dry_run_option
@module_option
@json_option
@click.pass_obj
def enrich(
    directory: Path | None,
    *,
    names: tuple[str, ...],
    dry_run: bool,
    module: str | None,
    as_json: bool,
) -> int:
    """Add the sections about branch and pull request to issues that lack them.

    A specification stands for its open issues. Everything else in a body stays as it is, byte for
    byte. A second run changes nothing; after a failure, the same command goes on.

    \b
    Example:
      sdd enrich SPEC-0003 --dry-run
      sdd enrich SPEC-0003
      sdd enrich 42 43
    """
    project = open_project(directory)
    source = find_batch_source(project, module, as_json=as_json)
    output = SyncOutput(as_json)
    with output.callbacks() as callbacks:
        request = EnrichRequest(names, dry_run)
        batch = enrich_bodies(project, source, request, time.time, callbacks)
    command = f"sdd enrich {' '.join(names)}"
    return show_batch(BatchReport(batch, command, dry_run, output.notes), as_json)
