"""Paths as an index stores them: text in UTF-8, which the name of a file need not be.

In Python, a byte that is no UTF-8 is a lone surrogate (PEP 383). It is stored as U+10FFFF, which
is no character, and two hexadecimal digits.
"""

# Governing: ADR-0002 (embedded engine on apsw, FTS5 and sqlite-vec)

from __future__ import annotations

import os
import re

from sdd_hooks.engines.protocol import IndexedDocument
from sdd_hooks.text.decoding import decode

_ESCAPE = "\U0010ffff"
_FIRST, _LAST = "\udc80", "\udcff"


def is_storable(path: str) -> bool:
    """Whether a terminal can print each character of the path that is one."""
    return path.isprintable() or all(c.isprintable() or _FIRST <= c <= _LAST for c in path)


def stored_path(path: str) -> str:
    """Return the text that an index stores for a path."""
    if path.isascii() or not any(_FIRST <= character <= _LAST for character in path):
        return path
    return "".join(
        f"{_ESCAPE}{ord(character) & 0xFF:02x}" if _FIRST <= character <= _LAST else character
        for character in path
    )


def original_path(text: str) -> str:
    """Return the path for which this text is stored."""
    if _ESCAPE not in text:
        return text
    return re.sub(
        f"{_ESCAPE}([89a-f][0-9a-f])", lambda match: chr(0xDC00 + int(match[1], 16)), text
    )


def words_of_path(path: str) -> str:
    """Return a path for the search by words, with the most likely characters for its bytes."""
    return path if path.isascii() else decode(os.fsencode(path))


def indexed_document(
    collection: str, stored: str, title: str, digest: bytes, chunks: int
) -> IndexedDocument:
    """Return the document of a row; `stored` is its path as an index stores it."""
    path = original_path(stored)
    name = path.rpartition("/")[2]
    return IndexedDocument(
        f"{path}#file", collection, path, title or name, f"sha256:{digest.hex()}", chunks
    )


def with_line_feeds(data: bytes) -> bytes:
    """Return the content of a file with the line ends that git stores.

    Which line ends a file has in the work tree depends on attributes and on the machine.
    """
    return data.replace(b"\r\n", b"\n")


def content_digest(data: bytes) -> bytes:
    """Return the SHA-256 of the content of a file, whatever line ends it has."""
    from hashlib import sha256

    return sha256(with_line_feeds(data)).digest()
