"""The records of a brief: the requirements that an issue is about, in full, and what governs it."""

# Governing: SPEC-0026 REQ "Brief of an issue"

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.corpus import Corpus
from sdd_hooks.artifacts.governing import read_governing
from sdd_hooks.artifacts.requirements import Requirement
from sdd_hooks.engines.protocol import Hit
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.planning.work.brief import BriefRequirement, GoverningArtifact
from sdd_hooks.text.lazy_regex import lazy_regex
from sdd_hooks.text.lines import split_lines

_MARKS = lazy_regex(r"[\s*_`\"“”]+")
_QUOTED = lazy_regex(r"[\"“]([^\"“”\n]{2,200})[\"”]")
_NOTE = lazy_regex(r"\s*\([^()]*\)\s*\Z")
_BREAK = lazy_regex(r"(?:\n[ \t]*(?:-[ \t]*){3,}[ \t]*)?\s*\Z")

MAX_FOUND = 5
"""Artifacts that only a search found, and those that only governing comments name."""


def select_requirements(
    specs: Iterable[tuple[Artifact, str]], issue_text: str
) -> tuple[BriefRequirement, ...]:
    """The requirements of specifications, each with its text, that an issue names.

    A name counts in quotation marks (`REQ "Landing page"`), and one of several words anywhere. A
    note in parentheses at its end may be missing, and the name of a scenario stands for its
    requirement. Of a specification none of whose requirements the issue names, all are returned.
    """
    quoted = frozenset(_fold(match[1]) for match in _QUOTED.finditer(issue_text))
    mentions = _Mentions(f" {_fold(issue_text)} ", quoted)
    return tuple(one for spec, text in specs for one in _of_spec(spec, text, mentions))


class _Mentions(NamedTuple):
    """The text of an issue in lower case, and what is in quotation marks in it."""

    text: str
    quoted: frozenset[str]

    def names(self, requirement: Requirement) -> bool:
        """Whether the issue names the requirement."""
        own = [requirement.name, _NOTE.sub("", requirement.name), requirement.id]
        scenarios = [one.name for one in requirement.scenarios]
        return any(self._has(_fold(name)) for name in (*own, *scenarios))

    def _has(self, name: str) -> bool:
        return name in self.quoted or ((" " in name or "-" in name) and f" {name} " in self.text)


def _of_spec(spec: Artifact, text: str, mentions: _Mentions) -> Iterator[BriefRequirement]:
    named = [one for one in spec.requirements if mentions.names(one)]
    lines = split_lines(text)
    for one in named or spec.requirements:
        yield BriefRequirement(
            spec.name,
            one.name,
            spec.path,
            one.first_line,
            one.last_line,
            _body(lines, one),
            one.scenarios,
            is_named=bool(named),
        )


def _body(lines: Sequence[str], requirement: Requirement) -> str:
    """The text below the heading, without a thematic break at its end."""
    text = "\n".join(lines[requirement.first_line : requirement.last_line])
    return _BREAK.sub("", text).strip("\n")


def _fold(text: str) -> str:
    """A text in lower case whose words are separated by one space, without punctuation at ends."""
    words = (word.strip(".,;:!?()[]#") for word in _MARKS.sub(" ", text.casefold()).split())
    return " ".join(filter(None, words))


def governing_artifacts(
    corpus: Corpus,
    named: Sequence[Artifact],
    code: Mapping[str, str],
    hits: Iterable[Hit],
) -> tuple[GoverningArtifact, ...]:
    """The artifacts that govern an issue, those in force first.

    `named` are those that the issue names. Their neighbours in the graph follow, then what the
    governing comments of `code` (texts by path) name, then the `hits` of a search.
    """
    reasons: dict[str, tuple[Artifact, str, Hit | None]] = {}

    def add(artifact: Artifact, reason: str, hit: Hit | None = None) -> None:
        reasons.setdefault(artifact.path, (artifact, reason, hit))

    for artifact in named:
        add(artifact, "the issue names it")
    for artifact, reason in _neighbours(corpus, named):
        add(artifact, reason)
    for artifact, path in _of_code(corpus, code):
        add(artifact, f"{path} names it")
    found = 0
    for hit in hits:
        of_hit = _of_hit(corpus, hit)
        if of_hit is None or of_hit.path in reasons or not of_hit.status.authoritative:
            continue
        if found == MAX_FOUND:
            break
        found += 1
        add(of_hit, "a search for the issue found it", hit)
    listed = [_governing(*one) for one in reasons.values()]
    return tuple(sorted(listed, key=lambda one: not one.authoritative))


def _neighbours(corpus: Corpus, named: Sequence[Artifact]) -> Iterable[tuple[Artifact, str]]:
    """The artifacts at the other end of an edge of a named one."""
    own = {one.id for one in named}
    for edge in corpus.edges():
        if edge.source in own:
            for artifact in corpus.resolve(edge.target):
                yield artifact, f"{edge.source} {edge.kind} it"
        elif edge.target in own:
            for artifact in corpus.resolve(edge.source):
                yield artifact, f"it {edge.kind} {edge.target}"


def _of_code(corpus: Corpus, code: Mapping[str, str]) -> Iterable[tuple[Artifact, str]]:
    """The artifacts that most files name in governing comments, each with the first of the files.

    A file that grew over years names many.
    """
    users: dict[str, tuple[Artifact, list[str]]] = {}
    for path, text in code.items():
        for id in dict.fromkeys(reference.id for reference in read_governing(text, corpus.names)):
            for artifact in corpus.resolve(id):
                users.setdefault(artifact.path, (artifact, []))[1].append(path)
    ranked = sorted(users.values(), key=lambda one: -len(one[1]))
    return [(artifact, paths[0]) for artifact, paths in ranked[:MAX_FOUND]]


def _of_hit(corpus: Corpus, hit: Hit) -> Artifact | None:
    return corpus.by_path.get(hit.path)


def _governing(artifact: Artifact, reason: str, hit: Hit | None) -> GoverningArtifact:
    return GoverningArtifact(
        artifact.name,
        artifact.title,
        artifact.path,
        artifact.status.value,
        artifact.status.authoritative,
        reason,
        hit.section if hit else "",
        hit.snippet if hit else "",
    )
