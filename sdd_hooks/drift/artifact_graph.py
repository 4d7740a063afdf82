"""The graph of artifacts, of the source files that cite them, and of the issues that refer to them.

Each relation is written once: in frontmatter, in a governing comment, or in an issue. Seen from its
target it is derived. It also has a direction of dependence: of `ADR-0002 extends ADR-0001` and of
`ADR-0001 enables ADR-0002`, ADR-0001 is upstream and ADR-0002 downstream.
"""

# Governing: SPEC-0021 REQ "Edges", SPEC-0002 REQ "Edges"

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Literal

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.corpus import Corpus, numbering_directory
from sdd_hooks.artifacts.edges import INVERSES
from sdd_hooks.artifacts.identifiers import ArtifactId
from sdd_hooks.artifacts.validation import NO_ARTIFACTS
from sdd_hooks.drift.citations import Citation, Citations, resolve_citation
from sdd_hooks.named_tuple import NamedTuple

NodeKind = Literal["adr", "spec", "requirement", "issue", "file", "more"]
"""What a node is; `more` stands for nodes that are not drawn."""

_ORDER: tuple[NodeKind, ...] = ("adr", "spec", "requirement", "issue", "file", "more")

RELATED = "related"

GOVERNED_BY = "governed-by"
"""What a source file with a governing comment says about an artifact."""

NAMES = "names"
"""What an artifact says of a file or a folder that its text names where it decides."""

INVERSE_TYPES: Mapping[str, str] = {
    **INVERSES,
    GOVERNED_BY: "governs",
    NAMES: "named-by",
    "references": "referenced-by",
    "contains": "part-of",
}

_DOWNWARD = frozenset({"enables", "governs", "contains", NAMES})
"""The types of relations whose source is upstream."""

_SAME = {"implemented-by": "governs", "governed-by": "implements"}
"""Derived types that say nothing new where the other type is written between the same nodes."""


class GraphNode(NamedTuple):
    """A node. `key` is unique: the path of an artifact, a file or an issue, else with an anchor.

    `name` is what people call it: an id, a path, the name of a requirement. `is_current` is False
    for an artifact that is not in force, and a closed issue. `line` is 0 for a whole file.
    """

    key: str
    kind: NodeKind
    name: str
    title: str = ""
    status: str = ""
    is_current: bool = True
    module: str = ""
    path: str = ""
    line: int = 0
    id: ArtifactId | None = None

    @property
    def order(self) -> tuple[object, ...]:
        """The sort key of siblings: the kind, then the id, numbers by value, then the path."""
        number = (self.id.number, self.id.suffix) if self.id else (0, "")
        origin = self.id.origin if self.id else ""
        return (
            _ORDER.index(self.kind),
            origin,
            self.module,
            *number,
            self.path,
            self.line,
            self.key,
        )


class Relation(NamedTuple):
    """A relation as written at `path` and `line`. `detail` is what a comment adds: a requirement,
    or a reason. `sentence` is the one that names a file."""

    type: str
    source: str
    target: str
    path: str
    line: int
    detail: str = ""
    sentence: str = ""

    @property
    def ends(self) -> tuple[str, str]:
        """The keys of the upstream node and of the downstream node."""
        is_down = self.type in _DOWNWARD
        return (self.source, self.target) if is_down else (self.target, self.source)

    def seen_from(self, key: str) -> tuple[str, bool]:
        """The type as one end sees it, and whether that is derived."""
        is_written = key == self.source
        return (self.type, False) if is_written else (INVERSE_TYPES[self.type], True)


class ArtifactGraph(NamedTuple):
    """The nodes by key, and the relations in the order of their sources."""

    nodes: Mapping[str, GraphNode]
    relations: tuple[Relation, ...]

    def neighbours(self, *, below: bool) -> Mapping[str, Sequence[str]]:
        """The keys of the nodes directly below (or above) each node, siblings in order."""
        found: dict[str, set[str]] = defaultdict(set)
        for relation in self.relations:
            if relation.type != RELATED:
                upper, lower = relation.ends
                if upper != lower:
                    found[upper if below else lower].add(lower if below else upper)
        nodes = self.nodes
        return {
            key: sorted(others, key=lambda other: nodes[other].order)
            for key, others in found.items()
        }

    def related(self, key: str) -> list[tuple[GraphNode, bool]]:
        """The nodes that are `related` to a node, and whether the relation is derived."""
        found: dict[str, bool] = {}
        for relation in self.relations:
            if relation.type == RELATED and key in (relation.source, relation.target):
                derived = relation.source != key
                other = relation.source if derived else relation.target
                if other != key:
                    found[other] = derived and found.get(other, True)
        nodes = ((self.nodes[other], derived) for other, derived in found.items())
        return sorted(nodes, key=lambda pair: pair[0].order)

    @property
    def derived(self) -> int:
        """The number of edges that only one end writes: each has a derived inverse."""
        written = {(one.source, one.target, one.type) for one in self.relations}
        return sum(
            (one.target, one.source, _SAME.get(INVERSE_TYPES[one.type], one.type)) not in written
            for one in self.relations
        )

    def restricted(self, keys: Iterable[str]) -> ArtifactGraph:
        """The same graph with these nodes only."""
        kept = set(keys)
        return ArtifactGraph(
            {key: node for key, node in self.nodes.items() if key in kept},
            tuple(one for one in self.relations if one.source in kept and one.target in kept),
        )


def with_names(graph: ArtifactGraph, names: Sequence[Relation], *files: str) -> ArtifactGraph:
    """The graph with the files and folders that artifacts name, and with some other files."""
    paths = [*files, *(one.target for one in names)]
    nodes = {path: GraphNode(path, "file", path, path=path) for path in paths}
    return ArtifactGraph({**nodes, **graph.nodes}, (*graph.relations, *names))


def visible_types(relations: Sequence[Relation], key: str) -> list[tuple[str, bool]]:
    """The types of the relations between two nodes as the one with this key sees them.

    Each with whether it is derived, written ones first. A derived type is left out where a written
    one says the same.
    """
    seen = dict.fromkeys(one.seen_from(key) for one in relations)
    written = {type for type, derived in seen if not derived}
    shown = (
        (type, derived)
        for type, derived in seen
        if not derived or (_SAME.get(type) not in written and type not in written)
    )
    return sorted(shown, key=lambda one: (one[1], one[0]))


def build_graph(
    corpus: Corpus, citations: Citations, external: Corpus = NO_ARTIFACTS
) -> tuple[ArtifactGraph, tuple[Citation, ...]]:
    """Build the graph. The second value has the citations that lead to no artifact.

    Edges to unknown artifacts are left out: `validate_artifacts` reports them. `external` are the
    artifacts of other repositories, of which those are nodes to which an edge leads.
    """
    builder = _Builder(corpus, external)
    builder.add_artifacts()
    unknown = builder.add_citations(citations)
    relations = tuple(dict.fromkeys(builder.relations))
    return ArtifactGraph(builder.nodes, relations), tuple(unknown)


class _Builder:
    def __init__(self, corpus: Corpus, external: Corpus) -> None:
        self.nodes: dict[str, GraphNode] = {}
        self.relations: list[Relation] = []
        self._corpus = corpus
        self._external = external

    @cached_property
    def _directories(self) -> Mapping[str, str]:
        return {one.path: numbering_directory(one.path) for one in self._corpus.artifacts}

    def add_artifacts(self) -> None:
        for artifact in self._corpus.artifacts:
            self.nodes[artifact.path] = _artifact_node(artifact)
        for artifact in self._corpus.artifacts:
            for edge in artifact.edges:
                if edge.origin != "frontmatter":
                    continue
                for target in self._targets(artifact, edge.target):
                    self.relations.append(
                        Relation(edge.kind, artifact.path, target.path, edge.path, edge.line)
                    )

    def _targets(self, source: Artifact, identifier: ArtifactId) -> Sequence[Artifact]:
        """The artifacts of an id. Of several, those that are numbered with the source."""
        if identifier.origin:
            found = self._external.resolve(identifier)
            for one in found:
                self.nodes.setdefault(one.path, _artifact_node(one))
            return found
        found = self._corpus.resolve(identifier)
        if len(found) > 1:
            directory = self._directories[source.path]
            return [one for one in found if self._directories[one.path] == directory] or found
        return found

    def add_citations(self, citations: Citations) -> Iterator[Citation]:
        unknown = []
        for citation in (*citations.comments, *citations.issues):
            if citation.id.origin:
                found = self._external.resolve(citation.id)
            else:
                found = resolve_citation(self._corpus, citation)
                if not found:
                    unknown.append(citation)
            for artifact in found:
                self.nodes.setdefault(artifact.path, _artifact_node(artifact))
                self._add_citation(citation, artifact)
        return iter(unknown)

    def _add_citation(self, citation: Citation, artifact: Artifact) -> None:
        key = citation.path
        if key not in self.nodes:
            self.nodes[key] = _citing_node(citation)
        type = {"governing": GOVERNED_BY}.get(citation.verb, citation.verb)
        detail = citation.requirement if not citation.issue else ""
        self.relations.append(
            Relation(type, key, artifact.path, citation.path, citation.line, detail)
        )


def _artifact_node(artifact: Artifact) -> GraphNode:
    return GraphNode(
        key=artifact.path,
        kind="adr" if artifact.kind == "ADR" else "spec",
        name=artifact.name,
        title=artifact.title,
        status=artifact.status.value,
        is_current=artifact.status.authoritative,
        module=artifact.module,
        path=artifact.path,
        id=artifact.id,
    )


def _citing_node(citation: Citation) -> GraphNode:
    if not citation.issue:
        return GraphNode(
            citation.path, "file", citation.path, "", "", True, citation.module, citation.path
        )
    number = citation.issue
    return GraphNode(
        key=citation.path,
        kind="issue",
        name=f"#{number}" if number.isdecimal() else number,
        title=citation.reason,
        status=citation.status,
        is_current=citation.status not in ("closed", "merged"),
        module=citation.module,
        path=citation.path,
    )
