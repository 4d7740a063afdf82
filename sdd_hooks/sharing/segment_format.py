"""The format of a segment: vectors as bytes that another machine can read.

    magic        8 bytes, with the number of the format
    storage      1 byte, then one that is 0
    model        2 bytes, the length of the model's id in UTF-8
    dimensions   4 bytes
    count        4 bytes
    the id of the model
    count keys   32 bytes each, ascending, without duplicates
    count vectors, in the order of the keys

Numbers are big-endian. The name of a segment is the SHA-256 of its bytes in hexadecimal: equal
vectors are equal bytes with an equal name on every machine.
"""

# Governing: ADR-0025 (vectors travel in a git ref), SPEC-0013 REQ "Segments",
# REQ "Hostile packs"

from __future__ import annotations

import hashlib
import struct
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import mul

from sdd_hooks.named_tuple import NamedTuple

FORMAT = 2
"""The number of the format. It also covers how a text becomes a vector: the title in front of it,
the pooling of the model's output, and the conversion to bytes. A change to any of these makes
vectors of an equal text incomparable, and needs another number. Under 1, some vectors had the key
of another text."""

KEY_BYTES = 32
VALUE_BYTES = {"int8": 1, "float32": 4}

_MAGIC = b"sddvec" + FORMAT.to_bytes(2, "big")
_HEADER = struct.Struct(">8sBxHII")
_STORAGES = ("int8", "float32")
_MAX_MODEL_BYTES = 1000
_MAX_DIMENSIONS = 65_536
MAX_HEADER_BYTES = _HEADER.size + _MAX_MODEL_BYTES
"""The first bytes of a segment, as many as its header can have."""

# The square of the length of a float32 vector, which is 1 apart from rounding.
_SQUARED_LENGTH_RANGE = (0.98, 1.02)


class BadSegment(ValueError):
    """These bytes are not a usable segment. The message says why."""


@dataclass(frozen=True)
class SegmentHeader:
    """The header of a segment."""

    model: str
    storage: str
    dimensions: int
    count: int

    @property
    def vector_bytes(self) -> int:
        """The size of one vector."""
        return self.dimensions * VALUE_BYTES[self.storage]

    @property
    def bytes(self) -> int:
        """The size of the whole segment."""
        pair_bytes = KEY_BYTES + self.vector_bytes
        return _HEADER.size + len(self.model.encode()) + self.count * pair_bytes


class Segment(NamedTuple):
    """A valid segment."""

    header: SegmentHeader
    data: bytes

    @property
    def keys(self) -> list[bytes]:
        """The keys, ascending."""
        first = self._keys_start
        starts = range(first, first + self.header.count * KEY_BYTES, KEY_BYTES)
        return [self.data[start : start + KEY_BYTES] for start in starts]

    @property
    def pairs(self) -> list[tuple[bytes, bytes]]:
        """Each key with its vector."""
        size = self.header.vector_bytes
        start = self._keys_start + self.header.count * KEY_BYTES
        return [
            (key, self.data[start + number * size : start + (number + 1) * size])
            for number, key in enumerate(self.keys)
        ]

    @property
    def _keys_start(self) -> int:
        return _HEADER.size + len(self.header.model.encode())


def segment_name(data: bytes) -> str:
    """The name of the segment with these bytes."""
    return hashlib.sha256(data).hexdigest()


def write_segment(
    model: str, storage: str, dimensions: int, pairs: Iterable[tuple[bytes, bytes]]
) -> bytes:
    """The bytes of a segment with these keys and vectors. Their order does not matter; a key must
    not occur twice."""
    ordered = sorted(pairs)
    model_bytes = model.encode()
    return b"".join(
        (
            _HEADER.pack(
                _MAGIC, _STORAGES.index(storage), len(model_bytes), dimensions, len(ordered)
            ),
            model_bytes,
            *(key for key, _ in ordered),
            *(vector for _, vector in ordered),
        )
    )


def read_header(data: bytes) -> SegmentHeader:
    """Parse the header of a segment whose first bytes are `data`. Raises BadSegment."""
    if len(data) < _HEADER.size:
        raise BadSegment("is truncated")
    magic, storage, length, dimensions, count = _HEADER.unpack_from(data)
    if magic != _MAGIC:
        raise BadSegment("is not a segment of this format")
    if storage >= len(_STORAGES) or data[9]:
        raise BadSegment("has vectors of an unknown kind")
    if not 0 < dimensions <= _MAX_DIMENSIONS or count == 0 or length > _MAX_MODEL_BYTES:
        raise BadSegment("has an invalid header")
    try:
        model = data[_HEADER.size : _HEADER.size + length].decode()
    except UnicodeDecodeError:
        raise BadSegment("has an invalid header") from None
    return SegmentHeader(model, _STORAGES[storage], dimensions, count)


def read_segment(name: str, data: bytes, model: str, storage: str) -> Segment:
    """Parse and validate the segment called `name`, of this model and storage.

    Raises BadSegment for an invalid vector too.
    """
    if segment_name(data) != name:
        raise BadSegment("does not match its checksum")
    header = read_header(data)
    if (header.model, header.storage) != (model, storage):
        raise BadSegment("is of another model")
    if header.bytes != len(data):
        raise BadSegment("does not have the length of its header")
    segment = Segment(header, data)
    if not _is_ascending(segment.keys):
        raise BadSegment("has keys out of order")
    if not all(is_valid_vector(vector, storage) for _, vector in segment.pairs):
        raise BadSegment("has an invalid vector")
    return segment


def is_valid_vector(vector: bytes, storage: str) -> bool:
    """Whether these bytes are a vector of the right scale, neither zero nor infinite."""
    if storage == "int8":
        # The largest component is scaled to 127 or -127; -128 does not occur.
        return (b"\x7f" in vector or b"\x81" in vector) and b"\x80" not in vector
    values = array("f", vector)
    square: float = sum(map(mul, values, values))
    # NaN fails every comparison.
    return _SQUARED_LENGTH_RANGE[0] < square < _SQUARED_LENGTH_RANGE[1]


def _is_ascending(keys: Sequence[bytes]) -> bool:
    return all(key < following for key, following in pairwise(keys))
