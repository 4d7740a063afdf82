"""`sdd adr TITLE`: create a decision record."""

# Governing: SPEC-0024 (authoring)

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from sdd_hooks.cli.shared.creation import creation_options, run_creation


@click.command()
@click.argument("title", required=False, default="")
@click.option(
    "--input",
    "source",
    type=click.File("rb"),
    help='Read a JSON object: "title", "context" (searched, too), "edges" (lists of ids by kind),'
    ' "sections" (texts).',
)
@creation_options("supersedes=ADR-0008, extends=… or related=…")
@click.pass_obj
def new(directory: Path | None, /, **options: Any) -> int:
    """Create a decision record with the next free number.

    Decisions that the title may be about are searched first. On a terminal each may become an edge;
    elsewhere --edge names the edges. A decision that is superseded gets that status. The record has
    the form of those that are there, or of the template beside them, else that of MADR.

    \b
    Example:
      sdd adr "Switch from REST to gRPC"
      sdd adr "Switch from REST to gRPC" --edge supersedes=ADR-0008
      sdd adr "Pick a CSV parsing library" --dry-run --json
    """
    return run_creation("ADR", directory, options)
