"""A part of the artifact graph as a drawing: Mermaid, DOT of Graphviz, and SVG.

DOT: https://graphviz.org/doc/info/lang.html. An SVG image needs no other file and runs nothing.
"""

# Governing: SPEC-0021 REQ "Drawings", ADR-0012 (untrusted input)

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from sdd_hooks.drift.graph_formats.text import describe
from sdd_hooks.drift.graph_queries import GraphView, Link
from sdd_hooks.drift.layout import GraphLayout, Placed, Point, Spacing, lay_out
from sdd_hooks.text.display import display_width, shortened
from sdd_hooks.text.lazy_regex import lazy_regex

MAX_LABEL = 44
"""Columns of a line of a node's label."""

_CHARACTER = 7.3
_PADDING = 20
_MARGIN = 12
_SPACING = Spacing(height=44, across=28, down=64)
_STYLE = """
  text { font: 12px ui-monospace, monospace; fill: #1f2328; text-anchor: middle }
  .type { fill: #59636e; font-size: 10px; paint-order: stroke; stroke: #fff; stroke-width: 3px }
  rect { fill: #f6f8fa; stroke: #818b98; rx: 6px }
  .adr { fill: #ddf4ff; stroke: #0969da } .spec { fill: #dafbe1; stroke: #1a7f37 }
  .requirement { fill: #fbefff; stroke: #8250df } .issue { fill: #fff8c5; stroke: #9a6700 }
  .query { stroke-width: 3px } .past { opacity: 0.6 }
  path { fill: none; stroke: #59636e; marker-end: url(#arrow) } .derived { stroke-dasharray: 6 4 }
  marker path { fill: #59636e; stroke: none; marker-end: none }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 } .type { fill: #9198a1; stroke: #0d1117 } rect { fill: #151b23 }
    .adr { fill: #0c2d6b } .spec { fill: #04260f } .requirement { fill: #271052 }
    .issue { fill: #341a00 }
  }"""
_ARROW = (
    '<marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8"'
    ' orient="auto"><path d="M0 0 8 4 0 8z"/></marker>'
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


def draw_svg(view: GraphView) -> list[str]:
    """The lines of an SVG document whose arrows lead downstream; a dashed one is derived."""
    labels = {key: _label(view, key) for key in view.nodes}
    widths = {
        key: max(display_width(line) for line in label) * _CHARACTER + _PADDING
        for key, label in labels.items()
    }
    layout = lay_out(widths, [(link.upper, link.lower) for link in view.links], _SPACING)
    width, height = layout.width + 2 * _MARGIN, layout.height + 2 * _MARGIN
    title = f"{view.verb} of {view.query.name}" if view.query else view.verb
    return [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}"'
        f' viewBox="{-_MARGIN} {-_MARGIN} {width:.0f} {height:.0f}" role="img">',
        f"<title>{escape_xml(title)}</title>",
        f"<style>{_STYLE}\n</style>",
        f"<defs>{_ARROW}</defs>",
        *_draw_links(view.links, layout),
        *(_draw_node(view, key, layout.nodes[key], widths[key], labels[key]) for key in view.nodes),
        "</svg>",
    ]


def _label(view: GraphView, key: str) -> tuple[str, ...]:
    """The lines of a node: its name, then the rest of its description."""
    name, _, rest = describe(view.nodes[key]).partition("  ")
    lines = (shortened(name, MAX_LABEL), shortened(rest, MAX_LABEL) if rest else "")
    return tuple(filter(None, lines)) or ("?",)


def _draw_links(links: Sequence[Link], layout: GraphLayout) -> Iterator[str]:
    """The lines, then their labels, so that no line crosses one out."""
    drawn = [
        (link.types(link.upper), points) for link, points in zip(links, layout.edges, strict=True)
    ]
    for types, points in drawn:
        style = ' class="derived"' if types[0][1] else ""
        yield f'<path{style} d="{_curve(points)}"/>'
    for types, points in drawn:
        x, y = _middle(points)
        label = escape_xml(", ".join(type for type, _ in types))
        yield f'<text class="type" x="{x:.1f}" y="{y:.1f}">{label}</text>'


def _curve(points: Sequence[Point]) -> str:
    """A line through the points that leaves and reaches each vertically."""
    x, y = points[0]
    pieces = [f"M{x:.1f} {y:.1f}"]
    for to_x, to_y in points[1:]:
        half = (y + to_y) / 2
        pieces.append(f"C{x:.1f} {half:.1f} {to_x:.1f} {half:.1f} {to_x:.1f} {to_y:.1f}")
        x, y = to_x, to_y
    return " ".join(pieces)


def _middle(points: Sequence[Point]) -> Point:
    """The middle of the first piece of a line."""
    (x, y), (to_x, to_y) = points[:2]
    return (x + to_x) / 2, (y + to_y) / 2


def _draw_node(view: GraphView, key: str, place: Placed, width: float, label: Sequence[str]) -> str:
    node = view.nodes[key]
    classes: list[str] = [node.kind]
    if view.query is not None and key == view.query.key:
        classes.append("query")
    if not node.is_current:
        classes.append("past")
    left, top = place.x - width / 2, place.y - _SPACING.height / 2
    box = (
        f'<rect class="{" ".join(classes)}" x="{left:.1f}" y="{top:.1f}" width="{width:.1f}"'
        f' height="{_SPACING.height:.0f}"/>'
    )
    first = place.y + 4 - 8 * (len(label) - 1)
    texts = (
        f'<text x="{place.x:.1f}" y="{first + 16 * number:.1f}">{escape_xml(line)}</text>'
        for number, line in enumerate(label)
    )
    return f"<g>{box}{''.join(texts)}</g>"


def escape_xml(text: str) -> str:
    """The text as character data. `describe` has removed what XML does not allow."""
    for character, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;")):
        text = text.replace(character, entity)
    return text


DRAW: Mapping[str, Callable[[GraphView], list[str]]] = {
    "mermaid": draw_mermaid,
    "dot": draw_dot,
    "svg": draw_svg,
}
