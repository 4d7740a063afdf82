"""A part of the artifact graph as a diagram of Mermaid."""

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
