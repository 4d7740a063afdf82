"""`sdd index add` and `sdd index update`."""

# Governing: SPEC-0005 REQ "Index", SPEC-0008 REQ "Backfill"

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sdd_hooks.cli.context import open_index, open_project
from sdd_hooks.cli.options import json_option, kind_option, module_option
from sdd_hooks.cli.output import Report, show, table
from sdd_hooks.cli.progress import progress_line
from sdd_hooks.embedding.backfill import start_backfill
from sdd_hooks.errors import NotIndexed, SddError
from sdd_hooks.freshness.refresh import RefreshResult, refresh
from sdd_hooks.project.collections import Collection
from sdd_hooks.project.project import Project

if TYPE_CHECKING:
    from sdd_hooks.cli.issues.sync import Included


@click.command()
@kind_option
@module_option
@json_option
@click.pass_obj
def add(directory: Path | None, kinds: tuple[str, ...], module: str | None, as_json: bool) -> int:
    """Index the declared collections that are missing.

    \b
    Example:
      sdd index add --kind code
    """
    project = open_project(directory)
    indexed: set[str] = set()
    try:
        with open_index(project) as engine:
            indexed.update(engine.bookmarks())
    except NotIndexed:
        pass
    missing = [c for c in project.select(kinds, module) if c.name not in indexed]
    return _show(project, refreshed(project, missing), as_json)


@click.command()
@kind_option
@module_option
@json_option
@click.pass_obj
def update(
    directory: Path | None, kinds: tuple[str, ...], module: str | None, as_json: bool
) -> int:
    """Bring the index up to date with the work tree.

    Alone: the collections it has. With --kind or --module: those, created when missing. Issues are
    synced with their tracker first.

    \b
    Example:
      sdd index update
      sdd index update --kind adrs --kind specs
    """
    project = open_project(directory)
    scoped = bool(kinds) or module is not None
    chosen = project.select(kinds, module) if scoped else None
    issues = synced_issues(project, chosen, as_json)
    return _show(project, refreshed(project, chosen), as_json, *issues)


def synced_issues(
    project: Project, collections: Sequence[Collection] | None, as_json: bool
) -> Included:
    """Sync the issues that `collections` include; None means those that are indexed."""
    from sdd_hooks.cli.issues.sync import sync_included

    issues = project.select(("issues",))
    if collections is not None:
        issues = tuple(one for one in issues if one in collections)
    else:
        indexed: set[str] = set()
        # What is wrong with an index is for the refresh to mend, or to say.
        with suppress(SddError), open_index(project) as engine:
            indexed.update(engine.bookmarks())
        issues = tuple(one for one in issues if one.name in indexed)
    return sync_included(project, issues, as_json)


def refreshed(project: Project, collections: Sequence[Collection] | None) -> RefreshResult:
    """RefreshResult with a progress line on a terminal."""
    with progress_line(sys.stderr) as progress:
        return refresh(project, collections=collections, progress=progress)


def refresh_data(update: RefreshResult) -> dict[str, object]:
    """A refresh for programs."""
    counts = {name: asdict(one) for name, one in update.counts.items()}
    return {"collections": counts, "total": asdict(update.total)}


def refresh_lines(update: RefreshResult) -> list[str]:
    """A refresh for people: a row for each collection with documents."""
    rows = [
        (name, one.added, one.updated, one.removed, one.unchanged)
        for name, one in update.counts.items()
        if one.changed or one.unchanged
    ]
    if not rows:
        return ["nothing to index"]
    return table([("collection", "added", "updated", "removed", "unchanged"), *rows])


def _show(
    project: Project,
    update: RefreshResult,
    as_json: bool,
    notes: Sequence[str] = (),
    warnings: Sequence[str] = (),
) -> int:
    if update.total.changed:
        start_backfill(project, update.total)
    report = Report(
        refresh_data(update),
        refresh_lines(update),
        [*notes, *update.notes],
        [*warnings, *project.warnings],
    )
    return show(report, as_json)
