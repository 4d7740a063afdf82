"""`sdd issues show`."""

# Governing: SPEC-0009 REQ "Commands", SPEC-0009 REQ "Issues when a tracker fails"

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import click

from sdd_hooks.cli.shared.context import open_project
from sdd_hooks.cli.shared.issues import find_sources, issue_data
from sdd_hooks.cli.shared.options import json_option, module_option
from sdd_hooks.cli.shared.output import (
    CommandOutput,
    Terminal,
    detect_terminal,
    printable_line,
    printable_lines,
    show,
    table,
)
from sdd_hooks.cli.shared.progress import SyncOutput
from sdd_hooks.trackers.issue import LinkedPull
from sdd_hooks.trackers.issue_file import StoredIssue
from sdd_hooks.usecases.sprint.read_issues import find_issue


@click.command("show")
@click.argument("id", metavar="ID")
@module_option
@json_option
@click.pass_obj
def show_issue(directory: Path | None, id: str, module: str | None, as_json: bool) -> int:
    """Show one issue.

    Syncs and reads the issue like `sdd issues list`. An issue that is not among the synced ones is
    fetched from the tracker.

    \b
    Example:
      sdd issues show 142
      sdd issues show PROJ-123 --json
    """
    project = open_project(directory)
    sources = find_sources(project, module, asks=not as_json)
    output = SyncOutput(as_json)
    with output.callbacks(progress=False) as callbacks:
        wanted = id.strip().removeprefix("#")
        result = find_issue(project, sources.found, wanted, time.time(), callbacks)
    issue = result.issue
    data = {
        **issue_data(issue, result.module),
        "body": issue.body,
        "pulls": [asdict(pull) for pull in issue.pulls],
    }
    lines = list(_lines(issue, detect_terminal(sys.stdout, os.environ)))
    warnings = [*result.warnings, *sources.warnings, *project.warnings]
    return show(
        CommandOutput({"issue": data, "live": result.live}, lines, output.notes, warnings), as_json
    )


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
        *(("pull request", _pull_text(pull)) for pull in issue.pulls),
    ]
    yield from table([(name, value) for name, value in facts if value], wraps=True)
    body = printable_lines(issue.body)
    yield from ["", *body] if body else []


def _pull_text(pull: LinkedPull) -> str:
    return ", ".join(filter(None, (f"#{pull.number}", pull.status, pull.branch)))
