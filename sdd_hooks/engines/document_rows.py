"""What an index stores of one document: its title, its chunks, and their words."""

# Governing: ADR-0008 (units of retrieval), ADR-0002 (words as FTS5 tokenizes them)

from __future__ import annotations

from sdd_hooks.chunking.document import chunk_document, chunk_hash
from sdd_hooks.engines.chunk_fields import ChunkFields
from sdd_hooks.named_tuple import NamedTuple

ChunkRow = tuple[str, str, int, int, bytes, str]
"""Anchor, section, first line, last line, hash, and text of a chunk."""

WordsRow = tuple[str, str, str]
"""The fields of a chunk in which words are searched: titles, text, and parts of names."""


class DocumentRows(NamedTuple):
    """The title of a document, and two rows for each chunk, in order."""

    title: str
    chunks: list[ChunkRow]
    words: list[WordsRow]


def cut_document(path: str, data: bytes) -> DocumentRows:
    """Cut a document with line feeds into chunks, and find their words. Raises nothing."""
    title, chunks = chunk_document(path, data)
    fields = ChunkFields(path, title)
    return DocumentRows(
        title,
        [
            (one.anchor, one.title, one.first_line, one.last_line, chunk_hash(title, one), one.text)
            for one in chunks
        ],
        [fields.of_chunk(one.title, one.text) for one in chunks],
    )
