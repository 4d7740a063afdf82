"""The call graph of a search: the sections of the Markdown report, the lines of a terminal, JSON.

The wordings are those of the search skill.
"""

# Governing: SPEC-0017 REQ "In the report of a search"

from __future__ import annotations

from collections.abc import Iterator

from sdd_hooks.callgraph.generate import UNFILTERED, CallGraph
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.reporting.search.markdown_report import ReportSection
from sdd_hooks.retrieval.report import SearchReport
from sdd_hooks.text.display import printable_line

_ROWS = {"adrs": "ADRs", "specs": "Specs", "code": "Code", "issues": "Issues"}


class DrawnGraph(NamedTuple):
    """A call graph with the `date` (ISO) of its generation.

    `target` is the path of the code, `hint` the regular expression for a further graph.
    """

    graph: CallGraph
    date: str
    target: str
    hint: str


def call_graph_sections(report: SearchReport, drawn: DrawnGraph) -> Iterator[ReportSection]:
    """Yield the sections of the call graph and of the summary."""
    yield ReportSection("Call Graphs", list(_graph_lines(drawn)))
    yield ReportSection("Summary", list(_summary_lines(report, drawn)))


def list_graph(drawn: DrawnGraph) -> list[str]:
    """Return the lines of the call graph for a terminal."""
    return ["Call graph", "", *_graph_lines(drawn)]


def call_graph_data(graph: CallGraph) -> dict[str, object]:
    """Return the entry of `call_graphs`, with exactly the keys of the search skill."""
    mermaid = "\n".join(graph.lines) if graph.nodes else None
    return {"filter": graph.filter, "mermaid": mermaid, "error": graph.error or None}


def _graph_lines(drawn: DrawnGraph) -> Iterator[str]:
    graph = drawn.graph
    if graph.filter is None:
        yield f"> {UNFILTERED}"
        yield ""
    yield from graph.skipped
    if graph.error:
        yield from graph.error.split("\n")
        return
    used = "unfiltered" if graph.filter is None else printable_line(graph.filter)
    yield f"<!-- Call graph: {used}, generated {drawn.date} -->"
    yield "```mermaid"
    yield from graph.lines
    yield "```"


def _summary_lines(report: SearchReport, drawn: DrawnGraph) -> Iterator[str]:
    yield "| Collection | Matches |"
    yield "|-----------|---------|"
    for group in report.groups:
        name = _ROWS.get(group.kind, printable_line(group.kind))
        yield f"| {name} | {len(group.hits)} |"
    yield f"| Call graph nodes | {drawn.graph.nodes or 'unavailable'} |"
    yield ""
    start = "Refine the" if drawn.graph.nodes else "Generate a focused"
    command = f'/cgg {printable_line(drawn.target)} --filter "{printable_line(drawn.hint)}"'
    yield f"{start} call graph with: `{command}`"
