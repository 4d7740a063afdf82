"""`sdd adr renumber`: give a decision record another number."""

# Governing: SPEC-0024 REQ "Renumbering"

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import click

from sdd_hooks.authoring.renumber import Leftover
from sdd_hooks.cli.shared.context import open_project
from sdd_hooks.cli.shared.edits import changes_data
from sdd_hooks.cli.shared.options import dry_run_option, json_option, module_option
from sdd_hooks.cli.shared.output import CommandOutput, format_count, printable_line, show
from sdd_hooks.usecases.authoring.renumber import DescriptionEdit, RenumberOutcome, RenumberRequest
from sdd_hooks.usecases.authoring.renumber import renumber as renumber_record


@click.command()
@click.argument("target", metavar="ID|PATH")
@click.argument("number", metavar="[NEW]", required=False, default="")
@dry_run_option
@module_option
@json_option
@click.pass_obj
def renumber(directory: Path | None, /, as_json: bool, **request: Any) -> int:
    """Give a decision record another number, and rewrite what refers to it.

    The file is renamed. Ids, links and names of the file are rewritten in all files of the work
    tree. Of two records with one number, name the file; what may mean the other one is listed and
    stays. Without NEW, the number is the next free one. In the description of the branch's open
    pull request, references are rewritten as well, if the forge allows it.

    \b
    Example:
      sdd adr renumber docs/adrs/0012-use-queues.md
      sdd adr renumber ADR-0012 31 --dry-run
    """
    outcome = renumber_record(open_project(directory), RenumberRequest(**request), time.time())
    dry_run = request["dry_run"]
    lines = _diff(outcome) if dry_run else _summary(outcome)
    lines += [_leftover(one) for one in outcome.leftovers]
    output = CommandOutput(_data(outcome, dry_run), lines, outcome.notes, outcome.warnings)
    return show(output, as_json)


def _leftover(one: Leftover) -> str:
    place = f"{one.path}:{one.line}" if one.line else one.path
    return printable_line(f"not rewritten: {place}: {one.text} ({one.reason})")


def _diff(outcome: RenumberOutcome) -> list[str]:
    diffs = [edit.diff() for edit in outcome.edits]
    diffs += [edit.diff() for edit in outcome.descriptions]
    return [line for diff in diffs for line in diff.splitlines()]


def _summary(outcome: RenumberOutcome) -> list[str]:
    old, new, *others = outcome.edits
    references = format_count(outcome.replaced, "reference")
    return [
        f"{outcome.old} → {outcome.new}: {printable_line(old.path)} → {printable_line(new.path)}",
        f"{references} rewritten in {format_count(len(others), 'file')}",
        *map(_description, outcome.descriptions),
    ]


def _description(edit: DescriptionEdit) -> str:
    references = format_count(edit.replaced, "reference")
    return f"{references} rewritten in the description of pull request {edit.number}"


def _data(outcome: RenumberOutcome, dry_run: bool) -> dict[str, object]:
    return {
        "old": str(outcome.old),
        "new": str(outcome.new),
        "path": outcome.edits[1].path,
        "changes": changes_data(outcome.edits),
        "replaced": outcome.replaced,
        "pull_requests": [
            {"number": one.number, "replaced": one.replaced, "diff": one.diff()}
            for one in outcome.descriptions
        ],
        "leftovers": [one._asdict() for one in outcome.leftovers],
        "dry_run": dry_run,
        "diff": "".join(one.diff() for one in outcome.edits),
    }
