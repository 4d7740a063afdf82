"""`sdd index remove`."""

# Governing: SPEC-0005 REQ "Index"

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from sdd_hooks.cli.shared.context import open_project
from sdd_hooks.cli.shared.options import json_option, kind_option, module_option, yes_option
from sdd_hooks.cli.shared.output import CommandOutput, show
from sdd_hooks.cli.shared.prompts import confirm, require_terminal
from sdd_hooks.engines.registry import not_indexed
from sdd_hooks.freshness.read_gate import open_index
from sdd_hooks.usecases.upkeep.update import remove_collections


@click.command()
@kind_option
@module_option
@yes_option
@json_option
@click.pass_obj
def remove(
    directory: Path | None, kinds: tuple[str, ...], module: str | None, yes: bool, as_json: bool
) -> int:
    """Take collections out of the index.

    Removes all of them, or those of a kind or module. Files and vectors are kept, because other
    work trees may use the vectors. Prompts on a terminal; elsewhere --yes is needed.

    \b
    Example:
      sdd index remove --kind code --yes
    """
    project = open_project(directory)
    scoped = bool(kinds) or module is not None
    chosen = {c.name for c in project.select(kinds, module)}
    with open_index(project) as engine:
        names = [name for name in engine.bookmarks() if name in chosen or not scoped]
    if not names:
        raise not_indexed(project)
    if not (yes or _confirmed(names)):
        return show(CommandOutput({"removed": []}, ["nothing removed"]), as_json)
    remove_collections(project, names)
    lines = [f"removed {name}" for name in names]
    return show(CommandOutput({"removed": names}, lines, (), project.warnings), as_json)


def _confirmed(names: Sequence[str]) -> bool:
    require_terminal()
    return confirm(f"Remove {', '.join(names)} from the index?", err=True)
