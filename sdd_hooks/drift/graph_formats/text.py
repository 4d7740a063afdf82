"""A part of the artifact graph as a drawing of Unicode lines, for terminals.

Downstream nodes are below the artifact, upstream ones above it. `──[governs]──►` is written by the
node that the arrow leaves, `─ ─[governed-by]─ ─►` is derived from what the other one writes.
"""

# Governing: SPEC-0021 REQ "Drawings", ADR-0012 (untrusted input)

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sdd_hooks.drift.artifact_graph import GraphNode
from sdd_hooks.drift.graph_queries import GraphView, Link
from sdd_hooks.text.display import printable_line, shortened

MAX_TITLE = 60
"""Columns of a title. A longer one ends in `…`."""

ELSEWHERE = "(*) what follows it is drawn at its other place"
NOTHING = {
    "impact": "nothing depends on it",
    "ancestors": "it depends on nothing",
    "chain": "nothing depends on it, and it depends on nothing",
}


def draw_text(view: GraphView) -> list[str]:
    """The lines of `impact`, `ancestors` or `chain`. The same view gives the same lines."""
    if view.query is None:
        return []
    query = view.query
    above = _draw(view, _children(view, below=False), flipped=True)
    below = _draw(view, _children(view, below=True), flipped=False)
    lines = [*above, describe(query), *below]
    if not view.links:
        lines.append(f"  {NOTHING[view.verb]}")
    if any(line.endswith("(*)") for line in lines):
        lines += ["", ELSEWHERE]
    if view.related:
        lines += ["", "related"]
        lines += [
            f"  {describe(node)}{' (derived)' if derived else ''}" for node, derived in view.related
        ]
    return lines


def describe(node: GraphNode, detail: str = "", line: int = 0) -> str:
    """A node on one printable line: its name, its title, and its status if it is not in force."""
    title = shortened(" ".join(printable_line(node.title).split()), MAX_TITLE)
    place = f":{line}" if line and node.kind == "file" else ""
    status = f"({node.status})" if node.status and not node.is_current else ""
    pieces = (printable_line(node.name) + place, title, printable_line(detail), status)
    return "  ".join(filter(None, pieces))


def _children(view: GraphView, *, below: bool) -> Mapping[str, Sequence[Link]]:
    """The links that lead on from each node, away from the query."""
    found: dict[str, list[Link]] = {}
    for link in view.links:
        if (view.distances[link.lower] > 0) == below:
            found.setdefault(link.upper if below else link.lower, []).append(link)
    nodes = view.nodes
    return {
        key: sorted(links, key=lambda one: nodes[_far(one, key)].order, reverse=not below)
        for key, links in found.items()
    }


def _far(link: Link, near: str) -> str:
    return link.lower if link.upper == near else link.upper


def _draw(view: GraphView, children: Mapping[str, Sequence[Link]], *, flipped: bool) -> list[str]:
    """The lines below the query, or with `flipped` those above it."""
    if view.query is None:
        return []
    parents = _parents(view, children)
    last, passing = ("┌", "│ ") if flipped else ("└", "│ ")
    lines = []
    stack = [(view.query.key, link, "") for link in reversed(children.get(view.query.key, ()))]
    while stack:
        near, link, prefix = stack.pop()
        key = _far(link, near)
        is_last = link is children[near][-1]
        lines.append(
            prefix + (last if is_last else "├") + _arrow(link, near) + _label(view, link, key)
        )
        following = children.get(key, ())
        if following and parents[key] != near:
            lines[-1] += "  (*)"
        elif following:
            inner = prefix + ("  " if is_last else passing)
            stack += [(key, one, inner) for one in reversed(following)]
    return lines[::-1] if flipped else lines


def _parents(view: GraphView, children: Mapping[str, Sequence[Link]]) -> Mapping[str, str]:
    """The node under which each node is drawn in full: a closest one to the query."""
    assert view.query is not None
    parents: dict[str, str] = {}
    queue = [view.query.key]
    for near in queue:
        for link in children.get(near, ()):
            key = _far(link, near)
            if key not in parents and key != view.query.key:
                parents[key] = near
                queue.append(key)
    return parents


def _arrow(link: Link, near: str) -> str:
    types = link.types(near)
    dash = "─ ─" if types[0][1] else "──"
    return f"{dash}[{', '.join(type for type, _ in types)}]{dash}► "


def _label(view: GraphView, link: Link, key: str) -> str:
    return describe(view.nodes[key], link.detail, link.line)
