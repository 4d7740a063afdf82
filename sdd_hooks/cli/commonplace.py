"""`commonplace-search-update`, `-query` and `-status`: the index under engine-neutral names.

Other tools call these commands to search, with any engine. A query prints records: `id`,
`collection`, `path`, `unit` (the part after `#` in the id), `content_hash` and `score`.
"""

# Governing: ADR-0008 (stable ids), SPEC-0005 REQ "Engine-neutral commands"

from __future__ import annotations

import sys
from collections.abc import Sequence

import click

from sdd_hooks.cli.entry import run
from sdd_hooks.cli.index.status import index_status_output
from sdd_hooks.cli.index.update import full_update_output
from sdd_hooks.cli.shared.context import open_project
from sdd_hooks.cli.shared.options import json_option, limit_option, min_score_option
from sdd_hooks.cli.shared.output import CommandOutput, printable_line, show
from sdd_hooks.engines.protocol import Engine, Hit
from sdd_hooks.freshness.read_gate import open_index
from sdd_hooks.project.project import UnknownName
from sdd_hooks.retrieval.search import HitLimits, search


def update() -> int:
    """Entry point of `commonplace-search-update`."""
    return run(lambda: update_command, sys.argv[1:], "commonplace-search-update")


def query() -> int:
    """Entry point of `commonplace-search-query`."""
    return run(lambda: query_command, sys.argv[1:], "commonplace-search-query")


def status() -> int:
    """Entry point of `commonplace-search-status`."""
    return run(lambda: status_command, sys.argv[1:], "commonplace-search-status")


@click.command()
@json_option
def update_command(as_json: bool) -> int:
    """For other tools: bring every collection up to date, also those of semantic-search.yml.

    \b
    Example:
      commonplace-search-update
    """
    project = open_project(None)
    return show(full_update_output(project, project.collections, as_json), as_json)


@click.command()
@click.argument("words", metavar="QUERY", nargs=-1, required=True)
@click.option("--collection", "names", multiple=True, metavar="NAME", help="Only here. Repeatable.")
@limit_option
@min_score_option
@json_option
def query_command(
    words: tuple[str, ...], names: tuple[str, ...], limit: int, min_score: float, as_json: bool
) -> int:
    """For other tools: print the records that answer a query, best first (see `sdd search`).

    \b
    Example:
      commonplace-search-query --collection notes context engineering
    """
    project = open_project(None)
    text = " ".join(words)
    chosen = [c for c in project.collections if not names or c.name in names]
    unknown = set(names) - {c.name for c in chosen}
    if unknown:
        known = ", ".join(c.name for c in project.collections)
        raise UnknownName(f"no collection {min(unknown)!r}: one of {known}")
    with open_index(project) as engine:
        result = search(project, engine, text, chosen, HitLimits(limit, min_score))
        records = _records(engine, result.hits)
    blocks = [
        "\n".join(f"{key}: {printable_line(str(value))}" for key, value in r.items())
        for r in records
    ]
    data = {"query": text, "records": records, "pending": result.pending}
    lines = ["\n\n".join(blocks)] if blocks else []
    return show(CommandOutput(data, lines, result.notes, project.warnings), as_json)


@click.command()
@json_option
def status_command(as_json: bool) -> int:
    """For other tools: show what is indexed, how fresh it is and where (see `sdd index status`).

    \b
    Example:
      commonplace-search-status --json
    """
    return show(index_status_output(open_project(None)), as_json)


def _records(engine: Engine, hits: Sequence[Hit]) -> list[dict[str, object]]:
    hashes = {
        (name, document.path): document.content_hash
        for name in {hit.collection for hit in hits}
        for document in engine.documents(name)
    }
    return [
        {
            "id": hit.id,
            "collection": hit.collection,
            "path": hit.path,
            "unit": hit.id.rpartition("#")[2],
            "content_hash": hashes.get((hit.collection, hit.path), ""),
            "score": round(hit.score, 4),
        }
        for hit in hits
    ]
