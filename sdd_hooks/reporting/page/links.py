"""How the artifacts of a page lead to each other: by edges, and by the links in their texts.

Each has a key, which stands for it in the address of the page.
"""

# Governing: SPEC-0020 REQ "Artifacts", REQ "The graph", ADR-0042 (one page without a network),
# SPEC-0020 REQ "Hostile texts", SPEC-0020 REQ "Addresses"

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from urllib.parse import unquote

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.corpus import Corpus, find_replacements
from sdd_hooks.artifacts.edges import INVERSES
from sdd_hooks.artifacts.identifiers import ArtifactId, find_id_references, in_module
from sdd_hooks.artifacts.named_code import CodePaths
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.reporting.registry import Links
from sdd_hooks.text.lazy_regex import lazy_regex

_TO_NEWER = frozenset({"enables", "governs"})
"""Kinds of edges from an older artifact to a newer one. All others lead to an older one."""

MAX_ADDRESS = 2_000
"""Longer addresses, in characters, are no links."""

RECORD = "#/record/"
"""The address of an artifact in the page, before its key."""

_SCHEME = lazy_regex(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)
_ALLOWED = lazy_regex(r"(?:https?://[^\s/]|mailto:[^\s@]+@)", re.IGNORECASE)
# A browser drops these inside a scheme: `java<TAB>script:` is a script.
_INVISIBLE = lazy_regex(r"[\x00-\x20\x7f-\xa0\u2028\u2029]")
_ANCHOR = lazy_regex(r"[\w.-]{1,200}")

_PLACE = lazy_regex(r"([^\s:*{]{3,300})(?::([0-9]{1,7})(?:-[0-9]{1,7})?)?")
NAMED_PATH = lazy_regex(r"(?<![\w.@/:*-])[\w.@-]+(?:/[\w.@-]*\w)+(?::[0-9]{1,7})?")

_NOT_IN_KEY = lazy_regex(r"[^\w.-]+")


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


class TextMention(NamedTuple):
    """An artifact that a text names between two offsets, and its key."""

    start: int
    end: int
    key: str


class Hyperlinks(NamedTuple):
    """What the links of all artifacts need: `keys` has the key of each artifact by its path."""

    corpus: Corpus
    keys: Mapping[str, str]
    links: Links | None = None
    paths: CodePaths | None = None

    def file(self, written: str) -> str:
        """Return the address of the code, and of its line, that a text such as `a.py:3` names."""
        place = _PLACE.fullmatch(written)
        if not (place and self.links and self.paths and re.search("[/.]", written)):
            return ""
        path = self.paths.resolve(place[1]).rstrip("/")
        return self.links.address(path, int(place[2] or 0)) if path else ""

    def address(self, href: str, artifact: Artifact, path: str) -> str:
        """Return where a link in the file at `path` of an artifact leads, "" for nowhere.

        That is `#/record/KEY`, an address of http, https or mail, or a file on the forge.
        """
        if len(href) > MAX_ADDRESS:
            return ""
        if _SCHEME.match(_INVISIBLE.sub("", href)) or href.startswith(("//", "\\")):
            return href if _ALLOWED.match(href) else ""
        name, _, anchor = href.partition("#")
        anchor = unquote(anchor)
        anchor = f"/{anchor}" if _ANCHOR.fullmatch(anchor) else ""
        if not name:
            return f"{RECORD}{self.keys[artifact.path]}{anchor}" if anchor else ""
        target = self._path(name.partition("?")[0], path)
        if not target:
            return ""
        found = self.corpus.by_path.get(target) or self.corpus.by_path.get(f"{target}/spec.md")
        if found:
            return f"{RECORD}{self.keys[found.path]}{anchor}"
        return self.links.address(target, 0) if self.links else ""

    def mentions(self, text: str, artifact: Artifact) -> list[TextMention]:
        """Return the other artifacts whose ids a text has. Never raises."""
        folded = text.casefold()
        if "adr" not in folded and "spec" not in folded:
            return []
        found = []
        for reference in find_id_references(text):
            for one in self._resolve(reference.id, artifact.module)[:1]:
                if one.path != artifact.path:
                    found.append(TextMention(reference.start, reference.end, self.keys[one.path]))
        return found

    def _resolve(self, identifier: ArtifactId, module: str) -> tuple[Artifact, ...]:
        inside = self.corpus.resolve(in_module(identifier, module)) if module else ()
        return inside or self.corpus.resolve(identifier)

    def _path(self, name: str, path: str) -> str:
        """The path that a relative link leads to, "" outside of the repository."""
        name = unquote(name)
        start = "" if name.startswith("/") else posixpath.dirname(path)
        target = posixpath.normpath(posixpath.join(start, name.lstrip("/")))
        return "" if target.startswith("..") or target in (".", "/") else target


def assign_keys(artifacts: Iterable[Artifact]) -> Mapping[str, str]:
    """Return the key of each artifact by its path.

    The key is the id (`ADR-0012`, `api-SPEC-0007` in a module), else the name of the file or
    folder. It stays the same while other artifacts come and go, unless they share it: of those, all
    after the first one by path have a number at the end.
    """
    keys: dict[str, str] = {}
    taken: Counter[str] = Counter()
    for artifact in sorted(artifacts, key=lambda one: one.path):
        key = _NOT_IN_KEY.sub("-", artifact.name).strip("-.") or "record"
        while taken[key]:
            taken[key] += 1
            key = f"{key}~{taken[key]}"
        taken[key] += 1
        keys[artifact.path] = key
    return keys
