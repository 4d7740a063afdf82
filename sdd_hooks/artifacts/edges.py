"""Edges between artifacts: written forwards in the frontmatter; the inverses are derived."""

# Governing: SPEC-0002 REQ "Edges"

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from sdd_hooks.artifacts.frontmatter import Frontmatter
from sdd_hooks.artifacts.identifiers import (
    NO_ORIGINS,
    RECORD_SUFFIX,
    ArtifactId,
    ArtifactKind,
    Origins,
    find_ids,
    id_from_link,
    id_from_name,
    name_in_text,
    parse_id,
)
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from sdd_hooks.findings import Finding, Severity

_BRACKETS = lazy_regex(r"\([^()]*\)")

EdgeOrigin = Literal["frontmatter", "prose", "derived"]

FORWARD: Mapping[ArtifactKind, Mapping[str, tuple[ArtifactKind, ...]]] = {
    "ADR": {
        "supersedes": ("ADR",),
        "extends": ("ADR",),
        "enables": ("ADR",),
        "governs": ("SPEC",),
        "related": ("ADR", "SPEC"),
    },
    "SPEC": {
        "implements": ("ADR",),
        "requires": ("SPEC",),
        "extends": ("SPEC",),
        "supersedes": ("SPEC",),
        "related": ("SPEC", "ADR"),
    },
}
"""The edges that an artifact of each kind may write, and the kinds of their targets."""

INVERSES: Mapping[str, str] = {
    "supersedes": "superseded-by",
    "extends": "extended-by",
    "enables": "enabled-by",
    "governs": "governed-by",
    "implements": "implemented-by",
    "requires": "depended-on-by",
    "related": "related",
}
"""The name of each edge, seen from its target. Derived, never written; `related` is symmetric."""

_WRITTEN_INVERSES = {derived: edge for edge, derived in INVERSES.items() if derived != edge}

# Edges of one family point the same way in time, so a cycle of them is a contradiction. A cycle
# across families is not: `ADR-0001 governs SPEC-0001` and `SPEC-0001 implements ADR-0001` agree.
_FAMILIES = (("supersedes", "extends", "implements", "requires"), ("enables", "governs"))

_PROSE_KINDS = {
    **{name: name for name in ("extends", "enables", "governs", "implements", "requires")},
    **dict.fromkeys(("supersedes", "supercedes", "replaces"), "supersedes"),
    **dict.fromkeys(("related", "related-to", "related-adrs", "related-decisions"), "related"),
    "builds-on": "extends",
}
_PROSE = lazy_regex(
    r"(?P<verb>supersedes|supercedes|replaces|extends|builds on)\b:?[ *]*(?P<value>.+)",
    re.IGNORECASE,
)
_LINK = lazy_regex(r"\[[^\[\]]*\]\([^()]*\)")
_NOTE = lazy_regex(r"\([^()]*\)|（[^（）]*）")
_SPELLED = lazy_regex(r"\b(?:adrs?|specs?)[-_ #]?[0-9]{1,5}[a-z]?\b", re.IGNORECASE)
_PART = lazy_regex(
    r"\b(?:only|part(?:s|ly|ial|ially)?|sections?|clauses?|portions?|except)\b|§|^['’]s?\b"
    r"|\b(?:of|in|from)[\s*_\[`]*\Z",
    re.IGNORECASE,
)
MAX_EVIDENCE = 200
"""Characters of a nested value that a finding quotes."""
_NOTHING = frozenset({"", "-", "none", "n/a", "na", "null", "tbd"})
# Other tools keep the files that a record is about under these names.
_SOURCE_FILE = lazy_regex(
    r"\S*\.(?!(?:mdx?|markdown|rst|adoc|asciidoc)$)[A-Za-z][A-Za-z0-9]{0,9}|\S*/\*{0,2}",
    re.IGNORECASE,
)
_FILE_STEM = lazy_regex(r"[0-9]{3,5}-[a-z][a-z0-9-]{1,100}")


class Edge(NamedTuple):
    """An edge from `source` to `target`, written in the file at `path` on `line`.

    A derived edge has the place of the written edge that it inverts.
    """

    kind: str
    source: ArtifactId
    target: ArtifactId
    path: str = ""
    line: int = 0
    origin: EdgeOrigin = "frontmatter"

    @property
    def derived(self) -> bool:
        """Whether only the inverse of this edge is written."""
        return self.origin == "derived"


class EdgeOwner(NamedTuple):
    """The artifact whose edges are read. Ids without a module refer to its `module`.

    `origins` are as in `identifiers.find_id_references`.
    """

    kind: ArtifactKind
    id: ArtifactId
    path: str
    module: str = ""
    origins: Origins = NO_ORIGINS


def read_frontmatter_edges(
    matter: Frontmatter, holder: EdgeOwner
) -> tuple[tuple[Edge, ...], tuple[Finding, ...]]:
    """Return the edges in the frontmatter of an artifact, and the findings about them.

    The findings: a written inverse, an edge that this kind of artifact does not have, a value that
    is not a list, and an item that is not an id. Never raises.
    """
    edges: list[Edge] = []
    findings: list[Finding] = []
    known = FORWARD[holder.kind]
    for key in matter.fields:
        line = matter.lines.get(key, 0)
        if edge := _WRITTEN_INVERSES.get(key):
            message = f"`{key}` is derived: remove it, and write `{edge}` in the other artifact"
            findings.append(_warning(holder, line, "inverse-edge", message, key))
        elif key in known:
            for read in _read_key(matter, key, holder):
                if isinstance(read, Edge):
                    edges.append(read)
                else:
                    findings.append(read)
        elif key in INVERSES:
            noun = "an ADR" if holder.kind == "ADR" else "a spec"
            message = f"{noun} has no `{key}`, only {', '.join(f'`{name}`' for name in known)}"
            findings.append(_warning(holder, line, "unknown-edge", message, key))
    return tuple(edges), tuple(findings)


def _warning(holder: EdgeOwner, line: int, rule: str, message: str, evidence: str) -> Finding:
    # Most records have none: findings are imported when there is one.
    from sdd_hooks.findings import Finding

    return Finding(holder.path, line, rule, "warning", message, evidence)


def _read_key(matter: Frontmatter, key: str, holder: EdgeOwner) -> Iterator[Edge | Finding]:
    value = matter.fields[key]
    line = matter.lines.get(key, 0)
    kinds = FORWARD[holder.kind][key]
    severity: Severity = "warning" if key == "related" else "critical"

    def finding(rule: str, severity: Severity, message: str, evidence: str) -> Finding:
        from sdd_hooks.findings import Finding

        return Finding(holder.path, line, rule, severity, message, evidence)

    is_list = isinstance(value, list) or matter.text(key).lower() in _NOTHING
    read = [(item, _targets(item, kinds, holder)) for item in matter.items(key)]
    # A text without an id is reported below.
    written = "" if is_list else ", ".join(str(one) for _, targets in read for one in targets)
    if written:
        message = f"`{key}` is not a list: write `{key}: [{written}]`"
        yield finding("edge-not-a-list", "warning", message, matter.text(key))
    if isinstance(value, dict) or any(not isinstance(item, str) for item in value):
        message = f'`{key}` holds a nested value: quote ids, as in `"[api]/{kinds[0]}-0007"`'
        yield finding("unreadable-id", severity, message, str(value)[:MAX_EVIDENCE])
    for item, targets in read:
        if item.lower() in _NOTHING or (not targets and _SOURCE_FILE.fullmatch(item)):
            continue
        if not targets or (is_list and len(targets) > 1):
            message = f"`{key}` names no artifact: `{_short(item)}` is not like {kinds[0]}-0001"
            yield finding("unreadable-id", severity, message, item)
            continue
        for target in targets:
            if target.kind not in kinds:
                noun = "ADRs" if kinds[0] == "ADR" else "specs"
                message = f"`{key}` of this artifact leads to {noun}, and {target} is not one"
                yield finding("edge-kind", "warning", message, item)
            yield Edge(key, holder.id, target, holder.path, line)


def _targets(item: str, kinds: tuple[ArtifactKind, ...], holder: EdgeOwner) -> Sequence[ArtifactId]:
    """The ids of a text, `ADR-0001 (queues); ADR-0002` has two. What is in brackets explains."""
    if target := _target(item, kinds, holder):
        return (target,)
    outside = _BRACKETS.sub(" ", item)
    return find_ids(outside, kinds[0], holder.module, holder.origins) if ";" in outside else ()


def _target(item: str, kinds: tuple[ArtifactKind, ...], holder: EdgeOwner) -> ArtifactId | None:
    module = holder.module
    if target := parse_id(item, kinds[0], module, holder.origins):
        return target
    if len(linked := find_ids(item, kinds[0], module, holder.origins)) == 1:
        return linked[0]
    if " " not in item and RECORD_SUFFIX.search(item):
        return id_from_link(item, kinds[0], module)
    # `0012-queues` is the name of a file without its suffix.
    numbered = id_from_name(item, kinds[0], module) if _FILE_STEM.fullmatch(item) else None
    return numbered or name_in_text(item, kinds[0], module)


def _short(text: str) -> str:
    text = text.replace("`", "'")
    return text if len(text) <= 60 else f"{text[:59]}…"


def read_prose_edges(
    statements: Iterable[tuple[str, str, int]], holder: EdgeOwner
) -> Iterator[Edge]:
    """Yield edges written as text, such as `Supersedes [4](0004-x.md)`, at the top or under Status.

    `statements` are (name of the field or "", text, line). A text counts only if it consists of ids
    and notes in parentheses: anything else would need interpretation.
    """
    for field, text, line in statements:
        match = None if field else _PROSE.match(text.lstrip("*_ "))
        name = match["verb"].lower().replace(" ", "-") if match else field
        value = match["value"] if match else text
        edge = _PROSE_KINDS.get(name, "")
        wanted = FORWARD[holder.kind].get(edge, ())
        targets: Sequence[ArtifactId | None] = ()
        is_part = edge == "supersedes" and _PART.search(_LINK.sub(" ", value))
        if wanted and not is_part and _is_ids_alone(value):
            ids = _without_notes(value)
            targets = find_ids(ids, wanted[0], holder.module, holder.origins)
        elif wanted and field:
            targets = (name_in_text(value, wanted[0], holder.module),)
        for target in targets:
            if target and target.kind in wanted:
                yield Edge(edge, holder.id, target, holder.path, line, "prose")


def concerns_part(text: str, start: int, end: int) -> bool:
    """Whether a clause is about a part of the record that it names between two offsets.

    `the retry rule of ADR-10`, `ADR-10's rule only` and `partially supersedes ADR-10` are.
    """
    before = re.split(r"[.;,]\s", text[max(0, start - MAX_EVIDENCE) : start])[-1]
    after = re.split(r"[.;,](?:\s|$)|\sand\s", text[end : end + MAX_EVIDENCE], maxsplit=1)[0]
    return bool(_PART.search(before) or _PART.search(after))


def _without_notes(value: str) -> str:
    links = iter(_LINK.findall(value))
    return re.sub("\0", lambda _: next(links, ""), _NOTE.sub("", _LINK.sub("\0", value)))


def _is_ids_alone(value: str) -> bool:
    rest = _SPELLED.sub(" ", _NOTE.sub("", _LINK.sub(" ", value)))
    return not re.search(r"\w", re.sub(r"\band\b|/", " ", rest))


def inverse_edge(edge: Edge) -> Edge:
    """Return the derived edge from the target to the source."""
    return Edge(INVERSES[edge.kind], edge.target, edge.source, edge.path, edge.line, "derived")


def find_cycles(edges: Iterable[Edge]) -> tuple[tuple[Edge, ...], ...]:
    """Return the cycles among written edges, each once, as the edges along it.

    `related` edges are symmetric and do not count. The order depends on the ids alone.
    """
    result: list[tuple[Edge, ...]] = []
    written = [(edge.source, edge) for edge in edges if not edge.derived]
    written.sort(key=lambda pair: (pair[0], pair[1].target, pair[1].kind, pair[1].path))
    for family in _FAMILIES:
        outgoing: dict[ArtifactId, list[Edge]] = {}
        for source, edge in written:
            if edge.kind in family:
                outgoing.setdefault(source, []).append(edge)
        result.extend(_cycles(outgoing))
    return tuple(result)


def _cycles(outgoing: Mapping[ArtifactId, Sequence[Edge]]) -> Iterator[tuple[Edge, ...]]:
    """Search depth first. The explicit stack allows chains longer than Python's recursion limit."""
    done: set[ArtifactId] = set()
    for root in outgoing:
        if root in done:
            continue
        trail: list[Edge] = []
        depth = {root: 0}
        stack = [iter(outgoing[root])]
        while stack:
            edge = next(stack[-1], None)
            if edge is None:
                stack.pop()
                node = trail.pop().target if trail else root
                depth.pop(node)
                done.add(node)
            elif edge.target in depth:
                yield (*trail[depth[edge.target] :], edge)
            elif edge.target not in done:
                depth[edge.target] = len(stack)
                trail.append(edge)
                stack.append(iter(outgoing.get(edge.target, ())))
