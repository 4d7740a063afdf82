"""Merge the vectors of the index into the segments of a ref, within the limits of a ref."""

# Governing: ADR-0025 (vectors travel in a git ref), SPEC-0013 REQ "Push", REQ "Segments",
# REQ "Bounded history"

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from sdd_hooks.engines.protocol import Progress
from sdd_hooks.engines.vector_exchange import VectorExchange
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.sharing.segment_format import (
    KEY_BYTES,
    MAX_HEADER_BYTES,
    VALUE_BYTES,
    is_valid_vector,
    segment_name,
    write_segment,
)
from sdd_hooks.sharing.segment_tree import SegmentEntry, SegmentReader, most_common_dimensions
from sdd_hooks.sharing.vector_ref import VectorRef
from sdd_hooks.text.display import format_count


class MergedSegments(NamedTuple):
    """The entries of the next commit, and whether they differ from those of the last one.

    Of the `vectors` in them, `new` are new on the remote. `notes` has a line for each thing that
    was left out.
    """

    entries: list[SegmentEntry]
    changed: bool
    new: int
    vectors: int
    notes: list[str]


class _KnownSegment(NamedTuple):
    """The entry of a valid segment, and the keys of its vectors."""

    entry: SegmentEntry
    keys: Sequence[bytes]


def merge_segments(
    ref: VectorRef,
    exchange: VectorExchange,
    entries: Sequence[SegmentEntry],
    known_keys: dict[SegmentEntry, Sequence[bytes]],
    progress: Progress | None = None,
) -> MergedSegments:
    """Add the vectors of the index that `entries` lack, and store the new segments.

    `known_keys` has the keys of segments that were read before, and gets those that are read now:
    another attempt of a push reads only what another machine has pushed since.
    """
    notes: list[str] = []
    dimensions = exchange.dimensions or most_common_dimensions(ref.objects, entries)
    merge = _Merge(ref, exchange, SegmentReader(ref.objects, exchange, dimensions, notes))
    unknown = [entry for entry in entries if entry not in known_keys]
    for entry, segment in merge.reader.read(unknown, progress):
        known_keys[entry] = segment.keys
    remote = [_KnownSegment(entry, known_keys[entry]) for entry in entries if entry in known_keys]
    remote_keys = {key for segment in remote for key in segment.keys}
    index_keys = exchange.keys()
    vector_bytes = dimensions * VALUE_BYTES[exchange.storage]
    missing = (
        pair
        for pair in exchange.vectors([key for key in index_keys if key not in remote_keys])
        if len(pair[1]) == vector_bytes and is_valid_vector(pair[1], exchange.storage)
    )
    written = list(merge.write_segments(missing))
    segments = merge.reduce_count(merge.limit_size([*remote, *written], index_keys))
    merged = [segment.entry for segment in segments]
    keys = {key for segment in segments for key in segment.keys}
    changed = set(merged) != set(entries)
    return MergedSegments(merged, changed, len(keys - remote_keys), len(keys), notes)


@dataclass(frozen=True)
class _Merge:
    """Reads and writes the segments of one model for a ref."""

    ref: VectorRef
    exchange: VectorExchange
    reader: SegmentReader

    def write_segments(self, pairs: Iterable[tuple[bytes, bytes]]) -> Iterator[_KnownSegment]:
        """Store keys and vectors as segments of at most the largest size."""
        pair_bytes = KEY_BYTES + self.reader.dimensions * VALUE_BYTES[self.exchange.storage]
        usable_bytes = self.ref.options.limits.max_segment_bytes - MAX_HEADER_BYTES
        max_pairs = max(1, usable_bytes // pair_bytes)
        batch: list[tuple[bytes, bytes]] = []
        for pair in pairs:
            batch.append(pair)
            if len(batch) == max_pairs:
                yield self._write_segment(batch)
                batch = []
        if batch:
            yield self._write_segment(batch)

    def limit_size(
        self, segments: list[_KnownSegment], index_keys: Sequence[bytes]
    ) -> list[_KnownSegment]:
        """`segments` if they fit into the ref; else only vectors whose text is in the index."""
        limit = self.ref.options.limits.max_total_bytes
        if _total_bytes(segments) <= limit:
            return segments
        needed = set(index_keys)
        kept: list[_KnownSegment] = []
        for known in segments:
            if needed.issuperset(known.keys):
                kept.append(known)
                continue
            for _, segment in self.reader.read([known.entry]):
                kept += self.write_segments(pair for pair in segment.pairs if pair[0] in needed)
        while _total_bytes(kept) > limit:
            kept.pop()
        left_out = format_count(_count_keys(segments) - _count_keys(kept), "vector")
        self.reader.refused.append(
            f"{left_out} left out, as {self.ref.name} holds {limit // 1_000_000} MB at most"
        )
        return kept

    def reduce_count(self, segments: list[_KnownSegment]) -> list[_KnownSegment]:
        """`segments`, of which the small ones are merged when there are too many."""
        limits = self.ref.options.limits
        if len(segments) <= limits.max_segments:
            return segments
        small = sorted(known for known in segments if known.entry.size < limits.small_segment_bytes)
        result = [known for known in segments if known.entry.size >= limits.small_segment_bytes]
        group: list[_KnownSegment] = []
        for known in small:
            if group and _total_bytes([*group, known]) > limits.max_segment_bytes:
                result += self._merge_into_one(group)
                group = []
            group.append(known)
        return [*result, *self._merge_into_one(group)]

    def _merge_into_one(self, segments: Sequence[_KnownSegment]) -> list[_KnownSegment]:
        """Several segments as one. The first vector of a key is kept."""
        pairs: dict[bytes, bytes] = {}
        for _, segment in self.reader.read([known.entry for known in segments]):
            pairs = {**dict(segment.pairs), **pairs}
        return list(self.write_segments(sorted(pairs.items())))

    def _write_segment(self, pairs: Sequence[tuple[bytes, bytes]]) -> _KnownSegment:
        model, storage = self.exchange.model, self.exchange.storage
        data = write_segment(model, storage, self.reader.dimensions, pairs)
        blob = self.ref.objects.write_blob(data)
        entry = SegmentEntry(segment_name(data), blob, len(data))
        return _KnownSegment(entry, [key for key, _ in pairs])


def _total_bytes(segments: Iterable[_KnownSegment]) -> int:
    return sum(known.entry.size for known in segments)


def _count_keys(segments: Iterable[_KnownSegment]) -> int:
    return sum(len(known.keys) for known in segments)
