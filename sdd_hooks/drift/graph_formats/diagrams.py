"""A part of the artifact graph in languages of diagrams: Mermaid, and DOT of Graphviz.

DOT: https://graphviz.org/doc/info/lang.html.
"""

# Governing: SPEC-0021 REQ "Drawings", ADR-0012 (untrusted input)

from __future__ import annotations

from sdd_hooks.drift.graph_formats.text import describe
from sdd_hooks.drift.graph_queries import GraphView
from sdd_hooks.text.lazy_regex import lazy_regex

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

_DOT_SHAPES = {
    "adr": "box",
    "spec": "ellipse",
    "requirement": "hexagon",
    "issue": "note",
    "file": "plaintext",
    "more": "plaintext",
}


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


def draw_dot(view: GraphView) -> list[str]:
    """The lines of a digraph whose arrows lead downstream; a dashed one is derived."""
    ids = {key: f"n{number}" for number, key in enumerate(view.nodes)}
    lines = ["digraph artifacts {", "  rankdir=TB;"]
    for key, node in view.nodes.items():
        style = ", penwidth=3" if view.query is not None and key == view.query.key else ""
        label = f"label={quote(describe(node))}, shape={_DOT_SHAPES[node.kind]}{style}"
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
