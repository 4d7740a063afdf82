"""The formats of a stored vector: float32, or int8 scaled so that its largest component is 127.

The cosine does not depend on the scale, so the scale is not stored.
"""

# Governing: ADR-0011 (content-addressed vectors)

from __future__ import annotations

from array import array


def pack_vector(vector: bytes, storage: str) -> bytes:
    """Convert a float32 vector into the storage."""
    if storage == "float32":
        return vector
    values = array("f", vector)
    largest = max(map(abs, values), default=0.0) or 1.0
    return array("b", (round(value / largest * 127) for value in values)).tobytes()
