"""`sdd index add` and `sdd index update`, and what `sdd index` does alone."""

# Governing: SPEC-0005 REQ "Index", SPEC-0008 REQ "Backfill"

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import click

from sdd_hooks.cli.shared.context import open_project
from sdd_hooks.cli.shared.options import json_option, kind_option, module_option
from sdd_hooks.cli.shared.output import CommandOutput, format_count, show, table
from sdd_hooks.cli.shared.progress import SyncOutput, show_step
from sdd_hooks.errors import SddError
from sdd_hooks.freshness.read_gate import open_index
from sdd_hooks.freshness.refresh import RefreshResult
from sdd_hooks.project.collections import RECORD_KINDS, Collection
from sdd_hooks.project.project import Project
from sdd_hooks.retrieval.search import pending_notes
from sdd_hooks.setup.records import FIRST_RECORD, NOTHING_FOUND
from sdd_hooks.usecases.upkeep.update import (
    UpdateScope,
    add_collections,
    embed_again,
    sync_refresh_and_embed,
    update_index,
)

NOTHING = "nothing to index"


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
    refresh = add_collections(project, project.select(kinds, module), show_step)
    return show(_refresh_output(project, refresh), as_json)


@click.command()
@kind_option
@module_option
@click.option("--full", is_flag=True, help="Check the index, and compare every document.")
@json_option
@click.pass_obj
def update(
    directory: Path | None,
    kinds: tuple[str, ...],
    module: str | None,
    full: bool,
    as_json: bool,
) -> int:
    """Bring the index up to date with the work tree.

    Alone: the collections it has. With --kind or --module: those, created when missing. Issues are
    synced with their tracker first. By itself it reads what git reports as changed; with --full it
    checks the whole index, and reads every file.

    \b
    Example:
      sdd index update
      sdd index update --kind adrs --kind specs
    """
    project = open_project(directory)
    scoped = bool(kinds) or module is not None
    collections = project.select(kinds, module) if scoped else None
    sync = SyncOutput(as_json)
    scope = UpdateScope(collections, full)
    done = update_index(project, scope, time.time, sync.callbacks, show_step)
    return show(_refresh_output(project, done.refresh, sync.notes, done.warnings), as_json)


def full_update_output(
    project: Project, collections: Sequence[Collection], as_json: bool
) -> CommandOutput:
    """Sync issues, refresh and embed, and return the output of that."""
    # Only this command embeds, and the others do not wait for the import.
    from sdd_hooks.cli.index.allow_model import asks_to_allow
    from sdd_hooks.cli.index.embed import embed_data, embed_lines, embed_notes

    sync = SyncOutput(as_json)
    done = sync_refresh_and_embed(project, collections, time.time, sync.callbacks, show_step)
    if done.embed_error and asks_to_allow(done.embed_error, project):
        done = embed_again(project, collections, done, show_step)
    if done.embed is None:
        notes = [f"not embedded: {done.embed_error}", *pending_notes(done.pending)]
    else:
        notes = embed_notes(done.embed)
    counts = done.refresh.counts
    records = [counts.get(one.name) for one in project.collections if one.kind in RECORD_KINDS]
    if not any(one and one.changed + one.unchanged for one in records):
        notes.append(f"{NOTHING_FOUND}: {FIRST_RECORD}")
    return CommandOutput(
        {
            **refresh_data(done.refresh),
            "embed": embed_data(done.embed) if done.embed else None,
        },
        [*refresh_lines(project, done.refresh), *(embed_lines(done.embed) if done.embed else ())],
        [*sync.notes, *done.refresh.notes, *notes],
        [*done.warnings, *project.warnings],
    )


def refresh_data(refresh: RefreshResult) -> dict[str, object]:
    """A refresh for programs."""
    counts = {name: count._asdict() for name, count in refresh.counts.items()}
    return {"collections": counts, "total": refresh.total._asdict()}


def refresh_lines(project: Project, refresh: RefreshResult) -> list[str]:
    """A refresh for people: a row for each collection with compared documents."""
    rows = [
        (name, count.added, count.updated, count.removed, count.unchanged)
        for name, count in refresh.counts.items()
        if count.changed or count.unchanged
    ]
    if not rows:
        documents = 0
        with suppress(SddError), open_index(project) as engine:
            documents = sum(one.documents for one in engine.status().collections)
        return [f"up to date: {format_count(documents, 'document')}" if documents else NOTHING]
    return table([("collection", "added", "updated", "removed", "unchanged"), *rows])


def _refresh_output(
    project: Project,
    refresh: RefreshResult,
    notes: Sequence[str] = (),
    warnings: Sequence[str] = (),
) -> CommandOutput:
    return CommandOutput(
        refresh_data(refresh),
        refresh_lines(project, refresh),
        [*notes, *refresh.notes],
        [*warnings, *project.warnings],
    )
