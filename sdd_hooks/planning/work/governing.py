"""The decisions and specifications that govern the work on an issue, each with the reason."""

# Governing: SPEC-0026 REQ "Brief of an issue"

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.corpus import Corpus
from sdd_hooks.artifacts.governing import read_governing
from sdd_hooks.artifacts.spec import DESIGN_FILE, SPEC_FILE
from sdd_hooks.engines.protocol import Hit
from sdd_hooks.planning.work.brief import GoverningArtifact

MAX_FOUND = 5
"""Artifacts that only a search found, and those that only governing comments name."""


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
    own = {one.id for one in named if one.id}
    for edge in corpus.edges():
        if edge.source in own:
            for artifact in corpus.resolve(edge.target):
                yield artifact, f"{edge.source} {edge.kind} it"
        elif edge.target in own and edge.source:
            for artifact in corpus.resolve(edge.source):
                yield artifact, f"it {edge.kind} {edge.target}"


def _of_code(corpus: Corpus, code: Mapping[str, str]) -> Iterable[tuple[Artifact, str]]:
    """The artifacts that most files name in governing comments, each with the first of the files.

    A file that grew over years names many.
    """
    users: dict[str, tuple[Artifact, list[str]]] = {}
    for path, text in code.items():
        for id in dict.fromkeys(reference.id for reference in read_governing(text)):
            for artifact in corpus.resolve(id):
                users.setdefault(artifact.path, (artifact, []))[1].append(path)
    ranked = sorted(users.values(), key=lambda one: -len(one[1]))
    return [(artifact, paths[0]) for artifact, paths in ranked[:MAX_FOUND]]


def _of_hit(corpus: Corpus, hit: Hit) -> Artifact | None:
    directory, _, name = hit.path.rpartition("/")
    path = f"{directory}/{SPEC_FILE}".lstrip("/") if name == DESIGN_FILE else hit.path
    return corpus.by_path.get(path)


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
