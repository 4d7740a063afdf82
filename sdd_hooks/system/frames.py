"""Frames between two processes of this package: the length of a block of bytes, then the block."""

from __future__ import annotations

import os
from typing import IO

_SIZE_BYTES = 8


def write_frame(descriptor: int, data: bytes) -> None:
    """Write a frame to a pipe. Raises OSError when its reader has ended."""
    rest = memoryview(len(data).to_bytes(_SIZE_BYTES, "little") + data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def read_frame(stream: IO[bytes]) -> bytes | None:
    """Read the next frame; None after the last one, and for one that is not whole."""
    size = stream.read(_SIZE_BYTES)
    if len(size) < _SIZE_BYTES:
        return None
    length = int.from_bytes(size, "little")
    data = stream.read(length)
    return data if len(data) == length else None
