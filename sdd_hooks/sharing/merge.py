"""What a ref holds after a push: what it held, and what was lacking, in segments of a good size."""

# Governing: ADR-0025 (vectors travel in a git ref), SPEC-0013 REQ "Push", REQ "Segments",
# REQ "Bounded history"

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from sdd_hooks.engines.protocol import Progress, VectorExchange
from sdd_hooks.sharing.segment_format import (
    HEADER_BYTES,
    KEY_BYTES,
    VALUE_BYTES,
    Segment,
    name_of,
    sound,
    write_segment,
)
from sdd_hooks.sharing.segments import dimensions_of, segments
from sdd_hooks.sharing.vector_ref import Entry, Place
from sdd_hooks.text.display import format_count


class Union(NamedTuple):
    """The entries of the next commit, whether they differ from those of the last one, how many of
    the `vectors` in them are `new`, and a line for each thing that was left out."""

    entries: list[Entry]
    changed: bool
    new: int
    vectors: int
    notes: list[str]


class _Held(NamedTuple):
    """An entry that is a sound segment, and its keys."""

    entry: Entry
    keys: Sequence[bytes]


def union(
    place: Place,
    exchange: VectorExchange,
    entries: Sequence[Entry],
    known: dict[Entry, Sequence[bytes]],
    progress: Progress | None = None,
) -> Union:
    """What `place` holds in `entries`, with the vectors of the index that it lacks.

    `known` has the keys of segments that were read before, and is added to: a push that is made
    anew reads only what came in between.
    """
    notes: list[str] = []
    dimensions = exchange.dimensions or dimensions_of(place, entries)
    shelf = _Shelf(place, exchange, dimensions, notes)
    for entry, segment in shelf.segments([one for one in entries if one not in known], progress):
        known[entry] = segment.keys
    held = [_Held(entry, known[entry]) for entry in entries if entry in known]
    there = {key for one in held for key in one.keys}
    wanted = exchange.keys()
    pairs = (
        pair
        for pair in exchange.vectors([key for key in wanted if key not in there])
        if sound(pair[1], exchange.storage)
    )
    added = list(shelf.write(pairs))
    held = shelf.merged(shelf.cut([*held, *added], wanted))
    found = [one.entry for one in held]
    now = {key for one in held for key in one.keys}
    return Union(found, set(found) != set(entries), len(now - there), len(now), notes)


class _Shelf:
    """Reads and writes the segments of one model at a place."""

    def __init__(
        self,
        place: Place,
        exchange: VectorExchange,
        dimensions: int,
        notes: list[str],
    ) -> None:
        self._place = place
        self._exchange = exchange
        self._dimensions = dimensions
        self._notes = notes

    def segments(
        self, entries: Iterable[Entry], progress: Progress | None = None
    ) -> Iterator[tuple[Entry, Segment]]:
        """The entries that are sound segments; the others are in the notes."""
        return segments(
            self._place, list(entries), self._exchange, self._dimensions, self._notes, progress
        )

    def write(self, pairs: Iterable[tuple[bytes, bytes]]) -> Iterator[_Held]:
        """Write vectors as segments, none too large."""
        each = KEY_BYTES + self._dimensions * VALUE_BYTES[self._exchange.storage]
        most = max(1, (self._place.limits.largest - HEADER_BYTES) // each)
        batch: list[tuple[bytes, bytes]] = []
        for pair in pairs:
            batch.append(pair)
            if len(batch) == most:
                yield self._written(batch)
                batch = []
        if batch:
            yield self._written(batch)

    def cut(self, held: list[_Held], wanted: Sequence[bytes]) -> list[_Held]:
        """The same while there is room; else what of it the index here has a use for."""
        limit = self._place.limits.total
        if _bytes(held) <= limit:
            return held
        before = sum(len(one.keys) for one in held)
        use, kept = set(wanted), []
        for one in held:
            if use.issuperset(one.keys):
                kept.append(one)
                continue
            for _, segment in self.segments([one.entry]):
                kept += self.write(pair for pair in segment.pairs if pair[0] in use)
        while _bytes(kept) > limit:
            kept.pop()
        left_out = format_count(before - sum(len(one.keys) for one in kept), "vector")
        self._notes.append(
            f"{left_out} left out, as {self._place.ref} holds {limit // 1_000_000} MB at most"
        )
        return kept

    def merged(self, held: list[_Held]) -> list[_Held]:
        """The same with the small ones put together, when there are too many."""
        limits = self._place.limits
        if len(held) <= limits.most:
            return held
        small = sorted(one for one in held if one.entry.size < limits.small)
        result = [one for one in held if one.entry.size >= limits.small]
        group: list[_Held] = []
        for one in small:
            if group and _bytes([*group, one]) > limits.largest:
                result += self._one(group)
                group = []
            group.append(one)
        return [*result, *self._one(group)]

    def _one(self, group: Sequence[_Held]) -> list[_Held]:
        """Several segments as one. Of a key that is in two of them the first counts."""
        pairs: dict[bytes, bytes] = {}
        for _, segment in self.segments(one.entry for one in group):
            pairs = {**dict(segment.pairs), **pairs}
        return list(self.write(sorted(pairs.items())))

    def _written(self, pairs: Sequence[tuple[bytes, bytes]]) -> _Held:
        exchange = self._exchange
        data = write_segment(exchange.model, exchange.storage, self._dimensions, pairs)
        return _Held(self._place.write(name_of(data), data), [key for key, _ in pairs])


def _bytes(held: Iterable[_Held]) -> int:
    return sum(one.entry.size for one in held)
