"""What `sdd show` shows, and what references a record: governing comments, issues, other records.

The index finds the files that mention its id, and only these are read. Commits are read from git.
"""

# Governing: SPEC-0005 REQ "Show", SPEC-0002 REQ "Governing comments", SPEC-0002 REQ "Edges"

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.edges import Edge, inverse_edge
from sdd_hooks.artifacts.governing import GoverningReference, read_governing
from sdd_hooks.artifacts.identifiers import (
    ArtifactId,
    Origins,
    find_id_references,
    grep_expression,
)
from sdd_hooks.artifacts.names import NamesOfArtifacts
from sdd_hooks.artifacts.work_tree import ARTIFACT_KINDS
from sdd_hooks.engines.protocol import Hit, Query, SubQuery
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.collections import Collection
from sdd_hooks.retrieval.records import Records
from sdd_hooks.retrieval.report import RecordLabel
from sdd_hooks.system.git import Git
from sdd_hooks.text.decoding import decode

MAX_SECTIONS = 500
"""Sections of each kind that mention a record and are looked at."""

MAX_COMMITS = 10
"""Commits that are listed: the latest."""

_FIELDS = "%H%x00%as%x00%s"


class GoverningComment(NamedTuple):
    """A governing comment that names a record: its file and line, and what it says about it."""

    path: str
    line: int
    requirement: str
    reason: str


class RecordMention(NamedTuple):
    """A line of an issue, or of another record, that names a record. `id` is that of the record."""

    path: str
    line: int
    id: str
    title: str


class ReferringCommit(NamedTuple):
    """A commit whose message names a record. `date` is ISO."""

    commit: str
    date: str
    subject: str


class RecordReferences(NamedTuple):
    """What references a record, each in the order of its paths; commits the latest first.

    `edges` are the written edges of the record, and the derived ones of others to it.
    """

    edges: tuple[Edge, ...] = ()
    comments: tuple[GoverningComment, ...] = ()
    issues: tuple[RecordMention, ...] = ()
    records: tuple[RecordMention, ...] = ()
    commits: tuple[ReferringCommit, ...] = ()


def find_references(
    git: Git, records: Records, artifact: Artifact, collections: Sequence[Collection]
) -> RecordReferences:
    """Find what references a record in the indexed `collections`, and in the commits of `git`."""
    names = NamesOfArtifacts([artifact])
    mentions = {
        kind: list(_mentioning(records, artifact.id, [c for c in collections if c.kind == kind]))
        for kind in dict.fromkeys(collection.kind for collection in collections)
    }
    others = [
        (other, hit.path)
        for kind in ARTIFACT_KINDS
        for hit in mentions.get(kind, ())
        if (other := records.artifact(hit.collection, hit.path)) and other.path != artifact.path
    ]
    return RecordReferences(
        (*artifact.edges, *_derived_edges(artifact, [other for other, _ in others])),
        tuple(_comments(records, artifact.id, names, mentions.get("code", ()))),
        tuple(_issues(records, artifact.id, names, mentions.get("issues", ()))),
        tuple(_records(records, artifact.id, names, others)),
        tuple(_commits(git, artifact.id)),
    )


def _mentioning(
    records: Records, identifier: ArtifactId, collections: Sequence[Collection]
) -> Iterator[Hit]:
    """Yield a hit of each file that may mention the id, in the order of the paths."""
    if not collections:
        return
    spellings = [f'"{identifier.bare}"']
    if not identifier.name:
        widths = dict.fromkeys((4, 3, 2, 1))
        numbers = (f"{identifier.number:0{width}d}{identifier.suffix}" for width in widths)
        spellings = [f'"{identifier.kind}-{number}"' for number in dict.fromkeys(numbers)]
    searches = SubQuery("lex", " ".join(spellings))
    names = tuple(collection.name for collection in collections)
    query = Query((searches,), names, limit=MAX_SECTIONS)
    by_path = {hit.path: hit for hit in records.search(query)}
    yield from (by_path[path] for path in sorted(by_path))


def _derived_edges(artifact: Artifact, others: Sequence[Artifact]) -> Iterator[Edge]:
    written = {(edge.kind, edge.target) for edge in artifact.edges}
    for other in others:
        for edge in other.edges:
            back = inverse_edge(edge)
            if edge.target == artifact.id and (back.kind, back.target) not in written:
                written.add((back.kind, back.target))
                yield back


def _comments(
    records: Records, identifier: ArtifactId, names: Origins, hits: Sequence[Hit]
) -> Iterator[GoverningComment]:
    for hit in hits:
        module = records.collection(hit.collection).module
        for entry in read_governing(records.text(hit.path) or "", names):
            if _means(entry.id, identifier, module):
                yield GoverningComment(hit.path, entry.line, entry.requirement, entry.reason)


def _issues(
    records: Records, identifier: ArtifactId, names: Origins, hits: Sequence[Hit]
) -> Iterator[RecordMention]:
    for hit in hits:
        module = records.collection(hit.collection).module
        if line := _line_of(records.text(hit.path) or "", identifier, names, module):
            stem = hit.path.rpartition("/")[2].removesuffix(".md")
            yield RecordMention(hit.path, line, stem, hit.title)


def _records(
    records: Records,
    identifier: ArtifactId,
    names: Origins,
    others: Sequence[tuple[Artifact, str]],
) -> Iterator[RecordMention]:
    for other, path in others:
        if line := _line_of(records.text(path) or "", identifier, names, other.module):
            yield RecordMention(path, line, other.name, other.title)


def _line_of(text: str, identifier: ArtifactId, names: Origins, module: str) -> int:
    """Return the first line of a text that names the record; 0 for none."""
    for reference in find_id_references(text, names):
        if _means(reference.id, identifier, module):
            return text.count("\n", 0, reference.start) + 1
    return 0


def _means(written: ArtifactId, identifier: ArtifactId, module: str) -> bool:
    """Whether an id, written in a file of `module`, means the record."""
    if written._replace(module="") != identifier._replace(module=""):
        return False
    return (written.module or module) == identifier.module or not written.module


def _commits(git: Git, identifier: ArtifactId) -> Iterator[ReferringCommit]:
    search = ("-E", "-i", f"--grep={grep_expression(identifier)}", f"--max-count={MAX_COMMITS}")
    listed = git.try_output("log", *search, "--no-show-signature", f"--format={_FIELDS}")
    for line in decode(listed or b"").splitlines():
        commit, date, subject = (*line.split("\0", 2), "", "")[:3]
        if commit:
            yield ReferringCommit(commit, date, subject)


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
