"""`sdd status`: change the status of a record, or list those that wait for a decision."""

# Governing: SPEC-0024 REQ "Status"

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import click

from sdd_hooks.artifacts.work_tree import read_work_tree
from sdd_hooks.changes.record_history import find_waiting, is_overdue
from sdd_hooks.cli.shared.context import open_project
from sdd_hooks.cli.shared.options import dry_run_option, json_option, module_option
from sdd_hooks.cli.shared.output import CommandOutput, format_count, show, table
from sdd_hooks.project.collections import RECORD_KINDS
from sdd_hooks.project.project import Project
from sdd_hooks.usecases.authoring.status import StatusOutcome, StatusRequest, set_status


@click.command()
@click.argument("target", metavar="ID", default="")
@click.argument("value", metavar="STATUS", default="")
@click.option("--waiting", is_flag=True, help="List what is proposed, the longest first.")
@click.option("--by", metavar="ID", default="", help="What supersedes it, for `superseded`.")
@dry_run_option
@module_option
@json_option
@click.pass_obj
def status(directory: Path | None, /, waiting: bool, as_json: bool, **request: Any) -> int:
    """Change the status of a decision or a specification, or list those that wait.

    The word is replaced where it stands, in the frontmatter, in a field or under a heading, and
    nothing else changes. A decision is proposed, accepted, rejected, deprecated or superseded, a
    specification draft, review, approved, implemented or deprecated.

    \b
    Example:
      sdd status ADR-0004 accepted
      sdd status ADR-0004 superseded --by ADR-0012
      sdd status --waiting
    """
    if waiting:
        if request["target"]:
            raise click.UsageError("--waiting takes no ID: it lists all that wait")
        return show(_waiting(open_project(directory), request["module"]), as_json)
    for name in ("target", "value"):
        if not request[name]:
            raise click.UsageError(f"Missing argument '{'ID' if name == 'target' else 'STATUS'}'.")
    outcome = set_status(open_project(directory), StatusRequest(**request))
    data = {
        "id": outcome.id,
        "path": outcome.path,
        "before": outcome.before,
        "status": outcome.after,
        "changed": outcome.edit.before != outcome.edit.after,
        "dry_run": request["dry_run"],
        "diff": outcome.edit.diff(),
    }
    lines = outcome.edit.diff().splitlines() if request["dry_run"] else [_summary(outcome)]
    return show(CommandOutput(data, lines, outcome.notes, outcome.warnings), as_json)


def _summary(outcome: StatusOutcome) -> str:
    if outcome.edit.before == outcome.edit.after:
        return f"{outcome.id} is {outcome.after} already"
    before = f"{outcome.before} → " if outcome.before else ""
    return f"{outcome.id}: {before}{outcome.after} ({outcome.path})"


def _waiting(project: Project, module: str | None) -> CommandOutput:
    collections = project.select(RECORD_KINDS, module)
    corpus, notes = read_work_tree(project.repository.git, collections)
    waiting = find_waiting(corpus.artifacts, project.repository.git, date.today())
    within = project.configuration.review.review_within
    rows = [
        (
            one.artifact.name,
            one.artifact.status.value,
            "" if one.days is None else f"for {format_count(one.days, 'day')}",
            "overdue" if is_overdue(one.days, within) else "",
            one.artifact.title,
            one.origin.who,
        )
        for one in waiting
    ]
    data = {
        "waiting": [
            {
                "id": one.artifact.name,
                "path": one.artifact.path,
                "title": one.artifact.title,
                "status": one.artifact.status.value,
                "since": one.origin.since,
                "days": one.days,
                "overdue": is_overdue(one.days, within),
                "people": one.origin.people,
                "pull_request": one.origin.pull or None,
            }
            for one in waiting
        ]
    }
    lines = table(rows, optional=(5,), status=1) or ["nothing waits for a decision"]
    return CommandOutput(data, lines, notes, project.warnings)
