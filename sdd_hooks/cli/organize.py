"""`sdd organize`: put the issues of specifications into milestones, projects or epics."""

# Governing: SPEC-0027 REQ "Groups"

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import click

from sdd_hooks.cli.shared.context import open_project
from sdd_hooks.cli.shared.issue_batches import BatchReport, find_batch_source, show_batch
from sdd_hooks.cli.shared.options import dry_run_option, json_option, module_option, spec_id
from sdd_hooks.cli.shared.output import table
from sdd_hooks.cli.shared.progress import SyncOutput
from sdd_hooks.usecases.sprint.organize import DEPTHS, Organized, OrganizeRequest
from sdd_hooks.usecases.sprint.organize import organize as organize_issues


@click.command()
@click.argument("specs", metavar="[SPEC]...", nargs=-1)
@click.option(
    "--depth",
    type=click.Choice(DEPTHS),
    default="structure",
    show_default=True,
    help="Only report, group the issues, or also complete their bodies as `sdd enrich` does.",
)
@dry_run_option
@module_option
@json_option
@click.pass_obj
def organize(directory: Path | None, /, *, specs: tuple[str, ...], **options: Any) -> int:
    """Group the open stories of specifications by their epic.

    The group is a milestone on GitHub, Gitea and GitLab, a project in Linear, the epic itself in
    Jira and Beads, and the file in tasks.md. Without SPEC, all specifications that open issues
    name are organised. An issue that is in another group stays there.

    \b
    Example:
      sdd organize --depth report
      sdd organize SPEC-0003 --dry-run
      sdd organize SPEC-0003 --depth contents
    """
    named = tuple(map(spec_id, specs))
    project = open_project(directory)
    depth, dry_run, as_json = options["depth"], options["dry_run"], options["as_json"]
    source = find_batch_source(project, options["module"], as_json=as_json)
    output = SyncOutput(as_json)
    with output.callbacks() as callbacks:
        request = OrganizeRequest(named, depth, dry_run)
        result = organize_issues(project, source, request, time.time, callbacks)
    command = " ".join(["sdd organize", *specs, f"--depth {depth}"])
    report = BatchReport(
        result.batch, command, dry_run, output.notes, _lines(result), _data(result)
    )
    return show_batch(report, as_json)


def _lines(result: Organized) -> list[str]:
    """A row for each specification."""
    rows = [
        (
            one.issues.spec,
            one.issues.epic.id if one.issues.epic else "-",
            len(one.issues.open_stories),
            len(one.issues.stories) - len(one.issues.open_stories),
            one.title,
        )
        for one in result.groups
    ]
    if not rows:
        return []
    return table([("specification", "epic", "open", "closed", result.kind), *rows])


def _data(result: Organized) -> dict[str, object]:
    return {
        "groups": [
            {
                "spec": one.issues.spec,
                "kind": result.kind,
                "title": one.title,
                "epic": one.issues.epic.id if one.issues.epic else None,
                "is_new": one.is_new,
                "open": [story.id for story in one.issues.open_stories],
                "stories": [story.id for story in one.issues.stories],
            }
            for one in result.groups
        ]
    }
