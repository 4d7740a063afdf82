"""`sdd spec`: create a specification."""

# Governing: SPEC-0024 REQ "A specification"

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from sdd_hooks.cli.shared.creation import creation_options, run_creation


@click.command()
@click.argument("title")
@creation_options("requires=SPEC-0002, extends=… or implements=ADR-0008")
@click.pass_obj
def spec(directory: Path | None, /, **options: Any) -> int:
    """Create a specification: spec.md with a requirement and a scenario, and design.md.

    Specifications that the title may build on are searched first. On a terminal each may become an
    edge; elsewhere --edge names the edges.

    \b
    Example:
      sdd spec "Authentication"
      sdd spec "Authentication" --edge requires=SPEC-0002
    """
    return run_creation("SPEC", directory, options)
