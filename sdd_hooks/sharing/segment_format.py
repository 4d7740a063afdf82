"""Vectors as bytes that another machine can read: a segment, named by what is in it.

    magic        8 bytes, with the number of the format
    storage      1 byte, then one that is 0
    model        2 bytes, the length of the model's id in UTF-8
    dimensions   4 bytes
    count        4 bytes
    the model's id
    count keys   32 bytes each, ascending, none twice
    count vectors, in the order of the keys

Numbers are big-endian. The name of a segment is the SHA-256 of all of it, in hexadecimal: equal
vectors are equal bytes under an equal name on every machine.
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

FORMAT = 1
"""The number of the format. It covers how a text becomes a vector, too: its place in front of it,
how a model's output becomes one vector, and how that becomes bytes. Where any of that changes for
an equal text, vectors of before and after are not comparable, and the number has to change."""

KEY_BYTES = 32
VALUE_BYTES = {"int8": 1, "float32": 4}


_MAGIC = b"sddvec" + FORMAT.to_bytes(2, "big")
_HEADER = struct.Struct(">8sBxHII")
_STORAGES = ("int8", "float32")
_LONGEST_MODEL = 1000
_MOST_DIMENSIONS = 65_536
HEADER_BYTES = _HEADER.size + _LONGEST_MODEL
"""As many bytes of a segment hold all of its header."""

# The length of a float32 vector is 1 but for what the last bits of its components make of it.
_SQUARE = (0.98, 1.02)


class BadSegment(ValueError):
    """What is called a segment cannot be used. The message says why."""


@dataclass(frozen=True)
class Header:
    """What a segment says about itself."""

    model: str
    storage: str
    dimensions: int
    count: int

    @property
    def vector_bytes(self) -> int:
        """Length of one vector."""
        return self.dimensions * VALUE_BYTES[self.storage]

    @property
    def bytes(self) -> int:
        """Length of the whole segment."""
        each = KEY_BYTES + self.vector_bytes
        return _HEADER.size + len(self.model.encode()) + self.count * each


@dataclass(frozen=True)
class Segment:
    """A segment that was read and found sound."""

    header: Header
    data: bytes

    @property
    def keys(self) -> list[bytes]:
        """The keys, ascending."""
        first = self._first
        ends = range(first, first + self.header.count * KEY_BYTES, KEY_BYTES)
        return [self.data[start : start + KEY_BYTES] for start in ends]

    @property
    def pairs(self) -> list[tuple[bytes, bytes]]:
        """Each key with its vector."""
        size = self.header.vector_bytes
        start = self._first + self.header.count * KEY_BYTES
        return [
            (key, self.data[start + number * size : start + (number + 1) * size])
            for number, key in enumerate(self.keys)
        ]

    @property
    def _first(self) -> int:
        return _HEADER.size + len(self.header.model.encode())


def name_of(data: bytes) -> str:
    """The name of a segment."""
    return hashlib.sha256(data).hexdigest()


def write_segment(
    model: str, storage: str, dimensions: int, pairs: Iterable[tuple[bytes, bytes]]
) -> bytes:
    """The segment of these vectors, whatever their order. No key may be there twice."""
    ordered = sorted(pairs)
    named = model.encode()
    return b"".join(
        (
            _HEADER.pack(_MAGIC, _STORAGES.index(storage), len(named), dimensions, len(ordered)),
            named,
            *(key for key, _ in ordered),
            *(vector for _, vector in ordered),
        )
    )


def read_header(data: bytes) -> Header:
    """The header of a segment whose beginning is `data`. Raises BadSegment."""
    if len(data) < _HEADER.size:
        raise BadSegment("is cut short")
    magic, storage, length, dimensions, count = _HEADER.unpack_from(data)
    if magic != _MAGIC:
        raise BadSegment("is no segment of this format")
    if storage >= len(_STORAGES) or data[9]:
        raise BadSegment("has vectors of an unknown kind")
    if not 0 < dimensions <= _MOST_DIMENSIONS or count == 0 or length > _LONGEST_MODEL:
        raise BadSegment("has an impossible header")
    try:
        model = data[_HEADER.size : _HEADER.size + length].decode()
    except UnicodeDecodeError:
        raise BadSegment("has an impossible header") from None
    return Header(model, _STORAGES[storage], dimensions, count)


def read_segment(name: str, data: bytes, model: str, storage: str) -> Segment:
    """The segment called `name`, of this model and storage, with every vector looked at.

    Raises BadSegment.
    """
    if name_of(data) != name:
        raise BadSegment("is not what its checksum says")
    header = read_header(data)
    if (header.model, header.storage) != (model, storage):
        raise BadSegment("is of another model")
    if header.bytes != len(data):
        raise BadSegment("is not as long as its header says")
    segment = Segment(header, data)
    if not ascending(segment.keys):
        raise BadSegment("has keys out of order")
    if not all(sound(vector, storage) for _, vector in segment.pairs):
        raise BadSegment("has a vector that no model gives")
    return segment


def sound(vector: bytes, storage: str) -> bool:
    """Whether these bytes are what a model gives: no zero, no infinity, of the right scale."""
    if storage == "int8":
        # Scaled so that the largest component is 127, one way or the other.
        return (b"\x7f" in vector or b"\x81" in vector) and b"\x80" not in vector
    values = array("f", vector)
    square: float = sum(map(mul, values, values))
    # Whatever is no number fails every comparison.
    return _SQUARE[0] < square < _SQUARE[1]


def ascending(keys: Sequence[bytes]) -> bool:
    """Whether each key is greater than the one before."""
    return all(one < other for one, other in pairwise(keys))
