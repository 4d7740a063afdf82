"""Parsing a segment returns what was written, and refuses every other input."""

from __future__ import annotations

import math
import struct
from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.engines.vector_exchange import pack_vector
from sdd_hooks.sharing.segment_format import (
    BadSegment,
    is_valid_vector,
    read_header,
    read_segment,
    segment_name,
    write_segment,
)

MODEL = "hub:owner/näme"

components = st.lists(st.floats(-1, 1, width=32), min_size=3, max_size=3).filter(
    lambda values: math.hypot(*values) > 0.01
)
keys = st.binary(min_size=32, max_size=32)


def unit(values: list[float]) -> bytes:
    length = math.hypot(*values)
    return array("f", [value / length for value in values]).tobytes()


def make_segment(storage: str = "int8", *vectors: bytes) -> bytes:
    """A segment with these vectors of three dimensions."""
    content = vectors or (pack_vector(unit([1, 2, 3]), storage),)
    return write_segment(
        MODEL, storage, 3, [(bytes([n]) * 32, vector) for n, vector in enumerate(content)]
    )


@given(st.sampled_from(["int8", "float32"]), st.dictionaries(keys, components, min_size=1))
def test_a_written_segment_is_read_back(storage: str, vectors: dict[bytes, list[float]]) -> None:
    pairs = [(key, pack_vector(unit(values), storage)) for key, values in vectors.items()]
    data = write_segment(MODEL, storage, 3, pairs)
    assert data == write_segment(MODEL, storage, 3, reversed(pairs))
    segment = read_segment(segment_name(data), data, MODEL, storage)
    assert segment.pairs == sorted(pairs)
    assert segment.keys == sorted(vectors)
    assert read_header(data[:1100]) == segment.header
    assert segment.header.bytes == len(data)


@given(st.data())
def test_a_changed_segment_is_equal_or_refused(data: st.DataObject) -> None:
    """Even with the right name, which the author of a segment can choose."""
    segment = make_segment("int8", b"\x7f\x01\x02", b"\x81\x00\x05")
    start = data.draw(st.integers(0, len(segment)))
    end = data.draw(st.integers(start, len(segment)))
    forged = segment[:start] + data.draw(st.binary(max_size=40)) + segment[end:]
    try:
        parsed = read_segment(segment_name(forged), forged, MODEL, "int8")
    except BadSegment as error:
        assert str(error).isprintable()
        return
    assert write_segment(MODEL, "int8", parsed.header.dimensions, parsed.pairs) == forged


@given(st.binary(max_size=2000))
def test_arbitrary_bytes_are_refused(data: bytes) -> None:
    for head in (data, b"sddvec\0\2" + data):
        with pytest.raises(BadSegment):
            read_segment(segment_name(head), head, "", "int8")


def test_each_fault_has_a_message() -> None:
    segment = make_segment()
    faults: dict[str, bytes | tuple[bytes, str]] = {
        "does not match its checksum": (segment + b"\0", segment_name(segment)),
        "is not a segment of this format": segment.replace(b"sddvec\0\2", b"sddvec\0\1"),
        "is truncated": segment[:10],
        "does not have the length of its header": segment[:-1],
        "has an invalid header": segment[:12] + struct.pack(">II", 0, 1) + segment[20:],
        "has vectors of an unknown kind": segment[:8] + b"\7" + segment[9:],
        "is of another model": segment.replace("ä".encode(), b"aa"),
        "has keys out of order": write_segment(MODEL, "int8", 3, [(b"k" * 32, b"\x7f\0\0")] * 2),
        "has an invalid vector": make_segment("int8", b"\x7f\x80\0"),
    }
    for message, fault in faults.items():
        data, name = fault if isinstance(fault, tuple) else (fault, segment_name(fault))
        with pytest.raises(BadSegment, match=f"^{message}$"):
            read_segment(name, data, MODEL, "int8")
    for count in (0, 2**32 - 1):
        data = segment[:16] + struct.pack(">I", count) + segment[20:]
        with pytest.raises(BadSegment):
            read_segment(segment_name(data), data, MODEL, "int8")


@pytest.mark.parametrize("storage", ["int8", "float32"])
def test_a_vector_of_the_wrong_scale_is_invalid(storage: str) -> None:
    assert is_valid_vector(pack_vector(unit([1, -2, 3]), storage), storage)
    zero, not_a_number, infinite, long = (
        array("f", [value, 0, 0]).tobytes() for value in (0.0, math.nan, math.inf, 2.0)
    )
    if storage == "float32":
        assert not any(
            is_valid_vector(vector, storage) for vector in (zero, not_a_number, infinite, long)
        )
    else:
        assert not is_valid_vector(pack_vector(zero, storage), storage)
        assert not is_valid_vector(b"\x01\x02\x03", storage)
