"""The result of a search: the hits of each kind, and the record that each hit belongs to."""

# Governing: SPEC-0005 REQ "Search"

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sdd_hooks.engines.protocol import Hit
from sdd_hooks.named_tuple import NamedTuple

if TYPE_CHECKING:
    from sdd_hooks.artifacts.artifact import Artifact
    from sdd_hooks.artifacts.identifiers import ArtifactId


class RecordLabel(NamedTuple):
    """What a record is.

    `id` is its artifact id (`ADR-0011`, `20201103-use-lunr`), else the name of its file.
    `is_artifact` is False for another page in a folder of records, such as a README. `status` is ""
    for none. `replaced_by` are the ids of the records that replaced it.
    """

    id: str
    title: str
    status: str = ""
    authoritative: bool = True
    replaced_by: tuple[str, ...] = ()
    is_artifact: bool = True

    @property
    def name(self) -> str:
        """The id with the title: `ADR-0011: Title`; of another page, the title."""
        return f"{self.id}: {self.title}" if self.is_artifact else self.title

    @property
    def state(self) -> str:
        """The status with what replaced it: `accepted`, `superseded by ADR-0012`; may be ""."""
        if not self.replaced_by:
            return self.status
        successors = f"superseded by {', '.join(self.replaced_by)}"
        own = "" if self.status in ("", "superseded") else f"{self.status}, "
        return own + successors


def label_of(artifact: Artifact, successors: Sequence[ArtifactId]) -> RecordLabel:
    """Return what an artifact is, which `successors` replaced."""
    return RecordLabel(
        artifact.name,
        artifact.title,
        artifact.status.value,
        artifact.status.authoritative,
        tuple(map(str, successors)),
    )


class LabelledHit(NamedTuple):
    """A hit, the kind and module of its collection, and its record.

    `record` is None for a hit that is no part of an ADR or a spec. `exact` is whether the query is
    the id of the record, the name of the file or the name of the definition.
    """

    hit: Hit
    kind: str
    module: str = ""
    record: RecordLabel | None = None
    exact: bool = False


class HitGroup(NamedTuple):
    """The hits of one kind, best first, and the names of the collections that were searched."""

    kind: str
    collections: tuple[str, ...]
    hits: tuple[LabelledHit, ...]


class SearchReport(NamedTuple):
    """The result of a search.

    `groups` has every kind that was requested, in order. `missing` names the requested collections
    that are not indexed. `pending` counts the searched chunks without a vector.
    """

    query: str
    groups: tuple[HitGroup, ...]
    missing: tuple[str, ...] = ()
    pending: int = 0
    notes: tuple[str, ...] = ()

    @property
    def kinds(self) -> tuple[str, ...]:
        """The requested kinds, in order."""
        return tuple(group.kind for group in self.groups)

    @property
    def is_empty(self) -> bool:
        """Whether there is no hit of any kind."""
        return not any(group.hits for group in self.groups)

    def hits(self, kind: str) -> tuple[LabelledHit, ...]:
        """Return the hits of a kind, best first; none for a kind that was not requested."""
        return next((group.hits for group in self.groups if group.kind == kind), ())
