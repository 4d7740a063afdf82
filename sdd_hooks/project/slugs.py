"""Names of repositories and modules as they stand in the names of collections."""

from __future__ import annotations

SLUG_CHARACTERS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-")


def slugify(name: str) -> str:
    """`name` in lower case, everything but ASCII letters, digits and `-` as `-`."""
    lower = (c.lower() if c.isascii() else "-" for c in name)
    return "".join(c if c in SLUG_CHARACTERS else "-" for c in lower)
