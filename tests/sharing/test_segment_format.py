"""A segment is its content, and nothing that is not one is taken for one."""

from __future__ import annotations

import math
import struct
from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.engines.embedded.vectors import pack_vector
from sdd_hooks.sharing.segment_format import (
    BadSegment,
    name_of,
    read_header,
    read_segment,
    sound,
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


def one(storage: str = "int8", *vectors: bytes) -> bytes:
    """A segment with these vectors of three dimensions."""
    made = vectors or (pack_vector(unit([1, 2, 3]), storage),)
    return write_segment(
        MODEL, storage, 3, [(bytes([n]) * 32, vector) for n, vector in enumerate(made)]
    )


@given(st.sampled_from(["int8", "float32"]), st.dictionaries(keys, components, min_size=1))
def test_what_was_written_is_read(storage: str, made: dict[bytes, list[float]]) -> None:
    pairs = [(key, pack_vector(unit(values), storage)) for key, values in made.items()]
    data = write_segment(MODEL, storage, 3, pairs)
    assert data == write_segment(MODEL, storage, 3, reversed(pairs))
    segment = read_segment(name_of(data), data, MODEL, storage)
    assert segment.pairs == sorted(pairs)
    assert segment.keys == sorted(made)
    assert read_header(data[:1100]) == segment.header
    assert segment.header.bytes == len(data)


@given(st.data())
def test_whatever_else_is_refused(data: st.DataObject) -> None:
    """Even where the name is right, as whoever writes a segment can make it."""
    sound = one("int8", b"\x7f\x01\x02", b"\x81\x00\x05")
    start = data.draw(st.integers(0, len(sound)))
    end = data.draw(st.integers(start, len(sound)))
    forged = sound[:start] + data.draw(st.binary(max_size=40)) + sound[end:]
    try:
        found = read_segment(name_of(forged), forged, MODEL, "int8")
    except BadSegment as error:
        assert str(error).isprintable()
        return
    assert write_segment(MODEL, "int8", found.header.dimensions, found.pairs) == forged


@given(st.binary(max_size=2000))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    for head in (data, b"sddvec\0\1" + data):
        with pytest.raises(BadSegment):
            read_segment(name_of(head), head, "", "int8")


def test_each_lie_is_told() -> None:
    sound = one()
    lies: dict[str, bytes | tuple[bytes, str]] = {
        "is not what its checksum says": (sound + b"\0", name_of(sound)),
        "is no segment of this format": sound.replace(b"sddvec\0\1", b"sddvec\0\2"),
        "is cut short": sound[:10],
        "is not as long as its header says": sound[:-1],
        "has an impossible header": sound[:12] + struct.pack(">II", 0, 1) + sound[20:],
        "has vectors of an unknown kind": sound[:8] + b"\7" + sound[9:],
        "is of another model": sound.replace("ä".encode(), b"aa"),
        "has keys out of order": write_segment(MODEL, "int8", 3, [(b"k" * 32, b"\x7f\0\0")] * 2),
        "has a vector that no model gives": one("int8", b"\x7f\x80\0"),
    }
    for said, lie in lies.items():
        data, name = lie if isinstance(lie, tuple) else (lie, name_of(lie))
        with pytest.raises(BadSegment, match=f"^{said}$"):
            read_segment(name, data, MODEL, "int8")
    for count in (0, 2**32 - 1):
        data = sound[:16] + struct.pack(">I", count) + sound[20:]
        with pytest.raises(BadSegment):
            read_segment(name_of(data), data, MODEL, "int8")


@pytest.mark.parametrize("storage", ["int8", "float32"])
def test_what_no_model_gives_is_unsound(storage: str) -> None:
    assert sound(pack_vector(unit([1, -2, 3]), storage), storage)
    zero, nothing, infinite, long = (
        array("f", [value, 0, 0]).tobytes() for value in (0.0, math.nan, math.inf, 2.0)
    )
    if storage == "float32":
        assert not any(sound(one, storage) for one in (zero, nothing, infinite, long))
    else:
        assert not sound(pack_vector(zero, storage), storage)
        assert not sound(b"\x01\x02\x03", storage)
