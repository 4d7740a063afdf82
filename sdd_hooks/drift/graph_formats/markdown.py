"""A part of the artifact graph as a Markdown table."""

# Governing: SPEC-0021 REQ "Drawings", ADR-0012 (untrusted input)

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from sdd_hooks.drift.graph_formats.text import NOTHING
from sdd_hooks.drift.graph_queries import GraphView, Link
from sdd_hooks.reporting.escape import escape_text, table_cell

_HEADINGS = {
    "impact": "What depends on {}",
    "ancestors": "What {} depends on",
    "chain": "What {} depends on, and what depends on it",
}


def draw_markdown(view: GraphView) -> list[str]:
    """The lines of a page: a heading, and a table with a row for each edge, by distance."""
    if view.query is None:
        return []
    query = view.query
    lines = [f"# {_HEADINGS[view.verb].format(escape_text(query.name))}", ""]
    if query.title:
        lines += [f"{escape_text(query.title)}", ""]
    if view.links:
        head = ("id", "type", "title", "status", "edge", "to", "derived")
        lines += markdown_table(head, _rows(view))
    else:
        lines.append(f"{NOTHING[view.verb].capitalize()}.")
    if view.related:
        rows = (
            (n.name, n.title, n.status, "yes" if derived else "") for n, derived in view.related
        )
        lines += ["", "## Related", "", *markdown_table(("id", "title", "status", "derived"), rows)]
    return lines


def markdown_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """The lines of a table. Cells are untrusted text."""
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    lines += [f"| {' | '.join(table_cell(cell) for cell in row)} |" for row in rows]
    return lines


def _rows(view: GraphView) -> Iterator[Sequence[str]]:
    """A row for each type of each link, from the node that is farther from the query."""
    distances = view.distances

    def far(link: Link) -> str:
        return link.lower if distances[link.lower] > 0 else link.upper

    def order(link: Link) -> tuple[object, ...]:
        steps = distances[far(link)]
        return (steps > 0, abs(steps), view.nodes[far(link)].order)

    for link in sorted(view.links, key=order):
        key = far(link)
        node = view.nodes[key]
        near = view.nodes[link.upper if key == link.lower else link.lower]
        place = f":{link.line}" if node.kind == "file" else ""
        for type, derived in link.types(key):
            edge = f"{type} {link.detail}" if link.detail else type
            yield (
                node.name + place,
                node.kind,
                node.title,
                node.status,
                edge,
                near.name,
                "yes" if derived else "",
            )
