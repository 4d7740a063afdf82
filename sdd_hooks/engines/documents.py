"""Documents as the other layers see them, made from rows of the index."""

# Governing: ADR-0002 (embedded engine on apsw, FTS5 and sqlite-vec)

from __future__ import annotations

from sdd_hooks.engines.protocol import IndexedDocument
from sdd_hooks.engines.stored_paths import original_path


def indexed_document(
    collection: str, stored: str, title: str, digest: bytes, chunks: int
) -> IndexedDocument:
    """Return the document of a row; `stored` is its path as an index stores it."""
    path = original_path(stored)
    name = path.rpartition("/")[2]
    return IndexedDocument(
        f"{path}#file", collection, path, title or name, f"sha256:{digest.hex()}", chunks
    )
