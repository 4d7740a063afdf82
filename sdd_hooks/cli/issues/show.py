"""`sdd issues show`."""

# Governing: SPEC-0009 REQ "Commands", SPEC-0009 REQ "Issues when a tracker fails"

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

import click

from sdd_hooks.cli.context import open_project
from sdd_hooks.cli.issues.sources import Screen, enter, find_sources, issue_data, screen
from sdd_hooks.cli.options import json_option, module_option
from sdd_hooks.cli.output import (
    Report,
    Terminal,
    detect_terminal,
    printable_line,
    printable_lines,
    show,
    table,
)
from sdd_hooks.errors import Missing
from sdd_hooks.freshness.issues import IssuesFreshness, IssuesNow, issue_now
from sdd_hooks.project.project import Project
from sdd_hooks.trackers.issue import LinkedPull
from sdd_hooks.trackers.issue_file import StoredIssue
from sdd_hooks.trackers.source import TrackerSource


@click.command("show")
@click.argument("id", metavar="ID")
@module_option
@json_option
@click.pass_obj
def show_issue(directory: Path | None, id: str, module: str | None, as_json: bool) -> int:
    """Show one issue.

    As `sdd issues list` has it; one that no sync has brought yet is asked for.

    \b
    Example:
      sdd issues show 142
      sdd issues show PROJ-123 --json
    """
    project = open_project(directory)
    sources = find_sources(project, module, asks=not as_json)
    with screen(as_json) as shown:
        wanted = id.strip().removeprefix("#")
        module, found, warnings = _asked(project, sources.found, wanted, shown)
    (issue,) = found.issues
    data = {
        **issue_data(issue, module),
        "body": issue.body,
        "pulls": [asdict(pull) for pull in issue.pulls],
    }
    lines = list(_lines(issue, detect_terminal(sys.stdout, os.environ)))
    warnings += [*sources.warnings, *project.warnings]
    return show(Report({"issue": data, "live": found.live}, lines, shown.notes, warnings), as_json)


def _asked(
    project: Project, sources: Sequence[TrackerSource], id: str, shown: Screen
) -> tuple[str, IssuesNow, list[str]]:
    """The module that has the issue, the issue, and warnings. Raises Missing."""
    now = time.time()
    warnings: list[str] = []
    entered = []
    for one in sources:
        source, freshness, _ = enter(project, one, shown, now)
        warnings += freshness.warnings
        found = issue_now(project, source, freshness, now, id)
        if found.issues:
            return source.module, found, [*warnings, *found.warnings]
        entered.append((source, freshness))
    for source, freshness in entered:
        # It may be younger than the last sync.
        if not freshness.degraded:
            found = issue_now(project, source, IssuesFreshness(degraded=True), now, id)
            if found.issues:
                return source.module, found, [*warnings, *found.warnings]
    raise Missing(next(iter(found.warnings), f"there is no issue {id}"))


def _lines(issue: StoredIssue, screen: Terminal) -> Iterator[str]:
    """An issue for people."""
    title = screen.strong(printable_line(issue.title))
    yield f"{printable_line(issue.id)}  {issue.status}  {title}"
    if issue.url:
        yield printable_line(issue.url)
    yield ""
    facts = [
        ("tracker", issue.tracker),
        ("author", issue.author),
        ("assignees", ", ".join(issue.assignees)),
        ("labels", ", ".join(issue.labels)),
        ("created", issue.created),
        ("updated", issue.updated),
        ("closed", issue.closed),
        ("specs", ", ".join(issue.specs)),
        ("adrs", ", ".join(issue.adrs)),
        ("blocks", ", ".join(issue.blocks)),
        ("blocked by", ", ".join(issue.blocked_by)),
        *(("pull request", _pull(pull)) for pull in issue.pulls),
    ]
    yield from table([(name, value) for name, value in facts if value])
    body = printable_lines(issue.body)
    yield from ["", *body] if body else []


def _pull(pull: LinkedPull) -> str:
    return ", ".join(filter(None, (f"#{pull.number}", pull.status, pull.branch)))
