"""`sdd issues sync`."""

# Governing: SPEC-0009 REQ "Commands", SPEC-0009 REQ "Issues when a tracker fails"

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

import click

from sdd_hooks.cli.context import open_project
from sdd_hooks.cli.issues.common import find_sources
from sdd_hooks.cli.options import json_option, module_option
from sdd_hooks.cli.output import CommandOutput, show, table
from sdd_hooks.cli.progress import SyncOutput
from sdd_hooks.errors import EXIT_OK
from sdd_hooks.trackers.source import TrackerSource
from sdd_hooks.trackers.sync import SyncResult
from sdd_hooks.usecases.upkeep.sync import SyncOptions, sync_sources


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
    project = open_project(directory)
    sources = find_sources(project, module, named=named, asks=not as_json)
    output = SyncOutput(as_json)
    with output.callbacks() as callbacks:
        syncs = sync_sources(project, sources.found, time.time, callbacks, SyncOptions(full))
    if len(syncs) == 1 and syncs[0].error:
        raise syncs[0].error
    rows, warnings, failures = [], sources.warnings, list(sources.failures)
    for done in syncs:
        if done.error:
            failures.append(done.error)
            warnings.append(f"{done.source.collection.name} is not synced: {done.error}")
        elif done.result:
            rows.append((done.source, done.result))
            warnings += done.warnings
    return show(
        CommandOutput(
            {"synced": [_sync_data(source, result) for source, result in rows]},
            _sync_lines(rows),
            output.notes,
            [*warnings, *project.warnings],
            failures[0].exit_code if failures else EXIT_OK,
        ),
        as_json,
    )


def _sync_data(source: TrackerSource, result: SyncResult) -> dict[str, object]:
    """A sync for programs."""
    location = source.tracker.location
    return {
        "module": source.module,
        "tracker": source.tracker.name,
        "url": location.url,
        "owner": location.owner,
        "project": location.project,
        "directory": source.folder.relative,
        "ran": result.ran,
        "added": result.added,
        "updated": result.updated,
        "removed": result.removed,
        "unchanged": result.unchanged,
        "failed": result.failed,
    }


def _sync_lines(rows: Sequence[tuple[TrackerSource, SyncResult]]) -> list[str]:
    """Syncs for people: a row for each."""
    heading = ("collection", "tracker", "added", "updated", "removed", "unchanged", "failed")
    counts = [
        (
            source.collection.name,
            source.label,
            result.added,
            result.updated,
            result.removed,
            result.unchanged,
            result.failed,
        )
        for source, result in rows
        if result.ran
    ]
    skipped = [
        f"{source.collection.name}: another sync is running: try again when it has finished"
        for source, result in rows
        if not result.ran
    ]
    return [*(table([heading, *counts]) if counts else ()), *skipped]
