"""Draw the call graph of the code that a search found."""

# Governing: SPEC-0017 (call graphs)

from __future__ import annotations

from sdd_hooks.callgraph.filters import derive_filter
from sdd_hooks.callgraph.generate import GraphScope, generate_call_graph
from sdd_hooks.project.project import Project
from sdd_hooks.reporting.search.call_graph_sections import DrawnGraph
from sdd_hooks.retrieval.report import SearchReport


def draw_call_graph(
    project: Project, report: SearchReport, module: str | None, date: str, *, unfiltered: bool
) -> DrawnGraph:
    """Draw the callables that the code of a report names, else the words of its query.

    The graph has the code of `module`, else of the repository. `unfiltered` draws all of it. `date`
    is ISO. A graph that cannot be drawn has an error.
    """
    hits = [one.hit for one in report.hits("code")]
    hint = derive_filter(((hit.path, hit.section) for hit in hits), report.query)
    roots = {one.name: one.root for one in project.modules}
    target = roots.get(module or "", "")
    matched = tuple(dict.fromkeys(hit.path for hit in hits))
    scope = GraphScope(project.repository.root, target, matched)
    graph = generate_call_graph(scope, None if unfiltered else hint or None, project.environ)
    return DrawnGraph(graph, date, target or ".", hint)
