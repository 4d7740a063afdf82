"""What `sdd show` shows: a part of a file, its record, and what references the record."""

# Governing: SPEC-0005 REQ "Show"

from __future__ import annotations

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.governing import GoverningReference
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.retrieval.references import RecordReferences
from sdd_hooks.retrieval.report import RecordLabel


class ShownText(NamedTuple):
    """A part of a file. Lines are 1-based and inclusive. `anchor` is "" for the whole file."""

    path: str
    anchor: str
    first_line: int
    last_line: int
    text: str


class Shown(NamedTuple):
    """What `sdd show` shows.

    `record`, `label` and `references` are of the record that the file belongs to; None for a file
    that belongs to none, whose governing comments are in `governed_by`. `governs` are the files
    and the ids of the specs that the record governs. `titles` are the titles of records by id.
    """

    part: ShownText
    record: Artifact | None
    label: RecordLabel | None
    references: RecordReferences
    governs: tuple[str, ...]
    governed_by: tuple[GoverningReference, ...]
    titles: dict[str, str]
    notes: tuple[str, ...]
    warnings: tuple[str, ...]
