"""What holds in place of an artifact that no longer does."""

# Governing: SPEC-0002 REQ "Status", SPEC-0010 REQ "Rules"

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.corpus import Corpus

Successors = Mapping[str, Sequence[Artifact]]
"""What replaced each artifact, by its path: as it says itself, or as its successor says."""


def successors(corpus: Corpus) -> Successors:
    """What replaced each artifact that was replaced, one step on."""
    found: dict[str, list[Artifact]] = {}
    for artifact in corpus.artifacts:
        for identifier in artifact.successors:
            for other in corpus.resolve(identifier):
                _add(found, artifact, other)
        for edge in artifact.edges:
            if edge.kind == "supersedes":
                for other in corpus.resolve(edge.target):
                    _add(found, other, artifact)
    return found


def replacements(artifact: Artifact, known: Successors) -> tuple[Artifact, ...]:
    """The artifacts in force at the ends of the ways on from `artifact`, nearest first.

    None when nothing replaced it, or only what does not hold either. Circles are walked once.
    """
    seen = {artifact.path}
    waiting = deque([artifact])
    ends = []
    while waiting:
        current = waiting.popleft()
        if current is not artifact and current.status.authoritative:
            ends.append(current)
            continue
        for following in known.get(current.path, ()):
            if following.path not in seen:
                seen.add(following.path)
                waiting.append(following)
    return tuple(ends)


def _add(found: dict[str, list[Artifact]], replaced: Artifact, by: Artifact) -> None:
    others = found.setdefault(replaced.path, [])
    if by.path != replaced.path and by not in others:
        others.append(by)
