"""The tool `status`: the repository, its index, and how fresh that is."""

# Governing: SPEC-0030 REQ "Five tools"

from __future__ import annotations

from sdd_hooks.engines.registry import is_indexed, not_indexed
from sdd_hooks.freshness.read_gate import open_index
from sdd_hooks.mcp.pages import Data, page_of_entries, page_parameters
from sdd_hooks.mcp.roots import ROOT_PARAMETER
from sdd_hooks.mcp.tool import Call, Tool, ToolResult
from sdd_hooks.retrieval.search import incomplete_notes, pending_notes

_MAX_MODULES = 20


def _run(call: Call) -> ToolResult:
    project = call.project
    head: Data = {
        "repository": str(call.root)[-300:],
        "engine": project.configuration.search.engine,
        "indexed": is_indexed(project),
        "modules": [one.name[:100] for one in project.modules[:_MAX_MODULES]],
    }
    if not head["indexed"]:
        notes = (str(not_indexed(project)), *project.warnings)
        return ToolResult(page_of_entries(head, "collections", [], call.requested_page, notes))
    with open_index(project) as engine:
        index = engine.status()
    age = None if index.touched is None else round(max(call.now - index.touched, 0))
    head |= {"age_seconds": age, "model": index.model or None, "chunks_unembedded": index.pending}
    entries: list[Data] = [
        {
            "name": one.name,
            "kind": one.kind,
            "module": one.module,
            "documents": one.documents,
            "chunks": one.chunks,
            "unembedded": one.pending,
        }
        for one in index.collections
    ]
    bookmarks = {one.name: one.bookmark for one in index.collections}
    notes = (
        *incomplete_notes(bookmarks, bookmarks, index.touched),
        *pending_notes(index.pending),
        *project.warnings,
    )
    return ToolResult(page_of_entries(head, "collections", entries, call.requested_page, notes))


TOOL = Tool(
    "status",
    "Show the repository and its index",
    "Which repository this server serves, what is indexed, and how fresh it is.",
    (ROOT_PARAMETER, *page_parameters(1_000)),
    _run,
)
