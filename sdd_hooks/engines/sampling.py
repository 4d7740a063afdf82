"""What an engine offers whose index can be compared with the files, and checked as a whole."""

# Governing: ADR-0029 (an index is compared with the files now and then)

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from sdd_hooks.engines.protocol import IndexedDocument


@runtime_checkable
class SamplesDocuments(Protocol):
    """An engine that stores the hash of each document as `content_digest` computes it."""

    def sample(self, count: int) -> Sequence[IndexedDocument]:
        """Return up to `count` random documents, which were checked for consistency.

        Raises IndexDamaged if one is not consistent.
        """
        ...

    def verify(self) -> None:
        """Check the whole index, and the chunks of each file. Raises IndexDamaged."""
        ...


def with_line_feeds(data: bytes) -> bytes:
    """Return the content of a file with the line ends that git stores.

    Which line ends a file has in the work tree depends on attributes and on the machine.
    """
    return data.replace(b"\r\n", b"\n")


def content_digest(data: bytes) -> bytes:
    """Return the SHA-256 of the content of a file, whatever line ends it has."""
    from hashlib import sha256

    return sha256(with_line_feeds(data)).digest()
