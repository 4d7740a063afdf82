"""Run `sdd search` with parsed arguments: search, and print the result (`reporting/search/`).

193 ms without click, 217 with it.
"""

# Governing: SPEC-0005 REQ "Search", SPEC-0007 REQ "Before reading", ADR-0009 (score)

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from sdd_hooks.cli.plain.arguments import parse_plain, share, whole_number
from sdd_hooks.cli.shared.context import open_project
from sdd_hooks.cli.shared.output import CommandOutput, detect_terminal, show
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.reporting.search.listing import nothing_found
from sdd_hooks.retrieval.search import DEFAULT_LIMITS, HitLimits
from sdd_hooks.usecases.reading.search import GraphRequest, SearchOutcome, SearchRequest
from sdd_hooks.usecases.reading.search import search as find

OUTPUTS = ("markdown", "json")

_FLAGS = ("--json", "--graph", "--unfiltered")
_OPTIONS = ("--output", "--kind", "--module", "--limit", "--min-score")


class SearchArguments(NamedTuple):
    """The arguments of `sdd search`, valid and with a query. `output` None is the usual one."""

    query: str
    output: str | None = None
    kinds: tuple[str, ...] = ()
    module: str | None = None
    limits: HitLimits = DEFAULT_LIMITS
    graph: bool = False
    unfiltered: bool = False
    as_json: bool = False


def parse_search(arguments: Sequence[str]) -> SearchArguments | None:
    """Parse the usual spellings of the arguments; None if click has to decide."""
    plain = parse_plain(arguments, _FLAGS, _OPTIONS)
    if plain is None or not (query := " ".join(plain.words)).strip():
        return None
    max_hits = whole_number(plain.last("--limit", str(DEFAULT_LIMITS.max_hits)), 1, 1000)
    min_score = share(plain.last("--min-score", str(DEFAULT_LIMITS.min_score)))
    output = plain.last("--output", None)
    if max_hits is None or min_score is None or output not in (None, *OUTPUTS):
        return None
    return SearchArguments(
        query,
        output,
        tuple(plain.values.get("--kind", ())),
        plain.last("--module", None),
        HitLimits(max_hits, min_score),
        "--graph" in plain.flags,
        "--unfiltered" in plain.flags,
        "--json" in plain.flags,
    )


def run_search(directory: Path | None, given: SearchArguments) -> int:
    """Search the project of `directory` (None: the current one). Returns the exit code."""
    query, output, kinds, module, limits, graph, unfiltered, as_json = given
    if output == "json":
        from sdd_hooks.reporting.search.json_report import require_places

        require_places(kinds)
    as_list = output is None and sys.stdout.isatty()
    now = time.time()
    drawing = None
    if graph or not (as_json or as_list):
        drawing = GraphRequest(time.strftime("%Y-%m-%d", time.localtime(now)), unfiltered)
    warning = _warn_unfiltered(drawing, as_json)
    request = SearchRequest(query, kinds, module, limits, drawing, reminds=as_list and not as_json)
    found = find(open_project(directory), request, now)
    lines: Sequence[str] = ()
    data: dict[str, object] = {}
    if as_json:
        data = _versioned(found)
    else:
        lines = _list(found) if as_list else _report(found, output)
    notes = found.notes
    if output == "json" and found.report.is_empty and not as_json:
        notes = (nothing_found(found.report), *notes)
    return show(CommandOutput(data, lines, notes, (*warning, *found.warnings)), as_json)


def _warn_unfiltered(drawing: GraphRequest | None, as_json: bool) -> tuple[str, ...]:
    """Print the warning before the graph is generated. Returns it where it belongs into JSON."""
    if drawing is None or not drawing.unfiltered:
        return ()
    from sdd_hooks.callgraph.generate import UNFILTERED

    if as_json:
        return (UNFILTERED,)
    sys.stdout.flush()
    sys.stderr.write(f"warning: {UNFILTERED}\n")
    return ()


def _versioned(found: SearchOutcome) -> dict[str, object]:
    from sdd_hooks.reporting.search.json_report import versioned_data

    data = versioned_data(found.report)
    if found.drawn is None:
        return data
    from sdd_hooks.reporting.search.call_graph_sections import call_graph_data

    return {**data, "call_graphs": [call_graph_data(found.drawn.graph)]}


def _list(found: SearchOutcome) -> Sequence[str]:
    from sdd_hooks.reporting.search.listing import list_hits

    lines = list_hits(found.report, detect_terminal(sys.stdout, os.environ))
    if found.drawn is None:
        return lines
    from sdd_hooks.reporting.search.call_graph_sections import list_graph

    return [*lines, *list_graph(found.drawn)]


def _report(found: SearchOutcome, output: str | None) -> Sequence[str]:
    from sdd_hooks.reporting.search.call_graph_sections import (
        call_graph_data,
        call_graph_sections,
    )

    if output == "json":
        import json

        from sdd_hooks.reporting.search.json_report import skill_data

        graphs = [call_graph_data(found.drawn.graph)] if found.drawn else []
        return [json.dumps(skill_data(found.report, graphs), indent=2)]
    from sdd_hooks.reporting.search.markdown_report import render_markdown

    further = call_graph_sections(found.report, found.drawn) if found.drawn else ()
    return render_markdown(found.report, further)
