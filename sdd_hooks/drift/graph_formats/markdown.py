"""A part of the artifact graph for Markdown: as a table, or as a diagram of Mermaid."""

# Governing: SPEC-0021 REQ "Drawings", ADR-0012 (untrusted input)

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from sdd_hooks.drift.graph_formats.text import NOTHING, describe
from sdd_hooks.drift.graph_queries import GraphView, Link
from sdd_hooks.reporting.escape import escape_text, table_cell
from sdd_hooks.text.lazy_regex import lazy_regex

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
        place = f":{link.line}" if link.line and node.kind == "file" else ""
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


_MERMAID_SHAPES = {
    "adr": ("[", "]"),
    "spec": ("([", "])"),
    "requirement": ("{{", "}}"),
    "issue": (">", "]"),
    "file": ("[/", "/]"),
    "more": ("[/", "/]"),
}
# Mermaid writes entities with `#` in place of `&`. `end` in lower case closes a subgraph.
_MARKUP = lazy_regex(r"[\"#%&<>`\\\[\]{}()|*_~]|\bend\b")


def draw_mermaid(view: GraphView) -> list[str]:
    """The lines of a flowchart whose arrows lead downstream; a dashed one is derived."""
    ids = {key: f"n{number}" for number, key in enumerate(view.nodes)}
    lines = ["flowchart TD"]
    for key, node in view.nodes.items():
        opening, closing = _MERMAID_SHAPES[node.kind]
        lines.append(f'  {ids[key]}{opening}"{escape_label(describe(node))}"{closing}')
    for link in view.links:
        types = link.types(link.upper)
        arrow = "-.->" if types[0][1] else "-->"
        label = escape_label(", ".join(type for type, _ in types))
        lines.append(f'  {ids[link.upper]} {arrow}|"{label}"| {ids[link.lower]}')
    if view.query is not None:
        lines.append(f"  style {ids[view.query.key]} stroke-width:3px")
    return lines


def escape_label(text: str) -> str:
    """The text as it is, inside the quotation marks of a label."""
    return _MARKUP.sub(lambda match: "".join(f"#{ord(one)};" for one in match[0]), text)
