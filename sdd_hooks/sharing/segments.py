"""Read the segments of a vector ref. Each is validated before any of it is used."""

# Governing: ADR-0025 (vectors travel in a git ref), SPEC-0013 REQ "Hostile packs",
# REQ "Models apart"

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
from sdd_hooks.sharing.segment_format import (
    MAX_HEADER_BYTES,
    BadSegment,
    Segment,
    read_header,
    read_segment,
)
from sdd_hooks.sharing.segment_tree import SegmentEntry, display_name, read_contents


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
