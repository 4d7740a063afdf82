"""`sdd index status`."""

# Governing: SPEC-0005 REQ "Index", SPEC-0008 REQ "Status"

from __future__ import annotations

import time
from dataclasses import asdict
from pathlib import Path

import click

from sdd_hooks.cli.shared.context import open_project
from sdd_hooks.cli.shared.options import json_option
from sdd_hooks.cli.shared.output import CommandOutput, format_count, show, table
from sdd_hooks.embedding.rates import RateKey, estimate_seconds, remaining_seconds
from sdd_hooks.embedding.state import STOPPED, EmbedRun, EmbedStatus, embed_status
from sdd_hooks.engines.protocol import IndexStatus
from sdd_hooks.engines.registry import not_indexed
from sdd_hooks.freshness.hook_state import declared_later
from sdd_hooks.freshness.read_gate import open_index
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.project import Project
from sdd_hooks.retrieval.search import incomplete_notes, pending_notes
from sdd_hooks.text.columns import align
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
    return show(index_status_output(open_project(directory)), as_json)


def index_status_output(project: Project) -> CommandOutput:
    """The state of a project's index. Raises NotIndexed when there is none."""
    with open_index(project) as engine:
        index = engine.status()
    if not index.collections:
        raise not_indexed(project)
    now = time.time()
    age = None if index.touched is None else max(now - index.touched, 0.0)
    bookmarks = {one.name: one.bookmark for one in index.collections}
    later = [collection.name for collection in declared_later(project, bookmarks)]
    new = [f"{', '.join(later)}: declared, and indexed by `sdd index update`"] if later else []
    embed = embed_status(project.repository, index.pending)
    left = _seconds_left(project, index, embed, now)
    return CommandOutput(
        _index_data(index, age, embed, left),
        _index_lines(index, age, embed, _Times(now, left)),
        [
            *new,
            *incomplete_notes(bookmarks, bookmarks, index.touched),
            *pending_notes(index.pending),
        ],
        project.warnings,
    )


class _Times(NamedTuple):
    """The time now, and how many seconds the embed still takes; None if unknown."""

    now: float
    left: int | None


def _seconds_left(
    project: Project, index: IndexStatus, embed: EmbedStatus, now: float
) -> int | None:
    """How long the running embed still takes: at its rate, else at the last on this machine."""
    run, done = embed.run, embed.done
    if embed.running is None or run is None or done is None:
        return None
    if done:
        return remaining_seconds(done, run.wanted, now - run.started)
    return estimate_seconds(
        RateKey(index.engine, run.model, run.device), run.wanted, project.environ
    )


def _index_data(
    index: IndexStatus, age: float | None, embed: EmbedStatus, left: int | None
) -> dict[str, object]:
    """The state of the index for programs. `age` is in seconds."""
    collections = [
        {
            **collection._asdict(),
            "bookmark": collection.bookmark.head if collection.bookmark else None,
        }
        for collection in index.collections
    ]
    return {
        **index._asdict(),
        "collections": collections,
        "age": age,
        "embed": _embed_data(embed, left),
    }


def _index_lines(
    index: IndexStatus, age: float | None, embed: EmbedStatus, times: _Times
) -> list[str]:
    """The state of the index for people."""
    facts = [
        ("engine", index.engine),
        ("location", f"{index.location} ({index.bytes / MEGABYTE:.1f} MB)"),
        ("model", index.model or "none"),
        ("refreshed", "never" if age is None else f"{format_duration(age)} ago"),
        *_embed_facts(embed, times),
    ]
    heading = ("collection", "documents", "chunks", "pending")
    rows = [
        (
            collection.name,
            collection.documents,
            _count_cell(collection.chunks),
            _count_cell(collection.pending),
        )
        for collection in index.collections
    ]
    # A path that is cut or folded cannot be copied.
    return [*align(facts), "", *table([heading, *rows])]


def _count_cell(count: int | None) -> int | str:
    """A count; `-` where the engine does not count by collection."""
    return "-" if count is None else count


def _embed_data(embed: EmbedStatus, left: int | None) -> dict[str, object]:
    """The state of embedding for programs. Times are in seconds since the epoch."""
    running, run = embed.running, embed.run
    return {
        "running": {**running._asdict(), "done": embed.done, "left": left} if running else None,
        "run": {**asdict(run), "seconds": run.seconds} if run else None,
        "failed": embed.failed,
        "untried": embed.untried,
    }


def _embed_facts(embed: EmbedStatus, times: _Times) -> list[tuple[str, str]]:
    """The state of embedding for people, as rows of a table; no row before the first embed."""
    if embed.running is not None:
        return [("embedding", _running_embed(embed, times))]
    if embed.run is None:
        return []
    facts = [("embedded", _last_embed(embed.run, times.now))]
    pending = embed.failed + embed.untried
    if pending:
        text = (
            f"{format_count(pending, 'chunk')}: {embed.failed:,} failed in the last run,"
            f" {embed.untried:,} never tried"
        )
        facts.append(("pending", text))
    return facts


def _running_embed(embed: EmbedStatus, times: _Times) -> str:
    now, left = times
    running, run = embed.running, embed.run
    assert running is not None
    parts = []
    if run is not None and embed.done is not None:
        parts.append(f"{embed.done:,} of {format_count(run.wanted, 'chunk')}")
    if left is not None:
        parts.append(f"about {format_duration(left)} left")
    if run is not None:
        parts.append(f"for {format_duration(now - run.started)}")
    parts.append("in the background" if running.background else "in the foreground")
    if embed.elsewhere:
        parts.append(f"for {running.root}")
    if running.pid:
        parts.append(f"pid {running.pid}")
    if run is not None and run.log:
        parts.append(f"log {run.log}")
    return ", ".join(parts)


def _last_embed(run: EmbedRun, now: float) -> str:
    if run.finished is None:
        begun = format_duration(now - run.started)
        return f"cut short, begun {begun} ago: `sdd index embed` goes on from there"
    chunks = format_count(run.embedded, "chunk")
    when = f"{format_duration(now - run.finished)} ago"
    if run.error == STOPPED:
        return f"{chunks}, then stopped {when}: `sdd index embed` goes on from there"
    if run.error:
        return f"{chunks}, then failed {when}: {run.error}"
    failed = f", {run.failed:,} failed" if run.failed else ""
    return f"{chunks} in {format_duration(run.seconds)}, {when}{failed}"
