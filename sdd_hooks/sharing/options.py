"""Which remote vectors are shared through, and the limits of a ref."""

# Governing: ADR-0025 (vectors travel in a git ref), SPEC-0013 REQ "Segments",
# REQ "Bounded history"

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from sdd_hooks.named_tuple import NamedTuple

LOCK_TIMEOUT = 60.0


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


class SharingOptions(NamedTuple):
    """The remote of a push or a pull.

    `access` is added to git's environment for the remote. `wait` is how many seconds to wait for
    another push or pull of the repository.
    """

    remote: str = "origin"
    access: Mapping[str, str] = MappingProxyType({})
    wait: float = LOCK_TIMEOUT
    limits: SharingLimits = SharingLimits()


DEFAULT_OPTIONS = SharingOptions()
