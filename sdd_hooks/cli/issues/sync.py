"""`sdd issues sync`, and the sync that is part of bringing the index up to date."""

# Governing: SPEC-0009 REQ "Commands", SPEC-0009 REQ "Issues when a tracker fails"

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import click

from sdd_hooks.cli.context import open_project
from sdd_hooks.cli.issues.sources import Screen, find_sources, screen
from sdd_hooks.cli.options import json_option, module_option
from sdd_hooks.cli.output import Report, show, table
from sdd_hooks.errors import EXIT_OK, SddError
from sdd_hooks.freshness.issues import bring_in
from sdd_hooks.project.collections import Collection
from sdd_hooks.project.project import Project
from sdd_hooks.trackers.protocol import Tracker
from sdd_hooks.trackers.source import NoTracker, TrackerSource
from sdd_hooks.trackers.sync import SyncResult
from sdd_hooks.trackers.sync import sync as bring

PATIENCE = 30.0
"""Seconds for which another sync of the same issues is waited for."""


@click.command()
@click.option("--full", is_flag=True, help="Fetch everything, and remove what is no longer there.")
@click.option("--tracker", "named", metavar="NAME", default="", help="This tracker, just once.")
@module_option
@json_option
@click.pass_obj
def sync(directory: Path | None, full: bool, named: str, module: str | None, as_json: bool) -> int:
    """Bring the issues of the tracker into files.

    What was updated since the last time, into `.sdd/issues/`, one file for each issue. Once a day,
    and with --full, issues that the tracker no longer has are removed. Of a workspace: those of
    every module that has a tracker of its own.

    \b
    Example:
      sdd issues sync
      sdd issues sync --full --tracker github
    """
    project = open_project(directory)
    sources = find_sources(project, module, named=named, asks=not as_json)
    rows, warnings, failures = [], sources.warnings, list(sources.failures)
    with screen(as_json) as shown:
        for source in sources.found:
            try:
                done, odd = _synced(project, source, shown, full=full)
            except SddError as error:
                if len(sources.found) == 1:
                    raise
                failures.append(error)
                warnings.append(f"{source.collection.name} is not synced: {error}")
            else:
                rows.append((source, done))
                warnings += odd
    report = Report(
        {"synced": [_data(source, done) for source, done in rows]},
        _lines(rows),
        shown.notes,
        [*warnings, *project.warnings],
        failures[0].exit_code if failures else EXIT_OK,
    )
    return show(report, as_json)


class Included(NamedTuple):
    """What a sync had to say that was part of something else."""

    notes: Sequence[str] = ()
    warnings: Sequence[str] = ()


def sync_included(project: Project, collections: Sequence[Collection], as_json: bool) -> Included:
    """Sync the issues that `collections` include, and leave the index to the caller.

    Silent where there is no tracker. Whatever fails is a warning.
    """
    warnings: list[str] = []
    with screen(as_json) as shown:
        for collection in collections:
            try:
                (source,) = find_sources(project, collection.module).found
                with _opened(source, shown) as tracker:
                    done = bring(
                        tracker,
                        source.folder,
                        wait=PATIENCE,
                        on_start=shown.begun(source),
                        on_progress=shown.progress,
                    )
            except NoTracker:
                continue
            except SddError as error:
                warnings.append(f"{collection.name} is not synced: {error}")
            else:
                warnings += done.warnings
    return Included(shown.notes, warnings)


def _synced(
    project: Project, source: TrackerSource, shown: Screen, *, full: bool
) -> tuple[SyncResult, tuple[str, ...]]:
    """Sync the issues of one part; the index follows."""
    with _opened(source, shown) as tracker:
        return bring_in(
            project,
            tracker,
            source.module,
            now=time.time(),
            full=full,
            wait=PATIENCE,
            begun=shown.begun(source),
            progress=shown.progress,
        )


@contextmanager
def _opened(source: TrackerSource, shown: Screen) -> Iterator[Tracker]:
    tracker = source.open(shown.tell)
    try:
        yield tracker
    finally:
        tracker.disconnect()


def _data(source: TrackerSource, done: SyncResult) -> dict[str, object]:
    """A sync for programs."""
    where = source.found.location
    return {
        "module": source.module,
        "tracker": source.found.name,
        "url": where.url,
        "owner": where.owner,
        "project": where.project,
        "directory": source.folder.relative,
        "ran": done.ran,
        "added": done.added,
        "updated": done.updated,
        "removed": done.removed,
        "unchanged": done.unchanged,
        "failed": done.failed,
    }


def _lines(rows: Sequence[tuple[TrackerSource, SyncResult]]) -> list[str]:
    """Syncs for people: a row for each."""
    heading = ("collection", "tracker", "added", "updated", "removed", "unchanged", "failed")
    counts = [
        (
            source.collection.name,
            source.label,
            done.added,
            done.updated,
            done.removed,
            done.unchanged,
            done.failed,
        )
        for source, done in rows
        if done.ran
    ]
    waited = [
        f"{source.collection.name}: another sync is at work"
        for source, done in rows
        if not done.ran
    ]
    return [*(table([heading, *counts]) if counts else ()), *waited]
