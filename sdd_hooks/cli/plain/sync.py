"""Run `sdd issues sync` with parsed arguments: sync the trackers, and print what changed.

197 ms without click, 222 with it.
"""

# Governing: SPEC-0009 REQ "Commands", SPEC-0009 REQ "Issues when a tracker fails"

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

from sdd_hooks.cli.plain.arguments import parse_plain
from sdd_hooks.cli.shared.context import open_project
from sdd_hooks.cli.shared.issues import find_sources
from sdd_hooks.cli.shared.output import CommandOutput, show, table
from sdd_hooks.cli.shared.progress import SyncOutput
from sdd_hooks.errors import EXIT_OK
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.trackers.source import TrackerSource
from sdd_hooks.trackers.sync import SyncResult
from sdd_hooks.usecases.upkeep.sync import SyncOptions, sync_sources


class SyncArguments(NamedTuple):
    """The arguments of `sdd issues sync`. `tracker` is "" if none is named."""

    full: bool = False
    tracker: str = ""
    module: str | None = None
    as_json: bool = False


def parse_sync(arguments: Sequence[str]) -> SyncArguments | None:
    """Parse the usual spellings of the arguments; None if click has to decide."""
    plain = parse_plain(arguments, ("--full", "--json"), ("--tracker", "--module"))
    if plain is None or plain.words:
        return None
    return SyncArguments(
        "--full" in plain.flags,
        plain.last("--tracker", ""),
        plain.last("--module", None),
        "--json" in plain.flags,
    )


def run_sync(directory: Path | None, given: SyncArguments) -> int:
    """Sync the issues of the project of `directory` (None: the current one).

    Returns the exit code.
    """
    project = open_project(directory)
    sources = find_sources(project, given.module, named=given.tracker, asks=not given.as_json)
    output = SyncOutput(given.as_json)
    with output.callbacks() as callbacks:
        syncs = sync_sources(project, sources.found, time.time, callbacks, SyncOptions(given.full))
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
        given.as_json,
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
