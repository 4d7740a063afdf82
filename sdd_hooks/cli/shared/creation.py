"""What `sdd adr` and `sdd spec` share: options, prompts and output."""

# Governing: SPEC-0024 REQ "Candidate edges", SPEC-0005 REQ "Output"

from __future__ import annotations

import datetime
import json
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import reduce
from pathlib import Path
from typing import IO, Any

import click

from sdd_hooks.artifacts.identifiers import ArtifactKind
from sdd_hooks.authoring.new_edges import CandidateEdge
from sdd_hooks.cli.shared.context import open_project, start_directory
from sdd_hooks.cli.shared.edits import changes_data, done_lines
from sdd_hooks.cli.shared.options import (
    Command,
    dry_run_option,
    json_option,
    module_option,
    yes_option,
)
from sdd_hooks.cli.shared.output import CommandOutput, printable_line, show
from sdd_hooks.cli.shared.prompts import can_ask, choose
from sdd_hooks.usecases.authoring.create_artifact import (
    CreatedArtifact,
    CreateRequest,
    create_artifact,
)

MAX_INPUT_BYTES = 1 << 20


def creation_options(example: str) -> Callable[[Command], Command]:
    """`--edge`, `--reserve`, `--yes`, `--dry-run`, `--module` and `--json`."""
    edge = click.option(
        "--edge",
        "edges",
        multiple=True,
        metavar="KIND=ID",
        help=f"An edge of the new artifact: {example}. Repeatable; no prompt then.",
    )
    reserve = click.option(
        "--reserve",
        is_flag=True,
        help="Reserve the number in the remote `origin`, so that no other clone takes it.",
    )
    shared = (json_option, module_option, dry_run_option, yes_option, reserve, edge)
    return lambda command: reduce(lambda done, option: option(done), shared, command)


def run_creation(kind: ArtifactKind, directory: Path | None, options: Mapping[str, Any]) -> int:
    """Create an artifact and print it. `options` are the values of the options, by name."""
    as_json, dry_run = options["as_json"], options["dry_run"]
    request = CreateRequest(
        kind,
        options["title"],
        datetime.date.today().isoformat(),
        tuple(options["edges"]),
        module=options["module"] or "",
        dry_run=dry_run,
        reserve=options["reserve"],
    )
    if options.get("source"):
        request = _with_input(request, options["source"])
    asks = can_ask(options["yes"], as_json, dry_run)
    ask = _choose if asks else _choose_proposed if options["yes"] else _choose_none
    project = open_project(directory)
    with suppress(ValueError):  # Outside of the work tree, as below `.git`.
        start = start_directory(directory).resolve().relative_to(project.repository.root.resolve())
        request = request._replace(near="" if start == Path() else start.as_posix())
    created = create_artifact(project, request, ask, time.time())
    output = CommandOutput(
        _data(created, dry_run), _lines(created, dry_run, asks), created.notes, created.warnings
    )
    return show(output, as_json)


def _with_input(request: CreateRequest, source: IO[bytes]) -> CreateRequest:
    """The request with what a JSON object says. Raises UsageError for another text."""
    try:
        given = json.loads(source.read(MAX_INPUT_BYTES))
        edges = [
            f"{kind}={target}"
            for kind, targets in dict(given.get("edges", {})).items()
            for target in ([targets] if isinstance(targets, str) else targets)
        ]
        sections = {str(name): str(text) for name, text in dict(given.get("sections", {})).items()}
        title, context = request.title or given["title"], str(given.get("context", ""))
    except (ValueError, TypeError, AttributeError, LookupError, RecursionError):
        raise click.UsageError(
            'The input is no JSON object with "title" and, if wanted, "context", "edges" and'
            ' "sections"'
        ) from None
    return request._replace(
        title=str(title), edges=(*request.edges, *edges), sections=sections, context=context
    )


def _choose_none(_candidates: Sequence[CandidateEdge]) -> Sequence[str]:
    return ()


def _choose(candidates: Sequence[CandidateEdge]) -> Sequence[str]:
    """Ask for each candidate whether it becomes an edge, and which one."""
    chosen = []
    for one in candidates:
        click.echo(printable_line(f"{one.target}: {one.title} · {one.status or 'no status'}"))
        if one.evidence:
            click.echo(f"    {printable_line(one.evidence)}")
        answer = choose(f"  {one.kind} {one.target}?", ["yes", "no", *one.choices], _proposed(one))
        if answer != "no":
            chosen.append(f"{one.kind if answer == 'yes' else answer}={one.target}")
    return chosen


def _choose_proposed(candidates: Sequence[CandidateEdge]) -> Sequence[str]:
    return [f"{one.kind}={one.target}" for one in candidates if _proposed(one) == "yes"]


def _proposed(one: CandidateEdge) -> str:
    """The answer of Enter."""
    return "yes" if one.kind != "related" else "no"


def _lines(created: CreatedArtifact, dry_run: bool, asked: bool) -> list[str]:
    if dry_run:
        lines = [line for edit in created.edits for line in edit.diff().splitlines()]
    else:
        lines = done_lines(created.edits)
        lines += [f"reserved {created.id} for all clones"] if created.reservation else []
    if created.edges or asked:
        return lines
    return [
        *lines,
        *(
            printable_line(f"candidate: --edge {one.kind}={one.target} ({one.title})")
            for one in created.candidates
        ),
    ]


def _data(created: CreatedArtifact, dry_run: bool) -> dict[str, object]:
    return {
        "id": str(created.id),
        "title": created.title,
        "path": created.edits[0].path,
        "reservation": created.reservation,
        "changes": changes_data(created.edits),
        "edges": list(created.edges),
        "candidates": [
            {
                "edge": one.kind,
                "choices": list(one.choices),
                "id": str(one.target),
                "title": one.title,
                "status": one.status,
                "score": round(one.score, 4),
                "path": one.path,
                "line": one.line,
                "evidence": one.evidence,
            }
            for one in created.candidates
        ],
        "dry_run": dry_run,
        "diff": "".join(edit.diff() for edit in created.edits),
    }
