"""What depends on an artifact, what it depends on, and what is connected to nothing."""

# Governing: SPEC-0021 REQ "Traversal", SPEC-0021 REQ "Orphans and cycles"

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal

from sdd_hooks.artifacts.corpus import Corpus
from sdd_hooks.artifacts.requirements import Requirement
from sdd_hooks.drift.artifact_graph import ArtifactGraph, GraphNode, Relation, visible_types
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.text.display import shortened
from sdd_hooks.text.lazy_regex import lazy_regex

Verb = Literal["impact", "ancestors", "chain", "cycles"]

MAX_FILES = 10
"""Files and issues of one node that are drawn. The others are counted."""

_WORD = lazy_regex(r"\w+")


class Link(NamedTuple):
    """All relations between a node and one that is downstream of it, by their keys."""

    upper: str
    lower: str
    relations: tuple[Relation, ...]

    def types(self, key: str) -> list[tuple[str, bool]]:
        """As in `visible_types`."""
        return visible_types(self.relations, key)

    @property
    def detail(self) -> str:
        """The requirements that comments name and the sentences that name files, else ""."""
        names = [f'REQ "{one.detail}"' for one in self.relations if one.detail]
        said = [f"“{shortened(one.sentence, 160)}”" for one in self.relations if one.sentence]
        return ", ".join(dict.fromkeys((*names, *said)))

    @property
    def line(self) -> int:
        """The line of the first relation that the lower node states, 0 for none."""
        return min((one.line for one in self.relations if one.path == self.lower), default=0)


class GraphView(NamedTuple):
    """A part of the graph that answers a question about the node `query` (None: about none).

    `distances` has the steps of each node from the query, negative for ancestors; its keys are the
    nodes in order. `related` are the nodes related to the query, each with whether that is derived.
    """

    verb: Verb
    query: GraphNode | None
    nodes: Mapping[str, GraphNode]
    distances: Mapping[str, int]
    links: tuple[Link, ...]
    related: tuple[tuple[GraphNode, bool], ...] = ()


def query_graph(graph: ArtifactGraph, verb: Verb, key: str) -> GraphView:
    """Answer `impact`, `ancestors` or `chain` of the node with this key. Raises KeyError."""
    distances = {key: 0}
    if verb != "ancestors":
        distances |= _distances(graph.neighbours(below=True), key)
    if verb != "impact":
        above = _distances(graph.neighbours(below=False), key)
        distances = {**{one: -steps for one, steps in above.items() if steps}, **distances}
    nodes = graph.nodes
    order = sorted(distances, key=lambda one: (distances[one], nodes[one].order))
    shown = {one: distances[one] for one in order}
    links = _links(graph, lambda upper, lower: _is_on_one_side(shown, upper, lower))
    return GraphView(
        verb,
        nodes[key],
        {one: nodes[one] for one in shown},
        shown,
        links,
        tuple(graph.related(key)),
    )


def view_cycles(graph: ArtifactGraph, cycles: Iterable[Iterable[str]]) -> GraphView:
    """The nodes of cycles, and the links between them. `cycles` are the keys along each."""
    keys = {key for cycle in cycles for key in cycle}
    order = sorted(keys, key=lambda key: graph.nodes[key].order)
    shown = dict.fromkeys(order, 0)
    links = _links(graph, lambda upper, lower: upper in shown and lower in shown)
    return GraphView("cycles", None, {key: graph.nodes[key] for key in order}, shown, links)


def _is_on_one_side(distances: Mapping[str, int], upper: str, lower: str) -> bool:
    """Whether both nodes are part of the answer, and both among the ancestors or the dependents."""
    if upper not in distances or lower not in distances:
        return False
    return distances[lower] <= 0 if distances[upper] < 0 else distances[lower] > 0


def _distances(neighbours: Mapping[str, Sequence[str]], key: str) -> dict[str, int]:
    found = {key: 0}
    queue = [key]
    for one in queue:
        for other in neighbours.get(one, ()):
            if other not in found:
                found[other] = found[one] + 1
                queue.append(other)
    return found


def _links(graph: ArtifactGraph, is_shown: Callable[[str, str], bool]) -> tuple[Link, ...]:
    pairs: dict[tuple[str, str], list[Relation]] = defaultdict(list)
    for relation in graph.relations:
        if relation.type != "related" and is_shown(*relation.ends):
            pairs[relation.ends].append(relation)
    nodes = graph.nodes
    order = sorted(pairs, key=lambda pair: (nodes[pair[0]].order, nodes[pair[1]].order))
    return tuple(Link(*pair, tuple(pairs[pair])) for pair in order if pair[0] != pair[1])


def with_requirements(graph: ArtifactGraph, corpus: Corpus, every: str = "") -> ArtifactGraph:
    """The graph with the requirements of specs between the specs and the code that names them.

    Of the spec with the key `every`, all requirements are nodes, of others those that code names.
    """
    specs = {one.path: one.requirements for one in corpus.artifacts if one.requirements}
    nodes, relations = dict(graph.nodes), []
    for spec in specs.get(every, ()):
        relations.append(_part(graph, every, spec, nodes))
    for one in graph.relations:
        found = _find_requirement(specs.get(one.target, ()), one.detail) if one.detail else None
        if found is None:
            relations.append(one)
            continue
        part = _part(graph, one.target, found, nodes)
        relations += [part, one._replace(target=part.target, detail="")]
    return ArtifactGraph(nodes, tuple(dict.fromkeys(relations)))


def _part(
    graph: ArtifactGraph, spec: str, requirement: Requirement, nodes: dict[str, GraphNode]
) -> Relation:
    """The relation of a spec to a requirement, whose node is added."""
    parent = graph.nodes[spec]
    key = f"{spec}#{requirement.anchor}"
    nodes[key] = GraphNode(
        key,
        "requirement",
        f'REQ "{requirement.name}"',
        module=parent.module,
        path=spec,
        line=requirement.first_line,
        id=parent.id,
    )
    return Relation("contains", spec, key, spec, requirement.first_line)


def _find_requirement(requirements: Sequence[Requirement], name: str) -> Requirement | None:
    """The requirement or the one with the scenario that has this name, by its words."""
    wanted = _words(name)
    for one in requirements:
        names = (one.name, one.id, *(scenario.name for scenario in one.scenarios))
        if any(wanted == _words(known) for known in names if known):
            return one
    return next((one for one in requirements if f" {wanted} " in f" {_words(one.name)} "), None)


def _words(name: str) -> str:
    return " ".join(_WORD.findall(name.casefold()))


def fold_files(view: GraphView, limit: int = MAX_FILES) -> GraphView:
    """The view with at most `limit` files and issues below each node, and a node for the others."""
    by_upper: dict[str, list[Link]] = defaultdict(list)
    for link in view.links:
        by_upper[link.upper].append(link)
    nodes, links = dict(view.nodes), []
    for upper, below in by_upper.items():
        own = below
        for kind, noun in (("file", "files"), ("issue", "issues")):
            leaves = [link for link in own if nodes[link.lower].kind == kind]
            # One node in place of one file would be no shorter.
            folded = leaves[limit:] if len(leaves) > limit + 1 else []
            hidden = {link.lower for link in folded}
            if folded:
                key = f"{upper}\0{noun}"
                nodes[key] = GraphNode(key, "more", f"… {len(folded):,} more {noun}", path=upper)
                own = [link for link in own if link.lower not in hidden]
                own.append(Link(upper, key, folded[0].relations))
        links += own
    linked = {key for link in links for key in (link.upper, link.lower)}
    distances = dict(view.distances)
    for link in links:
        if link.lower not in distances:
            distances[link.lower] = distances[link.upper] + 1
    kept = {
        key: steps
        for key, steps in distances.items()
        if key in linked or (view.query is not None and key == view.query.key)
    }
    return view._replace(
        nodes={key: nodes[key] for key in kept}, distances=kept, links=tuple(links)
    )


class Orphans(NamedTuple):
    """What is connected to nothing: paths of source files, specs without code, and decisions
    without a spec and without code. `files_read` counts the source files that were looked at."""

    files: tuple[str, ...]
    specs: tuple[GraphNode, ...]
    adrs: tuple[GraphNode, ...]
    files_read: int


def find_orphans(graph: ArtifactGraph, files: Sequence[str]) -> Orphans:
    """Find the orphans among the artifacts in force, and among `files`."""
    cited: set[str] = set()
    implemented: set[str] = set()
    for relation in graph.relations:
        source = graph.nodes[relation.source]
        if source.kind == "file":
            cited.add(relation.target)
        elif relation.type == "implements":
            implemented.add(relation.target)
        elif relation.type == "governs":
            implemented.add(relation.source)
    current = [
        node
        for node in sorted(graph.nodes.values(), key=lambda one: one.order)
        if node.is_current and not (node.id and node.id.origin)
    ]
    specs = [one for one in current if one.kind == "spec" and one.key not in cited]
    adrs = [one for one in current if one.kind == "adr" and one.key not in cited | implemented]
    alone = tuple(path for path in files if path not in graph.nodes)
    return Orphans(alone, tuple(specs), tuple(adrs), len(files))
