"""The checksums in the rows of the file of vectors: CRC-32, which finds damage but no forgery."""

# Governing: ADR-0028 (a vector is used only if it is sound)

from __future__ import annotations

from zlib import crc32


def model_checksum(model: int, name: str, storage: str, dimensions: int, measured: int) -> int:
    """Return the checksum of a row of `models`."""
    return crc32(f"{model}\0{storage}\0{dimensions}\0{measured}\0{name}".encode())


def vector_checksum(model: int, key: bytes, vector: bytes, pulled: int) -> int:
    """Return the checksum of a row of `vectors`."""
    return crc32(vector, crc32(key, crc32(f"{model}\0{pulled}\0".encode())))
