"""`sdd knowledge learn`, `pattern-save`, `triage` and `finish`: record drafts after a triage."""

# Governing: SPEC-0028 REQ "Triage", REQ "Recording"

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from sdd_hooks.cli.knowledge.fields import (
    edit_text,
    given_options,
    input_options,
    open_base,
    parse_object,
    read_fields,
    read_input,
    split_tags,
    tags_option,
)
from sdd_hooks.cli.shared.options import Command, dry_run_option, json_option, yes_option
from sdd_hooks.cli.shared.output import CommandOutput, printable_line, show
from sdd_hooks.cli.shared.prompts import can_ask, choose
from sdd_hooks.knowledge.drafts import (
    ACTIONS,
    LEVELS,
    Draft,
    Surroundings,
    parse_draft,
    parse_drafts,
)
from sdd_hooks.knowledge.entries import (
    Entry,
    EntryKind,
    EntryRefused,
    empty_form,
    entry_data,
    entry_file,
    kind_of,
    title_of,
)
from sdd_hooks.knowledge.triage import TriageRow, parse_answer, render_table
from sdd_hooks.usecases.knowledge.entries import KnowledgeBase
from sdd_hooks.usecases.knowledge.record import (
    NOT_CONFIRMED,
    Ask,
    Decision,
    ReadDrafts,
    Recorded,
    RecordRequest,
    record,
)
from sdd_hooks.usecases.knowledge.state import finish as run_finish

NO_DRAFTS = "no drafts: nothing to record"


def draft_options(command: Command) -> Command:
    """The options of a draft from the command line, and what each command that writes has."""
    level = click.option(
        "--level", type=click.Choice(LEVELS), help="How far it applies, if the words do not tell."
    )
    identifier = click.option("--id", "id", metavar="ID", help="The id, and name of its file.")
    return identifier(level(tags_option(input_options(answer_options(command)))))


def answer_options(command: Command) -> Command:
    """`--answer`, `--yes`, `--dry-run` and `--json`."""
    answer = click.option(
        "--answer",
        "answers",
        multiple=True,
        metavar="ROW=ACTION",
        help="Another action for a row: SAVE, MERGE, PROMOTE or SKIP. Repeatable.",
    )
    return answer(yes_option(dry_run_option(json_option(command))))


@click.command()
@click.argument("advice", required=False, default="")
@click.option("--context", metavar="TEXT", help="What happened: expectation and reality.")
@click.option("--trigger", metavar="PHASE-DOMAIN", help="When to recall it: designing-auth.")
@draft_options
@click.pass_obj
def learn(directory: Path | None, /, **options: Any) -> int:
    """Record a lesson: what went wrong, and what to do instead.

    The triage merges it into a lesson that says the same, promotes a rule for the whole project,
    and skips a detail of one feature. On a terminal it asks; elsewhere it goes ahead, as with
    --yes. Tags, trigger and id are derived where they are not given.

    \b
    Example:
      sdd knowledge learn "Avoid using FLOAT for currency, use DECIMAL instead"
      sdd knowledge learn "Support SSO" --tags auth,sso --trigger designing-auth
      sdd knowledge learn --input - --json <lesson.json
    """
    given = given_options(options, "id", "level", "context", "trigger", "advice")
    return _record_one("lesson", directory, options, given)


@click.command("pattern-save")
@click.argument("name", required=False, default="")
@click.option("--problem", metavar="TEXT", help="When to use it: the problem that it solves.")
@click.option("--solution", metavar="TEXT", help="The verified design or code.")
@click.option("--example", metavar="TEXT", help="A snippet, a reference or a note.")
@draft_options
@click.pass_obj
def pattern_save(directory: Path | None, /, **options: Any) -> int:
    """Save a reusable pattern, to be found by its tags.

    The same name, or the same solution, with half of the tags is merged. On a terminal it asks;
    elsewhere it goes ahead, as with --yes.

    \b
    Example:
      sdd knowledge pattern-save "Standard JWT Auth Flow" --tags auth,jwt,api --solution "…"
      sdd knowledge pattern-save --edit
    """
    given = given_options(options, "id", "level", "name", "problem", "solution", "example")
    return _record_one("pattern", directory, options, given)


@click.command()
@click.argument("file", type=click.File("rb"), required=False)
@click.option("--edit", is_flag=True, help="Edit the drafts first.")
@answer_options
@click.pass_obj
def triage(directory: Path | None, /, **options: Any) -> int:
    """Decide what happens to the drafts in FILE, and do it when it is confirmed.

    FILE has JSON: a lesson or a pattern, a list of them, or an object with the list "drafts"; - is
    standard input. A draft may state its "level" and its "action". On a terminal each row is
    asked for; elsewhere --yes or --answer confirms.

    \b
    Example:
      sdd knowledge triage drafts.json
      sdd knowledge triage drafts.json --answer 2=SKIP --yes --json
    """
    if not options["file"] and not options["edit"]:
        raise click.UsageError("name a FILE with drafts, - for standard input, or add --edit")
    data = read_input(options["file"]) if options["file"] else b"[]"
    if options["edit"]:
        data = edit_text(_loaded(data) or [{"type": "lesson", **empty_form("lesson")}]).encode()
    request = _request(options, lambda around: parse_drafts(data, around), confirm=True)
    return _run(directory, options, request, record)


@click.command()
@click.option("--input", "source", type=click.File("rb"), metavar="FILE", help="Further drafts.")
@click.option("--edit", is_flag=True, help="Write further drafts in your editor.")
@answer_options
@click.pass_obj
def finish(directory: Path | None, /, **options: Any) -> int:
    """Draw lessons from the session log, triage them, and clear the log.

    Corrections, drift, guardrail failures, obstacles and surprises become lessons; what went as
    expected does not. The log is cleared when the actions were carried out.

    \b
    Example:
      sdd knowledge finish
      sdd knowledge finish --yes --json
    """
    data = read_input(options["source"]) if options["source"] else b"[]"
    if options["edit"]:
        data = edit_text(_loaded(data) or []).encode()
    request = _request(options, lambda around: parse_drafts(data, around), confirm=True)
    return _run(directory, options, request, run_finish)


def _record_one(
    kind: EntryKind, directory: Path | None, options: Mapping[str, Any], given: dict[str, Any]
) -> int:
    if options["tags"]:
        given["tags"] = split_tags(options["tags"])
    fields = read_fields(options, given, empty_form(kind))
    if not fields:
        raise click.UsageError("say what to record, or add --edit or --input")

    def drafts(around: Surroundings) -> Sequence[Draft]:
        try:
            return [parse_draft(kind, fields, around)]
        except ValueError as error:
            raise EntryRefused(f"the {kind} {error}") from None

    return _run(directory, options, _request(options, drafts, confirm=False), record)


def _request(options: Mapping[str, Any], drafts: ReadDrafts, *, confirm: bool) -> RecordRequest:
    """The request. With `confirm`, a run without a terminal needs --yes or an answer."""
    actions = dict(map(parse_answer, options["answers"]))
    ask: Ask | None = None
    if not options["yes"]:
        if can_ask(options["as_json"]):
            ask = _ask
        elif confirm and not actions:
            ask = _decline
    return RecordRequest(drafts, actions, ask, options["dry_run"])


def _run(
    directory: Path | None,
    options: Mapping[str, Any],
    request: RecordRequest,
    use_case: Callable[[KnowledgeBase, RecordRequest], Recorded],
) -> int:
    base = open_base(directory)
    done = use_case(base, request)
    shown = request.ask is _ask and not request.dry_run
    lines = [] if shown or not done.rows else [*render_table(done.rows), ""]
    lines += _results(base, done) if done.rows else [NO_DRAFTS]
    notes = done.notes
    if done.rows and not done.written and not request.dry_run:
        notes = (*notes, NOT_CONFIRMED)
    output = CommandOutput(_data(base, done, request.dry_run), lines, notes, done.warnings)
    return show(output, options["as_json"])


def _ask(rows: Sequence[TriageRow]) -> Decision | None:
    """Show the table and ask for each row."""
    if not rows:
        return Decision()
    click.echo("\n".join(map(printable_line, render_table(rows))))
    actions: dict[int, Any] = {}
    edited: dict[int, Draft] = {}
    choices = ["yes", "edit", *(action.lower() for action in ACTIONS), "quit"]
    for row in rows:
        text = printable_line(f"{row.number}. {title_of(row.draft.entry)}: {row.action_text}?")
        answer = choose(text, choices, "yes", no="skip")
        if answer == "quit":
            return None
        if answer == "edit":
            edited[row.number] = _edit(row.draft)
        elif answer != "yes":
            actions[row.number] = answer.upper()
    return Decision(actions, edited)


def _edit(draft: Draft) -> Draft:
    fields = parse_object(edit_text(entry_data(draft.entry)).encode())
    try:
        return parse_draft(draft.kind, fields, Surroundings(feature=draft.feature))
    except ValueError as error:
        raise EntryRefused(f"the {draft.kind} {error}") from None


def _decline(_rows: Sequence[TriageRow]) -> None:
    return None


def _loaded(data: bytes) -> object:
    try:
        return json.loads(data)
    except (ValueError, RecursionError) as error:
        raise click.UsageError(f"The drafts are no JSON: {error}") from None


def _results(base: KnowledgeBase, done: Recorded) -> list[str]:
    lines = [f"saved {_file(base, one)}" for one in done.saved]
    lines += [f"merged into {_file(base, one)}" for one in done.merged]
    lines += [f"promoted to project_rules.md: {one}" for one in done.promoted]
    if done.written and not lines:
        lines = ["nothing to save"]
    return [printable_line(line) for line in lines]


def _file(base: KnowledgeBase, entry: Entry) -> str:
    return f"{base.place.base}/{entry_file(kind_of(entry), entry.id)}"


def _data(base: KnowledgeBase, done: Recorded, dry_run: bool) -> dict[str, object]:
    def entries(listed: Sequence[Entry]) -> list[dict[str, object]]:
        return [{"type": kind_of(o), "id": o.id, "file": _file(base, o)} for o in listed]

    return {
        "place": base.place.base,
        "rows": [
            {
                "number": row.number,
                "type": row.draft.kind,
                "id": row.draft.entry.id,
                "title": title_of(row.draft.entry),
                "action": row.action,
                "target": row.target.id if row.target and row.action == "MERGE" else None,
                "reason": row.reason,
            }
            for row in done.rows
        ],
        "saved": entries(done.saved),
        "merged": entries(done.merged),
        "promoted": list(done.promoted),
        "written": done.written,
        "dry_run": dry_run,
    }
