"""Marks of files: what tells that one was changed since a sync."""

# Governing: ADR-0018 (tracker issues as files)

from __future__ import annotations

import hashlib

from sdd_hooks.named_tuple import NamedTuple


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
