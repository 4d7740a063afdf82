"""`sdd knowledge save`, `load` and `log`."""

# Governing: SPEC-0028 REQ "State", REQ "Session log"

from __future__ import annotations

import time
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
    text_field,
)
from sdd_hooks.cli.shared.options import json_option
from sdd_hooks.cli.shared.output import CommandOutput, printable_line, show
from sdd_hooks.errors import SddError
from sdd_hooks.knowledge.session_log import EVENT_KINDS, Event, make_event
from sdd_hooks.usecases.knowledge.state import (
    load_state,
    log_events,
    read_session,
    save_state,
)

_TEXTS = {
    "project-name": "The name of the project.",
    "architecture-style": "Such as layered, or event-driven.",
    "project-structure-convention": "Where modules and tests are.",
    "current-stage": "Such as design, plan, implement, guard.",
    "current-feature": "The feature that is in work.",
}
_LISTS = {
    "completed-features": "A feature that is done. Repeatable.",
    "active-patterns": "The id of a pattern in use. Repeatable.",
    "applied-lessons": "The id of a lesson that was applied. Repeatable.",
}


def _state_options(command: Any) -> Any:
    for name, text in reversed(_LISTS.items()):
        command = click.option(f"--{name}", multiple=True, metavar="NAME", help=text)(command)
    for name, text in reversed(_TEXTS.items()):
        command = click.option(f"--{name}", metavar="TEXT", help=text)(command)
    return command


@click.command()
@_state_options
@click.option(
    "--tech", "tech_stack", multiple=True, metavar="KEY=VALUE", help="A technology. Repeatable."
)
@input_options
@json_option
@click.pass_obj
def save(directory: Path | None, /, *, as_json: bool, **options: Any) -> int:
    """Save the state of the project to .sdd/context/context.json, with a summary.md.

    Options add to lists; the JSON object replaces fields. The rest stays as it was saved. Without
    options, what is empty becomes what the repository shows, and is printed.

    \b
    Example:
      sdd knowledge save --current-stage design --current-feature user-auth
      sdd knowledge save --tech language=Python --completed-features health-monitoring
      sdd knowledge save --input - <context.json
    """
    base = open_base(directory)
    texts = given_options(options, *(name.replace("-", "_") for name in _TEXTS))
    added = given_options(options, *(name.replace("-", "_") for name in _LISTS))
    if options["tech_stack"]:
        added["tech_stack"] = dict(map(_technology, options["tech_stack"]))
    before: dict[str, object] = {}
    if options["edit"]:
        try:
            before = dict(load_state(base).fields)
        except SddError:
            before = dict.fromkeys((name.replace("-", "_") for name in _TEXTS), "")
    fields = read_fields(options, texts, before)
    state = save_state(base, fields, added)
    lines = ["saved .sdd/context/context.json and summary.md"]
    lines += () if fields or added else map(printable_line, state.summary.splitlines()[2:])
    data = {"context": dict(state.fields)}
    return show(CommandOutput(data, lines, (), state.warnings), as_json)


@click.command()
@json_option
@click.pass_obj
def load(directory: Path | None, as_json: bool) -> int:
    """Show the saved state of the project.

    \b
    Example:
      sdd knowledge load
      sdd knowledge load --json
    """
    state = load_state(open_base(directory))
    lines = [printable_line(line) for line in state.summary.splitlines()]
    return show(CommandOutput({"context": dict(state.fields)}, lines, (), state.warnings), as_json)


@click.command()
@click.argument("text", required=False, default="")
@click.option(
    "--event",
    type=click.Choice(EVENT_KINDS),
    default="note",
    show_default=True,
    help="What happened. All but note and task are gaps, from which lessons are drawn.",
)
@click.option("--advice", metavar="TEXT", help="What to do about it.")
@click.option("--trigger", metavar="PHASE-DOMAIN", help="When to recall it.")
@tags_option
@input_options
@json_option
@click.pass_obj
def log(directory: Path | None, /, *, as_json: bool, **options: Any) -> int:
    """Add an event to .sdd/logs/session.md.

    Without a text, it shows the events.

    \b
    Example:
      sdd knowledge log "Task 1.2 is done" --event task
      sdd knowledge log "createMany returns no records" --event surprise --tags prisma,orm
    """
    base = open_base(directory)
    given = given_options(options, "text", "advice", "trigger")
    if options["tags"]:
        given["tags"] = split_tags(options["tags"])
    if given or options["source"] or options["edit"]:
        form = {"text": "", "event": options["event"], "advice": "", "tags": [], "trigger": ""}
        fields = {"event": options["event"], **read_fields(options, given, form)}
        refuse_unknown(fields, *form)
        kind = next((one for one in EVENT_KINDS if one == fields["event"]), None)
        if kind is None:
            raise click.UsageError(f"The event is one of {', '.join(EVENT_KINDS)}")
        details = {name: text_field(fields, name) for name in ("advice", "trigger")}
        details["tags"] = ", ".join(list_field(fields, "tags"))
        event = make_event(kind, text_field(fields, "text"), details, time.time())
        log_events(base, [event])
        events: tuple[Event, ...] = (event,)
        lines = [printable_line(f"logged {event.kind}: {event.text}")]
    else:
        events = read_session(base).events
        lines = [printable_line(f"{one.time} {one.kind}: {one.text}") for one in events]
        lines = lines or ["the session log has no event"]
    data = {"events": [{**one._asdict(), "fields": dict(one.fields)} for one in events]}
    return show(CommandOutput(data, lines), as_json)


def _technology(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not (equals and key.strip()):
        raise click.UsageError(f"{text!r} is no technology: write language=Python")
    return key.strip(), value.strip()
