"""The edges that a user requests for a new artifact: `supersedes=ADR-0008`."""

# Governing: SPEC-0024 REQ "Candidate edges", SPEC-0002 REQ "Edges"

from __future__ import annotations

from collections.abc import Iterable

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.corpus import Corpus
from sdd_hooks.artifacts.edges import FORWARD
from sdd_hooks.artifacts.find_artifact import find_artifact
from sdd_hooks.artifacts.identifiers import ArtifactKind
from sdd_hooks.errors import EXIT_USAGE, SddError
from sdd_hooks.named_tuple import NamedTuple


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
        assert identifier is not None
        if identifier.module == module:
            return f"{identifier.kind}-{identifier.number:04d}{identifier.suffix}"
        return str(identifier)


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
        if artifact.id is None or artifact.kind not in allowed[name]:
            kinds = " or ".join(allowed[name])
            raise EdgeRefused(f"`{name}` of {kind} needs the id of an {kinds}, not {target!a}")
        edges[name, artifact.path] = RequestedEdge(name, artifact)
    return list(edges.values())
