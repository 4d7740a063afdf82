"""`sdd issues list`."""

# Governing: SPEC-0009 REQ "Commands", SPEC-0009 REQ "Issues when a tracker fails"

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

import click

from sdd_hooks.cli.shared.context import open_project
from sdd_hooks.cli.shared.issues import find_sources, issue_data
from sdd_hooks.cli.shared.options import json_option, module_option, spec_id
from sdd_hooks.cli.shared.output import CommandOutput, show, table
from sdd_hooks.cli.shared.progress import SyncOutput
from sdd_hooks.trackers.issue_file import StoredIssue
from sdd_hooks.trackers.protocol import IssueFilter
from sdd_hooks.usecases.sprint.read_issues import list_issues as read_issues

STATUSES = ("open", "closed", "merged", "draft")


@click.command("list")
@click.option(
    "--status",
    type=click.Choice(STATUSES),
    help="Only with this status; open has those with a draft in it, closed the merged ones.",
)
@click.option(
    "--label",
    "labels",
    multiple=True,
    metavar="LABEL",
    help="Only with this label. Repeatable: with all of them.",
)
@click.option(
    "--spec",
    "specs",
    multiple=True,
    metavar="SPEC",
    help="Only what mentions this specification. Repeatable: any of them.",
)
@module_option
@json_option
@click.pass_obj
def list_issues(  # noqa: PLR0913 (an argument for each option)
    directory: Path | None,
    *,
    status: str | None,
    labels: tuple[str, ...],
    specs: tuple[str, ...],
    module: str | None,
    as_json: bool,
) -> int:
    """List issues by status, label and specification.

    The last updated come first. Issues are synced before, unless the last sync is within Issues
    Interval (5 minutes). If the sync fails, the tracker is queried; if that fails too, the issues
    are those of the last sync, and a warning says how old they are.

    \b
    Example:
      sdd issues list --status open --label story
      sdd issues list --spec SPEC-0003 --json
    """
    mentioned = {spec_id(name) for name in specs}
    project = open_project(directory)
    sources = find_sources(project, module, asks=not as_json)
    output = SyncOutput(as_json)
    with output.callbacks(progress=False) as callbacks:
        wanted = IssueFilter(status, labels)
        result = read_issues(project, sources.found, wanted, time.time(), callbacks)
    issues = [
        (part, issue)
        for part, issue in result.issues
        if not mentioned or mentioned.intersection(issue.specs)
    ]
    data = {"issues": [issue_data(issue, part) for part, issue in issues], "live": result.live}
    lines = _table(issues) or ["no issues"]
    warnings = [*result.warnings, *sources.warnings, *project.warnings]
    return show(CommandOutput(data, lines, output.notes, warnings), as_json)


def _table(issues: Sequence[tuple[str, StoredIssue]]) -> Sequence[str]:
    """A row for each issue, with its module where the project has modules."""
    rows = [
        (
            issue.id,
            issue.status,
            issue.updated[:10] or "-",
            ", ".join(issue.labels) or "-",
            issue.title,
        )
        for _, issue in issues
    ]
    if not any(part for part, _ in issues):
        return table(rows, optional=(3, 2))
    parted = [(part or "-", *row) for (part, _), row in zip(issues, rows, strict=True)]
    return table(parted, optional=(4, 3))
