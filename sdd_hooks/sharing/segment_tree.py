"""The tree of a vector ref: one file for each segment, named after the hash of its content.

Each segment is validated before any of it is used.
"""

# Governing: ADR-0025 (vectors travel in a git ref), ADR-0012 (untrusted input),
# SPEC-0013 REQ "Hostile packs", REQ "Models apart"

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress

from sdd_hooks.engines.protocol import Progress, report_progress
from sdd_hooks.engines.vector_exchange import ExchangesVectors, VectorExchange
from sdd_hooks.errors import EngineUnavailable
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.project import Project
from sdd_hooks.sharing.object_directory import ObjectDirectory
from sdd_hooks.sharing.options import SharingLimits
from sdd_hooks.sharing.segment_format import (
    MAX_HEADER_BYTES,
    BadSegment,
    Segment,
    read_header,
    read_segment,
)
from sdd_hooks.system.git import GitError
from sdd_hooks.text.display import one_line, printable_line, shortened
from sdd_hooks.text.lazy_regex import lazy_regex

_MAX_TREE_BYTES = 200_000

_MAX_SHOWN_COLUMNS = 80
"""Columns of the name of a foreign entry in a message."""

_SEGMENT_NAME = lazy_regex("[0-9a-f]{64}")

# Without a date and a user, equal content is an equal commit on every machine: two pushes of it at
# the same time do not conflict.
_COMMIT = (
    "tree {tree}\n{parent}author sdd <sdd@localhost> 0 +0000\n"
    "committer sdd <sdd@localhost> 0 +0000\n\nVectors of {model}\n"
)


class SegmentEntry(NamedTuple):
    """A file of the tree: its name, and the id and the size in bytes of its blob."""

    name: str
    blob: str
    size: int


class UnusableTree(ValueError):
    """An object is no commit, or its tree exceeds a limit. The message says which."""


def read_entries(
    objects: ObjectDirectory, commit: str, limits: SharingLimits
) -> tuple[list[SegmentEntry], list[str]]:
    """The entries of a commit's tree that may be segments, and a line for each other entry.

    Raises UnusableTree for what no version of this program writes.
    """
    (kind, _), (_, size) = objects.describe(commit, f"{commit}^{{tree}}")
    if kind != "commit":
        raise UnusableTree(f"is a {kind or 'missing object'}, not a commit")
    if size > _MAX_TREE_BYTES:
        raise UnusableTree("has too many entries")
    entries, refused = [], []
    for line in objects.output("ls-tree", "-z", "-l", f"{commit}^{{tree}}").split(b"\0")[:-1]:
        description, _, raw_name = line.partition(b"\t")
        mode, kind, blob, length = description.decode().split()
        name = raw_name.decode("utf-8", "replace")
        if (mode, kind) != ("100644", "blob") or not _SEGMENT_NAME.fullmatch(name):
            refused.append(f"{display_name(name)} is not a segment: refused")
        elif not length.isdigit() or int(length) > limits.max_segment_bytes:
            refused.append(f"{display_name(name)} is larger than a segment: refused")
        else:
            entries.append(SegmentEntry(name, blob, int(length)))
    if sum(entry.size for entry in entries) > 2 * limits.max_total_bytes:
        raise UnusableTree("exceeds the size limit")
    return entries, refused


def read_contents(
    objects: ObjectDirectory, entries: Sequence[SegmentEntry], limit: int | None = None
) -> Iterator[bytes]:
    """The content of each entry, of which at most `limit` + 1 bytes.

    Raises GitError for an object that is missing or damaged.
    """
    contents = objects.read_blobs([entry.blob for entry in entries], limit)
    for entry, data in zip(entries, contents, strict=True):
        if data is None or len(data) < min(entry.size, limit or entry.size):
            raise GitError(f"git cat-file: {display_name(entry.name)} cannot be read")
        yield data


def write_commit(
    objects: ObjectDirectory, entries: Sequence[SegmentEntry], model: str, parent: str = ""
) -> str:
    """Store a commit of these entries. Returns its id. Without `parent` it has no history."""
    lines = (f"100644 blob {entry.blob}\t{entry.name}\n" for entry in sorted(entries))
    tree = objects.write_tree("".join(lines))
    parent_line = f"parent {parent}\n" if parent else ""
    return objects.write_commit(
        _COMMIT.format(tree=tree, parent=parent_line, model=one_line(model))
    )


def display_name(name: str) -> str:
    """The name of an entry for a message, printable: of a segment its beginning, as of a commit."""
    if _SEGMENT_NAME.fullmatch(name):
        return name[:12]
    # What is only blanks would be invisible.
    return shortened(printable_line(name) or ascii(name), _MAX_SHOWN_COLUMNS)


def vector_exchange(project: Project, engine: object) -> VectorExchange:
    """The vectors of the engine, for other machines.

    Raises EngineUnavailable where other machines cannot use them.
    """
    if isinstance(engine, ExchangesVectors):
        return engine.exchange()
    name = project.configuration.search.engine
    raise EngineUnavailable(
        f"the {name} engine cannot share its vectors: only the machine that made them can use them;"
        " `Engine: embedded` can"
    )


class SegmentReader(NamedTuple):
    """Reads segments with the model of `exchange` and vectors of `dimensions`.

    A line for each segment that cannot be used is appended to `refused`.
    """

    objects: ObjectDirectory
    exchange: VectorExchange
    dimensions: int
    refused: list[str]

    def read(
        self, entries: Sequence[SegmentEntry], progress: Progress | None = None
    ) -> Iterator[tuple[SegmentEntry, Segment]]:
        """The valid segments of these entries. Raises GitError where an object is damaged."""
        contents = read_contents(self.objects, entries)
        for number, (entry, data) in enumerate(zip(entries, contents, strict=True)):
            report_progress(progress, "Reading vectors", number, len(entries))
            try:
                segment = read_segment(entry.name, data, self.exchange.model, self.exchange.storage)
            except BadSegment as error:
                self.refused.append(f"{display_name(entry.name)} {error}: refused")
                continue
            dimensions = segment.header.dimensions
            if dimensions == self.dimensions:
                yield entry, segment
            else:
                self.refused.append(
                    f"{display_name(entry.name)} has vectors of {dimensions} dimensions,"
                    f" not {self.dimensions}: refused"
                )


def most_common_dimensions(objects: ObjectDirectory, entries: Sequence[SegmentEntry]) -> int:
    """The dimensions of most vectors, according to the headers of the segments; 0 for none."""
    vectors: Counter[int] = Counter()
    contents = read_contents(objects, entries, MAX_HEADER_BYTES)
    for entry, data in zip(entries, contents, strict=True):
        with suppress(BadSegment):
            header = read_header(data)
            if header.bytes == entry.size:
                vectors[header.dimensions] += header.count
    return max(vectors, key=lambda dimensions: (vectors[dimensions], -dimensions), default=0)
