"""Which records may be asked about: those that still count and that the change does not name."""

# Governing: SPEC-0010 REQ "Suggestions"

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.corpus import Corpus
from sdd_hooks.artifacts.identifiers import ArtifactId
from sdd_hooks.review.successors import Successors, find_replacements, find_successors


@dataclass(frozen=True)
class Standing:
    """The artifacts, the ids that a change names, and the paths that it changes."""

    corpus: Corpus
    named: Set[ArtifactId]
    changed: Set[str]

    def is_named(self, record: Artifact) -> bool:
        """Whether the change names the record, or changes it."""
        id = record.id
        spelled = id is not None and (id in self.named or replace(id, module="") in self.named)
        return spelled or record.path in self.changed

    def to_ask_about(self, record: Artifact) -> Sequence[str]:
        """The paths of what to ask about in the place of a record: itself, or what replaced it."""
        holds = record.status.authoritative
        ends = (record,) if holds else find_replacements(record, self._successors)
        return [one.path for one in ends if one.kind == "ADR" and not self.is_named(one)]

    @cached_property
    def _successors(self) -> Successors:
        return find_successors(self.corpus)
