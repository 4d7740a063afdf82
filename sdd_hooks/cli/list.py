"""`sdd list`: the artifacts of the work tree, or of an organisation; `_rows` has the columns."""

# Governing: SPEC-0005 REQ "List", ADR-0036 (a record says what it applies to),
# SPEC-0033 REQ "Search everywhere"

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

import click

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.languages import STATUSES
from sdd_hooks.artifacts.statement import UNKNOWN
from sdd_hooks.artifacts.work_tree import WOULD_BE_ONE, read_work_tree
from sdd_hooks.cli.shared.context import open_project, start_directory
from sdd_hooks.cli.shared.options import (
    everywhere_option,
    json_option,
    module_option,
    refuse_with_everywhere,
)
from sdd_hooks.cli.shared.output import CommandOutput, printable_line, show, table
from sdd_hooks.external.records import NO_RECORDS, ExternalRecords, read_external_records
from sdd_hooks.project.collections import RECORD_KINDS
from sdd_hooks.setup.records import FIRST_RECORD
from sdd_hooks.usecases.reading.governing import GoverningArtifacts, GoverningReason, find_governing

NONE = "none"
NOTHING = "no decisions or specifications"


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
@click.option(
    "--for",
    "path",
    metavar="PATH",
    help="Only those that govern this file, and why. It may not exist yet.",
)
@module_option
@everywhere_option
@json_option
@click.pass_obj
def list_artifacts(
    directory: Path | None,
    /,
    path: str | None,
    module: str | None,
    everywhere: bool,
    as_json: bool,
    **filters: tuple[str, ...],
) -> int:
    """List decisions and specifications with their status.

    Reads the files of the work tree: no index is needed, and uncommitted changes are included.
    Decisions of other repositories are listed as they were fetched last.

    \b
    Example:
      sdd list
      sdd list --kind adrs --status accepted
      sdd list --for src/outbox/store.py
    """
    if everywhere:
        refuse_with_everywhere(module=module, **{"for": path})
        return _list_everywhere(directory, filters["kinds"], filters["statuses"], as_json)
    project = open_project(directory)
    collections = project.select(filters["kinds"] or RECORD_KINDS, module)
    statuses = filters["statuses"]
    external = NO_RECORDS
    if module is None and "adrs" in (filters["kinds"] or ("adrs",)):
        external = read_external_records(project.repository, project.external)
    notes = external.notes(time.time())
    if path is not None:
        cwd = start_directory(directory)
        found = find_governing(project, collections, cwd, path, external)
        found = found._replace(left_out=(*found.left_out, *notes))
        rows = [(one, reasons) for one, reasons in found.artifacts if _has(one, statuses)]
        output = _governing(found._replace(artifacts=tuple(rows)), external, project.warnings)
        return show(output, as_json)
    corpus, left_out = read_work_tree(project.repository.git, collections)
    if not corpus.artifacts:
        left_out.append(WOULD_BE_ONE)
    own = sorted(corpus.artifacts, key=_order)
    others = sorted(external.corpus.artifacts, key=_order)
    artifacts = [one for one in (*own, *others) if _has(one, statuses)]
    empty = NOTHING if corpus.artifacts or statuses else f"{NOTHING}: {FIRST_RECORD}"
    lines = _rows([(one.name, one) for one in artifacts]) or [empty]
    data = {"artifacts": [_own_data(artifact, external) for artifact in artifacts]}
    return show(CommandOutput(data, lines, [*left_out, *notes], project.warnings), as_json)


def _list_everywhere(
    directory: Path | None, kinds: Sequence[str], statuses: Sequence[str], as_json: bool
) -> int:
    """List the artifacts of all repositories of the organisation."""
    from sdd_hooks.cli.shared.progress import waiting_for_organisation
    from sdd_hooks.reporting.everywhere import SCHEMA_VERSION, age_data, age_lines
    from sdd_hooks.usecases.reading.everywhere import list_everywhere

    project = open_project(directory)
    with waiting_for_organisation():
        listed = list_everywhere(project, kinds or RECORD_KINDS)
    chosen = [one for one in listed.artifacts if _has(one.artifact, statuses)]
    data = {
        "schema_version": SCHEMA_VERSION,
        "artifacts": [
            {"repository": one.repository, "label": one.label, **_data(one.artifact)}
            for one in chosen
        ],
        "repositories": age_data(listed.repositories),
    }
    lines = _rows([(one.label, one.artifact) for one in chosen]) or [NOTHING]
    lines += age_lines(listed.repositories, time.time())
    return show(CommandOutput(data, lines, (), project.warnings), as_json)


def _governing(
    found: GoverningArtifacts, external: ExternalRecords, warnings: Sequence[str]
) -> CommandOutput:
    """The artifacts that govern a file, each with its reasons below it."""
    governing = found.artifacts
    rows = _rows([(artifact.name, artifact) for artifact, _ in governing])
    lines = []
    for row, (_, reasons) in zip(rows, governing, strict=True):
        lines += [row, *table([("", _describe(one)) for one in reasons], wraps=True)]
    data = {
        "for": found.path,
        "artifacts": [
            {**_own_data(artifact, external), "by": [reason._asdict() for reason in reasons]}
            for artifact, reasons in governing
        ],
    }
    nothing = f"no decision or specification governs {printable_line(found.path)}"
    return CommandOutput(data, lines or [nothing], found.left_out, warnings)


def _describe(reason: GoverningReason) -> str:
    place = f"({reason.path}:{reason.line})"
    if reason.kind == "comment":
        requirement = f' REQ "{reason.text}"' if reason.text else ""
        return f"governing comment{requirement} {place}"
    if reason.kind in ("rule", "named"):
        return f"{'sdd-rule' if reason.kind == 'rule' else 'names'}: {reason.text} {place}"
    return f"applies-to: {reason.text} {place}"


def _has(artifact: Artifact, statuses: Sequence[str]) -> bool:
    return not statuses or (artifact.status.value or NONE) in statuses


def _rows(labelled: Sequence[tuple[str, Artifact]]) -> list[str]:
    """The lines of a table of artifacts with their names, as wide as the terminal."""
    rows = [
        (label, one.status.value or NONE, one.date or "-", one.title, one.path)
        for label, one in labelled
    ]
    return table(rows, optional=(4, 2), status=1)


def _order(artifact: Artifact) -> tuple[object, ...]:
    return (artifact.module, artifact.kind, artifact.id.order[:3], artifact.path)


def _own_data(artifact: Artifact, external: ExternalRecords) -> dict[str, object]:
    return _data(artifact, origin=external.origin(artifact.path))


def _data(artifact: Artifact, **origin: str | None) -> dict[str, object]:
    return {
        "id": str(artifact.id),
        "kind": artifact.kind,
        **origin,
        "module": artifact.module,
        "status": artifact.status.value or None,
        "authoritative": artifact.status.authoritative,
        "date": artifact.date or None,
        "title": artifact.title,
        "path": artifact.path,
    }
