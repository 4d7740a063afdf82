"""Place the nodes of a directed graph in layers, so that its edges point downwards.

The method is the one of Sugiyama, Tagawa and Toda (1981): break cycles, assign layers by longest
paths, order each layer by the mean position of its neighbours, then assign coordinates. The same
input gives the same output.
"""

# Governing: SPEC-0021 REQ "Drawings"

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from math import sqrt

from sdd_hooks.named_tuple import NamedTuple

Point = tuple[float, float]

MAX_BENDS = 20_000
"""Points at which long edges pass a layer. Beyond, long edges are straight lines."""

_SWEEPS = 6


class Spacing(NamedTuple):
    """Sizes in the unit of the drawing: the height of a node, and the gaps around it."""

    height: float = 40.0
    across: float = 24.0
    down: float = 56.0


DEFAULT_SPACING = Spacing()


class Placed(NamedTuple):
    """A node: its centre, and its layer, counted from 0 at the top of its connected part."""

    x: float
    y: float
    layer: int


class GraphLayout(NamedTuple):
    """A drawing of `width` and `height`. `nodes` are in the order of the input.

    `edges` are in the order of the input, each as the points of a line from the border of its
    source to the border of its target. One that closes a cycle points upwards. An edge from a node
    to itself has no points.
    """

    width: float
    height: float
    nodes: Mapping[str, Placed]
    edges: tuple[tuple[Point, ...], ...]


def lay_out(
    widths: Mapping[str, float],
    edges: Sequence[tuple[str, str]],
    spacing: Spacing = DEFAULT_SPACING,
) -> GraphLayout:
    """Place a graph whose nodes are the keys of `widths`, with their widths.

    `edges` are (source, target); both are nodes, which a KeyError asserts. Parts that are not
    connected are placed beside each other, larger ones first. The cost grows with the number of
    nodes and edges, and is bounded for long edges by MAX_BENDS.
    """
    index = {name: number for number, name in enumerate(widths)}
    arcs = [(index[source], index[target]) for source, target in edges]
    sizes = list(widths.values())
    parts = [_place(part, own, sizes, spacing) for part, own in _connected(len(sizes), arcs)]
    parts.sort(key=lambda part: (-len(part.centres), min(part.centres)))
    centres: dict[int, Placed] = {}
    bends: dict[int, list[Point]] = {}
    width, height = 0.0, 0.0
    for part, (left, top) in zip(parts, _shelves(parts, spacing), strict=True):
        for node, placed in part.centres.items():
            centres[node] = Placed(_round(placed.x + left), _round(placed.y + top), placed.layer)
        for arc, points in part.bends.items():
            bends[arc] = [(_round(x + left), _round(y + top)) for x, y in points]
        width, height = max(width, left + part.width), max(height, top + part.height)
    lines = tuple(
        _line(centres[source], centres[target], bends.get(number, []), spacing)
        if source != target
        else ()
        for number, (source, target) in enumerate(arcs)
    )
    nodes = {name: centres[number] for name, number in index.items()}
    return GraphLayout(_round(width), _round(height), nodes, lines)


class _Part(NamedTuple):
    """A connected part with its nodes and its bends, the corner at (0, 0)."""

    width: float
    height: float
    centres: Mapping[int, Placed]
    bends: Mapping[int, Sequence[Point]]


def _round(value: float) -> float:
    return round(value, 1)


def _line(
    source: Placed, target: Placed, bends: Sequence[Point], spacing: Spacing
) -> tuple[Point, ...]:
    half = spacing.height / 2
    sign = 1 if target.y > source.y else -1
    first = (source.x, _round(source.y + sign * half))
    last = (target.x, _round(target.y - sign * half))
    middle = bends if sign > 0 else tuple(reversed(bends))
    return (first, *middle, last)


def _connected(
    count: int, arcs: Sequence[tuple[int, int]]
) -> list[tuple[list[int], dict[int, tuple[int, int]]]]:
    """The nodes of each connected part, and its arcs between two nodes by their numbers."""
    leader = list(range(count))

    def find(node: int) -> int:
        while leader[node] != node:
            leader[node] = leader[leader[node]]
            node = leader[node]
        return node

    for source, target in arcs:
        a, b = find(source), find(target)
        leader[max(a, b)] = min(a, b)
    parts: dict[int, tuple[list[int], dict[int, tuple[int, int]]]] = {}
    for node in range(count):
        parts.setdefault(find(node), ([], {}))[0].append(node)
    for number, (source, target) in enumerate(arcs):
        if source != target:
            parts[find(source)][1][number] = (source, target)
    return list(parts.values())


def _shelves(parts: Sequence[_Part], spacing: Spacing) -> Iterator[Point]:
    """The corner of each part: in rows of about the same width."""
    area = sum((part.width + spacing.across) * (part.height + spacing.down) for part in parts)
    room = max([sqrt(area) * 1.4, *(part.width for part in parts)])
    left = top = row = 0.0
    for part in parts:
        if left and left + part.width > room:
            left, top, row = 0.0, top + row + spacing.down, 0.0
        yield left, top
        left += part.width + spacing.across
        row = max(row, part.height)


def _place(
    nodes: Sequence[int],
    arcs: Mapping[int, tuple[int, int]],
    sizes: Sequence[float],
    spacing: Spacing,
) -> _Part:
    """Place one connected part."""
    forward = _without_cycles(nodes, arcs)
    layer = _layers(nodes, forward.values())
    graph = _Layered(layer, sizes)
    graph.add_edges(forward)
    graph.order()
    xs = graph.coordinates(spacing)
    left = min(x - graph.width(node) / 2 for node, x in xs.items())
    right = max(x + graph.width(node) / 2 for node, x in xs.items())
    step = spacing.height + spacing.down

    def at(node: int) -> Point:
        return xs[node] - left, graph.layer[node] * step + spacing.height / 2

    centres = {node: Placed(*at(node), layer[node]) for node in nodes}
    bends = {arc: [at(bend) for bend in chain] for arc, chain in graph.bends.items() if chain}
    height = (max(layer.values()) + 1) * step - spacing.down
    return _Part(right - left, height, centres, bends)


def _without_cycles(
    nodes: Sequence[int], arcs: Mapping[int, tuple[int, int]]
) -> dict[int, tuple[int, int]]:
    """The arcs, those that would close a cycle reversed."""
    outgoing: dict[int, list[tuple[int, int]]] = {node: [] for node in nodes}
    entered = dict.fromkeys(nodes, 0)
    for number, (source, target) in arcs.items():
        outgoing[source].append((number, target))
        entered[target] += 1
    result: dict[int, tuple[int, int]] = {}
    state: dict[int, int] = {}
    # Nodes that no arc enters come first, so that few arcs are reversed.
    for root in sorted(nodes, key=lambda node: (entered[node] > 0, node)):
        if root in state:
            continue
        state[root] = 1
        stack = [(root, iter(outgoing[root]))]
        while stack:
            node, following = stack[-1]
            for number, target in following:
                is_back = state.get(target) == 1
                result[number] = (target, node) if is_back else (node, target)
                if target not in state:
                    state[target] = 1
                    stack.append((target, iter(outgoing[target])))
                    break
            else:
                state[node] = 2
                stack.pop()
    return dict(sorted(result.items()))


def _layers(nodes: Sequence[int], arcs: Iterable[tuple[int, int]]) -> dict[int, int]:
    """The layer of each node: the length of the longest path to it, and close to its targets."""
    outgoing: dict[int, list[int]] = {node: [] for node in nodes}
    missing = dict.fromkeys(nodes, 0)
    for source, target in arcs:
        outgoing[source].append(target)
        missing[target] += 1
    sources = [node for node in nodes if not missing[node]]
    layer = dict.fromkeys(nodes, 0)
    ready = list(sources)
    for node in ready:
        for target in outgoing[node]:
            layer[target] = max(layer[target], layer[node] + 1)
            missing[target] -= 1
            if not missing[target]:
                ready.append(target)
    for node in sources:
        layer[node] = min((layer[target] for target in outgoing[node]), default=1) - 1
    return layer


class _Layered:
    """The nodes by layer, with bends where a long edge passes a layer."""

    def __init__(self, layer: Mapping[int, int], sizes: Sequence[float]) -> None:
        self.layer = dict(layer)
        self.bends: dict[int, list[int]] = {}
        self._sizes = sizes
        self._rows: list[list[int]] = [[] for _ in range(max(layer.values()) + 1)]
        for node, number in layer.items():
            self._rows[number].append(node)
        self._above: dict[int, list[int]] = {node: [] for node in layer}
        self._below: dict[int, list[int]] = {node: [] for node in layer}

    def width(self, node: int) -> float:
        """The width of a node; a bend has none."""
        return self._sizes[node] if node < len(self._sizes) else 0.0

    def add_edges(self, arcs: Mapping[int, tuple[int, int]]) -> None:
        """Link the nodes of neighbouring layers, directly or over bends."""
        room = MAX_BENDS
        following = len(self._sizes)
        for number, (source, target) in arcs.items():
            chain: list[int] = []
            passed = range(self.layer[source] + 1, self.layer[target])
            if len(passed) <= room:
                room -= len(passed)
                chain = list(range(following, following + len(passed)))
                following += len(passed)
                for bend, row in zip(chain, passed, strict=True):
                    self.layer[bend] = row
                    self._rows[row].append(bend)
                    self._above[bend], self._below[bend] = [], []
            self.bends[number] = chain
            trail = [source, *chain, target]
            for upper, lower in pairwise(trail):
                self._below[upper].append(lower)
                self._above[lower].append(upper)

    def order(self) -> None:
        """Order each layer by the mean position of the neighbours above, then below."""
        position = {node: at for row in self._rows for at, node in enumerate(row)}
        for sweep in range(_SWEEPS):
            down = sweep % 2 == 0
            neighbours = self._above if down else self._below
            for row in self._rows if down else reversed(self._rows):
                means = {node: _mean(neighbours[node], position, position[node]) for node in row}
                row.sort(key=means.__getitem__)
                position.update((node, at) for at, node in enumerate(row))

    def coordinates(self, spacing: Spacing) -> dict[int, float]:
        """The centre of each node and bend, close to its neighbours and right of the one before."""
        offsets: dict[int, float] = {}
        for row in self._rows:
            at = 0.0
            for node in row:
                half = self.width(node) / 2
                offsets[node] = at + half
                at += 2 * half + spacing.across
        xs = dict(offsets)
        for sweep in range(_SWEEPS):
            down = sweep % 2 == 0
            neighbours = self._above if down else self._below
            for row in self._rows if down else reversed(self._rows):
                wanted = [_mean(neighbours[node], xs, xs[node]) - offsets[node] for node in row]
                for node, x in zip(row, _isotonic(wanted), strict=True):
                    xs[node] = x + offsets[node]
        return xs


def _mean(nodes: Sequence[int], values: Mapping[int, float], default: float) -> float:
    return sum(values[node] for node in nodes) / len(nodes) if nodes else default


def _isotonic(wanted: Iterable[float]) -> list[float]:
    """The non-decreasing values closest to `wanted` by least squares (pool adjacent violators)."""
    pools: list[tuple[float, int]] = []
    for value in wanted:
        total, count = value, 1
        while pools and pools[-1][0] / pools[-1][1] > total / count:
            before, number = pools.pop()
            total, count = total + before, count + number
        pools.append((total, count))
    return [total / count for total, count in pools for _ in range(count)]
