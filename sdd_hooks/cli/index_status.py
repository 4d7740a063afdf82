"""`sdd index status`."""

# Governing: SPEC-0005 REQ "Index"

from __future__ import annotations

import time
from dataclasses import asdict
from pathlib import Path

import click

from sdd_hooks.cli.context import open_index, open_project
from sdd_hooks.cli.options import json_option
from sdd_hooks.cli.output import Report, show, table
from sdd_hooks.engines.protocol import Status
from sdd_hooks.project.durations import human_duration
from sdd_hooks.project.project import Project
from sdd_hooks.retrieval.search import not_indexed, pending_notes

MEGABYTE = 1_000_000


@click.command()
@json_option
@click.pass_obj
def status(directory: Path | None, as_json: bool) -> int:
    """Show what is indexed, how fresh it is and where.

    \b
    Example:
      sdd index status
    """
    return show(report_status(open_project(directory)), as_json)


def report_status(project: Project) -> Report:
    """The state of a project's index. Raises NotIndexed when there is none."""
    with open_index(project) as engine:
        found = engine.status()
    if not found.collections:
        raise not_indexed(project)
    age = None if found.touched is None else max(time.time() - found.touched, 0.0)
    return Report(
        _data(found, age), _lines(found, age), pending_notes(found.pending), project.warnings
    )


def _data(found: Status, age: float | None) -> dict[str, object]:
    """The state of the index for programs. `age` is in seconds."""
    collections = [
        {**asdict(one), "bookmark": one.bookmark.head if one.bookmark else None}
        for one in found.collections
    ]
    return {**asdict(found), "collections": collections, "pending": found.pending, "age": age}


def _lines(found: Status, age: float | None) -> list[str]:
    """The state of the index for people."""
    facts = [
        ("engine", found.engine),
        ("location", f"{found.location} ({found.bytes / MEGABYTE:.1f} MB)"),
        ("model", found.model or "none"),
        ("refreshed", "never" if age is None else f"{human_duration(age)} ago"),
    ]
    heading = ("collection", "documents", "chunks", "pending")
    rows = [(one.name, one.documents, one.chunks, one.pending) for one in found.collections]
    return [*table(facts), "", *table([heading, *rows])]
