"""`sdd issues list`."""

# Governing: SPEC-0009 REQ "Commands", SPEC-0009 REQ "Issues when a tracker fails"

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

import click

from sdd_hooks.artifacts.identifiers import parse_id
from sdd_hooks.cli.context import open_project
from sdd_hooks.cli.issues.sources import enter, find_sources, issue_data, screen
from sdd_hooks.cli.options import json_option, module_option
from sdd_hooks.cli.output import Report, show, table
from sdd_hooks.errors import RemoteError
from sdd_hooks.freshness.issues import issues_now
from sdd_hooks.trackers.issue_file import StoredIssue
from sdd_hooks.trackers.protocol import IssueFilter
from sdd_hooks.trackers.sync import last_synced

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
def list_issues(
    directory: Path | None,
    status: str | None,
    labels: tuple[str, ...],
    specs: tuple[str, ...],
    module: str | None,
    as_json: bool,
) -> int:
    """List issues by status, label and specification.

    The last updated first. They are synced before, unless that was done within Issues Interval
    (5 minutes). When the sync fails, the tracker is asked for the list; when that fails too, the
    list is what the last sync brought, and a warning says how old that is.

    \b
    Example:
      sdd issues list --status open --label story
      sdd issues list --spec SPEC-0003 --json
    """
    mentioned = {_spec(name) for name in specs}
    project = open_project(directory)
    sources = find_sources(project, module, asks=not as_json)
    now = time.time()
    found: list[tuple[str, StoredIssue]] = []
    live = False
    warnings: list[str] = []
    with screen(as_json) as shown:
        for one in sources.found:
            source, freshness, failure = enter(project, one, shown, now)
            answer = issues_now(project, source, freshness, now, IssueFilter(status, labels))
            if failure and not answer.live and last_synced(one.folder, source.name) is None:
                # Nothing is known: no issues would say that there are none.
                raise RemoteError(failure)
            found += [(source.module, issue) for issue in answer.issues]
            live = live or answer.live
            warnings += [*freshness.warnings, *answer.warnings]
    warnings += [*sources.warnings, *project.warnings]
    if mentioned:
        found = [one for one in found if mentioned.intersection(one[1].specs)]
    found.sort(key=lambda one: one[1].updated, reverse=True)
    data = {"issues": [issue_data(issue, part) for part, issue in found], "live": live}
    lines = table(_rows(found)) if found else ["no issues"]
    return show(Report(data, lines, shown.notes, warnings), as_json)


def _spec(name: str) -> str:
    """The id of a specification, as issues mention it."""
    found = parse_id(name, "SPEC")
    if found is None or found.kind != "SPEC":
        raise click.BadParameter(f"{name!r} is no specification: say it like SPEC-0003")
    return str(found)


def _rows(found: Sequence[tuple[str, StoredIssue]]) -> Sequence[tuple[str, ...]]:
    """A row for each issue, with its module where there are any."""
    rows = [
        (one.id, one.status, one.updated[:10] or "-", ", ".join(one.labels) or "-", one.title)
        for _, one in found
    ]
    if not any(part for part, _ in found):
        return rows
    return [(part or "-", *row) for (part, _), row in zip(found, rows, strict=True)]
