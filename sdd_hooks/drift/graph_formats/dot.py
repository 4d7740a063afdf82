"""A part of the artifact graph in DOT, the language of Graphviz (graphviz.org/doc/info)."""

# Governing: SPEC-0021 REQ "Drawings", ADR-0012 (untrusted input)

from __future__ import annotations

from sdd_hooks.drift.graph_formats.text import describe
from sdd_hooks.drift.graph_queries import GraphView

_SHAPES = {
    "adr": "box",
    "spec": "ellipse",
    "requirement": "hexagon",
    "issue": "note",
    "file": "plaintext",
    "more": "plaintext",
}


def draw_dot(view: GraphView) -> list[str]:
    """The lines of a digraph whose arrows lead downstream; a dashed one is derived."""
    ids = {key: f"n{number}" for number, key in enumerate(view.nodes)}
    lines = ["digraph artifacts {", "  rankdir=TB;"]
    for key, node in view.nodes.items():
        style = ", penwidth=3" if view.query is not None and key == view.query.key else ""
        label = f"label={quote(describe(node))}, shape={_SHAPES[node.kind]}{style}"
        lines.append(f"  {ids[key]} [{label}];")
    for link in view.links:
        types = link.types(link.upper)
        style = ", style=dashed" if types[0][1] else ""
        label = quote(", ".join(type for type, _ in types))
        lines.append(f"  {ids[link.upper]} -> {ids[link.lower]} [label={label}{style}];")
    return [*lines, "}"]


def quote(text: str) -> str:
    """The text as a string in which no escape of Graphviz (`\\N`, `\\l`) has an effect."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    # Graphviz reads HTML entities in strings.
    return f'"{escaped.replace("&", "&amp;")}"'
