"""`sdd status`: change the status of a decision or a specification."""

# Governing: SPEC-0024 REQ "Status"

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from sdd_hooks.cli.shared.context import open_project
from sdd_hooks.cli.shared.options import dry_run_option, json_option, module_option
from sdd_hooks.cli.shared.output import CommandOutput, show
from sdd_hooks.usecases.authoring.status import StatusOutcome, StatusRequest, set_status


@click.command()
@click.argument("target", metavar="ID")
@click.argument("value", metavar="STATUS")
@click.option("--by", metavar="ID", default="", help="What supersedes it, for `superseded`.")
@dry_run_option
@module_option
@json_option
@click.pass_obj
def status(directory: Path | None, /, as_json: bool, **request: Any) -> int:
    """Change the status of a decision or a specification.

    The word is replaced where it stands, in the frontmatter, in a field or under a heading, and
    nothing else changes. A decision is proposed, accepted, rejected, deprecated or superseded, a
    specification draft, review, approved, implemented or deprecated.

    \b
    Example:
      sdd status ADR-0004 accepted
      sdd status ADR-0004 superseded --by ADR-0012
    """
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
