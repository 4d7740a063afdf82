"""All artifacts of a project together: what each id stands for, and where that is not clear."""

# Governing: SPEC-0002 REQ "Collisions are reported"

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath

from sdd_hooks.artifacts.adr import read_adr
from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.edges import Edge, inverse_edge
from sdd_hooks.artifacts.identifiers import ArtifactId, ArtifactKind, parse_id
from sdd_hooks.artifacts.spec import DESIGN_FILE, SPEC_FILE, read_spec
from sdd_hooks.text.decoding import decode


@dataclass(frozen=True, slots=True)
class ArtifactFile:
    """A file below a folder of ADRs or specs: its path in the repository, and its bytes."""

    path: str
    data: bytes
    kind: ArtifactKind
    module: str = ""


@dataclass(frozen=True, slots=True)
class IdCollision:
    """An id that several artifacts have, and their paths."""

    id: ArtifactId
    paths: tuple[str, ...]


@dataclass(frozen=True)
class Corpus:
    """Every artifact, by module, kind and path. The path is the key; an id may have several."""

    artifacts: tuple[Artifact, ...] = ()

    @cached_property
    def by_id(self) -> Mapping[ArtifactId, tuple[Artifact, ...]]:
        """The artifacts of each id, by path."""
        found: dict[ArtifactId, tuple[Artifact, ...]] = {}
        for artifact in self.artifacts:
            if artifact.id:
                found[artifact.id] = (*found.get(artifact.id, ()), artifact)
        return found

    @cached_property
    def by_path(self) -> Mapping[str, Artifact]:
        """The artifact that each file belongs to, a design.md to its spec."""
        return {path: artifact for artifact in self.artifacts for path in artifact.paths}

    @property
    def collisions(self) -> tuple[IdCollision, ...]:
        """Ids that more than one artifact has, in order."""
        return tuple(
            IdCollision(identifier, tuple(artifact.path for artifact in artifacts))
            for identifier, artifacts in sorted(self.by_id.items())
            if len(artifacts) > 1
        )

    def resolve(self, identifier: ArtifactId | str) -> tuple[Artifact, ...]:
        """The artifacts with this id, in any spelling: none, one, or those that collide."""
        found = parse_id(identifier) if isinstance(identifier, str) else identifier
        return self.by_id.get(found, ()) if found else ()

    def close_matches(self, identifier: ArtifactId, limit: int = 3) -> tuple[ArtifactId, ...]:
        """Ids that somebody may have meant: one digit off, the same number in another module.

        Only where there is none, the same number of the other kind.
        """
        digits = f"{identifier.number:05d}"
        near, others = [], []
        for other in self.by_id:
            distance = sum(a != b for a, b in zip(digits, f"{other.number:05d}", strict=True))
            if other.kind == identifier.kind and distance < 2:
                near.append((distance, abs(other.number - identifier.number), other))
            elif not distance:
                others.append(other)
        found = [other for *_, other in sorted(near)] or sorted(others)
        return tuple(found[:limit])

    def edges(self) -> tuple[Edge, ...]:
        """Every written edge and the derived inverse of each, once, written ones first."""
        written = [edge for artifact in self.artifacts for edge in artifact.edges]
        known = {(edge.kind, edge.source, edge.target) for edge in written}
        derived = []
        for edge in written:
            back = inverse_edge(edge)
            if back and (back.kind, back.source, back.target) not in known:
                known.add((back.kind, back.source, back.target))
                derived.append(back)
        return (*written, *derived)


def load_corpus(sources: Iterable[ArtifactFile]) -> Corpus:
    """Read every artifact among the files. A pure function of them; never raises.

    Files that are no record (indexes, templates, other pages) are left out.
    """
    artifacts: list[Artifact] = []
    folders: dict[tuple[str, str], dict[str, str]] = {}
    for source in sources:
        path = PurePosixPath(source.path)
        if source.kind == "ADR":
            if artifact := read_adr(source.path, decode(source.data), source.module):
                artifacts.append(artifact)
        elif path.name in (SPEC_FILE, DESIGN_FILE):
            directory = source.path.rpartition("/")[0]
            folders.setdefault((source.module, directory), {})[path.name] = decode(source.data)
    for (module, directory), texts in folders.items():
        spec = read_spec(directory, texts.get(SPEC_FILE), texts.get(DESIGN_FILE), module)
        if spec:
            artifacts.append(spec)
    artifacts.sort(key=lambda artifact: (artifact.module, artifact.kind, artifact.path))
    return Corpus(tuple(artifacts))
