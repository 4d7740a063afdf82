"""How much a ref holds, and how much is kept of it here."""

# Governing: ADR-0025 (vectors travel in a git ref), SPEC-0013 REQ "Segments",
# REQ "Bounded history"

from __future__ import annotations

from typing import NamedTuple


class Limits(NamedTuple):
    """Bytes of a segment (`largest`); those below which it is one of the small ones that are put
    together when there are more than `most` in all; bytes of all segments (`total`); and bytes of
    git's objects that are kept here beside twice those of use (`spare`)."""

    largest: int = 32_000_000
    small: int = 16_000_000
    most: int = 32
    total: int = 512_000_000
    spare: int = 64_000_000


LIMITS = Limits()
