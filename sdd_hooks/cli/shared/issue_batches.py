"""What `sdd enrich` and `sdd organize` share: the tracker, and the report of a batch."""

# Governing: SPEC-0027 REQ "Interrupted batches", SPEC-0005 REQ "Output"

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from sdd_hooks.cli.shared.issues import find_sources
from sdd_hooks.cli.shared.output import CommandOutput, format_count, printable_line, show
from sdd_hooks.errors import EXIT_OK
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.project import Project
from sdd_hooks.trackers.source import TrackerSource
from sdd_hooks.usecases.sprint.issue_batch import IssueBatch, go_on


def find_batch_source(project: Project, module: str | None, *, as_json: bool) -> TrackerSource:
    """The tracker of the repository, or of one module. Raises NoTracker."""
    return find_sources(project, module or "", asks=not as_json).found[0]


class BatchReport(NamedTuple):
    """A batch, and what is printed around it.

    `command` goes on after a failure. `lines` come before the changes, `data` are further keys of
    the object.
    """

    batch: IssueBatch
    command: str
    dry_run: bool
    notes: Sequence[str]
    lines: Sequence[str] = ()
    data: Mapping[str, object] = MappingProxyType({})


def show_batch(report: BatchReport, as_json: bool) -> int:
    """Print what a batch did. Returns the exit code: that of the last failure."""
    batch = report.batch
    warnings = list(batch.warnings)
    warnings += [f"{one.id} is not changed: {one.reason}" for one in batch.failed]
    if batch.error and not report.dry_run:
        warnings.append(go_on(batch, report.command))
    skipped = [f"{one.id} is left as it is: {one.reason}" for one in batch.skipped]
    output = CommandOutput(
        {**report.data, **_data(batch, report.dry_run)},
        [*report.lines, *_lines(batch, report.dry_run)],
        [*report.notes, *batch.notes, *skipped],
        warnings,
        batch.error.exit_code if batch.error else EXIT_OK,
    )
    return show(output, as_json)


def _lines(batch: IssueBatch, dry_run: bool) -> list[str]:
    lines = []
    for one in batch.done:
        lines.append(printable_line(f"{one.id} {one.title}: {one.what}"))
        if dry_run and one.diff:
            lines += [printable_line(line) for line in one.diff.splitlines()]
    verb = "would be changed" if dry_run else "changed"
    counts = [f"{format_count(len(batch.done), 'issue')} {verb}"]
    counts.append(f"{len(batch.unchanged)} unchanged")
    if batch.left:
        counts.append(f"{len(batch.left)} not reached")
    return [*lines, ", ".join(counts)]


def _data(batch: IssueBatch, dry_run: bool) -> dict[str, object]:
    return {
        "dry_run": dry_run,
        "changes": [
            {"id": one.id, "title": one.title, "change": one.what, "diff": one.diff}
            for one in batch.done
        ],
        "unchanged": batch.unchanged,
        "skipped": [one._asdict() for one in batch.skipped],
        "failed": [one._asdict() for one in batch.failed],
        "not_reached": batch.left,
    }
