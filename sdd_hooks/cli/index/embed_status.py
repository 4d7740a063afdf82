"""What `sdd index status` says of embedding: how far it is, or how the last one ended."""

# Governing: SPEC-0008 REQ "Status"

from __future__ import annotations

from dataclasses import asdict

from sdd_hooks.cli.output import format_count
from sdd_hooks.embedding.state import EmbedRun, EmbedStatus
from sdd_hooks.text.durations import format_duration


def embedding_data(embedding: EmbedStatus) -> dict[str, object]:
    """The state of embedding for programs. Times are in seconds since the epoch."""
    running, run = embedding.running, embedding.run
    return {
        "running": {**asdict(running), "done": embedding.done} if running else None,
        "run": {**asdict(run), "seconds": run.seconds} if run else None,
        "failed": embedding.failed,
        "untried": embedding.untried,
    }


def embedding_facts(embedding: EmbedStatus, now: float) -> list[tuple[str, str]]:
    """The state of embedding for people, as rows of a table; none where none was ever begun."""
    run = embedding.run
    facts = []
    if embedding.running is not None:
        facts.append(("embedding", _under_way(embedding, now)))
        return facts
    if run is not None:
        facts.append(("embedded", _ended(run, now)))
    pending = embedding.failed + embedding.untried
    if run is not None and pending:
        facts.append(
            (
                "pending",
                f"{format_count(pending, 'chunk')}: {embedding.failed:,} failed in the last run,"
                f" {embedding.untried:,} never tried",
            )
        )
    return facts


def _under_way(embedding: EmbedStatus, now: float) -> str:
    running, run = embedding.running, embedding.run
    assert running is not None
    parts = []
    if run is not None and embedding.done is not None:
        parts.append(f"{embedding.done:,} of {format_count(run.wanted, 'chunk')}")
    if run is not None:
        parts.append(f"for {format_duration(now - run.started)}")
    parts.append("in the background" if running.background else "in the foreground")
    if embedding.elsewhere:
        parts.append(f"for {running.root}")
    if running.pid:
        parts.append(f"pid {running.pid}")
    if run is not None and run.log:
        parts.append(f"log {run.log}")
    return ", ".join(parts)


def _ended(run: EmbedRun, now: float) -> str:
    if run.finished is None:
        begun = format_duration(now - run.started)
        return f"cut short, begun {begun} ago: `sdd index embed` goes on from there"
    chunks = format_count(run.embedded, "chunk")
    when = f"{format_duration(now - run.finished)} ago"
    if run.error:
        return f"{chunks}, then failed {when}: {run.error}"
    failed = f", {run.failed:,} failed" if run.failed else ""
    return f"{chunks} in {format_duration(run.seconds)}, {when}{failed}"
