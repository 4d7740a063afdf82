"""The name of an issue's file, and the mark that tells that the file was changed since a sync.

The name is the id of the issue if that is safe on every system, else an escaped form.
"""

# Governing: ADR-0018 (tracker issues as files), ADR-0012 (no path leaves the repository)

from __future__ import annotations

import hashlib
import re

from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.text.lazy_regex import lazy_regex

EXTENSION = ".md"
ESCAPE = "%"
"""The first character of an escaped name, and the prefix of each escaped byte in it."""

_SAFE = lazy_regex(r"[A-Za-z0-9][A-Za-z0-9._-]{0,199}", re.ASCII)
_MAX_NAME = 240
# Windows reserves these names for devices, with any extension.
_RESERVED = lazy_regex(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|$)", re.IGNORECASE)
_PLAIN = frozenset(b"abcdefghijklmnopqrstuvwxyz0123456789-_")


class FileMark(NamedTuple):
    """What tells that a file was changed: its size, its time (nanoseconds), and a digest."""

    size: int
    modified: int
    digest: str

    def is_of(self, data: bytes | None) -> bool:
        """Whether a file with this mark has the content `data`; None is no file."""
        return data is not None and digest_of(data) == self.digest


def digest_of(data: bytes) -> str:
    """The digest in the mark of a file with this content."""
    return hashlib.blake2b(data, digest_size=8).hexdigest()


def is_safe(id: str) -> bool:
    """Whether the id itself can be the name of a file on every system."""
    return _SAFE.fullmatch(id) is not None and not _RESERVED.match(id)


def plain_name(id: str) -> str:
    """The name of the file for a safe id."""
    return id + EXTENSION


def escaped_name(id: str) -> str | None:
    """A name that is unique to the id, even on systems that ignore case.

    None for an id that is empty, or whose name would be too long.
    """
    data = id.encode("utf-8", "surrogatepass")
    name = ESCAPE + "".join(chr(byte) if byte in _PLAIN else f"{ESCAPE}{byte:02x}" for byte in data)
    return name + EXTENSION if data and len(name) <= _MAX_NAME else None


def parse_id(name: str) -> str | None:
    """The id whose file has this name; None for a name that no issue has."""
    stem = name.removesuffix(EXTENSION)
    if stem == name:
        return None
    if is_safe(stem):
        return stem
    if not stem.startswith(ESCAPE):
        return None
    try:
        data = re.sub(
            rb"%([0-9a-f]{2})", lambda match: bytes.fromhex(match[1].decode()), stem[1:].encode()
        )
        id = data.decode("utf-8", "surrogatepass")
    except UnicodeError:
        return None
    return id if escaped_name(id) == name else None
