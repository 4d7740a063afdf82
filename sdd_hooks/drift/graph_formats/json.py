"""A part of the artifact graph as an object: each node with its edges to the others."""

# Governing: SPEC-0021 REQ "Drawings"

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from sdd_hooks.drift.artifact_graph import GraphNode
from sdd_hooks.drift.graph_queries import GraphView


def view_data(view: GraphView) -> dict[str, object]:
    """The object of a view. Each result has all its edges to the query and to other results."""
    edges: dict[str, list[dict[str, object]]] = defaultdict(list)
    for link in view.links:
        for relation in link.relations:
            for key, other in ((link.upper, link.lower), (link.lower, link.upper)):
                type, derived = relation.seen_from(key)
                target = view.nodes[other]
                edges[key].append(
                    {
                        "type": type,
                        "target": target.name,
                        "target_path": target.path,
                        "derived": derived,
                        "path": relation.path,
                        "line": relation.line,
                        "requirement": relation.detail or None,
                        "sentence": relation.sentence or None,
                    }
                )
    query = view.query.key if view.query else ""
    results = [
        {**node_data(node), "distance": view.distances[key], "edges": edges[key]}
        for key, node in view.nodes.items()
        if key != query
    ]
    related = [{**node_data(node), "derived": derived} for node, derived in view.related]
    data: dict[str, object] = (
        {"query": {"verb": view.verb, "id": view.query.name, "path": query}} if view.query else {}
    )
    return {**data, "results": results, "related": related}


def node_data(node: GraphNode) -> Mapping[str, object]:
    """A node as an object."""
    return {
        "id": node.name,
        "type": node.kind,
        "title": node.title or None,
        "status": node.status or None,
        "module": node.module or None,
        "path": node.path,
        "line": node.line or None,
    }
