"""The edges of a new artifact: those that a user requests (`supersedes=ADR-0008`), and those that
it may have to what a search found, by what its description says.

"Switch from REST to gRPC" takes something back: a decision whose title has what is taken back may
be superseded. "Extend the …" builds on one. Everything else is related.
"""

# Governing: SPEC-0024 REQ "Candidate edges", SPEC-0002 REQ "Edges"

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from sdd_hooks import tracing
from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.corpus import Corpus
from sdd_hooks.artifacts.edges import FORWARD
from sdd_hooks.artifacts.find_artifact import find_artifact
from sdd_hooks.artifacts.identifiers import ArtifactId, ArtifactKind, in_module, parse_reference
from sdd_hooks.errors import EXIT_USAGE, SddError
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.retrieval.report import LabelledHit
from sdd_hooks.review.references.words.splitting import STOP_WORDS, split_words
from sdd_hooks.text.domains import DOMAIN_WORDS, DOMAINS
from sdd_hooks.text.lazy_regex import lazy_regex
from sdd_hooks.text.query_match import stem

MIN_SCORE = 0.45
"""The score from which a hit is relevant, with the share of the records that name its record."""
MAX_CANDIDATES = 5

MAX_THEMATIC = 3
LEAST = 2
"""What relates two records: a word of a theme in the title, or two in the text, one unambiguous."""
MAX_SHARE = 0.25
"""The share of the records from which a theme relates none; MAX_THEMATIC may always have it."""
_MAX_TEXT = 3_000
_STEMS = {name: frozenset(map(stem, words)) for name, words in DOMAINS.items()}

EDGES: dict[ArtifactKind, tuple[str, ...]] = {
    "ADR": ("supersedes", "extends", "related"),
    "SPEC": ("requires", "extends"),
}
"""The edges that may be offered, by the kind of the new artifact."""

_REPLACED = lazy_regex(
    r"""\b(?:switch|mov|migrat|chang|convert|port|transition)\w*\b.{0,40}?\bfrom\s+(?P<a>.{2,60}?)
          (?:\s+(?:to|into|onto)\b|[.,;]|$)
      | \b(?:replac|supersed|retir|drop|remov|abandon|deprecat|eliminat)\w*\s+(?P<b>.{2,60}?)
          (?:\s+(?:with|by|in\ favou?r\ of|for|from)\b|[.,;]|$)
      | \b(?:instead\ of|rather\ than|in\ place\ of|over|no\ longer(?:\s+use)?|stop\s+using)\s+
          (?P<c>.{2,60}?)(?:\s+(?:for|to|in|with)\b|[.,;]|$)""",
    re.VERBOSE | re.IGNORECASE,
)
_EXTENDED = lazy_regex(
    r"\b(?:extend|build(?:s|ing)? on|refine|expand|broaden|amend|add .{1,60} to)\b", re.IGNORECASE
)
_WORD = lazy_regex(r"[^\W_]+")
_ID = lazy_regex(r"\b(adr|rfc|spec)[-_ ]?0*([1-9][0-9]*)\b")
_NAME = lazy_regex(r"\w[\w-]*")
_WEAK = STOP_WORDS | {"api", "app", "data", "our", "service", "services", "system", "we"}


class CandidateEdge(NamedTuple):
    """An edge to offer: `kind` is the likely one of `choices`.

    `score` is that of the search (0..1), `evidence` the text that was found, at `path` and `line`.
    """

    kind: str
    target: ArtifactId
    title: str
    status: str
    score: float
    path: str
    line: int
    evidence: str
    choices: tuple[str, ...]


def propose_edges(
    kind: ArtifactKind,
    description: str,
    hits: Sequence[LabelledHit],
    records: Sequence[tuple[Artifact, str]] = (),
) -> tuple[CandidateEdge, ...]:
    """The edges that an artifact of a kind with this description may have, best first.

    `records` have their texts: what many of them name is what a new one builds on, too.
    """
    shares = _shares(records)
    replaced = _replaced_words(description)
    extends = bool(_EXTENDED.search(description))
    found: list[CandidateEdge] = []
    for one in hits:
        record = one.record
        if record is None or not record.is_artifact or not record.authoritative:
            continue
        target = in_module(parse_reference(record.id, kind), one.module)
        taken_back = replaced & _words(record.title)
        score = min(one.hit.score + shares.get(one.hit.path, 0.0), 1.0)
        if target.kind != kind or not (taken_back or score >= MIN_SCORE):
            continue
        likely = _likely(kind, takes_back=bool(taken_back), extends=extends)
        reason = f"score {score:.2f}, {MIN_SCORE} is enough"
        if taken_back:
            reason = f"the description takes back {', '.join(sorted(taken_back))}"
        tracing.log("edge", likely, str(target), outcome=f"offered, {reason}")
        evidence = " ".join(one.hit.snippet.split())
        place = (one.hit.path, one.hit.first_line, evidence, EDGES[kind])
        found.append(CandidateEdge(likely, target, record.title, record.status, score, *place))
    return tuple(sorted(found, key=lambda one: -one.score)[:MAX_CANDIDATES])


def _shares(records: Sequence[tuple[Artifact, str]]) -> Mapping[str, float]:
    """The share of the records that name each one, by its path."""
    names = {one.path: {one.place.name.lower()} for one, _ in records}
    for one, _ in records:
        prefixes = () if one.id.name else ("spec",) if one.kind == "SPEC" else ("adr", "rfc")
        names[one.path].update(f"{prefix}-{one.id.number}" for prefix in prefixes)
    using: Counter[str] = Counter()
    for own, text in records:
        words = set(_NAME.findall(_ID.sub(r"\1-\2", text.lower())))
        using.update(path for path in names if path != own.path and names[path] & words)
    return {path: count / len(records) for path, count in using.items()}


def propose_by_theme(
    description: str,
    records: Sequence[tuple[Artifact, str]],
    purposes: Callable[[str], Collection[str]],
    code: Collection[str],
) -> tuple[CandidateEdge, ...]:
    """The edges to records without a word of the description, which name a kind of feature in other
    words, technologies for one purpose, or the same code. What many records name relates none.

    `records` have their texts. `purposes` returns those of the technologies that a text names,
    `code` has the paths of code that the description is about.
    """
    wanted = _themes(description, purposes)
    extends = bool(_EXTENDED.search(description))
    rated: list[tuple[int, str, Artifact, str]] = []
    for artifact, text in records:
        title = _themes(artifact.title, purposes)
        names = " ".join(one.name for one in artifact.requirements)
        body = _themes(f"{text[:_MAX_TEXT]} {names}", lambda _: ())
        for theme in wanted:
            own, inside = title.get(theme, ()), body.get(theme, ())
            reason = f"both are about {theme}: {', '.join(sorted({*own, *inside})[:3])}"
            told = len(inside) if DOMAIN_WORDS.intersection(inside) else 0
            rated.append((LEAST * len(own) + told, theme, artifact, reason))
        rated += [(LEAST, path, artifact, f"it names {path}") for path in code if path in text]
    rated = sorted((one for one in rated if one[0] >= LEAST), key=lambda one: -one[0])
    having = Counter(theme for _, theme, *_ in rated)
    limit = max(MAX_THEMATIC, MAX_SHARE * len(records))
    found: dict[str, CandidateEdge] = {}
    for _, theme, one, reason in rated:
        if having[theme] <= limit:
            likely = _likely(one.kind, takes_back=False, extends=extends)
            shown = (one.title, one.status.value, MIN_SCORE, one.path, 1, reason, EDGES[one.kind])
            found.setdefault(one.path, CandidateEdge(likely, one.id, *shown))
    return tuple(found.values())[:MAX_THEMATIC]


def _themes(text: str, purposes: Callable[[str], Collection[str]]) -> Mapping[str, Collection[str]]:
    """The themes of a text, with the words that show each."""
    words = {stem(word): word for word in split_words(text)}
    found = {name: [words[one] for one in own & words.keys()] for name, own in _STEMS.items()}
    purpose = {one: [one] for one in purposes(text)}
    return {name: own for name, own in found.items() if own} | purpose


def _likely(kind: ArtifactKind, *, takes_back: bool, extends: bool) -> str:
    if kind == "SPEC":
        return "extends" if extends else "requires"
    if takes_back:
        return "supersedes"
    return "extends" if extends else "related"


def _replaced_words(description: str) -> set[str]:
    """The words of what a description takes back."""
    words: set[str] = set()
    for match in _REPLACED.finditer(description[:1_000]):
        words |= _words(next(group for group in match.groups() if group))
    return words


def _words(text: str) -> set[str]:
    return {word for word in map(str.lower, _WORD.findall(text)) if word not in _WEAK}


class EdgeRefused(SddError):
    """An edge that an artifact of this kind cannot have."""

    exit_code = EXIT_USAGE
    code = "usage"


class RequestedEdge(NamedTuple):
    """An edge of a new artifact, and its target."""

    kind: str
    target: Artifact

    def spelling(self, module: str) -> str:
        """The id of the target as an artifact of a module writes it."""
        identifier = self.target.id
        return identifier.bare if identifier.module == module else str(identifier)


def parse_edges(
    kind: ArtifactKind, written: Iterable[str], corpus: Corpus, module: str = ""
) -> list[RequestedEdge]:
    """The edges written as `kind=ID`, in order and without duplicates.

    Raises EdgeRefused for an edge that artifacts of this kind do not have, and UnknownArtifact.
    """
    allowed = FORWARD[kind]
    edges: dict[tuple[str, str], RequestedEdge] = {}
    for text in written:
        name, equals, target = (part.strip() for part in text.partition("="))
        if not equals or name not in allowed:
            noun = "an ADR" if kind == "ADR" else "a spec"
            raise EdgeRefused(
                f"{text!a} is no edge of {noun}: write KIND=ID, with one of {', '.join(allowed)}"
            )
        artifact = find_artifact(corpus, target, module)
        if artifact.kind not in allowed[name]:
            kinds = " or ".join(allowed[name])
            raise EdgeRefused(f"`{name}` of {kind} needs the id of an {kinds}, not {target!a}")
        edges[name, artifact.path] = RequestedEdge(name, artifact)
    return list(edges.values())
