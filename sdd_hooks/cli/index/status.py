"""`sdd index status`."""

# Governing: SPEC-0005 REQ "Index", SPEC-0008 REQ "Status"

from __future__ import annotations

import time
from dataclasses import asdict
from pathlib import Path

import click

from sdd_hooks.cli.context import open_index, open_project
from sdd_hooks.cli.index.embed_status import embedding_data, embedding_facts
from sdd_hooks.cli.options import json_option
from sdd_hooks.cli.output import Report, show, table
from sdd_hooks.embedding.state import EmbedStatus, embed_status
from sdd_hooks.engines.protocol import IndexStatus
from sdd_hooks.engines.registry import not_indexed
from sdd_hooks.project.project import Project
from sdd_hooks.retrieval.search import pending_notes
from sdd_hooks.text.durations import format_duration

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
    now = time.time()
    age = None if found.touched is None else max(now - found.touched, 0.0)
    embedding = embed_status(project.repository, found.pending)
    return Report(
        _data(found, age, embedding),
        _lines(found, age, embedding, now),
        pending_notes(found.pending),
        project.warnings,
    )


def _data(found: IndexStatus, age: float | None, embedding: EmbedStatus) -> dict[str, object]:
    """The state of the index for programs. `age` is in seconds."""
    collections = [
        {**asdict(one), "bookmark": one.bookmark.head if one.bookmark else None}
        for one in found.collections
    ]
    return {
        **asdict(found),
        "collections": collections,
        "age": age,
        "embed": embedding_data(embedding),
    }


def _lines(found: IndexStatus, age: float | None, embedding: EmbedStatus, now: float) -> list[str]:
    """The state of the index for people."""
    facts = [
        ("engine", found.engine),
        ("location", f"{found.location} ({found.bytes / MEGABYTE:.1f} MB)"),
        ("model", found.model or "none"),
        ("refreshed", "never" if age is None else f"{format_duration(age)} ago"),
        *embedding_facts(embedding, now),
    ]
    heading = ("collection", "documents", "chunks", "pending")
    rows = [
        (one.name, one.documents, _number(one.chunks), _number(one.pending))
        for one in found.collections
    ]
    return [*table(facts), "", *table([heading, *rows])]


def _number(count: int | None) -> int | str:
    """A count; `-` for what the engine does not count by collection."""
    return "-" if count is None else count
