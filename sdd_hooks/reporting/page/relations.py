"""How the artifacts of a page relate to each other: written edges, their inverses, replacements."""

# Governing: SPEC-0020 REQ "Artifacts", REQ "The graph"

from __future__ import annotations

from collections.abc import Mapping

from sdd_hooks.artifacts.corpus import Corpus, find_replacements
from sdd_hooks.artifacts.edges import INVERSES
from sdd_hooks.named_tuple import NamedTuple

_TO_NEWER = frozenset({"enables", "governs"})
"""Kinds of edges from an older artifact to a newer one. All others lead to an older one."""


class RecordRelation(NamedTuple):
    """An edge of an artifact. `path` is that of its target, "" for an unknown id, `label` the id.

    `derived` is whether the target's file has the edge.
    """

    kind: str
    path: str
    label: str
    derived: bool = False


class GraphEdge(NamedTuple):
    """An edge of the graph between two artifacts, by their numbers in the corpus.

    `newer` builds on `older`, or replaces it. A `related` edge has no direction: its `older` is the
    first one in the corpus.
    """

    kind: str
    older: int
    newer: int


def find_relations(corpus: Corpus) -> Mapping[str, tuple[RecordRelation, ...]]:
    """Return the relations of each artifact by its path: the written ones first, then by kind."""
    found: dict[str, dict[tuple[str, str], RecordRelation]] = {
        artifact.path: {} for artifact in corpus.artifacts
    }

    def add(path: str, relation: RecordRelation) -> None:
        found[path].setdefault((relation.kind, relation.path or relation.label), relation)

    for artifact in corpus.artifacts:
        for edge in artifact.edges:
            targets = corpus.resolve(edge.target)[:1]
            path = targets[0].path if targets else ""
            add(artifact.path, RecordRelation(edge.kind, path, str(edge.target)))
    for artifact in corpus.artifacts:
        for edge in artifact.edges:
            for target in corpus.resolve(edge.target)[:1]:
                inverse = RecordRelation(
                    INVERSES[edge.kind], artifact.path, artifact.name, derived=True
                )
                add(target.path, inverse)
    for path, identifiers in find_replacements(corpus).items():
        for identifier in identifiers:
            for target in corpus.resolve(identifier)[:1]:
                add(
                    path,
                    RecordRelation("superseded-by", target.path, str(identifier), derived=True),
                )
    return {path: tuple(relations.values()) for path, relations in found.items()}


def graph_edges(
    corpus: Corpus, relations: Mapping[str, tuple[RecordRelation, ...]]
) -> tuple[GraphEdge, ...]:
    """Return the edges between two artifacts, each once."""
    numbers = {artifact.path: number for number, artifact in enumerate(corpus.artifacts)}
    forward = {inverse: kind for kind, inverse in INVERSES.items()}
    edges: dict[GraphEdge, None] = {}
    for path, listed in relations.items():
        for relation in listed:
            if not relation.path or relation.path == path:
                continue
            source, target = numbers[path], numbers[relation.path]
            kind = relation.kind
            if kind not in INVERSES:
                kind, source, target = forward[kind], target, source
            if kind == "related":
                source, target = max(source, target), min(source, target)
            older, newer = (source, target) if kind in _TO_NEWER else (target, source)
            edges[GraphEdge(kind, older, newer)] = None
    return tuple(edges)
