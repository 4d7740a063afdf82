"""How much a ref holds, and how much of it is kept on this machine."""

# Governing: ADR-0025 (vectors travel in a git ref), SPEC-0013 REQ "Segments",
# REQ "Bounded history"

from __future__ import annotations

from typing import NamedTuple

LOCK_TIMEOUT = 60.0
"""Seconds to wait for another push or pull of the repository."""


class SharingLimits(NamedTuple):
    """Sizes in bytes, and a count.

    A segment has at most `max_segment_bytes`, all segments together have at most
    `max_total_bytes`. With more than `max_segments`, those below `small_segment_bytes` are merged.
    The objects kept on this machine may take `spare_bytes` besides twice the size of the segments.
    """

    max_segment_bytes: int = 32_000_000
    small_segment_bytes: int = 16_000_000
    max_segments: int = 32
    max_total_bytes: int = 512_000_000
    spare_bytes: int = 64_000_000


DEFAULT_LIMITS = SharingLimits()
