"""Normalise a Mermaid flowchart: the same graph gives the same text, which every renderer parses.

The rules are those of the integration of cgg: top-down, sorted, labels for ids, the nodes with the
most edges, no edge to an undeclared node, a legend.
"""

# Governing: SPEC-0017 REQ "The diagram", ADR-0012 (untrusted input)

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.text.display import printable_line
from sdd_hooks.text.lazy_regex import lazy_regex

MAX_NODES = 20
MAX_LABEL = 200
MAX_LINE = 4_000
"""Longer lines are dropped: no name of code is as long."""
OMITTED = (
    "%% Showing top {limit} nodes by connectivity; {omitted} nodes omitted."
    " Use /cgg with --filter to refine."
)
LEGEND = "%% Showing entry points + main flow; internal helpers omitted"

_NODE = lazy_regex(r"\s*(?P<id>\w+)\s*[\[({]+(?P<quote>\"?)(?P<label>.*?)(?P=quote)[\])}]+;?\s*")
_EDGE = lazy_regex(
    r"\s*(?P<source>\w+)\s*(?:-->|==>|-\.->)\s*(?:\|(?P<label>[^|]*)\|\s*)?(?P<target>\w+);?\s*"
)
# An address or hash before a name: `0x7f3a_main`, `abc123_validateToken`.
_ADDRESS = lazy_regex(r"(?:0x[0-9a-f]+|(?=[a-f]*[0-9])[0-9a-f]{6,})_+(?=\w)", 2)
_NOT_IN_ID = lazy_regex(r"[^A-Za-z0-9]+")
_EDGE_LABEL = lazy_regex(r"[\w?. ]{1,20}")
_ENTITY = lazy_regex(r"&(?![a-z]{2,8};|#[0-9]{1,6};)")
_EMPTY = ("Empty", "no callables")
"""The node with which cgg displays an empty graph."""


class Diagram(NamedTuple):
    """The lines of a flowchart, and how many nodes it shows."""

    lines: tuple[str, ...]
    nodes: int


class _Edge(NamedTuple):
    source: str
    target: str
    label: str


def normalize_mermaid(text: str, limit: int = MAX_NODES) -> Diagram:
    """Return the flowchart in `text` with at most `limit` nodes; no lines if it has no node.

    Lines that are neither a node nor an edge are dropped. Never raises.
    """
    labels, edges = _parse(text)
    edges = [edge for edge in edges if edge.source in labels and edge.target in labels]
    kept = _best_connected(labels, edges, limit)
    names = _names({node: labels[node] for node in kept})
    nodes = sorted(f'    {names[node]}["{labels[node]}"]' for node in kept)
    arrows = sorted(
        {
            f"    {names[edge.source]} -->{edge.label} {names[edge.target]}"
            for edge in edges
            if edge.source in names and edge.target in names
        }
    )
    if not nodes:
        return Diagram((), 0)
    omitted = len(labels) - len(kept)
    comments = [OMITTED.format(limit=limit, omitted=omitted)] if omitted else []
    return Diagram(("graph TD", *nodes, *arrows, *comments, LEGEND), len(nodes))


def _parse(text: str) -> tuple[dict[str, str], list[_Edge]]:
    labels: dict[str, str] = {}
    edges: list[_Edge] = []
    for line in text.splitlines():
        if len(line) > MAX_LINE:
            continue
        if edge := _EDGE.fullmatch(line):
            label = (edge["label"] or "").strip()
            shown = f"|{label}|" if _EDGE_LABEL.fullmatch(label) else ""
            edges.append(_Edge(edge["source"], edge["target"], shown))
        elif node := _NODE.fullmatch(line):
            label = _label(node["label"]) or _label(node["id"])
            if (node["id"], label) != _EMPTY:
                labels[node["id"]] = label
    return labels, edges


def _label(text: str) -> str:
    """The text as the content of a quoted label that no renderer interprets."""
    line = _ADDRESS.sub("", printable_line(text)[:MAX_LABEL].strip(), count=1)
    line = _ENTITY.sub("&amp;", line).replace("<", "&lt;").replace(">", "&gt;")
    # `%%{` would begin a directive, a backtick a label in Markdown.
    return line.replace("%", "#37;").replace('"', "'").replace("`", "'").replace("\\", "/")


def _best_connected(labels: Mapping[str, str], edges: Sequence[_Edge], limit: int) -> list[str]:
    degree = Counter(node for edge in edges for node in (edge.source, edge.target))
    return sorted(labels, key=lambda node: (-degree[node], labels[node], node))[:limit]


def _names(labels: Mapping[str, str]) -> dict[str, str]:
    """An id for each node, made from its label: ids of cgg depend on the order of its results."""
    names: dict[str, str] = {}
    used: Counter[str] = Counter()
    for node in sorted(labels, key=lambda node: (labels[node], node)):
        # The prefix keeps a name apart from the keywords of Mermaid.
        name = f"n_{_NOT_IN_ID.sub('_', labels[node]).strip('_')}"
        used[name] += 1
        names[node] = name if used[name] == 1 else f"{name}__{used[name]}"
    return names
