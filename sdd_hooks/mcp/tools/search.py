"""The tool `search`: the decisions, specifications and code that answer a query."""

# Governing: SPEC-0030 REQ "Five tools", ADR-0037 (search by kind)

from __future__ import annotations

from sdd_hooks.mcp.pages import Data, page_of_entries, page_parameters
from sdd_hooks.mcp.parameters import BadArgument, Parameter
from sdd_hooks.mcp.roots import ROOT_PARAMETER
from sdd_hooks.mcp.tool import Call, Tool, ToolResult, force_of
from sdd_hooks.retrieval.report import LabelledHit
from sdd_hooks.retrieval.search import HitLimits
from sdd_hooks.usecases.reading.search import SearchRequest
from sdd_hooks.usecases.reading.search import search as search_project

MAX_QUERY = 2_000

_MAX_PLACE = 1_000


def _run(call: Call) -> ToolResult:
    query = call.text("query")
    if not query.strip():
        raise BadArgument("query is empty")
    request = SearchRequest(
        query,
        call.texts("kinds"),
        call.text("module") or None,
        HitLimits(max_hits=call.number("limit")),
    )
    found = search_project(call.project, request, call.now)
    hits = [hit for group in found.report.groups for hit in group.hits]
    hits.sort(key=lambda one: (not one.exact, -one.hit.score))
    notes = (*found.notes, *found.warnings)
    entries = [_entry(hit) for hit in hits]
    return ToolResult(page_of_entries({}, "hits", entries, call.requested_page, notes))


def _entry(one: LabelledHit) -> Data:
    hit, record = one.hit, one.record
    entry: Data = {"id": hit.id, "kind": one.kind, "score": round(hit.score, 3)}
    if record is not None:
        entry["artifact"] = record.name
        entry |= force_of(record)
    entry["place"] = f"{hit.path}:{hit.first_line}-{hit.last_line}"
    if hit.section:
        entry["section"] = hit.section
    entry["snippet"] = hit.snippet[:_MAX_PLACE]
    return entry


TOOL = Tool(
    "search",
    "Search decisions, specifications and code",
    "Search this repository's decision records, specifications and code by words and meaning."
    " An id (ADR-0011), a file name or the name of a definition finds it. Pass the id of a hit to"
    " `get` for its text. A hit with a mark is not in force.",
    (
        Parameter("query", "text", "The question, or keywords.", required=True, high=MAX_QUERY),
        Parameter(
            "kinds",
            "texts",
            "Of adrs, specs, code, issues. Default: the first three.",
            high=100,
            items=8,
        ),
        Parameter("module", "text", "Only this module of the workspace."),
        Parameter(
            "limit", "number", "The maximum number of hits of each kind.", default=8, low=1, high=50
        ),
        ROOT_PARAMETER,
        *page_parameters(2_000),
    ),
    _run,
)
