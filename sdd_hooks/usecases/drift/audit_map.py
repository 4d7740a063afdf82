"""Place the artifacts of an audit on a map: what others build on is left of what builds on it."""

# Governing: SPEC-0020 REQ "The graph"

from __future__ import annotations

import math

from sdd_hooks.artifacts.corpus import Corpus
from sdd_hooks.drift.layout import GraphLayout, Spacing, lay_out
from sdd_hooks.reporting.page.model import PageEdge, PageMap
from sdd_hooks.reporting.page.relations import GraphEdge, find_relations, graph_edges

_NODE = (208, 44)
_GAP = (56, 14)
_LABEL = 56
"""The height of the line above the artifacts without an edge."""

_MIN_COLUMNS = 5


def draw_map(corpus: Corpus) -> PageMap:
    """Return the map of the artifacts. The same artifacts have the same map."""
    edges = graph_edges(corpus, find_relations(corpus))
    placing = _placing_edges(edges)
    layout = _lay_out(placing)
    corners = {
        int(name): (round(node.y - _NODE[0] / 2), round(node.x - _NODE[1] / 2))
        for name, node in layout.nodes.items()
    }
    loose = [number for number in range(len(corpus.artifacts)) if number not in corners]
    loose_at = -1
    if loose:
        loose_at = round(layout.width) + _LABEL if corners else 0
        columns = max(
            _MIN_COLUMNS,
            math.ceil(layout.height / (_NODE[0] + _GAP[0])),
            round(math.sqrt(len(loose) / 3)),
        )
        for place, number in enumerate(loose):
            row, column = divmod(place, columns)
            corners[number] = (
                column * (_NODE[0] + _GAP[0]),
                loose_at + row * (_NODE[1] + _GAP[1]),
            )
    points = {
        edge: tuple((round(y), round(x)) for x, y in line)
        for edge, line in zip(placing, layout.edges, strict=True)
    }
    return PageMap(
        corners=tuple(corners[number] for number in range(len(corpus.artifacts))),
        edges=tuple(PageEdge(*edge, points.get(edge, ())) for edge in edges),
        size=(
            max((x for x, _ in corners.values()), default=0) + _NODE[0],
            max((y for _, y in corners.values()), default=0) + _NODE[1],
        ),
        node=_NODE,
        loose_at=loose_at,
    )


def _placing_edges(edges: tuple[GraphEdge, ...]) -> list[GraphEdge]:
    """The edges that order the map: a `related` one only of an artifact without another edge."""
    ordered = {number for edge in edges if edge.kind != "related" for number in edge[1:]}
    return [edge for edge in edges if edge.kind != "related" or not ordered.issuperset(edge[1:])]


def _lay_out(edges: list[GraphEdge]) -> GraphLayout:
    """Lay out the graph with its layers beside each other: the layout has x and y exchanged."""
    numbers = sorted({number for edge in edges for number in edge[1:]})
    heights = {str(number): float(_NODE[1]) for number in numbers}
    pairs = [(str(edge.older), str(edge.newer)) for edge in edges]
    return lay_out(heights, pairs, Spacing(height=_NODE[0], across=_GAP[1], down=_GAP[0]))
