"""Run `sdd search`, `list` and `prime` with `--everywhere`, and print the result."""

# Governing: SPEC-0033 REQ "Search everywhere"

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import click

from sdd_hooks.cli.context import open_project
from sdd_hooks.cli.output import CommandOutput, detect_terminal, fitting_table, show
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.collections import COLLECTION_KINDS, RECORD_KINDS
from sdd_hooks.reporting.everywhere import (
    SCHEMA_VERSION,
    RepositoryAge,
    age_data,
    age_lines,
    hit_data,
    hit_lines,
)
from sdd_hooks.retrieval.questions import DEFAULT_KINDS
from sdd_hooks.retrieval.search import HitLimits
from sdd_hooks.text.display import shortened
from sdd_hooks.usecases.reading.everywhere import (
    EverywhereHit,
    FoundArtifact,
    Freshness,
    list_everywhere,
    search_everywhere,
)

_MAX_QUERY = 80
"""Columns of a query in a message."""

ONLY_HERE = "--{} is about this repository, and --everywhere about all: give one of them"


class EverywhereSearch(NamedTuple):
    """The arguments of `sdd search --everywhere`; no kinds mean ADRs, specs and code."""

    query: str
    kinds: tuple[str, ...]
    limits: HitLimits
    as_json: bool


def refuse(**given: object) -> None:
    """Raise UsageError for an option that `--everywhere` does not have."""
    for name, value in given.items():
        if value:
            raise click.UsageError(ONLY_HERE.format(name.replace("_", "-")))


def run_search_everywhere(directory: Path | None, given: EverywhereSearch) -> int:
    """Search all repositories of the organisation. Returns the exit code."""
    for kind in given.kinds:
        if kind not in COLLECTION_KINDS:
            raise click.UsageError(f"no kind {kind!r}: it is one of {', '.join(COLLECTION_KINDS)}")
    project = open_project(directory)
    found = search_everywhere(project, given.query, given.kinds or DEFAULT_KINDS, given.limits)
    data = {
        "schema_version": SCHEMA_VERSION,
        "query": given.query,
        "hits": [_hit_data(one) for one in found.hits],
        "repositories": age_data(_ages(found.repositories)),
    }
    lines = [
        line
        for one in found.hits
        for line in hit_lines(
            one.label, one.found.artifact.status.value if one.found else "", one.hit.hit
        )
    ]
    lines += age_lines(_ages(found.repositories), time.time())
    query = shortened(given.query, _MAX_QUERY)
    nothing = f'nothing found for "{query}" in the repositories of the organisation'
    return show(
        CommandOutput(data, lines or [nothing], found.notes, project.warnings), given.as_json
    )


def run_list_everywhere(
    directory: Path | None, kinds: Sequence[str], statuses: Sequence[str], as_json: bool
) -> int:
    """List the artifacts of all repositories of the organisation. Returns the exit code."""
    project = open_project(directory)
    listed = list_everywhere(project, kinds or RECORD_KINDS)
    chosen = [
        one
        for one in listed.artifacts
        if not statuses or (one.artifact.status.value or "none") in statuses
    ]
    data = {
        "schema_version": SCHEMA_VERSION,
        "artifacts": [_artifact_data(one) for one in chosen],
        "repositories": age_data(_ages(listed.repositories)),
    }
    rows = [
        (
            one.label,
            one.artifact.status.value or "none",
            one.artifact.date or "-",
            one.artifact.title,
            one.artifact.path,
        )
        for one in chosen
    ]
    width = detect_terminal(sys.stdout, os.environ).width
    lines = fitting_table(rows, width, 3) if rows else ["no decisions or specifications"]
    lines += age_lines(_ages(listed.repositories), time.time())
    return show(CommandOutput(data, lines, (), project.warnings), as_json)


def _ages(repositories: Sequence[Freshness]) -> list[RepositoryAge]:
    return [RepositoryAge(*one) for one in repositories]


def _hit_data(one: EverywhereHit) -> dict[str, object]:
    artifact = one.found.artifact if one.found else None
    return {
        "repository": one.repository,
        "label": one.label,
        "kind": one.kind,
        "id": str(artifact.id) if artifact and artifact.id else None,
        "status": (artifact.status.value or None) if artifact else None,
        **hit_data(one.hit.hit),
    }


def _artifact_data(one: FoundArtifact) -> dict[str, object]:
    artifact = one.artifact
    return {
        "repository": one.repository,
        "label": one.label,
        "id": str(artifact.id) if artifact.id else None,
        "kind": artifact.kind,
        "module": artifact.module,
        "status": artifact.status.value or None,
        "authoritative": artifact.status.authoritative,
        "date": artifact.date or None,
        "title": artifact.title,
        "path": artifact.path,
    }
