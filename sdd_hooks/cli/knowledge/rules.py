"""`sdd knowledge rule-update`."""

# Governing: SPEC-0028 REQ "Rules"

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from sdd_hooks.cli.knowledge.fields import (
    given_options,
    input_options,
    open_base,
    read_fields,
    refuse_unknown,
    text_field,
)
from sdd_hooks.cli.shared.options import dry_run_option, json_option
from sdd_hooks.cli.shared.output import CommandOutput, printable_line, show
from sdd_hooks.usecases.knowledge.record import update_rules


@click.command("rule-update")
@click.argument("rule", required=False, default="")
@click.option("--force", is_flag=True, help="Add it although another rule contradicts it.")
@input_options
@dry_run_option
@json_option
@click.pass_obj
def rule_update(directory: Path | None, /, *, as_json: bool, **options: Any) -> int:
    """Add a rule to project_rules.md, under "Evolved Conventions".

    A rule that is there already is not added again. One that contradicts another is refused (exit
    code 1), with the line of that rule.

    \b
    Example:
      sdd knowledge rule-update "Always use camelCase for JSON fields"
      sdd knowledge rule-update "Add indexes to foreign keys" --dry-run
    """
    fields = read_fields(options, given_options(options, "rule"), {"rule": ""})
    refuse_unknown(fields, "rule")
    dry_run = options["dry_run"]
    update = update_rules(
        open_base(directory), text_field(fields, "rule"), force=options["force"], dry_run=dry_run
    )
    analysis, edit = update
    if edit is None:
        line = analysis.same.line if analysis.same else 0
        lines = [f"nothing to change: project_rules.md:{line} says it"]
    elif dry_run:
        lines = edit.diff().splitlines()
    else:
        lines = [printable_line(f"added to project_rules.md: {analysis.text}")]
    data = {
        "rule": analysis.text,
        "added": edit is not None and not dry_run,
        "same": analysis.same._asdict() if analysis.same else None,
        "conflicts": [rule._asdict() for rule in analysis.conflicts],
        "dry_run": dry_run,
        "diff": edit.diff() if edit else "",
    }
    return show(CommandOutput(data, lines), as_json)
