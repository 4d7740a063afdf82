"""Edges between artifacts that prose states: `builds on ADR-0008`, `Related: ADR-0003, SPEC-0004`.

A sentence states an edge by the verb before an id, or by the section it is in: an ADR that the
overview of a spec names is one that it implements. A passive verb (`is superseded by ADR-0009`)
states an edge of the other artifact, and a negation none.
"""

# Governing: SPEC-0021 REQ "Backfill"

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.corpus import Corpus
from sdd_hooks.artifacts.edges import FORWARD, concerns_part
from sdd_hooks.artifacts.identifiers import ArtifactId, ArtifactKind, find_id_references, in_module
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.text.lazy_regex import lazy_regex
from sdd_hooks.text.markdown import mask_non_prose, unify_line_endings
from sdd_hooks.text.sentences import Sentence, split_sentences

MAX_SENTENCE = 2_000
"""Characters of a sentence that are read."""

MAX_EVIDENCE = 160
"""Characters of a sentence that are shown."""

MAX_STATED = 100
"""Edges of an artifact that are proposed."""

_SECTIONS = ("more information", "overview", "decision outcome", "consequences")
_VERBS: Mapping[str, str] = {
    "supersed": "supersedes",
    "replac": "supersedes",
    "extend": "extends",
    "build": "extends",
    "modif": "extends",
    "refin": "extends",
    "enabl": "enables",
    "unblock": "enables",
    "govern": "governs",
    "implement": "implements",
    "realiz": "implements",
    "requir": "requires",
    "depend": "requires",
    "relat": "related",
}
_VERB = lazy_regex(
    r"""\b(?:(?P<passive>supersed|replac|extend|modif|refin|enabl|unblock|govern|implement|realiz
      |requir)[a-z]{1,3}[ ]+by
    | (?P<active>supersed|replac|extend|modif|refin|enabl|unblock|govern|implement|realiz|requir)
      (?:e?s|ies|ing|e|y)?\b
    | (?P<phrase>build|depend)(?:s|ing|ed)?[ ]+(?:up)?on\b
    | (?P<label>relat)(?:ed|es)?(?:[ ]+(?:to|adrs?|specs?|decisions?))?\b)""",
    re.VERBOSE | re.IGNORECASE,
)
_NEGATION = lazy_regex(
    r"\b(?:not|never|unlike|instead of|rather than|no longer|without|than|cannot|n't|versus|vs)\b",
    re.IGNORECASE,
)
# Between a verb and the ids that it governs: other ids, notes and links, but no new clause.
_CLAUSE = lazy_regex(r"[;—–]|[:.]\s|,\s(?:which|but|so|because|while|whereas)\b|\bbecause\b")
_NOT_THIS = lazy_regex(r"[^.;:,(]{0,60}\b(?:(?:does|do|did|is|are|was) not|doesn't|isn't)\b")
_EXAMPLE = lazy_regex(r"\b(?:e\.g\.?|for example|for instance|such as)", re.IGNORECASE)
_SPAN = lazy_regex(r"(`{1,8})(?!`)[^`]{1,2000}(?<!`)\1(?!`)|[\"“][^\"“”]{1,300}[\"”]")
_STRENGTH = ("supersedes", "extends", "implements", "governs", "requires", "enables", "related")
_FAMILY: Mapping[str, int] = {
    **dict.fromkeys(("supersedes", "extends", "implements", "requires"), 0),
    **dict.fromkeys(("enables", "governs"), 1),
}
_COUNTERPARTS = {"governs": "implements", "implements": "governs"}

Key = tuple[str, str, str]
"""The path of the source, the type, and the path of the target of an edge."""


class StatedEdge(NamedTuple):
    """An edge of `type` from `source` to `target`, and the sentence on `line` that states it.

    Of a long sentence, the part around the id.
    """

    source: Artifact
    type: str
    target: Artifact
    sentence: str
    line: int


def find_stated_edges(corpus: Corpus, texts: Mapping[str, str]) -> Iterator[StatedEdge]:
    """Yield the edges that prose states and that could be written, in the order of the artifacts.

    `texts` has the text of each artifact by its path. Left out are unknown and ambiguous ids, edges
    that are written already, at either end, and edges that would close a cycle.
    """
    known = _Known(corpus)
    for artifact in corpus.artifacts:
        stated = list(_strongest(_stated(corpus, artifact, texts.get(artifact.path, ""))))
        for edge in stated[:MAX_STATED]:
            if known.add(edge):
                yield edge


class _Known:
    """The written edges, and those that were proposed."""

    def __init__(self, corpus: Corpus) -> None:
        self._types: dict[tuple[str, str], set[str]] = defaultdict(set)
        self._following: tuple[dict[str, set[str]], ...] = (defaultdict(set), defaultdict(set))
        for artifact in corpus.artifacts:
            for edge in artifact.edges:
                for target in corpus.resolve(edge.target):
                    if edge.origin == "frontmatter":
                        self._record(artifact.path, edge.kind, target.path)

    def _record(self, source: str, type: str, target: str) -> None:
        self._types[source, target].add(type)
        if type in _FAMILY:
            self._following[_FAMILY[type]][source].add(target)

    def add(self, edge: StatedEdge) -> bool:
        """Record an edge. Returns False for one that is written or would close a cycle."""
        source, target = edge.source.path, edge.target.path
        own, other = self._types[source, target], self._types[target, source]
        if own or edge.type in other or _COUNTERPARTS.get(edge.type) in other:
            return False
        if edge.type == "related" and other:
            return False
        if edge.type in _FAMILY and self._reaches(_FAMILY[edge.type], target, source):
            return False
        self._record(source, edge.type, target)
        return True

    def _reaches(self, family: int, start: str, end: str) -> bool:
        seen = {start}
        stack = [start]
        while stack:
            key = stack.pop()
            if key == end:
                return True
            following = self._following[family].get(key, set()) - seen
            seen |= following
            stack += following
        return False


def _strongest(edges: Iterable[StatedEdge]) -> Iterator[StatedEdge]:
    """One edge for each target: the first of the strongest type, in the order of the text."""
    best: dict[str, StatedEdge] = {}
    for edge in edges:
        before = best.get(edge.target.path)
        if before is None or _STRENGTH.index(edge.type) < _STRENGTH.index(before.type):
            best[edge.target.path] = edge
    yield from sorted(best.values(), key=lambda one: (_STRENGTH.index(one.type), one.target.id))


def _stated(corpus: Corpus, artifact: Artifact, text: str) -> Iterator[StatedEdge]:
    text = unify_line_endings(text)
    for edge in artifact.edges:
        if edge.origin == "prose":
            line = text.split("\n", edge.line)[edge.line - 1 : edge.line]
            written = Sentence("".join(line).strip(" -*") or edge.kind, edge.line)
            yield from _edges(corpus, artifact, edge.kind, edge.target, written)
    prose = mask_non_prose(text)
    for section in artifact.sections:
        if title := _wanted([*section.path, section.title]):
            inside = prose[section.start : section.end]
            for sentence in split_sentences(inside, section.first_line):
                for type, target in _in_sentence(
                    artifact.kind, title, sentence.text[:MAX_SENTENCE]
                ):
                    yield from _edges(corpus, artifact, type, target, sentence)


def _wanted(titles: Sequence[str]) -> str:
    """The title of a section that states edges, or of the section around it; else ""."""
    for title in titles:
        name = re.sub(r"^[\d.\s]+", "", title.casefold()).strip(" :*_")
        if name in _SECTIONS:
            return name
        if name.startswith("related"):
            return "related"
    return ""


def _edges(
    corpus: Corpus, artifact: Artifact, type: str, target: ArtifactId, sentence: Sentence
) -> Iterator[StatedEdge]:
    # In the frontmatter of a module, an id without a module is one of that module.
    found = () if target.origin else corpus.resolve(in_module(target, artifact.module))
    if len(found) == 1 and found[0].path != artifact.path:
        yield StatedEdge(artifact, type, found[0], _evidence(sentence.text, target), sentence.line)


def _evidence(sentence: str, target: ArtifactId) -> str:
    """The sentence, or its part around the id."""
    at = next(
        (one.start for one in find_id_references(sentence) if one.id.number == target.number), 0
    )
    start = max(0, at - MAX_EVIDENCE // 2)
    shown = " ".join(sentence[start : start + MAX_EVIDENCE].split())
    end = "…" if start + MAX_EVIDENCE < len(sentence) else ""
    return f"{'…' if start else ''}{shown}{end}"


def _in_sentence(kind: ArtifactKind, section: str, text: str) -> Iterator[tuple[str, ArtifactId]]:
    """Yield the types and the targets of the edges that a sentence states."""
    # An id in a code span or in quotation marks is an example, and stands for any.
    text = _SPAN.sub(lambda match: "x" * len(match[0]), text)
    for reference in find_id_references(text):
        before = text[: reference.start]
        verbs = list(_VERB.finditer(before))
        verb = verbs[-1] if verbs else None
        clause = before[verb.end() :] if verb else before
        breaks = [match.end() for match in _CLAUSE.finditer(clause)]
        is_label = bool(verb and clause.lstrip(" *_").startswith(":"))
        if verb and breaks and not (is_label and len(breaks) == 1):
            verb, clause = None, clause[breaks[-1] :]
        if _NEGATION.search(clause) or (verb and _NEGATION.search(before[: verb.start()][-24:])):
            continue
        if (verb and verb["passive"]) or _EXAMPLE.search(clause):
            continue
        if _NOT_THIS.match(text, reference.end):
            continue
        type = _VERBS[(verb["active"] or verb["phrase"] or verb["label"]).lower()] if verb else ""
        if type == "supersedes" and concerns_part(text, reference.start, reference.end):
            type = "related"
        allowed = FORWARD[kind]
        if reference.id.kind not in allowed.get(type, ()):
            type = _implied(kind, section, reference.id.kind)
        if type:
            yield type, reference.id


def _implied(kind: ArtifactKind, section: str, target: ArtifactKind) -> str:
    """The type that a mention in a section states by itself; "" for none."""
    if kind == "ADR" and target == "SPEC":
        return "" if section == "overview" else "governs"
    if section == "overview":
        return {"ADR": "implements", "SPEC": "requires"}[target] if kind == "SPEC" else ""
    return "related" if section in ("related", "more information") else ""
