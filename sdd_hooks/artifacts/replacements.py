"""Find the artifacts that replace others."""

# Governing: SPEC-0002 REQ "Edges"

from __future__ import annotations

from collections.abc import Mapping

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.corpus import Corpus
from sdd_hooks.artifacts.identifiers import ArtifactId


def find_replacements(corpus: Corpus) -> Mapping[str, tuple[ArtifactId, ...]]:
    """Return, for the path of each artifact that others replace, their ids in order.

    An artifact names its successors itself, or a successor says that it supersedes the artifact.
    """
    found: dict[str, dict[ArtifactId, None]] = {}
    for artifact in corpus.artifacts:
        found.setdefault(artifact.path, {}).update(dict.fromkeys(artifact.successors))
    for artifact in corpus.artifacts:
        for replaced in _superseded(corpus, artifact):
            if artifact.id:
                found[replaced.path][artifact.id] = None
    return {path: tuple(sorted(ids)) for path, ids in found.items() if ids}


def _superseded(corpus: Corpus, artifact: Artifact) -> list[Artifact]:
    targets = (edge.target for edge in artifact.edges if edge.kind == "supersedes")
    return [one for target in targets for one in corpus.resolve(target) if one is not artifact]
