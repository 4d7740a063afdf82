"""The name of an issue's file: its id where that is safe everywhere, else a way to write it."""

# Governing: ADR-0018 (tracker issues as files), ADR-0012 (no path leaves the repository)

from __future__ import annotations

import re

ENDING = ".md"
ESCAPE = "%"
"""What the name of an escaped id begins with, and each of its escaped bytes."""

_SAFE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,199}", re.ASCII)
_LONGEST = 240
# Windows takes these for devices, whatever ending they have.
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|$)", re.IGNORECASE)
_PLAIN = frozenset(b"abcdefghijklmnopqrstuvwxyz0123456789-_")


def is_safe(id: str) -> bool:
    """Whether the id itself can be the name of a file, on every system."""
    return _SAFE.fullmatch(id) is not None and not _RESERVED.match(id)


def plain_name(id: str) -> str:
    """The name of the file for a safe id."""
    return id + ENDING


def escaped_name(id: str) -> str | None:
    """A name for any id, which no other id has, not even where case does not count.

    None for an id that is empty or too long to be a name.
    """
    data = id.encode("utf-8", "surrogatepass")
    name = ESCAPE + "".join(chr(byte) if byte in _PLAIN else f"{ESCAPE}{byte:02x}" for byte in data)
    return name + ENDING if data and len(name) <= _LONGEST else None


def id_of(name: str) -> str | None:
    """The id of which this is the file; None for a name that is none of ours."""
    stem = name.removesuffix(ENDING)
    if stem == name:
        return None
    if is_safe(stem):
        return stem
    if not stem.startswith(ESCAPE):
        return None
    try:
        data = re.sub(
            rb"%([0-9a-f]{2})", lambda found: bytes.fromhex(found[1].decode()), stem[1:].encode()
        )
        id = data.decode("utf-8", "surrogatepass")
    except UnicodeError:
        return None
    return id if escaped_name(id) == name else None
