"""The artifacts that replace one which is no longer in force."""

# Governing: SPEC-0002 REQ "Status", SPEC-0010 REQ "Rules"

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.corpus import Corpus

Successors = Mapping[str, Sequence[Artifact]]
"""The direct successors of each replaced artifact, by its path. Either side may declare one."""


def find_successors(corpus: Corpus) -> Successors:
    """Find the direct successors of every artifact of a corpus that was replaced."""
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


def find_replacements(artifact: Artifact, known: Successors) -> tuple[Artifact, ...]:
    """Follow the successors of `artifact` to the artifacts that are in force, nearest first.

    Empty when nothing replaced it, or no successor is in force. A cycle is followed once.
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
