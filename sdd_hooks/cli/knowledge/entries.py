"""`sdd knowledge delete`, `reindex` and `share`."""

# Governing: SPEC-0028 REQ "Index", REQ "Shared knowledge", ADR-0033 (a deletion is confirmed)

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
from sdd_hooks.cli.shared.edits import changes_data
from sdd_hooks.cli.shared.options import json_option, yes_option
from sdd_hooks.cli.shared.output import CommandOutput, printable_line, show
from sdd_hooks.cli.shared.prompts import confirm, require_terminal
from sdd_hooks.knowledge.entries import KINDS, entry_file, kind_of
from sdd_hooks.setup.share_knowledge import DEFAULT_PATH, share_knowledge
from sdd_hooks.usecases.knowledge.entries import delete_entries, find_entry
from sdd_hooks.usecases.knowledge.entries import reindex as run_reindex


@click.command()
@click.argument("id", required=False, default="")
@click.option("--type", type=click.Choice(KINDS), help="Which one, where both have the id.")
@input_options
@yes_option
@json_option
@click.pass_obj
def delete(directory: Path | None, /, *, yes: bool, as_json: bool, **options: Any) -> int:
    """Delete a pattern or a lesson, its file and its line in the index.

    Prompts on a terminal; elsewhere --yes is needed.

    \b
    Example:
      sdd knowledge delete auth-jwt-flow --yes
    """
    fields = read_fields(options, given_options(options, "id", "type"), {"id": ""})
    refuse_unknown(fields, "id", "type")
    kind = next((one for one in KINDS if one == fields.get("type")), None)
    if fields.get("type") and kind is None:
        raise click.UsageError(f"The type is one of {', '.join(KINDS)}")
    base = open_base(directory)
    entry = find_entry(base, text_field(fields, "id"), kind)
    file = f"{base.place.base}/{entry.file}"
    data = {"type": entry.kind, "id": entry.id, "file": file}
    if not yes:
        require_terminal(as_json)
        question = printable_line(f"Delete {file} ({entry.summary})?")
        if not confirm(question, err=True):
            return show(CommandOutput({**data, "deleted": False}, ["nothing deleted"]), as_json)
    warnings = delete_entries(base, [entry])
    return show(
        CommandOutput({**data, "deleted": True}, [f"deleted {file}"], (), warnings), as_json
    )


@click.command()
@json_option
@click.pass_obj
def reindex(directory: Path | None, as_json: bool) -> int:
    """Write the index again from every pattern and lesson.

    Other commands repair the index themselves. This one is for tags that were edited in a file in
    place, and names every file that is no pattern or lesson.

    \b
    Example:
      sdd knowledge reindex
    """
    base = open_base(directory)
    index, problems = run_reindex(base)
    counts = {"patterns": len(index.patterns), "lessons": len(index.lessons)}
    line = f"indexed {counts['patterns']} patterns and {counts['lessons']} lessons"
    data = {"place": base.place.base, **counts}
    return show(CommandOutput(data, [line], (), problems), as_json)


@click.command()
@click.argument("path", required=False, default=DEFAULT_PATH)
@json_option
@click.pass_obj
def share(directory: Path | None, path: str, as_json: bool) -> int:
    """Move the knowledge base to a directory that git has.

    It is docs/knowledge unless PATH names another. Each entry is a file of its own, and git ignores
    the index, so that branches which both add entries merge. The memory file gets `#### Knowledge`
    with the path.

    \b
    Example:
      sdd knowledge share
      sdd knowledge share docs/learned
    """
    shared = share_knowledge(open_base(directory), path)
    base = shared.place.base
    files = [f"{base}/{entry_file(kind_of(one), one.id)}" for one in shared.moved]
    lines = [f"moved {file}" for file in files]
    changes = [shared.edit] if shared.edit else []
    lines += [f"{edit.action}d {edit.path}" for edit in changes]
    lines = lines or [f"the knowledge base is in {base} already"]
    data = {
        "path": base,
        "moved": files,
        "changes": changes_data(changes),
    }
    what = " and ".join([base, *(edit.path for edit in changes)])
    notes = [*shared.notes, f"commit {what}; `sdd index add` makes `sdd search` find it"]
    return show(CommandOutput(data, lines, notes), as_json)
