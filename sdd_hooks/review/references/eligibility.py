"""Which records can be suggested: those in force that the change does not cite already."""

# Governing: SPEC-0010 REQ "Suggestions", SPEC-0010 REQ "Silence"

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from functools import cached_property

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.corpus import Corpus
from sdd_hooks.artifacts.governing import read_governing
from sdd_hooks.artifacts.identifiers import ArtifactId
from sdd_hooks.changes.change import Change, ChangedFile
from sdd_hooks.changes.tree import Blob
from sdd_hooks.review.mentions import lines_that_may_name
from sdd_hooks.review.references.record_names import RecordNames
from sdd_hooks.review.subject import Subject
from sdd_hooks.review.successors import Successors, find_replacements, find_successors
from sdd_hooks.text.lines import join_lines

MAX_FILES = 500
"""Changed files whose governing comments are read."""
MAX_LINE = 2_000
"""Characters of an added line that are read."""

# A quick test: most lines name no artifact.
_TRAILER = re.compile(
    r"^[ \t]*(reviewed-adrs[ \t]*:[ \t]*none\b[^\n]{0,300}|adr-exempt[ \t]*:[ \t]*\S[^\n]{0,300})",
    re.IGNORECASE | re.MULTILINE,
)


def find_silencing_trailer(change: Change) -> str:
    """Find the trailer that asks for no suggestion, as written; "" when there is none.

    `Reviewed-ADRs: none` or `ADR-Exempt: reason`, on a separate line of the body or of a message.
    """
    for text in (change.body, *change.messages):
        if match := _TRAILER.search(text):
            return " ".join(match[1].split())
    return ""


def find_cited_ids(subject: Subject) -> set[ArtifactId]:
    """Find the ids in the texts and the added lines of a change, and in the governing comments of
    its files."""
    change = subject.change
    origins = subject.origins
    names = RecordNames(subject.corpus.artifacts, origins)
    ids: set[ArtifactId] = set()
    for text in (change.title, change.body, *change.messages):
        ids.update(names.find(text))
    for file in change.files:
        for line in (*lines_that_may_name(file).values(), *_lines_with_paths(file)):
            ids.update(names.find(line[:MAX_LINE]))
    blobs = [Blob(file.path, file.blob) for file in change.files if file.is_file and file.blob]
    for text in subject.after.texts(blobs[:MAX_FILES]).values():
        ids.update(reference.id for reference in read_governing(text, origins))
    return ids


def _lines_with_paths(file: ChangedFile) -> Iterator[str]:
    """The added lines that may have the path of a record."""
    if ".md" in join_lines(file.added):
        yield from (line.text for line in file.added if ".md" in line.text)


@dataclass(frozen=True)
class Eligibility:
    """The artifacts, the ids that a change cites, and the paths that it changes."""

    corpus: Corpus
    cited: Set[ArtifactId]
    changed: Set[str]

    def is_cited(self, record: Artifact) -> bool:
        """Whether the change cites the record, or changes it."""
        id = record.id
        by_id = id is not None and (id in self.cited or id._replace(module="") in self.cited)
        return by_id or record.path in self.changed

    def find_eligible(self, record: Artifact) -> Sequence[str]:
        """Find the paths to suggest for a record: the record itself, or its replacements."""
        in_force = record.status.authoritative
        records = (record,) if in_force else find_replacements(record, self._successors)
        return [one.path for one in records if one.kind == "ADR" and not self.is_cited(one)]

    @cached_property
    def _successors(self) -> Successors:
        return find_successors(self.corpus)
