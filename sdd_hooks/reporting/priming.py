"""What `sdd prime` reports, as data: artifacts with their summaries, and what it leaves out."""

# Governing: SPEC-0016 (context of a session)

from __future__ import annotations

from sdd_hooks.artifacts.identifiers import ArtifactKind
from sdd_hooks.named_tuple import NamedTuple


class ArtifactName(NamedTuple):
    """An artifact by name. `id` is without its module and "" where it has no number."""

    kind: ArtifactKind
    id: str
    title: str
    path: str
    module: str = ""


class Relevance(NamedTuple):
    """Why an artifact matches a topic: its best section, an excerpt of it, and its score (0..1)."""

    score: float
    section: str
    excerpt: str


class PrimedArtifact(NamedTuple):
    """An artifact of the report.

    `status` is "" where it has none. `replaced_by` are ids. `summary` are sentences. With a topic,
    `relevance` is set, and `text` is the text of its files.
    """

    name: ArtifactName
    status: str
    authoritative: bool
    replaced_by: tuple[str, ...]
    requirements: int
    scenarios: int
    summary: tuple[str, ...]
    relevance: Relevance | None = None
    text: str = ""


class PrimedKnowledge(NamedTuple):
    """A pattern or a lesson in one line. `trigger` is "" for a pattern."""

    kind: str
    id: str
    tags: tuple[str, ...]
    trigger: str
    summary: str
    path: str


class PrimeReport(NamedTuple):
    """The context of a session.

    Without a topic (None), `artifacts` are authoritative and `excluded` the others. With one, the
    artifacts that match are `artifacts`, the best first, and the others `skipped`. `modules` are
    the modules of a workspace whose artifacts are aggregated. `notes` belong to the header.
    `knowledge` are committed patterns and lessons, the best first.
    """

    topic: str | None
    artifacts: tuple[PrimedArtifact, ...]
    excluded: tuple[PrimedArtifact, ...] = ()
    skipped: tuple[ArtifactName, ...] = ()
    modules: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    knowledge: tuple[PrimedKnowledge, ...] = ()

    def of_kind(self, kind: ArtifactKind) -> tuple[PrimedArtifact, ...]:
        """The artifacts of one kind."""
        return tuple(artifact for artifact in self.artifacts if artifact.name.kind == kind)
