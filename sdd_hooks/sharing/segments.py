"""The segments of a ref, each read and checked before anything of it is believed."""

# Governing: ADR-0025 (vectors travel in a git ref), SPEC-0013 REQ "Hostile packs",
# REQ "Models apart"

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress

from sdd_hooks.engines.protocol import ExchangesVectors, Progress, VectorExchange, report_progress
from sdd_hooks.errors import EngineUnavailable
from sdd_hooks.project.project import Project
from sdd_hooks.sharing.segment_format import (
    HEADER_BYTES,
    BadSegment,
    Segment,
    read_header,
    read_segment,
)
from sdd_hooks.sharing.vector_ref import Entry, Place, shown


def exchange_of(project: Project, engine: object) -> VectorExchange:
    """What the engine gives and takes.

    Raises EngineUnavailable where its vectors are of no use elsewhere.
    """
    if isinstance(engine, ExchangesVectors):
        return engine.exchange()
    name = project.configuration.search.engine
    raise EngineUnavailable(
        f"the {name} engine cannot share its vectors: they are of use on the machine alone that"
        " made them; `Engine: embedded` can"
    )


def segments(
    place: Place,
    entries: Sequence[Entry],
    exchange: VectorExchange,
    dimensions: int,
    refused: list[str],
    progress: Progress | None = None,
) -> Iterator[tuple[Entry, Segment]]:
    """The sound segments of these entries with vectors of so many dimensions.

    For each of the others `refused` gets a line.
    """
    for number, (entry, data) in enumerate(zip(entries, place.read(entries), strict=True)):
        report_progress(progress, "Reading vectors", number, len(entries))
        try:
            segment = read_segment(entry.name, data, exchange.model, exchange.storage)
        except BadSegment as error:
            refused.append(f"{shown(entry.name)} {error}: refused")
            continue
        there = segment.header.dimensions
        if there == dimensions:
            yield entry, segment
        else:
            refused.append(
                f"{shown(entry.name)} has vectors of {there} dimensions, not {dimensions}: refused"
            )


def dimensions_of(place: Place, entries: Sequence[Entry]) -> int:
    """The dimensions that most of the vectors have, by what the segments say; 0 for none."""
    counted: Counter[int] = Counter()
    for entry, data in zip(entries, place.read(entries, HEADER_BYTES), strict=True):
        with suppress(BadSegment):
            header = read_header(data)
            if header.bytes == entry.size:
                counted[header.dimensions] += header.count
    return max(counted, key=lambda one: (counted[one], -one), default=0)
