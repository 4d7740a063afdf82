"""Which records may be asked about: those that still count and that the change does not name."""

# Governing: SPEC-0010 REQ "Suggestions"

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass, replace

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.corpus import Corpus
from sdd_hooks.artifacts.identifiers import ArtifactId


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
        waiting = [record]
        seen = {record.path}
        found: list[str] = []
        while waiting:
            one = waiting.pop()
            if one.status.authoritative:
                if not self.is_named(one):
                    found.append(one.path)
                continue
            heirs = (heir for id in one.successors for heir in self.corpus.resolve(id))
            for heir in heirs:
                if heir.kind == "ADR" and heir.path not in seen:
                    seen.add(heir.path)
                    waiting.append(heir)
        return sorted(found)
