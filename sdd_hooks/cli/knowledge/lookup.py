"""`sdd knowledge lookup`."""

# Governing: SPEC-0028 REQ "Lookup"

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from sdd_hooks.cli.knowledge.fields import (
    given_options,
    input_options,
    list_field,
    open_base,
    read_fields,
    refuse_unknown,
    split_tags,
    tags_option,
)
from sdd_hooks.cli.shared.options import json_option
from sdd_hooks.cli.shared.output import CommandOutput, printable_line, printable_lines, show
from sdd_hooks.knowledge.entries import (
    Lesson,
    ReusablePattern,
    entry_data,
    entry_file,
    kind_of,
    title_of,
)
from sdd_hooks.knowledge.lookup import MAX_LOADED, FoundEntry, parse_wanted
from sdd_hooks.usecases.knowledge.entries import look_up

NOTHING = "no pattern or lesson matches"


@click.command()
@tags_option
@click.option(
    "--phase",
    "phases",
    multiple=True,
    metavar="PHASE",
    help="Only lessons for this phase: designing-auth, designing or 'designing-*'. Repeatable.",
)
@click.option(
    "--limit",
    type=click.IntRange(1, 1000),
    metavar="N",
    default=MAX_LOADED,
    show_default=True,
    help="The maximum number of entries to load.",
)
@input_options
@json_option
@click.pass_obj
def lookup(directory: Path | None, /, *, as_json: bool, **options: Any) -> int:
    """Show the patterns and lessons that have one of the tags.

    Those with the most tags in common come first. Lessons also match the phase; a pattern belongs
    to no phase, and needs a tag.

    \b
    Example:
      sdd knowledge lookup --tags auth,jwt --phase 'designing-*'
      sdd knowledge lookup --phase guard-check --json
    """
    given = given_options(options, "phases")
    if options["tags"]:
        given["tags"] = split_tags(options["tags"])
    fields = read_fields(options, given, {"tags": [], "phases": []})
    refuse_unknown(fields, "tags", "phases", "phase")
    phases = [*list_field(fields, "phases"), *list_field(fields, "phase")]
    base = open_base(directory)
    wanted = parse_wanted(list_field(fields, "tags"), phases, options["limit"])
    found, notes = look_up(base, wanted)
    lines = [line for one in found.entries for line in _lines(one)]
    more = len(found.left_out)
    if more:
        total = len(found.entries) + more
        notes = (*notes, f"{more} more match: --limit {total} shows all {total}")
    data = {
        "tags": list(wanted.tags),
        "phases": list(wanted.phases),
        "place": base.place.base,
        "entries": [
            {
                "type": kind_of(one.entry),
                "file": f"{base.place.base}/{entry_file(kind_of(one.entry), one.entry.id)}",
                "matched_tags": list(one.tags),
                "entry": entry_data(one.entry),
            }
            for one in found.entries
        ],
        "more": [
            {"type": one.kind, "id": one.id, "summary": one.summary} for one in found.left_out
        ],
    }
    return show(CommandOutput(data, lines or [NOTHING], notes, found.warnings), as_json)


def _lines(found: FoundEntry) -> Iterator[str]:
    entry = found.entry
    kind = kind_of(entry)
    yield printable_line(f"{kind} {entry.id}: {title_of(entry)}")
    yield printable_line(f"  tags: {', '.join(entry.tags)}")
    if isinstance(entry, Lesson):
        yield printable_line(f"  when: {entry.trigger}")
    for name, text in _texts(entry):
        if text:
            first, *others = printable_lines(text)
            yield f"  {name}: {first}"
            yield from (f"    {line}" for line in others)
    yield ""


def _texts(entry: ReusablePattern | Lesson) -> list[tuple[str, str]]:
    if isinstance(entry, Lesson):
        return [("context", entry.context), ("advice", entry.advice)]
    return [
        ("problem", entry.problem),
        ("solution", entry.solution),
        ("example", entry.example),
    ]
