"""`sdd adr import`: take over records of other tools."""

# Governing: SPEC-0024 REQ "Records of other tools"

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click

from sdd_hooks.authoring.foreign.plan import ImportedRecord, render_lines, render_markdown
from sdd_hooks.cli.shared.context import open_project
from sdd_hooks.cli.shared.edits import changes_data
from sdd_hooks.cli.shared.options import dry_run_option, json_option, module_option
from sdd_hooks.cli.shared.output import CommandOutput, show
from sdd_hooks.usecases.authoring.import_records import ImportOutcome, ImportRequest
from sdd_hooks.usecases.authoring.import_records import import_records as take_over


@click.command("import")
@click.argument("paths", metavar="[PATH]...", nargs=-1)
@click.option(
    "--format",
    "form",
    type=click.Choice(["list", "markdown"]),
    default="list",
    help="The report: a list, or Markdown.",
)
@dry_run_option
@module_option
@json_option
@click.pass_obj
def import_records(directory: Path | None, /, *, form: str, as_json: bool, **request: Any) -> int:
    """Take over records of adr-tools, log4brains, MADR and other tools.

    What a record says in its text or under names of other tools is added to its frontmatter: its
    status, date, decision-makers and tags, its links as edges, and the files it is about as
    applies-to. The text below the frontmatter stays. A record that its file names by a date gets a
    number. What is not understood is listed. Without PATH, all decisions are imported.

    \b
    Example:
      sdd adr import --dry-run
      sdd adr import docs/adr
      sdd adr import --format markdown >import.md
    """
    outcome = take_over(open_project(directory), ImportRequest(**request))
    dry_run = request["dry_run"]
    diff = [line for edit in outcome.edits for line in edit.diff().splitlines()] if dry_run else []
    report = render_markdown if form == "markdown" else render_lines
    lines = [*diff, *report(outcome.records)]
    return show(
        CommandOutput(_data(outcome, dry_run), lines, outcome.notes, outcome.warnings), as_json
    )


def _data(outcome: ImportOutcome, dry_run: bool) -> dict[str, object]:
    return {
        "records": list(_records(outcome.records)),
        "changes": changes_data(outcome.edits),
        "dry_run": dry_run,
        "diff": "".join(one.diff() for one in outcome.edits),
    }


def _records(records: Iterable[ImportedRecord]) -> Iterable[dict[str, object]]:
    for one in records:
        yield {
            "id": one.name,
            "path": one.artifact.path,
            "form": one.form,
            "changed": one.before != one.after,
            "added": [value._asdict() for value in one.added],
            "not_understood": [problem._asdict() for problem in one.unknown],
        }
