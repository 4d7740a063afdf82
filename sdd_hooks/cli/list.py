"""`sdd list`: the artifacts of the work tree."""

# Governing: SPEC-0005 REQ "List"

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.status import STATUSES, UNKNOWN
from sdd_hooks.artifacts.work_tree import read_work_tree
from sdd_hooks.cli.context import open_project
from sdd_hooks.cli.options import json_option, module_option
from sdd_hooks.cli.output import CommandOutput, detect_terminal, fitting_table, show

NONE = "none"


@click.command("list")
@click.option(
    "--kind",
    "kinds",
    multiple=True,
    type=click.Choice(["adrs", "specs"]),
    help="Only this kind. Repeatable.",
)
@click.option(
    "--status",
    "statuses",
    multiple=True,
    type=click.Choice([*STATUSES, UNKNOWN, NONE]),
    metavar="STATUS",
    help="Only with this status, such as accepted or draft. Repeatable.",
)
@module_option
@json_option
@click.pass_obj
def list_artifacts(
    directory: Path | None,
    kinds: tuple[str, ...],
    statuses: tuple[str, ...],
    module: str | None,
    as_json: bool,
) -> int:
    """List decisions and specifications with their status.

    Reads the files of the work tree: no index is needed, and uncommitted changes are included.

    \b
    Example:
      sdd list
      sdd list --kind adrs --status accepted
    """
    project = open_project(directory)
    collections = project.select(kinds or ("adrs", "specs"), module)
    corpus, left_out = read_work_tree(project.repository.git, collections)
    wanted = (
        artifact
        for artifact in corpus.artifacts
        if not statuses or (artifact.status.value or NONE) in statuses
    )
    artifacts = sorted(wanted, key=_order)
    rows = [
        (
            artifact.name,
            artifact.status.value or NONE,
            artifact.date or "-",
            artifact.title,
            artifact.path,
        )
        for artifact in artifacts
    ]
    width = detect_terminal(sys.stdout, os.environ).width
    lines = fitting_table(rows, width, 3) if rows else ["no decisions or specifications"]
    data = {"artifacts": [_data(artifact) for artifact in artifacts]}
    return show(CommandOutput(data, lines, left_out, project.warnings), as_json)


def _order(artifact: Artifact) -> tuple[object, ...]:
    number = (0, artifact.id.number, artifact.id.suffix) if artifact.id else (1, 0, "")
    return (artifact.module, artifact.kind, number, artifact.path)


def _data(artifact: Artifact) -> dict[str, object]:
    return {
        "id": str(artifact.id) if artifact.id else None,
        "kind": artifact.kind,
        "module": artifact.module,
        "status": artifact.status.value or None,
        "authoritative": artifact.status.authoritative,
        "date": artifact.date or None,
        "title": artifact.title,
        "path": artifact.path,
    }
